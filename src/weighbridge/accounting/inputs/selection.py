"""How events are found: by slot, by what they are joined to, by name, or because batches were made of them.

Each fragment makes a table `slot` with a number from 1 and its times, and the event `e`, so that whatever is
computed of them is written once.

Invariants: an event is complete and not voided when it is found anew; as a batch used it, it is what the
batch saw; data that the caller named for a slot are all that the slot has of their type.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.runs import slot_columns
from weighbridge.accounting.inputs.slot_series import events_of_series, is_series, value_of_series
from weighbridge.accounting.inputs.streams import Source, matching
from weighbridge.accounting.inputs.used_corrections import EVENT_AS_USED, revision, revision_as_used
from weighbridge.accounting.inputs.window import Reach
from weighbridge.collection.measurements.condition import value_of
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.model.definition import JOINED_ON
from weighbridge.core.time.cadence import EventSlot
from weighbridge.core.time.instant import Interval

SetOfSlot = Mapping[int, Mapping[str, Collection[int]]]
"""The only events that an input may use, by the slot's index and the node."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where events come from: a FROM clause, its parameters, and what tells an event's states apart."""

    events: Composable
    values: Mapping[str, Any]
    revision: Composable
    before: Composable | None = None
    """The reading that stands when a slot begins, as a FROM clause; None when it is not asked for apart."""
    is_limited: bool = True
    """Whether there may be too many; what batches were made of is taken as it is."""
    value: Callable[[ValueColumn], Composable] = value_of
    """How the value of a data point of an event is said."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The slots for which events are found anew, and the complete sets that stand for some."""

    project: int
    slots: Sequence[Interval]
    sets: SetOfSlot = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lineage:
    """The batches whose events are taken as they saw them: pairs of a slot's index and a batch."""

    project: int
    slots: Sequence[Interval]
    batches: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Naming:
    """The events that somebody named for some slots: no others are found, nor an earlier reading."""

    project: int
    slots: Sequence[Interval]
    events: Collection[int]


@dataclass(frozen=True, slots=True)
class Partners:
    """What the events of a joined source must match: keys, and the time that they reach over."""

    keys: frozenset[str]
    reach: Interval


Place = Discovery | Lineage | Naming


def found(place: Place, source: Source, dimensions: Sequence[str], partners: Partners | None = None) -> Found:
    """The events of a source."""
    if isinstance(place, Lineage):
        return _used(place, source)
    if isinstance(place, Naming):
        return _named(place, source)
    restriction, values = chosen(place, source)
    values |= {"project": place.project, "event_type": source.event_type, **slot_columns(place.slots)}
    if source.window.reach is Reach.ANY:
        events = _ANY if source.apart is None else EACH_SLOT
        matches, keys = _matches(source, partners)
        joined = SQL("{slots} JOIN {source} ON {matches} AND {chosen}").format(
            slots=events, source=matching(source), matches=matches, chosen=restriction
        )
        return Found(joined, values | keys, revision(source.positions))
    if source.window.is_by_start and not source.is_of_elements and is_series(place.slots):
        of_series = events_of_series(EACH_SLOT, place.slots, source, restriction)
        return Found(of_series, values, revision(source.positions), value=value_of_series)
    joined = SQL("{slots} JOIN {source} ON {condition} AND {chosen}").format(
        slots=EACH_SLOT,
        source=matching(source),
        condition=membership(place.slots, source),
        chosen=restriction,
    )
    before = _before(source, dimensions) if source.window.is_held else None
    return Found(joined, values, revision(source.positions), before)


def membership(slots: Sequence[Interval], source: Source) -> Composable:
    """Whether a slot `slot` has an event `e`: by its times, or in a slot of events by what the slot is."""
    window = source.window.condition
    of_events = [slot for slot in slots if isinstance(slot, EventSlot)]
    if not of_events:
        return window
    if not any(slot.tracking_id for slot in of_events):
        return SQL("e.id = slot.event_id") if source.is_defining else window
    if source.is_defining:
        return SQL("e.tracking_id = slot.tracking_id")
    return SQL("(e.tracking_id = slot.tracking_id OR e.tracking_id IS NULL AND {})").format(window)


def chosen(place: Discovery, source: Source) -> tuple[SQL, dict[str, Any]]:
    """Whether an event may be used in a slot, which may have a complete set; and the parameters of that."""
    if source.apart is None:
        return SQL("true"), {}
    node = source.reads[0].node
    named = {index + 1: nodes[node] for index, nodes in place.sets.items() if node in nodes}
    pairs = [(number, event) for number, events in named.items() for event in sorted(events)]
    return SQL(_CHOSEN), {
        "named_slots": list(named),
        "chosen_slots": [number for number, _ in pairs],
        "chosen_events": [event for _, event in pairs],
    }


def _matches(source: Source, partners: Partners | None) -> tuple[Composable, dict[str, Any]]:
    """What holds for an event that may match one of the partners, whatever its date."""
    if source.join is None or partners is None:
        return SQL("true"), {}
    if source.join.on == "interval":
        reach = {"earliest": partners.reach.start, "latest": partners.reach.end}
        return SQL("e.start_time <= %(latest)s AND e.end_time >= %(earliest)s"), reach
    key: Composable = SQL("e.tracking_id")
    if source.join.on not in JOINED_ON:
        key = value_of(source.key_column)
    return SQL("{} = ANY (%(keys)s::text[])").format(key), {"keys": sorted(partners.keys)}


def _before(source: Source, dimensions: Sequence[str]) -> Composable:
    """For every slot and every combination of tags the last reading that came before the slot's events."""
    tags = [SQL(_TAGS[dimension]) for dimension in dimensions]
    of_event = [SQL("e.{}").format(tag) for tag in tags]
    same = [SQL("e.{0} IS NOT DISTINCT FROM tags.{0}").format(tag) for tag in tags]
    # Where partitions have no dimensions, there is nothing to look for.
    every: Composable = SQL("(SELECT) AS tags")
    if of_event:
        every = SQL(_EVERY_TAG).format(tags=SQL(", ").join(of_event), source=matching(source))
    order: list[Composable] = [SQL(column) for column in _LAST_FIRST]
    order += [SQL("{} DESC").format(value_of(column)) for column in source.ranking]
    return SQL(_BEFORE).format(
        slots=EACH_SLOT,
        source=matching(source),
        tags=every,
        earlier=SQL(_EARLIER[source.window.reach]),
        same=SQL(" AND ").join(same) if same else SQL("true"),
        order=SQL(", ").join(order),
    )


def _named(place: Naming, source: Source) -> Found:
    """Those of the named events that a slot has, or that come before it where a reading holds."""
    reach = source.window.reach
    condition: Composable = SQL("true") if reach is Reach.ANY else source.window.condition
    if source.window.is_held:
        condition = SQL("({} OR {})").format(condition, SQL(_EARLIER[reach]))
    joined = SQL("{slots} JOIN {source} ON e.id = ANY (%(events)s::bigint[]) AND {condition}").format(
        slots=EACH_SLOT, source=matching(source), condition=condition
    )
    values = {
        "project": place.project,
        "event_type": source.event_type,
        "events": sorted(place.events),
        **slot_columns(place.slots),
    }
    return Found(joined, values, revision(source.positions), is_limited=False)


def _used(place: Lineage, source: Source) -> Found:
    values = {
        "project": place.project,
        "node": source.reads[0].node,
        "starts": [slot.start for slot in place.slots],
        "ends": [slot.end for slot in place.slots],
        "slots": [slot + 1 for slot, _ in place.batches],
        "batches": [batch for _, batch in place.batches],
    }
    return Found(USED, values, revision_as_used(source.positions), is_limited=False)


_CHOSEN: Final = """
    (slot.number <> ALL (%(named_slots)s::integer[]) OR (slot.number, e.id) IN (
        SELECT chosen.slot, chosen.event
          FROM unnest(%(chosen_slots)s::integer[], %(chosen_events)s::bigint[]) AS chosen (slot, event)))
"""

_TAGS: Final[Mapping[str, LiteralString]] = {
    "tracking_id": "tracking_id",
    "feedstock": "feedstock_id",
    "asset": "asset_id",
}
"""The columns of the partition's dimensions."""

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

_EVERY_TAG: Final = """
    (SELECT DISTINCT {tags} FROM {source}
      WHERE e.start_time < (SELECT max(at) FROM unnest(%(starts)s::timestamptz[]) AS at)) AS tags
"""

_BEFORE: Final = """
    {slots}
    CROSS JOIN {tags}
    CROSS JOIN LATERAL (SELECT e.* FROM {source} WHERE {earlier} AND {same} ORDER BY {order} LIMIT 1) AS e
"""

USED: Final = SQL("""
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
""").format(event=EVENT_AS_USED)
"""Events that batches were made of, as the newest batch saw them; one that was shared counts once."""
