"""The meters of an event type, which a chart may be narrowed to: assets, and locations of events."""

from typing import Final, NamedTuple

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read

METERS_MAX: Final = 100
"""Assets, and locations, that are looked through, by their names."""

_KINDS: Final = ("asset", "location")

# What a meter sent last tells of which types its events are; a look at all of them could take long.
_OFFERED: Final = """
    SELECT 'asset', m.id, m.name
      FROM (SELECT id, name FROM assets WHERE project_id = %(project)s ORDER BY name, id LIMIT %(most)s) m
     WHERE EXISTS (SELECT FROM (SELECT e.event_type_id FROM events e
                                 WHERE e.project_id = %(project)s AND e.asset_id = m.id
                                 ORDER BY e.start_time DESC, e.id DESC LIMIT %(looks)s) e
                    WHERE e.event_type_id = %(event_type)s)
    UNION ALL
    SELECT 'location', m.id, m.name
      FROM (SELECT id, name FROM locations WHERE project_id = %(project)s ORDER BY name, id LIMIT %(most)s) m
     WHERE EXISTS (SELECT FROM (SELECT e.event_type_id FROM events e
                                 WHERE e.project_id = %(project)s AND e.location_ids[1] = m.id
                                 ORDER BY e.start_time DESC, e.id DESC LIMIT %(looks)s) e
                    WHERE e.event_type_id = %(event_type)s)
"""
_LOOKS: Final = 200
"""Events of a meter that are looked at, the newest."""


class SeriesMeter(NamedTuple):
    """A meter that a chart may be narrowed to."""

    id: str
    name: str


async def offered_meters(tx: Read, project: int, event_type: int) -> list[SeriesMeter]:
    """The meters that sent events of a type lately: assets by name, then locations."""
    values = {"project": project, "event_type": event_type, "most": METERS_MAX, "looks": _LOOKS}
    rows = await tx.tuples(_OFFERED, values)
    return [SeriesMeter(ids.of(kind, project, number), name) for kind, number, name in rows]


def keys_of(named: str, project: int) -> tuple[int | None, int | None]:
    """The numbers of the asset or the location that an id names; of none, where it names neither."""
    asset, location = (
        key.key if (key := ids.parse(kind, named)) is not None and key.project == project else None
        for kind in _KINDS
    )
    return asset, location
