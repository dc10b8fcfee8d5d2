"""Correct the value of a data point, or revert it to what was captured."""

from dataclasses import dataclass

from weighbridge.collection.data_points import queries
from weighbridge.collection.data_points.queries import DataPointRow
from weighbridge.collection.data_points.records import DataPoint, DataPointChange
from weighbridge.collection.events.records import REASON_LENGTH_MAX, NewDataPoint
from weighbridge.collection.intake.checking import EventProblems, bounded_text, element
from weighbridge.collection.measurements.corrections import (
    NewCorrection,
    apply_corrections,
    corrections_of_value,
    undo,
)
from weighbridge.collection.measurements.event_row import locked_event_row
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.platform import changes


async def correct_data_point(
    tx: Write, actor: Actor, project: int, friendly: str, change: DataPointChange
) -> DataPoint:
    """Put another value in force beside the captured one; the value that is held adds nothing."""
    row = await queries.data_point_row(tx, project, friendly)
    if problems := _problems(row, change):
        raise Invalid(problems)
    await locked_event_row(tx, project, ids.of("event", project, row.event))
    before = await queries.get_data_point(tx, project, friendly)
    correction = NewCorrection(
        row.event, row.position, change.value, CorrectionOrigin.MANUAL, reason=change.reason or None
    )
    if not (await apply_corrections(tx, actor, project, [correction])).recorded:
        return before
    after = await queries.get_data_point(tx, project, friendly)
    changes.record(
        tx,
        actor,
        action="data_point.correct",
        target=friendly,
        project_id=project,
        before=before,
        after={"data_point": after, "reason": change.reason},
    )
    return after


async def revert_data_point(tx: Write, actor: Actor, project: int, friendly: str) -> DataPoint:
    """Restore the captured value and revert every correction; without corrections nothing happens."""
    row = await queries.data_point_row(tx, project, friendly)
    await locked_event_row(tx, project, ids.of("event", project, row.event))
    if row.is_imputed:
        said = "The event is imputed, so it has no captured value to go back to; correct it or undo its rule."
        raise Invalid([Problem(said, code="conflict")])
    before = await queries.get_data_point(tx, project, friendly)
    in_force = await corrections_of_value(tx, project, row.event, row.position)
    if not (await undo(tx, actor, project, in_force)).recorded:
        return before
    after = await queries.get_data_point(tx, project, friendly)
    changes.record(
        tx, actor, action="data_point.revert", target=friendly, project_id=project, before=before, after=after
    )
    return after


@dataclass(frozen=True, slots=True)
class _OneValue(EventProblems):
    """Problems of the one value of a request."""

    def refuse(
        self, name: str, message: str, code: str = "invalid", *, records: tuple[str, ...] = ()
    ) -> None:
        field = f"data_point.{name.rpartition('.')[2]}"
        self.collected.append(Problem(f"{field} {message}", field, code, records))


def _problems(row: DataPointRow, change: DataPointChange) -> list[Problem]:
    problems = _OneValue("data_point", 0, [])
    element(0, NewDataPoint(row.slug, change.value), ValueColumn(row.position, row.value_type), problems)
    bounded_text("reason", change.reason, REASON_LENGTH_MAX, problems)
    return problems.collected
