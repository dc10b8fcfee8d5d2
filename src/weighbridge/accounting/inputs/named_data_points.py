"""The data points that a model run is given, by the ids that a caller names them by.

A data point that is named twice counts once. Invariant: what is named is a value of a complete event of the
project, or a problem says why not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from weighbridge.collection.measurements.filled import IS_FILLED
from weighbridge.collection.measurements.value import BOOLEANS, NUMBERS, TEXTS
from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import Owner
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Read

FIELD = "model_run.data_point_ids"


@dataclass(frozen=True, slots=True)
class NamedDataPoint:
    """A data point that a caller named: its position in the request, and what it is."""

    index: int
    event: int
    position: int
    event_type: int
    event_type_slug: str
    slug: str
    is_complete: bool

    @property
    def field(self) -> str:
        return f"{FIELD}[{self.index}]"


async def named_data_points(
    tx: Read, project: int, friendly: Sequence[str]
) -> tuple[tuple[NamedDataPoint, ...], list[Problem]]:
    """Find the data points of a project that ids name, and what is wrong with the ids."""
    keys = [ids.parse("data_point", text) for text in friendly]
    indexes = {
        (key.key, key.position): index
        for index, key in reversed(list(enumerate(keys)))
        if key is not None and key.project == project and key.owner is Owner.EVENT
    }
    points = await tx.rows(
        NamedDataPoint,
        f"""
        SELECT w.index::integer, e.id, w.position, e.event_type_id, et.slug, t.slug,
               e.is_complete OR {IS_FILLED}
          FROM unnest(%(indexes)s::integer[], %(events)s::bigint[], %(positions)s::integer[])
                 AS w (index, event_id, position)
          JOIN events e ON (e.project_id, e.id) = (%(project)s, w.event_id)
          JOIN event_types et ON (et.project_id, et.id) = (e.project_id, e.event_type_id)
          JOIN data_point_types t
            ON (t.project_id, t.event_type_id, t.position) = (e.project_id, e.event_type_id, w.position)
         WHERE e.voided_at IS NULL
           AND num_nonnulls(({NUMBERS})[t.position], ({TEXTS})[t.position], ({BOOLEANS})[t.position]) > 0
         ORDER BY w.index
        """,
        {
            "project": project,
            "indexes": list(indexes.values()),
            "events": [event for event, _ in indexes],
            "positions": [position for _, position in indexes],
        },
    )
    known = {ids.of("data_point", project, one.event, one.position) for one in points}
    unknown = [_unknown(index, text) for index, text in enumerate(friendly) if text not in known]
    incomplete = [_incomplete(project, one) for one in points if not one.is_complete]
    return tuple(points), unknown + incomplete


def _unknown(index: int, text: str) -> Problem:
    field = f"{FIELD}[{index}]"
    message = f"{field} is {shorten(text)!r}, which is no data point of an event of the model's project."
    return Problem(message, field, "unknown")


def _incomplete(project: int, one: NamedDataPoint) -> Problem:
    event = ids.of("event", project, one.event)
    message = f"{one.field} belongs to {event}, which is incomplete: a required data point is missing."
    return Problem(message, one.field, "incomplete", (event,))
