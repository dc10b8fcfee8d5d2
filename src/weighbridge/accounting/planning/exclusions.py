"""Report what a generation excludes, each with its reason, and which corrections are still pending.

Events that no run uses, runs that are not made, slots that no version computes and withdrawals rounded
to zero are reported as one kind of record. Pending corrections fail nothing; they are reported because
they would change the result. The worked example concerns time that no slot covers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.runs import build_slot_columns
from weighbridge.accounting.inputs.event_slots import (
    EVENTS_NAMED_MAX,
    HELD_SLOT,
    build_held_columns,
    count_unassigned_events,
)
from weighbridge.accounting.inputs.selection import EACH_SLOT, BySlot, match_chosen, match_membership
from weighbridge.accounting.inputs.streams import IS_LONG, LONG, InputStream, Reach, select_matching
from weighbridge.accounting.planning.plan import ExcludedEvents, ExcludedSlot, Exclusion, Reason
from weighbridge.accounting.planning.scope import Scope
from weighbridge.accounting.records.model_runs import PendingEvaluations, PendingProposals, PendingRollUps
from weighbridge.core import identity
from weighbridge.core.engine.meters import Unusable
from weighbridge.core.engine.slot_computation import Group
from weighbridge.core.model import Aggregate
from weighbridge.core.rule.states import ApprovalState
from weighbridge.core.time.calendar import EVENT, EventSlot, Instant, Interval, label_slot
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal, moments

# Open time: what lies where no slot in force is nor can be, so that no run will ever count it unasked.
#
# A worked example. January is in force, which a monthly version made; a weekly one computes from 3 February
# on. The week of 27 January reaches into January and is passed over, so 1 and 2 February are open: a
# delivery of 1 February is in no slot of either. A generation whose range touches the week names it.


async def count_open_events(tx: Read, scope: Scope, stream: InputStream) -> tuple[int, list[int]]:
    """Events of a stream that open time has by the window of its inputs: how many, and the first of them."""
    if not scope.open_time or stream.window.reach is Reach.ANY:
        return 0, []
    event_slots = [slot for slot in scope.elsewhere if isinstance(slot, EventSlot)]
    [(count, numbers)] = await tx.tuples(
        _IN_OPEN_TIME.format(
            slots=EACH_SLOT,
            stream=select_matching(stream),
            window=stream.window.condition,
            held=HELD_SLOT,
            membership=match_membership(event_slots, stream),
        ),
        {
            "project": scope.project,
            "event_type": stream.event_type,
            "named": EVENTS_NAMED_MAX,
            **build_slot_columns(scope.open_time),
            **build_held_columns(event_slots),
        },
    )
    return count, numbers or []


async def find_slots_with_data(
    tx: Read, scope: Scope, streams: Sequence[InputStream], slots: Sequence[Interval]
) -> set[Interval]:
    """Those of some slots in whose time the model reads events, whether a batch counts them or not."""
    slots_with_data: set[Interval] = set()
    for stream in streams:
        if stream.window.reach is not Reach.ANY and slots:
            rows = await tx.tuples(
                _WITH_DATA.format(slots=EACH_SLOT, stream=select_matching(stream)),
                {"project": scope.project, "event_type": stream.event_type, **build_slot_columns(slots)},
            )
            slots_with_data.update(slots[number - 1] for (number,) in rows)
    return slots_with_data


_IN_OPEN_TIME: Final = SQL("""
    SELECT count(*), (array_agg(id ORDER BY start_time, id))[1:%(named)s]
      FROM (SELECT DISTINCT e.id, e.start_time FROM {slots} JOIN {stream} ON {window}
             WHERE NOT EXISTS (SELECT FROM {held} WHERE {membership})) AS in_open_time
""")

# One event shows it, and the index on their start finds it.
_WITH_DATA: Final = SQL("""
    SELECT slot.number FROM {slots}
     WHERE EXISTS (SELECT FROM {stream}
                    WHERE e.start_time >= slot.start_time
                      AND (e.start_time < slot.end_time OR slot.end_time = e.start_time))
""")


# Exclusions: what a generation does without, each with its reason, so that nothing is dropped silently.
#
# Events of the range that no run uses, runs that are not made, slots that are not computed, and withdrawals
# that round to nothing are all reported as one kind of value; what a caller sees of them is made from it
# where the answer is put together.
#
# What a caller named or skipped stays with its slot, so that data which come later are excluded too; that
# is said with every generation.


async def list_excluded_events(
    tx: Read, scope: Scope, discovery: BySlot, streams: Sequence[InputStream]
) -> list[Exclusion]:
    """The events of the range that are given to no run of a version, by reason and type."""
    outside, not_chosen = await tx.together(
        _list_outside_slots(tx, scope, streams), _list_not_chosen(tx, scope, discovery, streams)
    )
    return [*outside, *not_chosen]


async def list_excluded_slots(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[Exclusion]:
    """The slots that a range reaches into without selecting them, and those left to another cadence."""
    having = await find_slots_with_data(tx, scope, streams, scope.of_other_cadence)
    touched_slots = [
        Exclusion(Reason.MOSTLY_OUTSIDE, ExcludedSlot(label_slot(scope.cadence, slot, scope.zone)))
        for slot in scope.selection.touched
    ]
    passed_over_slots = [
        Exclusion(
            Reason.OTHER_CADENCE,
            ExcludedSlot(label_slot(scope.cadence, slot, scope.zone), has_data=slot in having),
        )
        for slot in scope.of_other_cadence
    ]
    return touched_slots + passed_over_slots


async def list_undecided_events(
    tx: Read, scope: Scope, streams: Sequence[InputStream]
) -> tuple[list[Exclusion], list[str]]:
    """The events of the range for which a condition is neither true nor false; and where that is an error."""
    exclusions, problems = [], []
    for stream in streams:
        if stream.condition is None:
            continue
        node = " and ".join(stream.node_slugs)
        for missing, count, numbers in await tx.tuples(
            _UNDECIDED.format(missing=stream.condition.missing, truth=stream.condition.truth),
            {
                "project": scope.project,
                "event_type": stream.event_type,
                "start": scope.hull.start,
                "end": scope.hull.end,
                # The reading of a totaliser at the end of the slot counts.
                "at_end": stream.window.reach is Reach.COUNTED,
                "named": EVENTS_NAMED_MAX,
            },
        ):
            events = build_excluded_events(scope, stream.event_type_slug, count, numbers, node)
            if missing:
                incomplete_events = replace(events, missing=" and ".join(map(repr, missing)))
                exclusions.append(Exclusion(Reason.UNDECIDED, incomplete_events))
            else:
                message = (
                    f"has the condition {stream.condition.text}, which divides by zero for {count} events"
                )
                problems.append(f"Input {node!r} {message}: {', '.join(events.examples)}.")
    return exclusions, problems


_OF_AGGREGATE: Final = {Aggregate.DELTA: Reason.ALONE, Aggregate.TIME_WEIGHTED: Reason.NO_TIME}


def list_unusable_events(
    project: int, streams: Sequence[InputStream], unusable: Sequence[Unusable]
) -> Iterator[Exclusion]:
    """Readings of which inputs can make nothing, for each input once."""
    slugs = {stream.number: stream.event_type_slug for stream in streams}
    by_input: dict[tuple[str, int, Aggregate], dict[int, None]] = {}
    for unusable_events in unusable:
        events = by_input.setdefault(
            (unusable_events.node, unusable_events.source, unusable_events.aggregate), {}
        )
        events.update(dict.fromkeys(element.event for element in unusable_events.elements))
    for (node, source, aggregate), events in by_input.items():
        examples = tuple(identity.of("event", project, event) for event in [*events][:EVENTS_NAMED_MAX])
        events_of = ExcludedEvents(slugs[source], len(events), examples, node)
        yield Exclusion(_OF_AGGREGATE[aggregate], events_of)


def list_unpartitioned_events(streams: Sequence[InputStream], groups: Sequence[Group]) -> Iterator[Exclusion]:
    """Events whose tags fit no partition that runs."""
    slugs = {stream.number: stream.event_type_slug for stream in streams}
    for group in groups:
        events = ExcludedEvents(slugs[group.source], group.event_count, (group.first_event,))
        yield Exclusion(Reason.NO_PARTITION, events)


async def _list_outside_slots(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[Exclusion]:
    """Events of the range that straddle a boundary, are in no slot or incomplete."""
    is_by_event = scope.model.cadence == EVENT
    return [
        *await _list_straddling_or_incomplete(tx, scope, streams, [] if is_by_event else scope.slots),
        *(await _list_in_no_slot(tx, scope, streams) if scope.is_last else []),
    ]


async def _list_in_no_slot(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[Exclusion]:
    """Events that no slot of any version has.

    Slots of events leave some, such as those without the tracking id that would make one; slots that a clock
    cuts leave those in open time.
    """
    exclusions = []
    slots = BySlot(scope.project, (*scope.slots, *scope.selection.touched))
    is_by_event = scope.model.cadence == EVENT
    reason = Reason.NO_SLOT if is_by_event else Reason.OPEN_TIME
    for stream in streams:
        if stream.window.reach is Reach.ANY:
            continue
        if is_by_event:
            count, numbers = await count_unassigned_events(tx, slots, stream, scope.hull, scope.elsewhere)
        else:
            count, numbers = await count_open_events(tx, scope, stream)
        if count:
            exclusions.append(
                Exclusion(reason, build_excluded_events(scope, stream.event_type_slug, count, numbers))
            )
    return exclusions


async def _list_straddling_or_incomplete(
    tx: Read, scope: Scope, streams: Sequence[InputStream], cut: Sequence[Interval]
) -> list[Exclusion]:
    rows = await tx.tuples(
        _OUTSIDE_OF_SLOTS.format(
            straddling=_match_straddling(streams),
            incomplete=_match_incomplete(streams),
            long=SQL(LONG),
            is_long=SQL(IS_LONG),
        ),
        {
            "project": scope.project,
            "types": sorted({stream.event_type for stream in streams}),
            "boundaries": moments(sorted({at for slot in (*cut, *scope.open_time) for at in slot.bounds})),
            "start": scope.hull.start,
            "end": scope.hull.end,
            "straddles": Reason.STRADDLES,
            "incomplete": Reason.INCOMPLETE,
            "named": EVENTS_NAMED_MAX,
        },
    )
    return [
        Exclusion(Reason(reason), build_excluded_events(scope, slug, count, numbers))
        for slug, reason, count, numbers in rows
    ]


def _match_straddling(streams: Sequence[InputStream]) -> Composable:
    """Whether an event would be read by an input that takes only what lies inside a slot."""
    arms = [
        SQL("(e.event_type_id = {} AND {} AND {})").format(
            Literal(stream.event_type), stream.usable, stream.where
        )
        for stream in streams
        if stream.window.reach is Reach.INSIDE
    ]
    return SQL("({})").format(SQL(" OR ").join(arms)) if arms else SQL("false")


def _match_incomplete(streams: Sequence[InputStream]) -> Composable:
    """Whether an incomplete event lacks what some stream of its type reads."""
    arms = [
        SQL("(e.event_type_id = {} AND NOT {})").format(Literal(stream.event_type), stream.usable)
        for stream in streams
    ]
    return SQL("({})").format(SQL(" OR ").join(arms)) if arms else SQL("false")


async def _list_not_chosen(
    tx: Read, scope: Scope, discovery: BySlot, streams: Sequence[InputStream]
) -> list[Exclusion]:
    """Events that an input would use if nothing had been named or skipped for their slot."""
    return [
        not_chosen
        for stream in streams
        if stream.apart is not None and stream.window.reach is not Reach.ANY
        for not_chosen in await _list_not_chosen_of_stream(tx, scope, discovery, stream)
    ]


async def _list_not_chosen_of_stream(
    tx: Read, scope: Scope, discovery: BySlot, stream: InputStream
) -> list[Exclusion]:
    node = stream.reads[0].node
    restriction, values = match_chosen(discovery, stream)
    skipped_positions = [index + 1 for index, nodes in scope.inputs.skipped_nodes.items() if node in nodes]
    rows = await tx.tuples(
        _NOT_CHOSEN.format(
            slots=EACH_SLOT,
            source=select_matching(stream),
            membership=match_membership(discovery.slots, stream),
            chosen=restriction,
        ),
        {
            **values,
            **build_slot_columns(discovery.slots),
            "project": discovery.project,
            "event_type": stream.event_type,
            "skipped": skipped_positions,
            "named": EVENTS_NAMED_MAX,
        },
    )
    return [
        Exclusion(
            Reason.TYPE_SKIPPED if is_skipped else Reason.OTHERS_NAMED,
            build_excluded_events(scope, stream.event_type_slug, count, numbers, node),
        )
        for is_skipped, count, numbers in rows
    ]


def build_excluded_events(
    scope: Scope, slug: str, count: int, numbers: Sequence[int], node: str = ""
) -> ExcludedEvents:
    """Events by their number, the first of them by id."""
    examples = tuple(identity.of("event", scope.project, number) for number in numbers)
    return ExcludedEvents(slug, count, examples, node)


# An event that lies across boundaries lies across the first one after its start. It began within the hour
# before that one, or is long, and long events have an index of their own: nothing reads the range again.
# OFFSET has the boundaries looked up one by one, where the planner would compare every event with each.
_OUTSIDE_OF_SLOTS: Final = SQL("""
    WITH boundary AS (
        SELECT at, greatest(lag(at) OVER (ORDER BY at), at - {long}) AS earliest
          FROM unnest(%(boundaries)s::timestamptz[]) AS at
    ), excluded AS (
        SELECT near.event_type_id, near.id, near.start_time, %(straddles)s::text AS reason
          FROM boundary
         CROSS JOIN LATERAL (
            SELECT e.event_type_id, e.id, e.start_time FROM events e
             WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s) AND e.voided_at IS NULL
               AND e.end_time > %(start)s AND e.start_time < %(end)s AND {straddling}
               AND e.start_time >= boundary.earliest AND e.start_time < boundary.at
               AND e.end_time > boundary.at
            OFFSET 0) AS near
        UNION ALL
        SELECT e.event_type_id, e.id, e.start_time, %(straddles)s
          FROM events e,
               LATERAL (SELECT (%(boundaries)s::timestamptz[])[
                            width_bucket(e.start_time, %(boundaries)s::timestamptz[]) + 1] AS at) AS boundary
         WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s) AND e.voided_at IS NULL
           AND e.end_time > %(start)s AND e.start_time < %(end)s AND {straddling}
           AND {is_long} AND e.end_time > boundary.at AND e.start_time < boundary.at - {long}
        UNION ALL
        SELECT e.event_type_id, e.id, e.start_time, %(incomplete)s
          FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s) AND e.voided_at IS NULL
           AND NOT e.is_complete AND {incomplete} AND e.start_time < %(end)s
           AND (e.end_time > %(start)s OR e.end_time = e.start_time AND e.start_time >= %(start)s)
    )
    SELECT t.slug, excluded.reason, count(*),
           (array_agg(excluded.id ORDER BY excluded.start_time, excluded.id))[1:%(named)s]
      FROM excluded JOIN event_types t ON t.project_id = %(project)s AND t.id = excluded.event_type_id
     GROUP BY t.slug, excluded.reason ORDER BY t.slug, excluded.reason
""")

_UNDECIDED: Final = SQL("""
    SELECT missing, count(*), (array_agg(id ORDER BY start_time, id))[1:%(named)s]
      FROM (SELECT e.id, e.start_time, {missing} AS missing
              FROM events e
             WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.is_complete
               AND e.voided_at IS NULL AND (e.start_time < %(end)s OR %(at_end)s AND e.start_time = %(end)s)
               AND (e.end_time > %(start)s OR e.end_time = e.start_time AND e.start_time >= %(start)s)
               AND {truth} IS NULL) AS undecided
     GROUP BY missing ORDER BY missing
""")

_NOT_CHOSEN: Final = SQL("""
    SELECT is_skipped, count(*), (array_agg(id ORDER BY start_time, id))[1:%(named)s]
      FROM (SELECT DISTINCT slot.number = ANY (%(skipped)s::integer[]) AS is_skipped, e.id, e.start_time
              FROM {slots} JOIN {source} ON {membership} AND NOT {chosen}) AS not_chosen
     GROUP BY is_skipped ORDER BY is_skipped
""")


# Pending corrections: what rules may still correct of data in the range, while runs use what is held.
#
# A proposal waits for approval. An evaluation waits for its worker, where data changed or a rule was saved;
# a generation waits for them before it begins, so they are in a preview, and in a result where something
# changed while it ran. So does what is still to be rolled up of readings that changed.
#
# Nothing fails by them; they are named, because the result would be another one.


async def read_pending_proposals(
    tx: Read, scope: Scope, streams: Sequence[InputStream]
) -> list[PendingProposals]:
    """What waits for approval of the data that inputs read in the range, by rule and event type."""
    if not streams:
        return []
    rows = await tx.tuples(
        _PENDING.format(read=SQL(" OR ").join(_read_by(stream) for stream in streams)),
        {
            "project": scope.project,
            "pending": ApprovalState.PENDING,
            "start": scope.hull.start,
            "end": scope.hull.end,
            "named": EVENTS_NAMED_MAX,
        },
    )
    return [
        PendingProposals(
            identity.of("rule", scope.project, rule),
            name,
            slug,
            count,
            [
                identity.of("data_point", scope.project, *key)
                for key in zip(events or (), positions or (), strict=True)
            ],
            [Instant.of(start) for start in slots or ()],
        )
        for rule, name, slug, count, events, positions, slots in rows
    ]


async def read_pending_evaluations(
    tx: Read, scope: Scope, streams: Sequence[InputStream]
) -> list[PendingEvaluations]:
    """What rules may still correct of the data that inputs read, by rule and event type."""
    if not streams:
        return []
    rows = await tx.tuples(_UNEVALUATED, _list_types_read(scope, streams))
    return [
        PendingEvaluations(
            identity.of("rule", scope.project, rule), name, slug, _to_instant(start), _to_instant(end)
        )
        for rule, name, slug, start, end in rows
    ]


async def read_pending_roll_ups(
    tx: Read, scope: Scope, streams: Sequence[InputStream]
) -> list[PendingRollUps]:
    """What is still to be rolled up of the data that inputs read, by event type and by what changed."""
    if not streams:
        return []
    rows = await tx.tuples(_LAGGING, _list_types_read(scope, streams))
    return [PendingRollUps(slug, source, *map(_to_instant, bounds)) for slug, source, *bounds in rows]


def _list_types_read(scope: Scope, streams: Sequence[InputStream]) -> dict[str, Any]:
    """Which event types the inputs read, and of which of them whatever its date."""
    return {
        "project": scope.project,
        "types": sorted({stream.event_type for stream in streams}),
        "anywhere": sorted({stream.event_type for stream in streams if stream.window.reach is Reach.ANY}),
        "start": scope.hull.start,
        "end": scope.hull.end,
    }


def _to_instant(moment: Instant | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)


def _read_by(stream: InputStream) -> Composable:
    """Whether a stream reads the data point of a result `r` of an event `e`, as far as the range goes."""
    return SQL("(e.event_type_id = {} AND r.position = ANY ({}::smallint[]) AND {} AND {})").format(
        Literal(stream.event_type),
        Literal(list(stream.positions)),
        stream.where,
        SQL("true" if stream.window.reach is Reach.ANY else _IN_RANGE),
    )


_IN_RANGE = "e.start_time < %(end)s AND e.end_time >= %(start)s"
_PENDING = SQL("""
    SELECT u.id, u.name, t.slug, count(*),
           (array_agg(e.id ORDER BY e.start_time, e.id, r.position)
                FILTER (WHERE e.id IS NOT NULL))[1:%(named)s],
           (array_agg(r.position::integer ORDER BY e.start_time, e.id, r.position)
                FILTER (WHERE e.id IS NOT NULL))[1:%(named)s],
           (array_agg(e.start_time ORDER BY e.start_time, r.id) FILTER (WHERE e.id IS NULL))[1:%(named)s]
      FROM data_point_results r
      JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
     CROSS JOIN LATERAL (
           SELECT held.* FROM events held
            WHERE (held.project_id, held.id) = (r.project_id, r.event_id) AND held.voided_at IS NULL
           UNION ALL
           SELECT (proposed_event_row(ROW(r.*)::data_point_results)).* WHERE r.event_id IS NULL) AS e
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     WHERE r.project_id = %(project)s AND r.approval_state = %(pending)s AND ({read})
     GROUP BY u.id, u.name, t.slug ORDER BY u.id, t.slug
""")
_UNEVALUATED: Final = """
    WITH correcting AS (
        SELECT u.project_id, u.id, u.name, u.evaluation, t.id AS event_type_id, t.slug
          FROM rules u
          JOIN rule_versions v
            ON (v.project_id, v.rule_id, v.version) = (u.project_id, u.id, u.latest_version)
          JOIN event_types t ON t.project_id = u.project_id AND t.id = ANY (%(types)s)
           AND (v.event_type_id = t.id OR v.event_type_id IS NULL AND EXISTS (
                SELECT FROM data_point_types p
                 WHERE (p.project_id, p.event_type_id, p.slug) = (t.project_id, t.id, v.data_point)))
         WHERE u.project_id = %(project)s AND u.deleted_at IS NULL
           AND (v.purpose <> 'alert' OR v.version > 1 AND v.target = 'data_point')
    ), pending AS (
        SELECT c.id, c.name, c.event_type_id, c.slug, m.start_time, m.end_time
          FROM correcting c
          JOIN rule_dirty_ranges m ON (m.project_id, m.event_type_id) = (c.project_id, c.event_type_id)
         WHERE c.evaluation = 'automatic'
        UNION ALL
        SELECT c.id, c.name, c.event_type_id, c.slug, r.start_time, r.end_time
          FROM correcting c
          JOIN rule_runs r ON (r.project_id, r.rule_id) = (c.project_id, c.id)
           AND r.state IN ('pending', 'running')
    )
    SELECT id, name, slug,
           CASE WHEN bool_and(start_time IS NOT NULL) THEN min(start_time) END,
           CASE WHEN bool_and(end_time IS NOT NULL) THEN max(end_time) END
      FROM pending
     WHERE event_type_id = ANY (%(anywhere)s)
        OR coalesce(start_time < %(end)s, true) AND coalesce(end_time >= %(start)s, true)
     GROUP BY id, name, slug ORDER BY id, slug
"""
# A reading belongs to a slot that may begin, or end, so much earlier or later as the slot is long.
_LAGGING: Final = """
    WITH RECURSIVE made_of (id, source_id) AS (
        SELECT event_type_id, source_id FROM roll_ups
         WHERE project_id = %(project)s AND event_type_id = ANY (%(types)s)
        UNION
        SELECT made_of.id, r.source_id FROM made_of
          JOIN roll_ups r ON r.project_id = %(project)s AND r.event_type_id = made_of.source_id
    ), pending AS (
        SELECT t.slug, source.slug AS source, m.start_time, m.end_time
          FROM made_of
          JOIN roll_up_marks m ON (m.project_id, m.source_id) = (%(project)s, made_of.source_id)
          JOIN event_types t ON (t.project_id, t.id) = (%(project)s, made_of.id)
          JOIN event_types source ON (source.project_id, source.id) = (%(project)s, made_of.source_id)
         CROSS JOIN LATERAL (
               SELECT least((t.cadence_amount || ' ' || t.cadence_unit)::interval, '1000 years') AS length
         ) AS slot
         WHERE t.id = ANY (%(anywhere)s)
            OR m.start_time < %(end)s + slot.length AND m.end_time >= %(start)s - slot.length
    )
    SELECT slug, source, CASE WHEN isfinite(min(start_time)) THEN min(start_time) END,
           CASE WHEN isfinite(max(end_time)) THEN max(end_time) END
      FROM pending GROUP BY slug, source ORDER BY slug, source
"""
