"""Find the calibration that a rule asks for: the latest of a record's meter that had begun by its start.

The calibrations of a project are few, so they are read once for an evaluation and found by halves for each
record. The meter is the asset of the event, or none; the readings are those of the rule's data point.

Invariant: what is found for a record depends on calibrations that began by its start, and on no other record.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from weighbridge.core.rule.definition import CalibrationSpan
from weighbridge.core.rule.functions import asks_calibration
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
    if not asks_calibration(rule.tree, rule.where, rule.correction):
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
    spans: dict[_Meter, list[CalibrationSpan]] = {}
    for event_type, asset, start, end in rows:
        spans.setdefault((event_type, asset), []).append(CalibrationSpan(start, end))
    return MeterCalibrations(spans)


_CALIBRATIONS: Final = """
    SELECT c.event_type_id, coalesce(c.asset_id, 0), c.valid_from, c.valid_until
      FROM unnest(%(event_types)s::integer[], %(positions)s::smallint[]) AS checked (event_type_id, position)
      JOIN data_point_types t ON (t.project_id, t.event_type_id, t.position)
                               = (%(project)s, checked.event_type_id, checked.position)
      JOIN calibrations c ON (c.project_id, c.data_point_type_id) = (t.project_id, t.id)
     ORDER BY c.valid_from
"""
