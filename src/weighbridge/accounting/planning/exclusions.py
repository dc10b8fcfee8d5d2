"""Exclusions: what a generation does without, each with its reason, so that nothing is dropped silently.

Events of the range that no run uses, runs that are not made, slots that nobody computes, and draws that
round to nothing are all told as one kind of value; what a caller sees of them is made from it where the
answer is put together.

What a caller named or skipped stays with its slot, so that data which come later are excluded too; that is
said with every generation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.runs import slot_columns
from weighbridge.accounting.drawing.manual_allocation import RunWithoutSource
from weighbridge.accounting.inputs.event_slots import EVENTS_NAMED_MAX, in_none
from weighbridge.accounting.inputs.selection import EACH_SLOT, BySlot, chosen, membership
from weighbridge.accounting.inputs.streams import InputStream, matching
from weighbridge.accounting.inputs.window import IS_LONG, LONG, Reach
from weighbridge.accounting.planning.open_time import events_in_open_time, with_data
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine.meters.totalisers import Unusable
from weighbridge.core.engine.source_ledger import RoundedAway
from weighbridge.core.engine.statistics import Group
from weighbridge.core.identity import ids
from weighbridge.core.model import Aggregate
from weighbridge.core.time.cadence import EVENT, label
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal, moments


class Reason(StrEnum):
    """Why something is excluded, as a caller reads it."""

    NO_PARTITION = "no partition that runs agrees with their tags"
    STRADDLES = "they lie across a boundary between slots"
    INCOMPLETE = "they lack a required value"
    UNDECIDED = "without {missing} the condition of input {input} is neither true nor false for them"
    NO_SLOT = "no slot of an event or tracking id has them"
    OPEN_TIME = "no slot has them, or a part of them: batches of another cadence reach into the active one's"
    BETWEEN_VERSIONS = (
        "they lie across a boundary between slots of two versions, which take them by other ends, so that"
        " input {input} counts them less than once; generate all of these slots with model_version latest"
    )
    OTHERS_NAMED = "other data were named for input {input}"
    ALONE = "no other reading of their meter stands beside them, from or to which input {input} could count"
    NO_TIME = "they stand for no time in the slot, by which input {input} weighs"
    TYPE_SKIPPED = "the type that input {input} reads was set aside"
    NO_SOURCE = "nobody named a source for nodes of it that draw by hand"
    MOSTLY_OUTSIDE = "less than half of it lies in the range"
    OTHER_CADENCE = "batches of another cadence stand there"
    ROUNDED_AWAY = "what is needed rounds to nothing at the scale of the ledger that it is drawn from"


@dataclass(frozen=True, slots=True)
class ExcludedEvents:
    """Events of one type that no run uses."""

    event_type: str
    count: int
    examples: tuple[str, ...]
    """The ids of the first few."""
    input: str = ""
    """The input that would read them, where the reason is of one input."""
    missing: str = ""
    """What they lack, where the reason is that."""


@dataclass(frozen=True, slots=True)
class ExcludedSlot:
    """A slot that the range reaches into and nobody computes."""

    label: str
    has_data: bool = False
    """Whether the model reads events of its time, where others stand there."""


@dataclass(frozen=True, slots=True)
class ExcludedDraw:
    """A draw of a run that came to nothing although something was needed."""

    slot: str
    """What the slot is called."""
    draw: RoundedAway


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Something that a generation does without, and why."""

    reason: Reason
    what: ExcludedEvents | RunWithoutSource | ExcludedSlot | ExcludedDraw

    @property
    def sentence(self) -> str:
        """The reason in full."""
        what = self.what
        if not isinstance(what, ExcludedEvents):
            return self.reason.value
        return self.reason.format(input=what.input, missing=what.missing)


async def excluded_events(
    tx: Read,
    scope: Scope,
    discovery: BySlot,
    streams: Sequence[InputStream],
    without_partition: Sequence[Group],
) -> list[Exclusion]:
    """The events of the range that no run of a version uses, by reason and type."""
    return [
        *_without_partition(streams, without_partition),
        *await _outside_of_slots(tx, scope, streams),
        *await _not_chosen(tx, scope, discovery, streams),
    ]


async def excluded_slots(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[Exclusion]:
    """The slots that a range reaches into without selecting them, and those left to another cadence."""
    having = await with_data(tx, scope, streams, scope.of_other_cadence)
    touched = [
        Exclusion(Reason.MOSTLY_OUTSIDE, ExcludedSlot(label(scope.cadence, slot, scope.zone)))
        for slot in scope.selection.touched
    ]
    passed_over = [
        Exclusion(
            Reason.OTHER_CADENCE,
            ExcludedSlot(label(scope.cadence, slot, scope.zone), has_data=slot in having),
        )
        for slot in scope.of_other_cadence
    ]
    return touched + passed_over


async def undecided_events(
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
                # The reading of a totaliser that stands at the end counts.
                "at_end": stream.window.reach is Reach.COUNTED,
                "named": EVENTS_NAMED_MAX,
            },
        ):
            events = events_of(scope, stream.event_type_slug, count, numbers, node)
            if missing:
                lacking = replace(events, missing=" and ".join(map(repr, missing)))
                exclusions.append(Exclusion(Reason.UNDECIDED, lacking))
            else:
                said = f"has the condition {stream.condition.text}, which divides by zero for {count} events"
                problems.append(f"Input {node!r} {said}: {', '.join(events.examples)}.")
    return exclusions, problems


_OF_AGGREGATE: Final = {Aggregate.DELTA: Reason.ALONE, Aggregate.TIME_WEIGHTED: Reason.NO_TIME}


def unusable_events(
    project: int, streams: Sequence[InputStream], unusable: Sequence[Unusable]
) -> Iterator[Exclusion]:
    """Readings of which inputs can make nothing, for each input once."""
    slugs = {stream.number: stream.event_type_slug for stream in streams}
    by_input: dict[tuple[str, int, Aggregate], dict[int, None]] = {}
    for one in unusable:
        events = by_input.setdefault((one.node, one.source, one.aggregate), {})
        events.update(dict.fromkeys(element.event for element in one.elements))
    for (node, source, aggregate), events in by_input.items():
        examples = tuple(ids.of("event", project, event) for event in [*events][:EVENTS_NAMED_MAX])
        events_of = ExcludedEvents(slugs[source], len(events), examples, node)
        yield Exclusion(_OF_AGGREGATE[aggregate], events_of)


def _without_partition(streams: Sequence[InputStream], groups: Sequence[Group]) -> Iterator[Exclusion]:
    """Events whose tags fit no partition that runs."""
    slugs = {stream.number: stream.event_type_slug for stream in streams}
    for group in groups:
        events = ExcludedEvents(slugs[group.source], group.event_count, (group.first_event,))
        yield Exclusion(Reason.NO_PARTITION, events)


async def _outside_of_slots(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[Exclusion]:
    """Events of the range that straddle a boundary, are in no slot or incomplete."""
    is_by_event = scope.model.cadence == EVENT
    return [
        *await _straddling_or_incomplete(tx, scope, streams, [] if is_by_event else scope.slots),
        *(await _in_no_slot(tx, scope, streams) if scope.is_last else []),
    ]


async def _in_no_slot(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[Exclusion]:
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
            count, numbers = await in_none(tx, slots, stream, scope.hull, scope.elsewhere)
        else:
            count, numbers = await events_in_open_time(tx, scope, stream)
        if count:
            exclusions.append(Exclusion(reason, events_of(scope, stream.event_type_slug, count, numbers)))
    return exclusions


async def _straddling_or_incomplete(
    tx: Read, scope: Scope, streams: Sequence[InputStream], cut: Sequence[Interval]
) -> list[Exclusion]:
    rows = await tx.tuples(
        _OUTSIDE_OF_SLOTS.format(
            straddling=_straddling(streams),
            incomplete=_incomplete(streams),
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
        Exclusion(Reason(reason), events_of(scope, slug, count, numbers))
        for slug, reason, count, numbers in rows
    ]


def _straddling(streams: Sequence[InputStream]) -> Composable:
    """Whether an event would be read by an input that takes only what lies inside a slot."""
    arms = [
        SQL("(e.event_type_id = {} AND {} AND {})").format(
            Literal(stream.event_type), stream.usable, stream.where
        )
        for stream in streams
        if stream.window.reach is Reach.INSIDE
    ]
    return SQL("({})").format(SQL(" OR ").join(arms)) if arms else SQL("false")


def _incomplete(streams: Sequence[InputStream]) -> Composable:
    """Whether an incomplete event lacks what some stream of its type reads."""
    arms = [
        SQL("(e.event_type_id = {} AND NOT {})").format(Literal(stream.event_type), stream.usable)
        for stream in streams
    ]
    return SQL("({})").format(SQL(" OR ").join(arms)) if arms else SQL("false")


async def _not_chosen(
    tx: Read, scope: Scope, discovery: BySlot, streams: Sequence[InputStream]
) -> list[Exclusion]:
    """Events that an input would use if nothing had been named or skipped for their slot."""
    return [
        one
        for stream in streams
        if stream.apart is not None and stream.window.reach is not Reach.ANY
        for one in await _not_chosen_of(tx, scope, discovery, stream)
    ]


async def _not_chosen_of(tx: Read, scope: Scope, discovery: BySlot, stream: InputStream) -> list[Exclusion]:
    node = stream.reads[0].node
    restriction, values = chosen(discovery, stream)
    skipped = [index + 1 for index, nodes in scope.inputs.skipped_nodes.items() if node in nodes]
    rows = await tx.tuples(
        _NOT_CHOSEN.format(
            slots=EACH_SLOT,
            source=matching(stream),
            membership=membership(discovery.slots, stream),
            chosen=restriction,
        ),
        {
            **values,
            **slot_columns(discovery.slots),
            "project": discovery.project,
            "event_type": stream.event_type,
            "skipped": skipped,
            "named": EVENTS_NAMED_MAX,
        },
    )
    return [
        Exclusion(
            Reason.TYPE_SKIPPED if is_skipped else Reason.OTHERS_NAMED,
            events_of(scope, stream.event_type_slug, count, numbers, node),
        )
        for is_skipped, count, numbers in rows
    ]


def events_of(scope: Scope, slug: str, count: int, numbers: Sequence[int], node: str = "") -> ExcludedEvents:
    """Events by their number, the first of them by id."""
    examples = tuple(ids.of("event", scope.project, number) for number in numbers)
    return ExcludedEvents(slug, count, examples, node)


# An event that lies across boundaries lies across the first one after its start. It began within the hour
# before that one, or is long, and long events have an index of their own: nothing reads the range again.
# OFFSET has the boundaries looked up one by one, where the planner would hold every event against each.
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
