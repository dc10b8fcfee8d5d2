"""Data in the range that no run uses, named with the reason: nothing is dropped silently."""

from collections.abc import Iterator, Sequence

from psycopg.sql import SQL, Composable, Literal

from weighbridge.accounting.batch_generations.records import NotCounted
from weighbridge.accounting.inputs.event_slots import EVENTS_NAMED_MAX, in_none
from weighbridge.accounting.inputs.selection import BySlot
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.inputs.window import IS_LONG, LONG, Reach
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine.statistics import Group
from weighbridge.core.identity import ids
from weighbridge.core.time.cadence import EVENT
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read

NO_PARTITION = "no partition that runs agrees with their tags"
STRADDLES = "they lie across a boundary between slots"
INCOMPLETE = "they lack a required value"
NO_SLOT = "no slot of an event or tracking id has them"


def met_no_partition(sources: Sequence[InputStream], lost: Sequence[Group]) -> Iterator[NotCounted]:
    """Events whose tags fit no partition that runs."""
    slugs = {source.number: source.event_type_slug for source in sources}
    for group in lost:
        yield NotCounted(NO_PARTITION, slugs[group.source], group.event_count, [group.first_event])


async def left_out(tx: Read, scope: Scope, sources: Sequence[InputStream]) -> list[NotCounted]:
    """Events of the range that straddle a boundary, are in no slot or incomplete, by type and reason."""
    slots = scope.selection.selected
    is_by_event = scope.model.cadence == EVENT
    return [
        *await _straddling_or_incomplete(tx, scope, sources, [] if is_by_event else slots),
        *(await _in_no_slot(tx, scope, sources) if is_by_event else []),
    ]


async def _in_no_slot(tx: Read, scope: Scope, sources: Sequence[InputStream]) -> list[NotCounted]:
    """Events that slots of events leave, such as those without the tracking id that would make one."""
    found = []
    place = BySlot(scope.project, (*scope.selection.selected, *scope.selection.touched))
    for source in sources:
        if source.window.reach is not Reach.ANY:
            count, numbers = await in_none(tx, place, source, scope.hull)
            events = [ids.of("event", scope.project, number) for number in numbers]
            found += [NotCounted(NO_SLOT, source.event_type_slug, count, events)] if count else []
    return found


async def _straddling_or_incomplete(
    tx: Read, scope: Scope, sources: Sequence[InputStream], cut: Sequence[Interval]
) -> list[NotCounted]:
    rows = await tx.tuples(
        _LEFT_OUT.format(straddling=_straddling(sources), long=SQL(LONG), is_long=SQL(IS_LONG)),
        {
            "project": scope.project,
            "types": sorted({source.event_type for source in sources}),
            "boundaries": sorted({slot.start for slot in cut} | {slot.end for slot in cut}),
            "start": scope.hull.start,
            "end": scope.hull.end,
            "straddles": STRADDLES,
            "incomplete": INCOMPLETE,
            "named": EVENTS_NAMED_MAX,
        },
    )
    return [
        NotCounted(reason, slug, count, [ids.of("event", scope.project, number) for number in numbers])
        for slug, reason, count, numbers in rows
    ]


def _straddling(sources: Sequence[InputStream]) -> Composable:
    """Whether an event would be read by an input that takes only what lies inside a slot."""
    arms = [
        SQL("(e.event_type_id = {} AND {})").format(Literal(source.event_type), source.where)
        for source in sources
        if source.window.reach is Reach.INSIDE
    ]
    return SQL("({})").format(SQL(" OR ").join(arms)) if arms else SQL("false")


# An event that lies across boundaries lies across the first one after its start. It began within the hour
# before that one, or is long, and long events have an index of their own: nothing reads the range again.
# OFFSET has the boundaries looked up one by one, where the planner would hold every event against each.
_LEFT_OUT = SQL("""
    WITH boundary AS (
        SELECT at, greatest(lag(at) OVER (ORDER BY at), at - {long}) AS earliest
          FROM unnest(%(boundaries)s::timestamptz[]) AS at
    ), found AS (
        SELECT near.event_type_id, near.id, near.start_time, %(straddles)s::text AS reason
          FROM boundary
         CROSS JOIN LATERAL (
            SELECT e.event_type_id, e.id, e.start_time FROM events e
             WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s) AND e.voided_at IS NULL
               AND e.is_complete AND e.end_time > %(start)s AND e.start_time < %(end)s AND {straddling}
               AND e.start_time >= boundary.earliest AND e.start_time < boundary.at
               AND e.end_time > boundary.at
            OFFSET 0) AS near
        UNION ALL
        SELECT e.event_type_id, e.id, e.start_time, %(straddles)s
          FROM events e,
               LATERAL (SELECT (%(boundaries)s::timestamptz[])[
                            width_bucket(e.start_time, %(boundaries)s::timestamptz[]) + 1] AS at) AS boundary
         WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s) AND e.voided_at IS NULL
           AND e.is_complete AND e.end_time > %(start)s AND e.start_time < %(end)s AND {straddling}
           AND {is_long} AND e.end_time > boundary.at AND e.start_time < boundary.at - {long}
        UNION ALL
        SELECT e.event_type_id, e.id, e.start_time, %(incomplete)s
          FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s) AND e.voided_at IS NULL
           AND NOT e.is_complete AND e.start_time < %(end)s
           AND (e.end_time > %(start)s OR e.end_time = e.start_time AND e.start_time >= %(start)s)
    )
    SELECT t.slug, found.reason, count(*),
           (array_agg(found.id ORDER BY found.start_time, found.id))[1:%(named)s]
      FROM found JOIN event_types t ON t.project_id = %(project)s AND t.id = found.event_type_id
     GROUP BY t.slug, found.reason ORDER BY t.slug, found.reason
""")
