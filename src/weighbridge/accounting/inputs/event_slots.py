"""Assign events to slots: slots of cadence `event`, slots of time with their versions, and version
borders.

Read in this order: slots that are single events or tracking IDs; the streams that a version reads by
time; the slots of time of a model's ledgers; events counted more or less than once where two versions
meet.

Invariant: an event that an input already reports as excluded is not reported again at a border.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable, Composed

from weighbridge.accounting.books.runs import IN_FORCE, build_slot_columns
from weighbridge.accounting.inputs.selection import EACH_SLOT, BySlot, match_membership
from weighbridge.accounting.inputs.streams import (
    REACHES_IN,
    Catalogue,
    InputStream,
    Reach,
    read_catalogue,
    resolve_streams,
    select_matching,
)
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.model import Model
from weighbridge.core.time.calendar import EVENT, EventSlot, Interval
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal, moments
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import find_stored_model, read_model

# Slots of cadence `event`, found in the data: an event each, or a tracking id with the span of its events.
#
# The events that make slots are those of the inputs that define the partitions. When the model is
# partitioned by tracking id, a slot is a tracking id, and it spans the events of all the model's inputs
# that carry it.


EVENTS_NAMED_MAX: Final = 10
"""Events that are named for each reason; the count says how many there are."""


def is_by_tracking_id(model: Model) -> bool:
    """Whether slots of events are tracking ids."""
    return "tracking_id" in DIMENSIONS[model.partition_type]


async def read_event_slots(
    tx: Read, project: int, model: Model, period: Interval, known_events: Collection[tuple[int, str]] = ()
) -> list[EventSlot]:
    """The slots that meet a period, and those of known identities wherever they are now."""
    streams = resolve_streams(model, await read_catalogue(tx, project)).streams
    defining = {node.slug for node in model.partitioning}
    making = [stream for stream in streams if defining & set(stream.node_slugs)]
    values = {
        "project": project,
        "start": period.start,
        "end": period.end,
        "events": [event for event, _ in known_events if event],
        "tracking_ids": [tracking_id for _, tracking_id in known_events if tracking_id],
    }
    if not is_by_tracking_id(model):
        rows = await tx.tuples(_EVENTS.format(making=_match_any(making)), values)
        return [
            EventSlot(start, end, event=number, name=identity.of("event", project, number))
            for number, start, end in rows
        ]
    spanned = [stream for stream in streams if stream.window.reach is not Reach.ANY or stream in making]
    rows = await tx.tuples(
        _TRACKING_IDS.format(making=_match_any(making), spanned=_match_any(spanned)), values
    )
    return [EventSlot(start, end, tracking_id=name, name=name) for name, start, end in rows]


async def check_shared_events(
    tx: Read, selection: BySlot, stream: InputStream, others: Sequence[Interval] = ()
) -> list[str]:
    """Why events of a stream cannot be shared: slots of events overlap, and several have them.

    `others` are slots in force of which none is computed now: what they have counts there.
    """
    slots = (*selection.slots, *(slot for slot in others if isinstance(slot, EventSlot)))
    rows = await tx.tuples(
        _SHARED_EVENTS.format(
            slots=EACH_SLOT, stream=select_matching(stream), membership=match_membership(slots, stream)
        ),
        {
            "project": selection.project,
            "event_type": stream.event_type,
            "computed": len(selection.slots),
            **build_slot_columns(slots),
        },
    )
    return [
        f"Event {identity.of('event', selection.project, number)} of {stream.event_type_slug!r} lies in "
        f"{count} slots, which would each count all of it; give it a tracking id, or have its input repeat."
        for number, count in rows
    ]


async def count_unassigned_events(
    tx: Read, selection: BySlot, stream: InputStream, hull: Interval, others: Sequence[Interval] = ()
) -> tuple[int, list[int]]:
    """Events of a stream in a range that no slot has: how many, and the first of them.

    `others` are slots of which some may not be of events.
    """
    of_events = (*selection.slots, *(slot for slot in others if isinstance(slot, EventSlot)))
    of_time = [slot for slot in others if not isinstance(slot, EventSlot)]
    rows = await tx.tuples(
        _UNASSIGNED_EVENTS.format(
            slots=EACH_SLOT,
            stream=select_matching(stream),
            membership=match_membership(of_events, stream),
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
            **build_slot_columns(of_events),
            **build_held_columns(of_time),
        },
    )
    [(count, numbers)] = rows
    return count, numbers or []


HELD_SLOT: Final = SQL("""
    unnest(%(held_starts)s::timestamptz[], %(held_ends)s::timestamptz[], %(held_slot_events)s::bigint[],
           %(held_slot_tracking_ids)s::text[]) AS slot (start_time, end_time, event_id, tracking_id)
""")
"""A second table `slot` of a statement; takes the parameters of `build_held_columns`."""


def build_held_columns(slots: Sequence[Interval]) -> Mapping[str, object]:
    """Slots as the arrays that HELD_SLOT takes."""
    return {f"held_{name}": values for name, values in build_slot_columns(slots).items()}


def _match_any(streams: Sequence[InputStream]) -> Composable:
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

_SHARED_EVENTS: Final = SQL("""
    SELECT e.id, count(*) FROM {slots} JOIN {stream} ON {membership}
     GROUP BY e.id HAVING count(*) > 1 AND min(slot.number) <= %(computed)s ORDER BY e.id LIMIT 10
""")

_UNASSIGNED_EVENTS: Final = SQL("""
    SELECT count(*), (array_agg(e.id ORDER BY e.start_time, e.id))[1:%(named)s] FROM {stream}
     WHERE {meeting} AND NOT EXISTS (SELECT FROM {slots} WHERE {membership})
       AND NOT EXISTS (SELECT FROM {held} WHERE {window})
""")


# The streams that a version reads by the times of events, so that each event belongs to slots or is late.


async def read_streams_by_time(tx: Read, document: str, catalogue: Catalogue) -> Sequence[InputStream]:
    """What the version of a document reads by time; what it reads whatever its date belongs to no slot."""
    return select_by_time(await tx.in_thread(read_model, document), catalogue)


def select_by_time(model: Model, catalogue: Catalogue) -> Sequence[InputStream]:
    """What a version reads by time."""
    try:
        streams = resolve_streams(model, catalogue).streams
    except Invalid:
        # A version that the project no longer serves generates nothing, and its generation says why.
        return ()
    return [stream for stream in streams if stream.window.reach is not Reach.ANY]


# The slots of time that ledgers of one model have, each with the version that computes it.


Bounds = tuple[datetime, datetime]


class VersionSlot(msgspec.Struct, frozen=True):
    """A slot of time, with the number of the version that computes it."""

    start: datetime
    end: datetime
    version: int
    is_empty: bool = False
    """Whether no event counts in it, although it was generated or is not computed."""

    @property
    def bounds(self) -> Bounds:
        """Its start and its end."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class ModelSlots:
    """The slots of some ledgers of one model, as they are or as a generation will leave them."""

    project: int
    ledgers: Sequence[int]
    computed: Sequence[VersionSlot] = ()
    """Those that a generation computes, with the time that it leaves open."""
    replaced: Collection[Bounds] = ()
    """Those that it brings to zero."""

    async def versions(self, tx: Read) -> set[int]:
        """The active version, and those that have slots in force or compute some."""
        version_rows = await tx.tuples(_VERSIONS, self._values)
        return {slot.version for slot in self.computed}.union(number for (number,) in version_rows)

    async def edges(self, tx: Read, span: Bounds) -> list[datetime]:
        """The moments of a span at which slots of one version begin or end, or their time does.

        Of a generation only those of what it computes.
        """
        slots = self.computed or [
            model_slot for model_slot in await self.meeting(tx, span) if not model_slot.is_empty
        ]
        sorted_slots = sorted(slots, key=lambda model_slot: model_slot.bounds)
        edges = {bound for slot in (*sorted_slots[:1], *sorted_slots[-1:]) for bound in slot.bounds}
        for before, after in pairwise(sorted_slots):
            if before.end != after.start or before.version != after.version:
                edges |= {before.end, after.start}
        return sorted(edge for edge in edges if span[0] <= edge <= span[1])

    async def meeting(self, tx: Read, span: Bounds) -> list[VersionSlot]:
        """The slots that meet a span or border on it, in order; of a generation all that it computes.

        One that was generated and counts nothing is the active version's where no other shares its time.
        """
        handled = {*(slot.bounds for slot in self.computed), *self.replaced}
        rows = await tx.rows(VersionSlot, _SLOTS_MEETING, {**self._values, "start": span[0], "end": span[1]})
        return _remove_overlapped([*self.computed, *(row for row in rows if row.bounds not in handled)])

    @property
    def _values(self) -> dict[str, object]:
        return {"project": self.project, "ledgers": [*self.ledgers], "by_event": EVENT}


def _remove_overlapped(slots: Sequence[VersionSlot]) -> list[VersionSlot]:
    """Slots in order, without the empty ones that share time with others."""
    sorted_slots = sorted(slots, key=lambda slot: slot.bounds)
    overlapped: set[VersionSlot] = set()
    ends = accumulate((slot.end for slot in sorted_slots), max)
    for latest, (before, after) in zip(ends, pairwise(sorted_slots), strict=False):
        if latest > after.start:
            overlapped |= {before, after}
    return [slot for slot in sorted_slots if not (slot.is_empty and slot in overlapped)]


_ACTIVE: Final = """
    SELECT DISTINCT m.id, m.family_id, m.cadence FROM ledgers l
      JOIN model_families f ON f.id = l.family_id JOIN models m ON m.id = f.active_model_id
     WHERE l.project_id = %(project)s AND l.id = ANY (%(ledgers)s)
"""
_OF_TIME: Final = f"""
    FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
   WHERE b.project_id = %(project)s AND b.ledger_id = ANY (%(ledgers)s) AND NOT r.by_event AND {IN_FORCE}
"""
_VERSIONS: Final = f"""
    WITH active AS ({_ACTIVE})
    SELECT id FROM active
    UNION
    SELECT m.id FROM active JOIN models m USING (family_id)
     WHERE EXISTS (SELECT {_OF_TIME} AND b.model_id = m.id)
"""
_SLOTS_MEETING: Final = f"""
    WITH in_force AS (
        SELECT DISTINCT ON (r.start_time, r.end_time) r.start_time, r.end_time, b.model_id
        {_OF_TIME} AND b.start_time <= %(end)s AND b.end_time >= %(start)s
         ORDER BY r.start_time, r.end_time, b.id DESC
    )
    SELECT start_time, end_time, model_id, false FROM in_force
    UNION ALL
    SELECT DISTINCT s.start_time, s.end_time, active.id, true
      FROM generated_slots s CROSS JOIN ({_ACTIVE}) AS active
     WHERE s.project_id = %(project)s AND s.ledger_id = ANY (%(ledgers)s) AND active.cadence <> %(by_event)s
       AND s.start_time <= %(end)s AND s.end_time >= %(start)s AND s.seen_until > 'epoch'
       AND (s.start_time, s.end_time) NOT IN (SELECT start_time, end_time FROM in_force)
"""


# Events across the border of two versions that count more or less than once, all slots together.
#
# Two versions may take an event across a border by other ends. A worked example: January was made by a
# version with `straddle: start`, February by one with `straddle: end`. A bill from 20 January to 11
# February begins in the one and ends in the other, so both would count all of it; with the versions the
# other way round neither.
#
# In come slots that share no time, each with the version that computes it; out go events of each input
# whose window differs between versions. While they agree on their windows no event is looked up.
#
# Invariant: what an input leaves out and reports (`straddle: report`) is not named here; its generation
# does.


_Versions = Mapping[int, InputStream]
"""By the number of a version, what one of its inputs reads."""


@dataclass(frozen=True, slots=True)
class BorderEvents:
    """Events across borders that an input does not count once."""

    node: str
    event_type: str
    is_more: bool
    """Whether they count more than once; else less, or not at all."""
    events: tuple[int, ...]


async def read_border_events(tx: Read, slots: ModelSlots, span: Bounds) -> list[BorderEvents]:
    """The events across borders of a span that do not count once, by input.

    Of a generation only the borders of what it computes are asked about.
    """
    numbers = await slots.versions(tx)
    if len(numbers) < 2:
        return []
    inputs = {
        key: versions
        for key, versions in (await _read_version_inputs(tx, slots.project, numbers)).items()
        if len({stream.window for stream in versions.values()}) > 1
    }
    edges = await slots.edges(tx, span) if inputs else []
    border_events = []
    for (node, event_type), versions in inputs.items():
        values = {"project": slots.project, "event_type": event_type, "edges": moments(edges)}
        [(start, end)] = await tx.tuples(_REACH.format(across=_select_across(versions)), values)
        if start is not None:
            # An event may begin or end in slots that the span does not meet.
            slots_meeting = await slots.meeting(tx, (start, end))
            slug = next(iter(versions.values())).event_type_slug
            rows = await tx.tuples(_build_statement(versions), {**values, **_build_columns(slots_meeting)})
            border_events += [BorderEvents(node, slug, is_more, tuple(events)) for is_more, events in rows]
    return border_events


async def _read_version_inputs(
    tx: Read, project: int, numbers: Iterable[int]
) -> Mapping[tuple[str, int], _Versions]:
    """By input and event type, what each version reads that counts an event by its times."""
    catalogue = await read_catalogue(tx, project)
    inputs: dict[tuple[str, int], dict[int, InputStream]] = {}
    for number in sorted(numbers):
        stored_model = await find_stored_model(tx, number)
        for stream in await read_streams_by_time(tx, stored_model.document, catalogue):
            # What holds until the next reading gives each slot its own part of the time.
            if stream.window.reach is not Reach.COUNTED and not stream.window.is_held:
                for node in stream.node_slugs:
                    inputs.setdefault((node, stream.event_type), {})[number] = stream
    return inputs


def _select_across(versions: _Versions) -> Composable:
    """The events across edges, once for each version that reads them."""
    return SQL(" UNION ").join(
        _ACROSS.format(version=Literal(number), stream=select_matching(stream), reaches_in=REACHES_IN)
        for number, stream in versions.items()
    )


def _build_statement(versions: _Versions) -> Composed:
    """What finds the events across edges that all slots together do not count once."""
    counts = [
        _COUNTED.format(
            version=Literal(number),
            window=stream.window.condition,
            part=_SHARED if stream.window.reach is Reach.MEETING else _WHOLE,
        )
        for number, stream in versions.items()
    ]
    naming = [number for number, stream in versions.items() if stream.window.reach is Reach.INSIDE]
    return _NOT_ONCE.format(
        across=_select_across(versions), counted=SQL(" UNION ALL ").join(counts), naming=Literal(naming)
    )


def _build_columns(slots: Sequence[VersionSlot]) -> dict[str, object]:
    return {
        "starts": moments(slot.start for slot in slots),
        "ends": moments(slot.end for slot in slots),
        "versions": [slot.version for slot in slots],
        "are_empty": [slot.is_empty for slot in slots],
    }


_WHOLE: Final = SQL("e.end_time - e.start_time")
_SHARED: Final = SQL("least(e.end_time, slot.end_time) - greatest(e.start_time, slot.start_time)")

_ACROSS: Final = SQL("""
    SELECT e.id, e.start_time, e.end_time, {version} AS version
      FROM unnest(%(edges)s::timestamptz[]) AS slot (start_time) JOIN {stream} ON {reaches_in}
""")
_REACH: Final = SQL("SELECT min(start_time), max(end_time) FROM ({across}) AS across")
_COUNTED: Final = SQL("""
    SELECT e.id, {part} AS part
      FROM across AS e JOIN slot ON (slot.version, e.version) = ({version}, {version})
       AND NOT slot.is_empty AND {window}
""")

# An event that begins or ends in time that has no slot may count there later; one that a version leaves out
# and reports is named by that version's generation.
_NOT_ONCE: Final = SQL("""
    WITH slot AS MATERIALIZED (
        SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(versions)s::integer[],
                             %(are_empty)s::boolean[]) AS slot (start_time, end_time, version, is_empty)
    ), across AS MATERIALIZED ({across}
    ), counted AS (
        SELECT id, sum(part) AS part FROM ({counted}) AS parts GROUP BY id
    ), decided AS (
        SELECT e.id FROM across AS e JOIN slot USING (version)
         WHERE slot.version <> ALL ({naming})
           AND slot.start_time < e.end_time AND slot.end_time > e.start_time
         GROUP BY e.id
        HAVING bool_or(e.start_time >= slot.start_time) AND bool_or(e.end_time <= slot.end_time)
    ), weighed AS (
        SELECT DISTINCT e.id, e.start_time, e.end_time - e.start_time AS whole,
               coalesce(counted.part, '0') AS counts, decided.id IS NOT NULL AS is_decided
          FROM across AS e LEFT JOIN counted USING (id) LEFT JOIN decided USING (id)
    )
    SELECT counts > whole, array_agg(id ORDER BY start_time, id) FROM weighed
     WHERE counts > whole OR counts < whole AND is_decided
     GROUP BY counts > whole
""")
