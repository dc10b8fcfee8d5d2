"""Data points: the measured values of events.

A data point has no row of its own; it is a position in its event's row, and its id says which. What was
captured there never changes; corrections stand beside it, and the one in force is its value.
Permission: data collection.
"""

from dataclasses import dataclass

from msgspec import UNSET

from weighbridge.collection import data_points_queries as queries
from weighbridge.collection.data_points_queries import DataPointRow
from weighbridge.collection.intake.checking import EventProblems, bounded_text, element
from weighbridge.collection.measurements.annotations import CORRECTIONS
from weighbridge.collection.measurements.corrections import (
    NewCorrection,
    apply_corrections,
    corrections_of_value,
    undo,
)
from weighbridge.collection.measurements.event_records import (
    EventRow,
    locked_event_row,
    stated_at,
    stored_leaves,
    with_stated,
)
from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.collection.records.data_points import (
    Correction,
    DataPoint,
    DataPointChange,
    DataPointChangeBody,
    NoOptions,
    OutputDataPointOfRun,
)
from weighbridge.collection.records.events import REASON_LENGTH_MAX, NewDataPoint
from weighbridge.collection.records.uncertainty import find_problems, find_unit, to_canonical
from weighbridge.core import identity
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.lists.listing import Page, list_request
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import LookingBack, ReadCall, WriteCall, get, patch, post
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import project_of, project_to_read

# Correct the value of a data point, or revert it to what was captured.


async def set_correction(
    tx: Write, actor: Actor, project: int, friendly: str, change: DataPointChange
) -> DataPoint:
    """Put another value in force beside the captured one; the value that is held adds nothing."""
    row = await queries.data_point_row(tx, project, friendly)
    if problems := _problems(row, change):
        raise Invalid(problems)
    held_event = await locked_event_row(tx, project, identity.of("event", project, row.event))
    before = await queries.get_data_point(tx, project, friendly)
    was = await stored_leaves(tx, project, [row.event])
    traces = await _restate(tx, held_event, row.position, change)
    is_corrected = change.value is not UNSET and await _correct(tx, actor, project, row, change)
    if not traces and not is_corrected:
        return before
    after = await queries.get_data_point(tx, project, friendly)
    leaves = {}
    if traces:
        now = await stored_leaves(tx, project, [row.event])
        event = identity.of("event", project, row.event)
        leaves = {"leaves": [[event, was[row.event], now[row.event]]]}
    changes.record(
        tx,
        actor,
        *traces,
        action="data_point.correct",
        target=friendly,
        project_id=project,
        before=before,
        after={"data_point": after, "reason": change.reason} | leaves,
    )
    return after


async def _correct(tx: Write, actor: Actor, project: int, row: DataPointRow, change: DataPointChange) -> bool:
    """Put another value in force; says whether that is a change."""
    correction = NewCorrection(
        row.event, row.position, change.value, CorrectionOrigin.MANUAL, reason=change.reason or None
    )
    return bool((await apply_corrections(tx, actor, project, [correction])).recorded)


async def _restate(
    tx: Write, event: EventRow, position: int, change: DataPointChange
) -> tuple[changes.Trace, ...]:
    """Say how well the value is known, and give what that leaves; Conflict while a generation runs."""
    if change.uncertainty is UNSET:
        return ()
    stated = None if change.uncertainty is None else to_canonical(change.uncertainty)
    if stated == stated_at(event, position):
        return ()
    held = await staleness.hold_off_generations(tx, event.project)
    inputs = staleness.announce(tx, event.project)
    await tx.execute(
        "UPDATE events SET uncertainties = %s, updated_at = now() WHERE project_id = %s AND id = %s",
        (jsonb(with_stated(event.uncertainties, position, stated)), event.project, event.number),
    )
    value = event.number, position
    return held, staleness.ChangedValues(inputs, [value], restated=[value])


async def undo_correction(tx: Write, actor: Actor, project: int, friendly: str) -> DataPoint:
    """Restore the captured value and revert every correction; without corrections nothing happens."""
    row = await queries.data_point_row(tx, project, friendly)
    await locked_event_row(tx, project, identity.of("event", project, row.event))
    if row.is_imputed:
        message = "The event is imputed and has no captured value. Correct it or undo its rule."
        raise Invalid([Problem(message, code="conflict")])
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
    if change.value is UNSET and change.uncertainty is UNSET:
        problems.refuse("value", "is missing; give a value, an uncertainty, or both.", "required")
    if change.value is not UNSET:
        element(0, NewDataPoint(row.slug, change.value), ValueColumn(row.position, row.value_type), problems)
    if change.uncertainty and row.value_type != "number":
        problems.refuse(
            "uncertainty", f"is stated of {row.slug!r}, which is no number; only a number has one."
        )
    elif change.uncertainty:
        field = "data_point.uncertainty"
        problems.collected.extend(find_problems(change.uncertainty, field, find_unit(row.unit)))
    bounded_text("reason", change.reason, REASON_LENGTH_MAX, problems)
    return problems.collected


# Paths of data points.


_PATH = "/projects/{project_id}/data_points"
_ONE = _PATH + "/{data_point_id}"
_OF_EVENT = "/projects/{project_id}/events/{event_id}/data_points"


@get(
    _PATH,
    permission="data_collection:read",
    returns=Page[DataPoint],
    listing=queries.DATA_POINTS,
    looks_back=LookingBack.ASKED,
)
async def list_data_points(call: ReadCall) -> Page[DataPoint]:
    """List a project's data points, in time order."""
    return await queries.list_data_points(
        call.tx, project_to_read(call), list_request(call.query, queries.DATA_POINTS)
    )


@get(
    _ONE,
    permission="data_collection:read",
    returns=DataPoint | OutputDataPointOfRun,
    looks_back=LookingBack.ASKED,
)
async def get_data_point(call: ReadCall) -> DataPoint | OutputDataPointOfRun:
    """Read one data point: a measured value of an event, or what an output of a model run came to."""
    project = project_to_read(call)
    point = call.path["data_point_id"]
    if queries.is_output(point):
        return await queries.get_output(call.tx, project, point)
    return await queries.get_data_point(call.tx, project, point)


@patch(_ONE, permission="data_collection:write", body=DataPointChangeBody, returns=DataPoint)
async def correct_data_point(call: WriteCall, body: DataPointChangeBody) -> DataPoint:
    """Correct a data point: the new value counts from now on, the captured one stays beside it.

    The value that is held adds nothing. An `uncertainty` says how well the value is known, with or without
    another value. Batches that were made of the value before become stale.
    """
    project = await project_of(call)
    point = call.path["data_point_id"]
    return await set_correction(call.tx, call.actor, project, point, body.data_point)


@post(
    _ONE + "/revert",
    permission="data_collection:write",
    body=NoOptions,
    returns=DataPoint,
    status=200,
)
async def revert_data_point(call: WriteCall, _: NoOptions) -> DataPoint:
    """Restore the captured value and revert every correction of a data point. The body may be left out.

    The corrections stay in the history. Reverting again changes nothing.
    """
    return await undo_correction(call.tx, call.actor, await project_of(call), call.path["data_point_id"])


@get(
    _ONE + "/corrections",
    permission="data_collection:read",
    returns=Page[Correction],
    listing=CORRECTIONS,
    looks_back=LookingBack.ASKED,
)
async def list_corrections(call: ReadCall) -> Page[Correction]:
    """List the corrections of a data point, those that were reverted included."""
    project = project_to_read(call)
    request = list_request(call.query, CORRECTIONS)
    return await queries.list_corrections(call.tx, project, call.path["data_point_id"], request)


@get(
    "/projects/{project_id}/events/{event_id}/corrections",
    permission="data_collection:read",
    returns=Page[Correction],
    listing=CORRECTIONS,
    looks_back=LookingBack.ASKED,
)
async def list_event_corrections(call: ReadCall) -> Page[Correction]:
    """List the corrections of an event: those of its data points, and those of its own times and tags."""
    project = project_to_read(call)
    request = list_request(call.query, CORRECTIONS)
    return await queries.list_event_corrections(call.tx, project, call.path["event_id"], request)


@get(
    _OF_EVENT,
    permission="data_collection:read",
    returns=Page[DataPoint],
    listing=queries.EVENT_DATA_POINTS,
    looks_back=LookingBack.ASKED,
)
async def list_event_data_points(call: ReadCall) -> Page[DataPoint]:
    """List an event's data points, in the order of the event type's."""
    project = project_to_read(call)
    request = list_request(call.query, queries.EVENT_DATA_POINTS)
    return await queries.list_event_data_points(call.tx, project, call.path["event_id"], request)


@get(
    _OF_EVENT + "/{data_point_id}",
    permission="data_collection:read",
    returns=DataPoint,
    looks_back=LookingBack.ASKED,
)
async def get_event_data_point(call: ReadCall) -> DataPoint:
    """Read one data point of an event."""
    project = project_to_read(call)
    event, point = call.path["event_id"], call.path["data_point_id"]
    return await queries.get_event_data_point(call.tx, project, event, point)


@patch(
    _OF_EVENT + "/{data_point_id}",
    permission="data_collection:write",
    body=DataPointChangeBody,
    returns=DataPoint,
)
async def correct_event_data_point(call: WriteCall, body: DataPointChangeBody) -> DataPoint:
    """Correct a data point of an event, as below its project."""
    project = await project_of(call)
    event, point = call.path["event_id"], call.path["data_point_id"]
    await queries.get_event_data_point(call.tx, project, event, point)
    return await set_correction(call.tx, call.actor, project, point, body.data_point)


ROUTES = [
    list_data_points,
    get_data_point,
    correct_data_point,
    revert_data_point,
    list_corrections,
    list_event_corrections,
    list_event_data_points,
    get_event_data_point,
    correct_event_data_point,
]
