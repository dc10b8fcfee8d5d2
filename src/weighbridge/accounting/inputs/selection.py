"""Select events as SQL: by slot, by join, by name, or by the provenance of a batch.

Each fragment provides a table `slot`, numbered from 1, and the event `e`, so every computation on
events is written once. A series of adjacent slots is read in one scan. The worked example below covers
every window.

Invariants: a selection by slot contains only complete events that are not voided. A selection by
provenance has the values that the batch used. Data named for a slot replace all other data of their
type.

Record and read the corrections that were in force on the values of a batch, so that it can be
recomputed.

A batch names its events, not their values. Captured values never change; together with the recorded
corrections they determine the values that the batch used, whatever is corrected or completed later.

Invariants: a batch records at most one correction of each value. It also records corrections of times
and tags, and completions, so that a value added later is not taken for one that the batch used.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composable, Identifier

from weighbridge.accounting.books.runs import build_slot_columns
from weighbridge.accounting.inputs.streams import InputStream, Reach, select_matching
from weighbridge.collection.measurements.values import ValueColumn, value_of
from weighbridge.core.collection.correction import CorrectionOrigin, determine_value_source
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.model.definition import JOINED_ON
from weighbridge.core.time.calendar import EventSlot, Interval
from weighbridge.db.engine import Write
from weighbridge.db.statements import Literal, moments


def record_used_corrections(tx: Write, project: int, batches: Sequence[int]) -> None:
    """Write down what is in force on the values that some new batches used; their lineage is written."""
    # Most projects have few corrections, and many none: there the server looks no further.
    tx.later(
        """
        WITH made AS MATERIALIZED (
            SELECT DISTINCT i.project_id, i.batch_id, c.id
              FROM batch_inputs i
              JOIN batch_input_sets s
                ON (s.project_id, s.batch_id, s.set_number) = (i.project_id, i.batch_id, i.set_number)
             CROSS JOIN unnest(i.event_ids) AS used (event_id)
              JOIN corrections c ON c.project_id = i.project_id AND c.event_id = used.event_id
               AND c.state = 'in_force' AND (c.position = 0 OR c.position = ANY (s.positions))
             WHERE i.project_id = %s AND i.batch_id = ANY (%s)
               AND EXISTS (SELECT FROM corrections WHERE project_id = %s AND state = 'in_force')
        )
        INSERT INTO batch_corrections (project_id, batch_id, correction_id)
        SELECT * FROM made
        """,
        (project, list(batches), project),
    )


STORED_EVENTS: Final = SQL("FROM events e WHERE e.project_id = %(project)s AND e.id = slot.event_id")
"""The event of `slot` as the database has it."""


_ROW: Final = SQL("ROW(e.*)::events")
"""The event `e` for a function that takes one; in a cluster, `e` itself is a row of a part of the table."""

_EVENT_AS_USED: Final = """
    LATERAL (
        SELECT e.project_id, e.id, e.event_type_id, e.client_reference, e.location_ids, e.is_revised,
               e.is_imputed, e.readings, NULL::timestamptz AS voided_at,
               true AS is_complete,
               CASE WHEN e.captured ? 'start_time'
                    THEN field_as_used({row}, slot.batch_id, 'start_time')::timestamptz(3)
                    ELSE e.start_time END AS start_time,
               CASE WHEN e.captured ? 'end_time'
                    THEN field_as_used({row}, slot.batch_id, 'end_time')::timestamptz(3)
                    ELSE e.end_time END AS end_time,
               CASE WHEN e.captured ? 'tracking_id' THEN field_as_used({row}, slot.batch_id, 'tracking_id')
                    ELSE e.tracking_id END AS tracking_id,
               CASE WHEN e.captured ? 'feedstock_id'
                    THEN field_as_used({row}, slot.batch_id, 'feedstock_id')::integer
                    ELSE e.feedstock_id END AS feedstock_id,
               CASE WHEN e.captured ? 'asset_id'
                    THEN field_as_used({row}, slot.batch_id, 'asset_id')::integer
                    ELSE e.asset_id END AS asset_id,
               CASE WHEN e.is_revised THEN numbers_as_used({row}, slot.batch_id) ELSE e.numbers END
               AS numbers,
               CASE WHEN e.is_revised THEN texts_as_used({row}, slot.batch_id) ELSE e.texts END AS texts,
               CASE WHEN e.is_revised THEN booleans_as_used({row}, slot.batch_id) ELSE e.booleans END
               AS booleans,
               NULL::numeric[] AS corrected_numbers, NULL::text[] AS corrected_texts,
               NULL::boolean[] AS corrected_booleans, {stated} AS uncertainties
          {events}
    ) AS e
"""


def select_event_as_used(events: Composable) -> Composable:
    """The event `e` as a batch saw it, of a table `slot` with event_id and batch_id; takes the project.

    `events` is the source of the columns, such as `STORED_EVENTS`: a row `e` of the type of the table.
    It has the columns of events, so that whatever reads a value of `e` reads what the batch saw. An event
    that a batch was made of was not voided then, though an imputed one may have been withdrawn since, and had
    what was read of it, though what a rule filled in may have been taken back.
    """
    return SQL(_EVENT_AS_USED).format(events=events, row=_ROW, stated=_STATED_AS_USED)


# A column that is not read is not worked out. Statements of values change only while no generation runs,
# so the transactions that posted a batch and that changed a statement are in the order of their moments.
_STATED_AS_USED: Final = SQL("""
    (SELECT known.uncertainties
       FROM (SELECT f.uncertainties, f.known_until FROM former_events f
              WHERE (f.project_id, f.id) = (e.project_id, e.id)
              UNION ALL SELECT e.uncertainties, NULL) AS known
      WHERE known.known_until IS NULL
         OR known.known_until > (SELECT min(b.known_from)
                                   FROM (SELECT project_id, id, known_from FROM batches
                                         UNION ALL SELECT project_id, id, known_from FROM former_batches) AS b
                                  WHERE (b.project_id, b.id) = (e.project_id, slot.batch_id))
      ORDER BY known.known_until NULLS LAST LIMIT 1)
""")
"""What was stated of single values when the batch of `slot` was made."""


EVENT_AS_USED: Final = select_event_as_used(STORED_EVENTS)
"""The same of the database's own events."""


def select_revision(positions: Sequence[int]) -> Composable:
    """A number that differs when other corrections are in force on these values, the times or the tags.

    It belongs into the digest of events: corrections that leave a total as it was change it too.
    """
    return _REVISION.format(positions=Literal(list(positions)), batch=SQL("NULL"))


def select_revision_as_used(positions: Sequence[int]) -> Composable:
    """The same number as it was when the batch of `slot` was made."""
    return _REVISION.format(positions=Literal(list(positions)), batch=SQL("slot.batch_id"))


def select_origins(positions: Sequence[int]) -> Composable:
    """The origins of the corrections in force on these values of an event, as an array of their names."""
    return _ORIGINS.format(positions=Literal(list(positions)), batch=SQL("NULL"))


def select_origins_as_used(positions: Sequence[int]) -> Composable:
    """The same as it was when the batch of `slot` was made."""
    return _ORIGINS.format(positions=Literal(list(positions)), batch=SQL("slot.batch_id"))


def determine_value_sources(
    correction_origins: Sequence[str | None] | None, count: int, *, is_imputed: bool
) -> list[ValueSource]:
    """Where some values of an event come from, by the origins of what is in force on them."""
    origins = [
        None if name is None else CorrectionOrigin(name) for name in correction_origins or [None] * count
    ]
    return [determine_value_source(origin, is_imputed=is_imputed) for origin in origins]


_ORIGINS: Final = SQL("""
    CASE WHEN e.is_revised
         THEN correction_sources_of(e.project_id, e.id, {positions}::smallint[], {batch}::bigint) END
""")
"""NULL of an event of which no value was ever corrected."""


# A function and no subquery: inside an aggregate that would keep PostgreSQL from summing in parallel.
_REVISION: Final = SQL("""
    CASE WHEN e.is_revised THEN revision_of(e.project_id, e.id, {positions}::smallint[], {batch}::bigint)
    ELSE 0 END
""")


# A series of slots, each beginning where the last one ended: one scan of the events finds those of all.
#
# The start of an event determines its slot, so no event is compared with every slot; and each value is taken
# out of its array once, however many statistics are made of it. Both count when there are millions of events.
#
# Invariant: a series has the events that the window's condition gives its slots one by one.


def is_series(slots: Sequence[Interval]) -> bool:
    """Whether slots make one series; slots of events are found by other things than their times."""
    return (
        bool(slots)
        and not any(isinstance(slot, EventSlot) for slot in slots)
        and all(preceding.end == following.start for preceding, following in pairwise(slots))
    )


def select_series_events(
    each_slot: Composable, slots: Sequence[Interval], stream: InputStream, condition: Composable
) -> Composable:
    """The slots and their events as a FROM clause; `match_chosen` says which events may be used."""
    values = [
        SQL(", {} AS {}").format(value_of(column), _name(column)) for column in dict.fromkeys(stream.columns)
    ]
    return _SERIES.format(
        slots=each_slot,
        values=SQL("").join(values),
        origins=select_origins(stream.positions),
        stream=select_matching(stream),
        start=Literal(slots[0].start),
        end=Literal(slots[-1].end),
        rest=stream.window.rest,
        chosen=condition,
    )


def select_series_value(column: ValueColumn) -> Composable:
    """The value of a data point of an event `e` of a series."""
    return SQL("e.{}").format(_name(column))


def select_series_origins(_positions: Sequence[int]) -> Composable:
    """The origins of what is in force on the values of an event `e` of a series."""
    return SQL("e.origins")


def _name(column: ValueColumn) -> Identifier:
    return Identifier(f"{column.value_type} {column.position}")


# OFFSET has the values taken out where the events are read; without it they are worked out again for every
# statistic, and the planner, which sees that origins are found by the event's number, expects as many groups
# as events and sums nothing in parallel. It is quoted because a number would be converted, and what is no
# constant keeps PostgreSQL from reading in parallel. The ends are in the text, so that a plan made once is
# not kept for other lengths.
_SERIES: Final = SQL("""
    {slots}
    JOIN (SELECT e.*{values}, {origins} AS origins FROM {stream}
           WHERE e.start_time >= {start} AND e.start_time < {end} OFFSET '0') AS e
      ON slot.number = width_bucket(e.start_time, %(starts)s::timestamptz[]) AND {rest} AND {chosen}
""")


# How events are selected: by slot, by join, by name, or by lineage, because batches were made of them.
#
# Each fragment makes a table `slot` with a number from 1 and its times, and the event `e`, so that whatever
# is computed of them is written once.
#
# A worked example. Slot 1 is January, [1 Jan 00:00, 1 Feb 00:00), and a stream reads the tonnes of:
#
#     event  from          to            t
#     A      30 Dec 00:00   2 Jan 00:00  40
#     B      10 Jan 08:00  10 Jan 08:00  25   a reading: it ends when it starts
#     C      20 Jan 00:00   1 Feb 00:00  12
#     D      31 Jan 00:00   3 Feb 00:00  30
#     E       1 Feb 00:00   1 Feb 00:00   7   a reading on the bound
#
# The window, which follows from the input's straddle (`window.py`), says which of them the slot has:
#
#     straddle report     inside    B C      37 t  A and D are reported, for part of them lies outside
#     straddle start      starting  B C D    67 t  each event starts in one slot only, E in February's
#     straddle end        ending    A B C    77 t  a stretch may end with the slot, a reading may not
#     straddle prorate    meeting   A B C D        read one by one: of A 1/3, of D 1/3 counts, 60.33… t
#     aggregate delta     counted   A B C E        the reading at the end counts, that at the start does not
#     join any period     any       all of them, of which the partners select (`Partners`)
#
# By slot these are the events of a stream that are complete and not voided now. Where the caller named {B,
# D} for slot 1, the stream is separate, and of the events inside `match_chosen` leaves B. By name, as for a
# model run, nothing else is looked at: {B, D} and straddle start give B and D, and no reading before the slot
# that was not named. By lineage the slot has what its batch was made of, with the values that it saw: if B
# was corrected to 20 t since, it counts 20 t by slot and 25 t by lineage, and so `verify` comes to the
# batch's tonnes again.
#
# Invariants: an event is complete and not voided when it is selected by slot; as a batch used it, it is
# what the batch saw; data that the caller named for a slot are all that the slot has of their type.


_IN_FORCE: Final = SQL("c.state = 'in_force'")

_SOURCE_NOW: Final = SQL("""
    LATERAL (SELECT source.start_time, source.asset_id, source.uncertainties FROM events source
              WHERE source.project_id = %(project)s AND source.id = slot.source) AS e
""")
_SOURCE_AS_USED: Final = SQL("""
    LATERAL (SELECT known.start_time, known.asset_id, known.uncertainties
               FROM (SELECT start_time, asset_id, uncertainties, known_until FROM former_events
                      WHERE project_id = %(project)s AND id = slot.source
                      UNION ALL
                     SELECT start_time, asset_id, uncertainties, NULL FROM events
                      WHERE project_id = %(project)s AND id = slot.source) AS known
              WHERE known.known_until IS NULL
                 OR known.known_until > (SELECT min(b.known_from)
                                           FROM (SELECT known_from FROM batches
                                                  WHERE project_id = %(project)s AND id = slot.batch_id
                                                  UNION ALL
                                                 SELECT known_from FROM former_batches
                                                  WHERE project_id = %(project)s AND id = slot.batch_id) AS b)
              ORDER BY known.known_until NULLS LAST LIMIT 1) AS e
""")

SetOfSlot = Mapping[int, Mapping[str, Collection[int]]]
"""The only events that an input may use, by the slot's index and the node."""


@dataclass(frozen=True, slots=True)
class SelectedEvents:
    """The source of events: a FROM clause, its parameters, and the columns that identify an event's state."""

    events: Composable
    values: Mapping[str, Any]
    revision: Composable
    before: Composable | None = None
    """The reading in force when a slot begins, as a FROM clause; None if it is not selected separately."""
    is_limited: bool = True
    """Whether there may be too many; what batches were made of is taken as it is."""
    value: Callable[[ValueColumn], Composable] = value_of
    """How the value of a data point of an event is said."""
    origins: Callable[[Sequence[int]], Composable] = select_origins
    """How the origins of what is in force on values of an event are said, by their positions."""
    uses_correction: Composable = field(default_factory=lambda: _IN_FORCE)
    """Whether a correction `c` of a value is the one that is read."""
    batch: Composable = field(default_factory=lambda: SQL("NULL::bigint"))
    """The batch as which an event of `slot` is read; NULL as it is now."""
    source: Composable = field(default_factory=lambda: _SOURCE_NOW)
    """The event `e` that is the source of a value, of a table `slot` with source and batch_id."""


@dataclass(frozen=True, slots=True)
class BySlot:
    """Select events by time for some slots; complete sets define the others."""

    project: int
    slots: Sequence[Interval]
    sets: SetOfSlot = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ByLineage:
    """Events are those of batches, as the batches saw them: pairs of a slot's index and a batch."""

    project: int
    slots: Sequence[Interval]
    batches: Sequence[tuple[int, int]]
    events: Composable = field(default_factory=lambda: STORED_EVENTS)
    """Where the events themselves are read, such as of an archive."""


@dataclass(frozen=True, slots=True)
class ByName:
    """Select only the events that a caller named for some slots, without an earlier reading."""

    project: int
    slots: Sequence[Interval]
    events: Collection[int]


@dataclass(frozen=True, slots=True)
class Partners:
    """What the events of a joined stream must match: keys, and the time that they reach over."""

    keys: frozenset[str]
    reach: Interval


EventSelection = BySlot | ByLineage | ByName
"""The way in which the events of every stream are selected; a joined stream also by its partners."""


def select_events(
    selection: EventSelection,
    stream: InputStream,
    dimensions: Sequence[str],
    partners: Partners | None = None,
) -> SelectedEvents:
    """The events of a stream."""
    match selection:
        case ByLineage():
            return _select_by_lineage(selection, stream)
        case ByName():
            return _select_by_name(selection, stream)
    if stream.window.reach is Reach.ANY:
        return _select_by_join(selection, stream, partners)
    return _select_by_slot(selection, stream, dimensions)


def _select_by_slot(selection: BySlot, stream: InputStream, dimensions: Sequence[str]) -> SelectedEvents:
    """The events that the window gives each slot, in one scan where the slots make a series."""
    restriction, values = _restrict_to_sets(selection, stream)
    if stream.window.is_by_start and not stream.is_of_elements and is_series(selection.slots):
        of_series = select_series_events(EACH_SLOT, selection.slots, stream, restriction)
        return SelectedEvents(
            of_series,
            values,
            select_revision(stream.positions),
            value=select_series_value,
            origins=select_series_origins,
        )
    joined_tables = SQL("{slots} JOIN {stream} ON {condition} AND {chosen}").format(
        slots=EACH_SLOT,
        stream=select_matching(stream),
        condition=match_membership(selection.slots, stream),
        chosen=restriction,
    )
    readings_before = _select_readings_before(stream, dimensions) if stream.window.is_held else None
    return SelectedEvents(joined_tables, values, select_revision(stream.positions), readings_before)


def _select_by_join(selection: BySlot, stream: InputStream, partners: Partners | None) -> SelectedEvents:
    """The events that may match a partner, whatever their date: once for all slots, unless sets differ."""
    restriction, values = _restrict_to_sets(selection, stream)
    matches, keys = _match_partners(stream, partners)
    joined_tables = SQL("{slots} JOIN {stream} ON {matches} AND {chosen}").format(
        slots=_ANY if stream.apart is None else EACH_SLOT,
        stream=select_matching(stream),
        matches=matches,
        chosen=restriction,
    )
    return SelectedEvents(joined_tables, values | keys, select_revision(stream.positions))


def _restrict_to_sets(selection: BySlot, stream: InputStream) -> tuple[SQL, dict[str, Any]]:
    """The condition of complete sets, and every parameter of a selection by slot."""
    restriction, values = match_chosen(selection, stream)
    slots = build_slot_columns(selection.slots)
    return restriction, values | {"project": selection.project, "event_type": stream.event_type, **slots}


def match_membership(slots: Sequence[Interval], stream: InputStream) -> Composable:
    """Whether a slot `slot` has an event `e`: by its times, or in a slot of events by what the slot is."""
    window = stream.window.condition
    of_events = [slot for slot in slots if isinstance(slot, EventSlot)]
    if not of_events:
        return window
    if not any(slot.tracking_id for slot in of_events):
        return SQL("e.id = slot.event_id") if stream.is_defining else window
    if any(slot.event for slot in of_events):
        return _match_mixed_membership(stream, window)
    if stream.is_defining:
        return SQL("e.tracking_id = slot.tracking_id")
    return SQL("(e.tracking_id = slot.tracking_id OR e.tracking_id IS NULL AND {})").format(window)


def _match_mixed_membership(stream: InputStream, window: SQL) -> Composable:
    """The same where some slots are events and some are tracking ids, as versions have made them."""
    if stream.is_defining:
        return SQL("(e.id = slot.event_id OR slot.event_id IS NULL AND e.tracking_id = slot.tracking_id)")
    return SQL("""
        (slot.event_id IS NULL AND e.tracking_id = slot.tracking_id
         OR (slot.event_id IS NOT NULL OR e.tracking_id IS NULL) AND {})
    """).format(window)


def match_chosen(selection: BySlot, stream: InputStream) -> tuple[SQL, dict[str, Any]]:
    """Whether an event may be used in a slot, which may have a complete set; and the parameters of that."""
    if stream.apart is None:
        return SQL("true"), {}
    node = stream.reads[0].node
    event_numbers = {index + 1: nodes[node] for index, nodes in selection.sets.items() if node in nodes}
    pairs = [(number, event) for number, events in event_numbers.items() for event in sorted(events)]
    return SQL(_CHOSEN), {
        "named_slots": list(event_numbers),
        "chosen_slots": [number for number, _ in pairs],
        "chosen_events": [event for _, event in pairs],
    }


def _match_partners(stream: InputStream, partners: Partners | None) -> tuple[Composable, dict[str, Any]]:
    """What holds for an event that may match one of the partners, whatever its date."""
    if stream.join is None or partners is None:
        return SQL("true"), {}
    if stream.join.on == "interval":
        reach = {"earliest": partners.reach.start, "latest": partners.reach.end}
        return SQL("e.start_time <= %(latest)s AND e.end_time >= %(earliest)s"), reach
    key: Composable = SQL("e.tracking_id")
    if stream.join.on not in JOINED_ON:
        key = value_of(stream.key_column)
    return SQL("{} = ANY (%(keys)s::text[])").format(key), {"keys": sorted(partners.keys)}


def _select_readings_before(stream: InputStream, dimensions: Sequence[str]) -> Composable:
    """For every slot and every meter the last reading that came before the slot's events.

    A totaliser continues through any tags of its readings; other values apply to their own tags only.
    """
    is_counted = stream.window.reach is Reach.COUNTED
    keys = [*_METER, *([] if is_counted else [SQL(_TAGS[dimension]) for dimension in dimensions])]
    names = [Identifier(f"k{index}") for index in range(len(keys))]
    pairs = list(zip(keys, names, strict=True))
    order: list[Composable] = [SQL(column) for column in _LAST_FIRST]
    order += [SQL("{} DESC").format(value_of(column)) for column in stream.ranking]
    return SQL(_BEFORE).format(
        slots=EACH_SLOT,
        stream=select_matching(stream),
        keys=SQL(", ").join(SQL("{} AS {}").format(key, name) for key, name in pairs),
        names=SQL(", ").join(names),
        earlier=SQL(_EARLIER[stream.window.reach]),
        same=SQL(" AND ").join(
            SQL("{} IS NOT DISTINCT FROM series.{}").format(key, name) for key, name in pairs
        ),
        order=SQL(", ").join(order),
    )


def _select_by_name(selection: ByName, stream: InputStream) -> SelectedEvents:
    """Those of the named events that a slot has, or that come before it where a reading holds."""
    reach = stream.window.reach
    condition: Composable = SQL("true") if reach is Reach.ANY else stream.window.condition
    if stream.window.is_held:
        condition = SQL("({} OR {})").format(condition, SQL(_EARLIER[reach]))
    joined_tables = SQL("{slots} JOIN {stream} ON e.id = ANY (%(events)s::bigint[]) AND {condition}").format(
        slots=EACH_SLOT, stream=select_matching(stream), condition=condition
    )
    values = {
        "project": selection.project,
        "event_type": stream.event_type,
        "events": sorted(selection.events),
        **build_slot_columns(selection.slots),
    }
    return SelectedEvents(joined_tables, values, select_revision(stream.positions), is_limited=False)


def _select_by_lineage(selection: ByLineage, stream: InputStream) -> SelectedEvents:
    values = {
        "project": selection.project,
        "node": stream.reads[0].node,
        "starts": moments(slot.start for slot in selection.slots),
        "ends": moments(slot.end for slot in selection.slots),
        "slots": [slot + 1 for slot, _ in selection.batches],
        "batches": [batch for _, batch in selection.batches],
    }
    return SelectedEvents(
        _USED.format(event=select_event_as_used(selection.events)),
        values,
        select_revision_as_used(stream.positions),
        is_limited=False,
        origins=select_origins_as_used,
        uses_correction=_USED_CORRECTION,
        batch=SQL("slot.batch_id"),
        source=_SOURCE_AS_USED,
    )


_USED_CORRECTION: Final = SQL("""
    EXISTS (SELECT FROM batch_corrections used
             WHERE (used.project_id, used.batch_id, used.correction_id) = (c.project_id, slot.batch_id, c.id))
""")
_CHOSEN: Final = """
    (slot.number <> ALL (%(named_slots)s::integer[]) OR (slot.number, e.id) IN (
        SELECT chosen.slot, chosen.event
          FROM unnest(%(chosen_slots)s::integer[], %(chosen_events)s::bigint[]) AS chosen (slot, event)))
"""

_TAGS: Final[Mapping[str, LiteralString]] = {
    "tracking_id": "e.tracking_id",
    "feedstock": "e.feedstock_id",
    "asset": "e.asset_id",
}
"""The columns of the partition's dimensions."""

_METER: Final = (SQL("e.asset_id"), SQL("CASE WHEN e.asset_id IS NULL THEN e.location_ids[1] END"))
"""What makes the meter of an event, as `core/time/expectation.py` defines it."""

_LAST_FIRST: Final[tuple[LiteralString, ...]] = (
    "e.start_time DESC",
    "e.end_time DESC",
    'e.tracking_id COLLATE "C" DESC',
    'e.client_reference COLLATE "C" DESC',
)

_EARLIER: Final[Mapping[Reach, LiteralString]] = {
    Reach.COUNTED: "e.start_time <= slot.start_time AND e.end_time <= slot.start_time",
    **dict.fromkeys(
        (Reach.INSIDE, Reach.STARTING, Reach.ENDING, Reach.MEETING),
        "e.start_time < slot.start_time AND e.end_time = e.start_time",
    ),
}

EACH_SLOT: Final = SQL("""
    unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(slot_events)s::bigint[],
           %(slot_tracking_ids)s::text[])
        WITH ORDINALITY AS slot (start_time, end_time, event_id, tracking_id, number)
""")
_ANY: Final = SQL("""
    (SELECT 0 AS number, NULL::timestamptz AS start_time, NULL::timestamptz AS end_time) AS slot
""")

# A series is looked for between its own first and last reading, so that one that ended long ago, or has not
# begun, is not sought among all that the others read since.
_BEFORE: Final = """
    {slots}
    CROSS JOIN (
        SELECT {keys}, min(e.start_time) AS oldest, max(e.start_time) AS newest FROM {stream}
         WHERE e.start_time <= (SELECT max(at) FROM unnest(%(starts)s::timestamptz[]) AS at)
         GROUP BY {names}) AS series
    CROSS JOIN LATERAL (
        SELECT e.* FROM {stream}
         WHERE {earlier} AND e.start_time BETWEEN series.oldest AND series.newest AND {same}
         ORDER BY {order} LIMIT 1) AS e
"""

_USED: Final = SQL("""
    (SELECT chosen.slot AS number, used.event_id, max(chosen.batch_id) AS batch_id, at.start_time, at.end_time
       FROM unnest(%(slots)s::integer[], %(batches)s::bigint[]) AS chosen (slot, batch_id)
       JOIN unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[])
            WITH ORDINALITY AS at (start_time, end_time, number) ON at.number = chosen.slot
       JOIN batch_input_sets s ON s.project_id = %(project)s AND s.batch_id = chosen.batch_id
        AND %(node)s::text = ANY (s.nodes)
       JOIN batch_inputs i ON i.project_id = %(project)s AND i.batch_id = chosen.batch_id
        AND i.set_number = s.set_number, unnest(i.event_ids) AS used (event_id)
      GROUP BY chosen.slot, used.event_id, at.start_time, at.end_time) AS slot
    CROSS JOIN {event}
""")
"""Events that batches were made of, as the newest batch saw them; one that was shared counts once."""
