"""The meters of an event type, and when each of them was expected to measure.

A meter is one that has sent an event of the type, at any time before the range ends; an event type that never
had an event is its own meter, and all of its slots are missing. Imputed events make no meter.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.core.time.expectation import Expectation, joined
from weighbridge.core.time.meter import Service
from weighbridge.db.engine import Read
from weighbridge.quality.capture.question import CaptureQuestion, parameters


@dataclass(frozen=True, slots=True)
class ExpectedMeter:
    """A meter by its keys, of which at most one is set, and when it was expected to measure."""

    asset: int | None
    location: int | None
    name: str | None
    expectation: Expectation
    unexpected: tuple[range, ...]
    """The counted slots in which nothing was expected of it."""


async def expected_meters(tx: Read, question: CaptureQuestion) -> list[ExpectedMeter]:
    """The meters of an event type by name, assets first, the event type itself last."""
    # The last slot may end behind the range, and an outage that covers it may begin there.
    until = question.slots.start(question.counted.stop)
    values = parameters(question) | {"start": question.time.start, "end": question.time.end, "until": until}
    meters, declared = await tx.several((_METERS, values), (_OUTAGES, values))
    outages = defaultdict(list)
    for asset, location, start, end in declared:
        outages[asset, location].append((start, end))
    counted, found = question.counted, []
    for asset, location, name, in_service_from, in_service_until in meters or [_ITSELF]:
        own = outages.get((asset, location), []) if asset or location else []
        out = joined([*own, *outages[None, None]], max(until, question.time.end))
        expectation = Expectation(Service(in_service_from, in_service_until), out)
        unexpected = expectation.unexpected(question.slots, counted)
        found.append(ExpectedMeter(asset, location, name, expectation, unexpected))
    return found


def keys_of(meters: Iterable[ExpectedMeter]) -> dict[str, Any]:
    """The parameters by which a statement knows the meters: 0 for a key that a meter does not have."""
    every = list(meters)
    return {
        "assets": [one.asset or 0 for one in every],
        "locations": [one.location or 0 for one in every],
    }


_ITSELF: Final = (None, None, None, None, None)

_METERS: Final = """
    WITH meter AS (
        SELECT DISTINCT e.asset_id, CASE WHEN e.asset_id IS NULL THEN e.location_ids[1] END AS location_id
          FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
           AND NOT e.is_imputed AND e.start_time < %(end)s)
    SELECT m.asset_id, m.location_id, coalesce(a.name, l.name),
           CASE WHEN m.asset_id IS NULL THEN l.in_service_from ELSE a.in_service_from END,
           CASE WHEN m.asset_id IS NULL THEN l.in_service_until ELSE a.in_service_until END
      FROM meter m
      LEFT JOIN assets a ON (a.project_id, a.id) = (%(project)s, m.asset_id)
      LEFT JOIN locations l ON (l.project_id, l.id) = (%(project)s, m.location_id)
     ORDER BY m.asset_id IS NULL, m.location_id IS NULL, coalesce(a.name, l.name) COLLATE "C"
"""
_OUTAGES: Final = """
    SELECT o.asset_id, o.location_id, o.start_time, o.end_time FROM outages o
     WHERE o.project_id = %(project)s AND (o.event_type_id IS NULL OR o.event_type_id = %(event_type)s)
       AND o.start_time < greatest(%(until)s, %(end)s) AND (o.end_time IS NULL OR o.end_time > %(start)s)
"""
