"""Find the calibration that a rule asks for: the latest of a record's meter that had begun by its start.

The calibrations of a project are few, so they are read once for an evaluation and found by halves for each
record. The meter is the asset of the event, or none; the readings are those of the rule's data point.

Drift is of two calibrations, one after the other: what the later one found less what the earlier one left.

Invariant: what is found for a record depends on the calibrations of its meter, and on no other record.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from weighbridge.core.expression import ExpressionError
from weighbridge.core.expression.tree import Position
from weighbridge.core.expression.value import Element, Fault
from weighbridge.core.number import CONTEXT
from weighbridge.core.rule.definition import CalibrationSpan
from weighbridge.core.rule.facts import asks_calibration
from weighbridge.db.engine import Read
from weighbridge.quality.rule_versions import PreparedRule

_Meter = tuple[int, int]
"""The numbers of an event type and of an asset, 0 for events that name none."""


@dataclass(frozen=True, slots=True)
class MeterCalibrations:
    """The calibrations of all meters that a rule may ask for, in the order of their starts."""

    spans: Mapping[_Meter, Sequence[CalibrationSpan]]

    def find_latest(self, event_type: int, asset: int, moment: datetime) -> CalibrationSpan | None:
        """The latest calibration of a meter that had begun by a moment."""
        spans = self.spans.get((event_type, asset), ())
        place = bisect_right(spans, moment, key=_get_start)
        return spans[place - 1] if place else None


NO_CALIBRATIONS: Final = MeterCalibrations({})


def _get_start(span: CalibrationSpan) -> datetime:
    return span.start


async def read_meter_calibrations(tx: Read, prepared: PreparedRule) -> MeterCalibrations:
    """The calibrations that a rule may ask for; none where its expressions do not ask."""
    rule = prepared.rule
    if not asks_calibration(rule.tree, rule.where, rule.same, rule.correction):
        return NO_CALIBRATIONS
    columns = prepared.checked_columns
    rows = await tx.tuples(
        _CALIBRATIONS,
        {
            "project": prepared.version.project,
            "event_types": [*columns],
            "positions": [column.position for column in columns.values()],
        },
    )
    of_meters: dict[_Meter, list[_Certificate]] = {}
    for event_type, asset, *certificate in rows:
        of_meters.setdefault((event_type, asset), []).append(_Certificate(*certificate))
    return MeterCalibrations({meter: _build_spans(found) for meter, found in of_meters.items()})


class _Certificate(NamedTuple):
    """What is read of a calibration."""

    name: str
    start: datetime
    end: datetime | None
    as_found: Decimal | None
    as_left: Decimal | None
    unit: str | None


def _build_spans(certificates: Sequence[_Certificate]) -> list[CalibrationSpan]:
    """The calibrations of one meter, each with how far the meter has moved since the one before."""
    drifts: list[Element] = [None]
    drifts += [compute_drift(before, after) for before, after in pairwise(certificates)]
    return [
        CalibrationSpan(one.start, one.end, one.as_found, drift, next_drift)
        for one, drift, next_drift in zip(certificates, drifts, [*drifts[1:], None], strict=True)
    ]


def compute_drift(before: _Certificate, after: _Certificate) -> Element:
    """What a calibration found less what the one before left; None where one says no error.

    A Fault with both where they state errors in different units.
    """
    if before.as_left is None or after.as_found is None:
        return None
    if before.unit != after.unit:
        message = (
            f"The calibrations {before.name!r} and {after.name!r} state errors in different units, "
            f"{before.unit} and {after.unit}, so the drift between them has no value."
        )
        return Fault(ExpressionError(message, Position()))
    return CONTEXT.subtract(after.as_found, before.as_left)


_CALIBRATIONS: Final = """
    SELECT c.event_type_id, coalesce(c.asset_id, 0), c.name, c.valid_from, c.valid_until, c.as_found,
           c.as_left, coalesce(c.error_unit, t.unit)
      FROM unnest(%(event_types)s::integer[], %(positions)s::smallint[]) AS checked (event_type_id, position)
      JOIN data_point_types t ON (t.project_id, t.event_type_id, t.position)
                               = (%(project)s, checked.event_type_id, checked.position)
      JOIN calibrations c ON (c.project_id, c.data_point_type_id) = (t.project_id, t.id)
     ORDER BY c.valid_from
"""
