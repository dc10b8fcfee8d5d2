"""What lists of events and of their data points share: which events an end lets a list leave out unread.

Invariant: what is implied leaves out no event that meets the condition.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.core.time.instant import MILLISECOND
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, ListRequest, read_key, start_implied
from weighbridge.db.literal import Literal

_PLACES: Final = (
    "e.location_ids[1] = {}",
    "e.location_ids[2] = {}",
    "e.location_ids[3] IS NOT NULL AND {} = ANY (e.location_ids[3:])",
)
BY_METER: Final[Mapping[str, Filter]] = {
    "asset_id": Filter("e.asset_id", read_key("asset"), "an id ast_…"),
    "location_id": Filter(
        "e.location_ids", read_key("location"), "an id loc_…", contains=True, places=_PLACES
    ),
}
"""What meters events are of: their asset, and any of their locations, each place of which has an index."""

_LONGEST: Final = """
    (SELECT coalesce(max(longest), interval '0') FROM event_counts WHERE project_id = {})
"""


def implied_by(project: int, request: ListRequest) -> tuple[Composable, ...]:
    """What bounds of an end say of the start of events."""
    return start_implied(request, "e.start_time", SQL(_LONGEST).format(Literal(project)))


async def with_readings(tx: Read, project: int, request: ListRequest) -> tuple[ListRequest, list[Composable]]:
    """The request with what finds the readings of the rolled-up event that it names, and their tags.

    They are found by the index of their type and time, however many there are. An event that was captured, or
    that is not there, has none.
    """
    named = {value for name, _, value in request.conditions if name == _ROLLED_UP}
    if not named:
        return request, []
    others = [one for one in request.conditions if one[0] != _ROLLED_UP]
    rows = await tx.tuples(_ROLLED_UP_EVENTS, (project, list(named))) if len(named) == 1 else []
    if not rows:
        return replace(request, conditions=(*others, ("event_type_id", "eq", 0))), []
    source, start, end, asset, feedstock, tracking_id, locations = rows[0]
    found = (
        ("event_type_id", "eq", source),
        ("start_time", "geq", start),
        ("start_time", "leq", end - MILLISECOND),
    )
    tags = SQL(
        "e.asset_id IS NOT DISTINCT FROM {} AND e.feedstock_id IS NOT DISTINCT FROM {}"
        " AND e.tracking_id IS NOT DISTINCT FROM {} AND e.location_ids = {}::integer[]"
    ).format(Literal(asset), Literal(feedstock), Literal(tracking_id), Literal(locations))
    return replace(request, conditions=(*others, *found)), [tags]


_ROLLED_UP: Final = "rolled_up_event_id"
_ROLLED_UP_EVENTS: Final = """
    SELECT r.source_id, e.start_time, e.end_time, e.asset_id, e.feedstock_id, e.tracking_id, e.location_ids
      FROM events e JOIN roll_ups r ON (r.project_id, r.event_type_id) = (e.project_id, e.event_type_id)
     WHERE e.project_id = %s AND e.id = ANY (%s) AND e.readings IS NOT NULL
"""
