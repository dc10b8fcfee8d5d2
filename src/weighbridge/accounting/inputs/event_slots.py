"""Slots of cadence `event`, found in the data: an event each, or a tracking id with the span of its events.

The events that make slots are those of the inputs that define the partitions. When the model is partitioned
by tracking id, a slot is a tracking id, and it spans the events of all the model's inputs that carry it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.runs import slot_columns
from weighbridge.accounting.inputs.selection import EACH_SLOT, BySlot, membership
from weighbridge.accounting.inputs.streams import InputStream, catalogue_of, matching, streams_of
from weighbridge.accounting.inputs.window import Reach
from weighbridge.core.identity import ids
from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.core.model import Model
from weighbridge.core.time.cadence import EventSlot
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal

EVENTS_NAMED_MAX: Final = 10
"""Events that are named for each reason; the count says how many there are."""


def is_by_tracking_id(model: Model) -> bool:
    """Whether slots of events are tracking ids."""
    return "tracking_id" in DIMENSIONS[model.partition_type]


async def event_slots(
    tx: Read, project: int, model: Model, period: Interval, known: Collection[tuple[int, str]] = ()
) -> list[EventSlot]:
    """The slots that meet a period, and those of known identities wherever they are now."""
    streams = streams_of(model, await catalogue_of(tx, project)).streams
    defining = {node.slug for node in model.partitioning}
    making = [stream for stream in streams if defining & set(stream.node_slugs)]
    values = {
        "project": project,
        "start": period.start,
        "end": period.end,
        "events": [event for event, _ in known if event],
        "tracking_ids": [tracking_id for _, tracking_id in known if tracking_id],
    }
    if not is_by_tracking_id(model):
        rows = await tx.tuples(_EVENTS.format(making=_any_of(making)), values)
        return [
            EventSlot(start, end, event=number, name=ids.of("event", project, number))
            for number, start, end in rows
        ]
    spanned = [stream for stream in streams if stream.window.reach is not Reach.ANY or stream in making]
    rows = await tx.tuples(_TRACKING_IDS.format(making=_any_of(making), spanned=_any_of(spanned)), values)
    return [EventSlot(start, end, tracking_id=name, name=name) for name, start, end in rows]


async def in_several(
    tx: Read, selection: BySlot, stream: InputStream, others: Sequence[Interval] = ()
) -> list[str]:
    """Why events of a stream cannot be shared: slots of events overlap, and several have them.

    `others` are slots in force of which none is computed now: what they have counts there.
    """
    slots = (*selection.slots, *(slot for slot in others if isinstance(slot, EventSlot)))
    rows = await tx.tuples(
        _IN_SEVERAL.format(slots=EACH_SLOT, stream=matching(stream), membership=membership(slots, stream)),
        {
            "project": selection.project,
            "event_type": stream.event_type,
            "computed": len(selection.slots),
            **slot_columns(slots),
        },
    )
    return [
        f"Event {ids.of('event', selection.project, number)} of {stream.event_type_slug!r} lies in {count} "
        "slots, which would each count all of it; give it a tracking id, or have its input repeat."
        for number, count in rows
    ]


async def in_none(
    tx: Read, selection: BySlot, stream: InputStream, hull: Interval, others: Sequence[Interval] = ()
) -> tuple[int, list[int]]:
    """Events of a stream in a range that no slot has: how many, and the first of them.

    `others` are slots of which some may not be of events.
    """
    of_events = (*selection.slots, *(slot for slot in others if isinstance(slot, EventSlot)))
    of_time = [slot for slot in others if not isinstance(slot, EventSlot)]
    rows = await tx.tuples(
        _IN_NONE.format(
            slots=EACH_SLOT,
            stream=matching(stream),
            membership=membership(of_events, stream),
            meeting=SQL(_MEETING),
            held=HELD_SLOT,
            window=stream.window.condition,
        ),
        {
            "project": selection.project,
            "event_type": stream.event_type,
            "start": hull.start,
            "end": hull.end,
            "named": EVENTS_NAMED_MAX,
            **slot_columns(of_events),
            **held_columns(of_time),
        },
    )
    [(count, numbers)] = rows
    return count, numbers or []


HELD_SLOT: Final = SQL("""
    unnest(%(held_starts)s::timestamptz[], %(held_ends)s::timestamptz[], %(held_slot_events)s::bigint[],
           %(held_slot_tracking_ids)s::text[]) AS slot (start_time, end_time, event_id, tracking_id)
""")
"""A second table `slot` of a statement; takes the parameters of `held_columns`."""


def held_columns(slots: Sequence[Interval]) -> Mapping[str, object]:
    """Slots as the arrays that HELD_SLOT takes."""
    return {f"held_{name}": values for name, values in slot_columns(slots).items()}


def _any_of(streams: Sequence[InputStream]) -> Composable:
    """Whether a usable event `e` is one of some streams."""
    arms = [
        SQL("(e.event_type_id = {} AND {} AND {})").format(
            Literal(stream.event_type), stream.usable, stream.where
        )
        for stream in streams
    ]
    return SQL("(e.voided_at IS NULL AND ({}))").format(SQL(" OR ").join(arms))


_MEETING: Final = """
    e.start_time < %(end)s
    AND (e.end_time > %(start)s OR e.start_time = e.end_time AND e.start_time >= %(start)s)
"""

_EVENTS: Final = SQL(
    """
    SELECT e.id, e.start_time, e.end_time FROM events e
     WHERE e.project_id = %(project)s AND {making}
       AND (e.id = ANY (%(events)s::bigint[]) OR """
    + _MEETING
    + """)
     ORDER BY e.start_time, e.end_time, e.id
"""
)

_TRACKING_IDS: Final = SQL(
    """
    WITH met AS (
        SELECT DISTINCT e.tracking_id FROM events e
         WHERE e.project_id = %(project)s AND e.tracking_id IS NOT NULL AND {spanned}
           AND (e.tracking_id = ANY (%(tracking_ids)s::text[]) OR """
    + _MEETING
    + """)
    )
    SELECT e.tracking_id, min(e.start_time), max(e.end_time)
      FROM met JOIN events e ON e.project_id = %(project)s AND e.tracking_id = met.tracking_id AND {spanned}
     GROUP BY e.tracking_id HAVING bool_or({making})
     ORDER BY 2, 3, e.tracking_id COLLATE "C"
"""
)

_IN_SEVERAL: Final = SQL("""
    SELECT e.id, count(*) FROM {slots} JOIN {stream} ON {membership}
     GROUP BY e.id HAVING count(*) > 1 AND min(slot.number) <= %(computed)s ORDER BY e.id LIMIT 10
""")

_IN_NONE: Final = SQL("""
    SELECT count(*), (array_agg(e.id ORDER BY e.start_time, e.id))[1:%(named)s] FROM {stream}
     WHERE {meeting} AND NOT EXISTS (SELECT FROM {slots} WHERE {membership})
       AND NOT EXISTS (SELECT FROM {held} WHERE {window})
""")
