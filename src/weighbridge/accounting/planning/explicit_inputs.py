"""Resolve and store the explicit inputs of slots: data points that a caller names, and types that are
skipped.

Named data points are the complete set for every input that they touch. They remain stored with their
slots until a request replaces them or other slots replace the slot.

Invariants: every named data point touches an input in a selected slot, and every skipped type has a
default. All violations are reported at once.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import build_slot_columns
from weighbridge.accounting.inputs.selection import EACH_SLOT, match_membership
from weighbridge.accounting.inputs.streams import (
    Catalogue,
    InputStream,
    Reach,
    ResolvedStreams,
    read_catalogue,
    resolve_streams,
    select_matching,
)
from weighbridge.accounting.records.model_runs import DATA_POINTS_NAMED_MAX, NewGeneration
from weighbridge.collection.measurements.values import BOOLEANS, IS_FILLED, NUMBERS, TEXTS
from weighbridge.core import identity
from weighbridge.core.model import Aggregate, Input, Model, Node
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Interval
from weighbridge.db.engine import Command, Read, Write
from weighbridge.errors import Invalid

# What stays with slots: the complete sets of data that the caller named, and the types that were skipped.
#
# Invariant: a later generation of a slot finds what the last request said; a request replaces all of it,
# the sets or the types or both; it ends where other slots replace the slot. A slot of an event is its event
# or tracking id, whatever its times are.


Sets = Mapping[int, Mapping[int, frozenset[int]]]
"""Events by the slot's index and the data point type that they are the complete set of."""


@dataclass(frozen=True, slots=True)
class SlotInputs:
    """What was named and skipped in the slots of a generation, and what that means for a model's inputs."""

    sets: Sets = field(default_factory=dict)
    skipped: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Data point types by the slot's index."""
    by_node: Mapping[int, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    """The only events that an input may use, by the slot's index and the node."""
    skipped_nodes: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """The inputs that have no data by the caller's wish, with their types, by the slot's index."""
    replaced: frozenset[int] = frozenset()
    """The positions of the slots of which a request says so: what stays with them is replaced by it."""

    @property
    def nodes(self) -> frozenset[str]:
        """The inputs that do not discover all of their data."""
        return frozenset(node for nodes in self.by_node.values() for node in nodes)


NO_INPUTS: Final = SlotInputs()
"""Nothing was named or skipped."""


_SLOTS: Final = """
    unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(slot_events)s::bigint[],
           %(slot_tracking_ids)s::text[])
        WITH ORDINALITY AS slot (start_time, end_time, event_id, tracking_id, position)
"""
SLOT_KEY: Final = """
    coalesce({0}.event_id, 0), coalesce({0}.tracking_id, ''),
    CASE WHEN num_nonnulls({0}.event_id, {0}.tracking_id) = 0 THEN {0}.start_time ELSE 'epoch' END,
    CASE WHEN num_nonnulls({0}.event_id, {0}.tracking_id) = 0 THEN {0}.end_time ELSE 'epoch' END
"""
"""The columns that identify a slot in a table; without NULLs they can be compared by hashing."""

_OF_SLOT: Final = f"({SLOT_KEY.format('i')}) = ({SLOT_KEY.format('slot')})"


_FORGET: Final = f"""
    DELETE FROM slot_inputs i USING {_SLOTS}
     WHERE i.project_id = %(project)s AND i.family_id = %(family)s AND {_OF_SLOT}
"""


_KEPT: Final = f"""
    SELECT slot.position - 1, i.data_point_type_id, i.is_skipped, i.event_ids
      FROM {_SLOTS} JOIN slot_inputs i ON {_OF_SLOT}
     WHERE i.project_id = %(project)s AND i.family_id = %(family)s
"""


class _SlotInputRow(msgspec.Struct, frozen=True):
    position: int
    data_point_type: int
    is_skipped: bool
    events: list[int] | None


def ask_for_inputs(project: int, family: int, slots: Sequence[Interval]) -> Command:
    """What asks for what stays with some slots."""
    return _KEPT, {"project": project, "family": family, **build_slot_columns(slots)}


async def read_kept_inputs(tx: Read, project: int, family: int, slots: Sequence[Interval]) -> SlotInputs:
    """What stays with some slots."""
    sets: dict[int, dict[int, frozenset[int]]] = {}
    skipped_nodes: dict[int, frozenset[int]] = {}
    for row in await tx.rows(_SlotInputRow, *ask_for_inputs(project, family, slots)):
        if row.is_skipped:
            skipped_nodes[row.position] = skipped_nodes.get(row.position, frozenset()) | {row.data_point_type}
        if row.events is not None:
            sets.setdefault(row.position, {})[row.data_point_type] = frozenset(row.events)
    return SlotInputs(sets, skipped_nodes)


def forget_inputs(tx: Write, project: int, family: int, slots: Sequence[Interval]) -> None:
    """Forget what stayed with slots that others have replaced."""
    if slots:
        tx.later(_FORGET, {"project": project, "family": family, **build_slot_columns(slots)})


def keep_inputs(tx: Write, project: int, family: int, slots: Sequence[Interval], inputs: SlotInputs) -> None:
    """Have what a request says stay with the slots, instead of what stayed with them before."""
    positions = sorted(inputs.replaced)
    if not positions:
        return
    values = {
        "project": project,
        "family": family,
        **build_slot_columns([slots[position] for position in positions]),
    }
    tx.later(_FORGET, values)
    rows = [
        (number, kind, kind in inputs.skipped.get(position, ()), _write_array(inputs, position, kind))
        for number, position in enumerate(positions, start=1)
        for kind in sorted({*inputs.sets.get(position, ()), *inputs.skipped.get(position, ())})
    ]
    if rows:
        numbers, kinds, skips, events = (list(column) for column in zip(*rows, strict=True))
        tx.later(
            f"""
            WITH made AS MATERIALIZED (
                SELECT %(project)s::integer, %(family)s::integer, slot.start_time, slot.end_time,
                       slot.event_id, slot.tracking_id, said.kind, said.is_skipped, said.events::bigint[]
                  FROM unnest(%(numbers)s::bigint[], %(kinds)s::integer[], %(skips)s::boolean[],
                              %(events)s::text[]) AS said (position, kind, is_skipped, events)
                  JOIN {_SLOTS} USING (position))
            INSERT INTO slot_inputs (project_id, family_id, start_time, end_time, event_id, tracking_id,
                                     data_point_type_id, is_skipped, event_ids)
            SELECT * FROM made
            """,
            {**values, "numbers": numbers, "kinds": kinds, "skips": skips, "events": events},
        )


def _write_array(inputs: SlotInputs, position: int, kind: int) -> str | None:
    events = inputs.sets.get(position, {}).get(kind)
    return None if events is None else f"{{{','.join(map(str, sorted(events)))}}}"


# Explicit inputs: the data points that the caller named for slots, and the types that were skipped.
#
# What is named is the complete set for the inputs that it touches, slot by slot; other inputs discover. A
# type that is skipped takes its inputs' defaults. Both stay with their slots until a request replaces them.
#
# Invariants: every data point that is named touches an input in a selected slot, and every type that is
# skipped has a default; anything else is rejected, with each of them named.


_Value = TypeVar("_Value")
_IDS: Final = "data_point_ids"
_SKIPPED: Final = "skipped_data_point_type_ids"


@dataclass(frozen=True, slots=True)
class VersionSlots:
    """The slots that one version of a model computes."""

    model: Model
    slots: tuple[Interval, ...]
    included: frozenset[Interval] = frozenset()
    """Those of its slots that the request does not name: what stays with them is kept."""

    @property
    def requested(self) -> frozenset[int]:
        """The positions of the slots that the request is about."""
        return frozenset(index for index, slot in enumerate(self.slots) if slot not in self.included)


@dataclass(frozen=True, slots=True)
class _Point:
    """A data point that was named, and its type."""

    event: int
    position: int
    data_point_type: int
    is_complete: bool


@dataclass(frozen=True, slots=True)
class _VersionInputs:
    """A version's slots with what its inputs read."""

    version: VersionSlots
    resolved: ResolvedStreams

    def nodes_of(self, kind: int) -> list[str]:
        """The inputs that read a data point type."""
        return [
            read_value.node
            for stream in self.resolved.streams
            for read_value in stream.reads
            if read_value.data_point_type == kind
        ]


async def resolve_explicit_inputs(
    tx: Read, project: int, family: int, versions: Sequence[VersionSlots], request: NewGeneration
) -> list[SlotInputs]:
    """What was named and skipped in the slots of each version; raise Invalid naming what cannot be."""
    kept_inputs = await tx.together(
        *(read_kept_inputs(tx, project, family, version.slots) for version in versions)
    )
    event_keys = _parse_event_names(request.data_point_ids, project)
    is_said = event_keys is not None or request.skipped_data_point_type_ids is not None
    if not is_said and not any(
        kept_of_version.sets or kept_of_version.skipped for kept_of_version in kept_inputs
    ):
        return kept_inputs
    catalogue = await read_catalogue(tx, project)
    readers = [_VersionInputs(version, resolve_streams(version.model, catalogue)) for version in versions]
    problems: list[Problem] = []
    sets = [kept_of_version.sets for kept_of_version in kept_inputs]
    if event_keys is not None:
        points = await _read_named_points(tx, project, event_keys, problems)
        sets = [await _group_by_slot(tx, project, reader, points) for reader in readers]
        problems += _check_slots(project, readers, points, sets)
        sets = [
            _add_kept(version, new, kept_of_version.sets)
            for version, new, kept_of_version in zip(versions, sets, kept_inputs, strict=True)
        ]
    skips = [kept_of_version.skipped for kept_of_version in kept_inputs]
    if request.skipped_data_point_type_ids is not None:
        skipped_types = frozenset(request.skipped_data_point_type_ids)
        problems += _check_skips(skipped_types, readers, catalogue)
        named_skips = [
            dict.fromkeys(version.requested, skipped_types) if skipped_types else {} for version in versions
        ]
        skips = [
            _add_kept(version, new, kept_of_version.skipped)
            for version, new, kept_of_version in zip(versions, named_skips, kept_inputs, strict=True)
        ]
    if problems:
        raise Invalid(problems)
    return [
        await _apply_to_streams(
            tx,
            project,
            reader,
            SlotInputs(
                sets[index], skips[index], replaced=reader.version.requested if is_said else frozenset()
            ),
        )
        for index, reader in enumerate(readers)
    ]


def _add_kept(
    version: VersionSlots, new: Mapping[int, _Value], kept_values: Mapping[int, _Value]
) -> dict[int, _Value]:
    """Inputs that the request sets for its slots, in addition to those that other slots keep."""
    return {index: message for index, message in kept_values.items() if index not in version.requested} | {
        index: message for index, message in new.items() if index in version.requested
    }


def _parse_event_names(names: Sequence[str] | None, project: int) -> dict[str, identity.Key | None] | None:
    """Parse the named data points of events, and unknown names; None if only outputs of batches are named.

    Those are for nodes that draw, and say nothing of measurements.
    """
    if names is None:
        return None
    if len(names) > DATA_POINTS_NAMED_MAX:
        message = f"{_IDS} has {len(names)} entries; at most {DATA_POINTS_NAMED_MAX} can be named."
        raise Invalid([Problem(message, _IDS, "too_many")])
    keys = {text: identity.parse("data_point", text) for text in names}
    of_events = {
        text: key
        for text, key in keys.items()
        if key is None or key.project != project or key.owner is identity.Owner.EVENT
    }
    return of_events if of_events or not names else None


async def _read_named_points(
    tx: Read, project: int, event_keys: Mapping[str, identity.Key | None], problems: list[Problem]
) -> list[_Point]:
    """The data points of the project that were named."""
    keys = [(key.key, key.position) for key in event_keys.values() if key and key.project == project]
    points = [
        _Point(*row)
        for row in await tx.tuples(
            _POINTS,
            {
                "project": project,
                "events": [event for event, _ in keys],
                "positions": [position for _, position in keys],
            },
        )
    ]
    existing_points = {(point.event, point.position) for point in points}
    problems += [
        Problem(f"{_IDS} names {text!r}, which is no data point of the project.", _IDS, "unknown")
        for text, key in event_keys.items()
        if key is None or key.project != project or (key.key, key.position) not in existing_points
    ]
    return points


async def _group_by_slot(tx: Read, project: int, reader: _VersionInputs, points: Sequence[_Point]) -> Sets:
    """The data points by the slots that they lie in, as the windows of the inputs have it."""
    by_type: dict[int, set[int]] = {}
    for point in points:
        by_type.setdefault(point.data_point_type, set()).add(point.event)
    sets: dict[int, dict[int, frozenset[int]]] = {}
    for stream in reader.resolved.streams:
        for kind in {read_value.data_point_type for read_value in stream.reads} & by_type.keys():
            for slot, event in await _read_touched_slots(tx, project, reader.version, stream, by_type[kind]):
                if slot not in reader.version.requested:
                    continue
                of_slot = sets.setdefault(slot, {})
                of_slot[kind] = of_slot.get(kind, frozenset()) | {event}
    return sets


async def _read_touched_slots(
    tx: Read, project: int, version: VersionSlots, stream: InputStream, events: Collection[int]
) -> list[tuple[int, int]]:
    """Which of some events a stream has in which slot."""
    condition = SQL("true") if stream.window.reach is Reach.ANY else match_membership(version.slots, stream)
    statement = SQL("""
        SELECT slot.number - 1, e.id FROM {slots}
          JOIN {source} ON e.id = ANY (%(events)s) AND {condition} ORDER BY 1, 2
    """).format(slots=EACH_SLOT, source=select_matching(stream), condition=condition)
    values = {
        "project": project,
        "event_type": stream.event_type,
        "events": sorted(events),
        **build_slot_columns(version.slots),
    }
    return [(slot, event) for slot, event in await tx.tuples(statement, values)]


def _check_slots(
    project: int, readers: Sequence[_VersionInputs], points: Sequence[_Point], sets: Sequence[Sets]
) -> Iterator[Problem]:
    """Data points that lie in no selected slot, or that no input reads."""
    placed = {
        (event, kind)
        for of_version in sets
        for of_slot in of_version.values()
        for kind, events in of_slot.items()
        for event in events
    }
    for point in points:
        if (point.event, point.data_point_type) in placed:
            continue
        name = identity.of("data_point", project, point.event, point.position)
        if not any(reader.nodes_of(point.data_point_type) for reader in readers):
            fact = "which no input of the model reads"
        elif not point.is_complete:
            fact = "whose event lacks a required value"
        else:
            fact = "which no input finds in the selected slots"
        yield Problem(f"{_IDS} names {name}, {fact}.", _IDS, "invalid")


def _check_skips(
    skipped_points: Collection[int], readers: Sequence[_VersionInputs], catalogue: Catalogue
) -> Iterator[Problem]:
    """Report types that no input reads, and inputs of them without a default."""
    points_by_number = {point.number: point for points in catalogue.values() for point in points.values()}
    for kind in sorted(skipped_points):
        nodes = [reader.version.model.node(slug) for reader in readers for slug in reader.nodes_of(kind)]
        if kind not in points_by_number:
            message = f"{_SKIPPED} names {kind}, which is no data point type of the project."
            yield Problem(message, _SKIPPED, "unknown")
        elif not nodes:
            slug = points_by_number[kind].slug
            message = f"{_SKIPPED} names {kind}, {slug!r}, which no input of the model reads."
            yield Problem(message, _SKIPPED, "invalid")
        for node in {node.slug: node for node in nodes if not _has_stand_in(node)}.values():
            message = (
                f"{_SKIPPED} names {kind}, but input {node.slug!r}, which reads it, cannot be skipped: "
                "it is no sum, not optional and has no default."
            )
            yield Problem(message, _SKIPPED, "invalid")


def _has_stand_in(node: Node) -> bool:
    is_sum = isinstance(node.body, Input) and node.body.aggregate is Aggregate.SUM
    return is_sum or node.is_optional or node.default is not None


async def _apply_to_streams(tx: Read, project: int, reader: _VersionInputs, inputs: SlotInputs) -> SlotInputs:
    """Say which inputs may use which events.

    Of a type whose events are named only the inputs that they touch are bound; when they touch none any
    more, all are, for the set is complete.
    """
    by_node: dict[int, dict[str, frozenset[int]]] = {}
    for stream in reader.resolved.streams:
        for read_value in stream.reads:
            named_events = {
                event for kinds in inputs.sets.values() for event in kinds.get(read_value.data_point_type, ())
            }
            pairs = (
                await _read_touched_slots(tx, project, reader.version, stream, named_events)
                if named_events
                else []
            )
            for slot, event in pairs:
                if event in inputs.sets.get(slot, {}).get(read_value.data_point_type, ()):
                    nodes = by_node.setdefault(slot, {})
                    nodes[read_value.node] = nodes.get(read_value.node, frozenset()) | {event}
    for slot, kinds in inputs.sets.items():
        for kind in kinds:
            readers = reader.nodes_of(kind)
            if not by_node.get(slot, {}).keys() & set(readers):
                by_node.setdefault(slot, {}).update(dict.fromkeys(readers, frozenset()))
    skipped_nodes = {
        slot: {node: kind for kind in kinds for node in reader.nodes_of(kind)}
        for slot, kinds in inputs.skipped.items()
    }
    for slot, skipped_of_slot in skipped_nodes.items():
        by_node.setdefault(slot, {}).update(dict.fromkeys(skipped_of_slot, frozenset()))
    return SlotInputs(inputs.sets, inputs.skipped, by_node, skipped_nodes, inputs.replaced)


_POINTS: Final = f"""
    SELECT e.id, t.position, t.id, e.is_complete OR {IS_FILLED}
      FROM unnest(%(events)s::bigint[], %(positions)s::integer[]) AS named (event_id, position)
      JOIN events e ON e.project_id = %(project)s AND e.id = named.event_id AND e.voided_at IS NULL
      JOIN data_point_types t ON t.project_id = e.project_id AND t.event_type_id = e.event_type_id
       AND t.position = named.position
     WHERE num_nonnulls(({NUMBERS})[t.position], ({TEXTS})[t.position], ({BOOLEANS})[t.position]) > 0
     ORDER BY e.id, t.position
"""
