"""Open time: what lies where no slot in force is nor can be, so that no run will ever count it unasked.

A worked example. January is in force, which a monthly version made; a weekly one computes from 3 February on.
The week of 27 January reaches into January and is passed over, so 1 and 2 February are open: a delivery of
1 February is in no slot of either. A generation whose range touches the week names it.
"""

from collections.abc import Sequence
from typing import Final

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import slot_columns
from weighbridge.accounting.inputs.event_slots import EVENTS_NAMED_MAX, HELD_SLOT, held_columns
from weighbridge.accounting.inputs.selection import EACH_SLOT, membership
from weighbridge.accounting.inputs.streams import InputStream, matching
from weighbridge.accounting.inputs.window import Reach
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.time.cadence import EventSlot
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read


async def events_in_open_time(tx: Read, scope: Scope, stream: InputStream) -> tuple[int, list[int]]:
    """Events of a stream that open time has by the window of its inputs: how many, and the first of them."""
    if not scope.open_time or stream.window.reach is Reach.ANY:
        return 0, []
    held = [slot for slot in scope.elsewhere if isinstance(slot, EventSlot)]
    [(count, numbers)] = await tx.tuples(
        _IN_OPEN_TIME.format(
            slots=EACH_SLOT,
            stream=matching(stream),
            window=stream.window.condition,
            held=HELD_SLOT,
            membership=membership(held, stream),
        ),
        {
            "project": scope.project,
            "event_type": stream.event_type,
            "named": EVENTS_NAMED_MAX,
            **slot_columns(scope.open_time),
            **held_columns(held),
        },
    )
    return count, numbers or []


async def with_data(
    tx: Read, scope: Scope, streams: Sequence[InputStream], slots: Sequence[Interval]
) -> set[Interval]:
    """Those of some slots in whose time the model reads events, whether a batch counts them or not."""
    found: set[Interval] = set()
    for stream in streams:
        if stream.window.reach is not Reach.ANY and slots:
            rows = await tx.tuples(
                _WITH_DATA.format(slots=EACH_SLOT, stream=matching(stream)),
                {"project": scope.project, "event_type": stream.event_type, **slot_columns(slots)},
            )
            found.update(slots[number - 1] for (number,) in rows)
    return found


_IN_OPEN_TIME: Final = SQL("""
    SELECT count(*), (array_agg(id ORDER BY start_time, id))[1:%(named)s]
      FROM (SELECT DISTINCT e.id, e.start_time FROM {slots} JOIN {stream} ON {window}
             WHERE NOT EXISTS (SELECT FROM {held} WHERE {membership})) AS in_open_time
""")

# One event tells it, and the index on their start gives it.
_WITH_DATA: Final = SQL("""
    SELECT slot.number FROM {slots}
     WHERE EXISTS (SELECT FROM {stream}
                    WHERE e.start_time >= slot.start_time
                      AND (e.start_time < slot.end_time OR slot.end_time = e.start_time))
""")
