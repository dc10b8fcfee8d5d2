"""Check and revise the schema of an event type: its data point types, cadence, conditions and roll-up.

Invariants: a slug names the same data point type before and after a change. A data point type that is
kept keeps its position, so events keep their values. No event type is rolled up from itself, directly
or indirectly.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from weighbridge.collection.measurements.values import ValueColumn, event_condition
from weighbridge.collection.records.data_points import (
    CADENCE_AMOUNT_MAX,
    CADENCE_UNITS,
    DATA_POINT_TYPE_BODIES,
    DATA_POINT_TYPES_MAX,
    EVENT_TYPE_BODIES,
    EXPECTED_LOCATIONS,
    VALUE_TYPES,
    DataPointType,
    DataPointTypeChange,
    EventType,
    RolledUpValue,
    RollUp,
)
from weighbridge.collection.records.uncertainty import find_problems, find_unit, to_canonical
from weighbridge.core.collection.capture import AGGREGATES, Measure, find_roll_up_measure
from weighbridge.core.expression import PLAIN, TEXT, TRUTH, ExpressionError, parse
from weighbridge.core.identity import SLUG_RULE, is_slug, make_slug, problem_of_name
from weighbridge.core.model.reading import check_where
from weighbridge.core.problem import Problem
from weighbridge.core.unit import UnitError, parse_unit
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid

# The roll-up of an event type: what is wrong with one, and how it is stored and read.
#
# Invariants: an event type is not rolled up from itself, by whatever way; each of its data point types is
# made of one of its source's, of the type and unit that the aggregate gives.


FIELD: Final = "event_type.rolled_up_from"

_SECONDS: Final = {"minute": 60, "hour": 3_600, "day": 82_800, "week": 601_200, "month": 2_415_600}
"""The shortest slots of each unit; days can be an hour short."""


Measures = Mapping[str, Measure]
"""Types and units of data point types by their slugs."""


@dataclass(frozen=True, slots=True)
class ReadingsType:
    """The event type of the readings, as a roll-up needs it."""

    number: int
    cadence_amount: int | None
    cadence_unit: str | None
    measures: Measures
    """Its data point types by slug."""
    is_made_of_target: bool
    """Whether its own events are rolled up from the type that is to be rolled up from it."""


async def source_of(tx: Read, project: int, desired: EventType, target: int | None) -> ReadingsType | None:
    """The event type that a roll-up names; None where the project has none, or nothing is rolled up."""
    if desired.rolled_up_from is None:
        return None
    rows = await tx.tuples(_SOURCE, {"project": project, "slug": desired.rolled_up_from.event_type})
    if not rows:
        return None
    number, amount, unit, points = rows[0]
    above = {one for (one,) in await tx.tuples(_ABOVE, {"project": project, "source": number})}
    measures = {slug: (kind, measure) for slug, kind, measure in points or ()}
    return ReadingsType(number, amount, unit, measures, target in above)


def problems_of_roll_up(desired: EventType, source: ReadingsType | None) -> Iterator[Problem]:
    """What is wrong with the roll-up of an event type that is to be."""
    roll_up = desired.rolled_up_from
    if roll_up is None:
        return
    if desired.cadence_unit is None:
        yield Problem(
            f"{FIELD} needs a cadence: cadence_amount and cadence_unit say for which slots events are made.",
            "event_type.cadence_unit",
            "required",
        )
    if source is None:
        yield Problem(
            f"{FIELD}.event_type is {roll_up.event_type!r}; the project has no such event type.",
            f"{FIELD}.event_type",
            "unknown",
        )
    yield from _problems_of_values(desired, roll_up.data_points, None if source is None else source.measures)
    if source is None:
        return
    if source.is_made_of_target:
        yield Problem(
            f"{FIELD}.event_type is {roll_up.event_type!r}, whose events are made of this event type's own; "
            "a roll-up never leads back to itself.",
            f"{FIELD}.event_type",
            "conflict",
        )
    yield from _problems_of_share(roll_up.valid_share_min, source)
    yield from _problems_of_slots(desired, source)


def _problems_of_share(share: Decimal | None, source: ReadingsType) -> Iterator[Problem]:
    field = f"{FIELD}.valid_share_min"
    if share is None:
        return
    if not 0 < share <= 1:
        yield Problem(f"{field} is {share}; it takes a number above 0 and at most 1.", field, "invalid")
    if source.cadence_unit is None:
        message = "has no cadence, so nobody knows how many readings a slot should have; give it one."
        yield Problem(f"{field} is {share}, but the source {message}", field, "conflict")


def _problems_of_slots(desired: EventType, source: ReadingsType) -> Iterator[Problem]:
    if desired.cadence_unit not in _SECONDS or source.cadence_unit is None:
        return
    own = (desired.cadence_amount or 0) * _SECONDS[desired.cadence_unit]
    if own < (source.cadence_amount or 0) * _SECONDS[source.cadence_unit]:
        yield Problem(
            f"The cadence is {desired.cadence_amount} {desired.cadence_unit}, shorter than the "
            f"{source.cadence_amount} {source.cadence_unit} of the readings; a slot takes at least one.",
            "event_type.cadence_unit",
            "conflict",
        )


def _problems_of_values(
    desired: EventType, values: Sequence[RolledUpValue], readings: Measures | None
) -> Iterator[Problem]:
    measures = {
        one.slug or make_slug(one.name): (one.value_type, one.unit) for one in desired.data_point_types
    }
    for index, one in enumerate(values):
        yield from _problems_of_value(f"{FIELD}.data_points[{index}]", one, measures, readings)
    times = Counter(value.data_point for value in values)
    field = f"{FIELD}.data_points"
    for slug in sorted(slug for slug, count in times.items() if count > 1):
        yield Problem(f"{field} names {slug!r} {times[slug]} times; each value is made once.", field, "taken")
    if missing := sorted(measures.keys() - times.keys()):
        message = f"{field} leaves out {', '.join(map(repr, missing))}; every data point is made of readings."
        yield Problem(message, field, "required")


def _problems_of_value(
    field: str, value: RolledUpValue, measures: Measures, readings: Measures | None
) -> Iterator[Problem]:
    if value.data_point not in measures:
        yield _unknown(f"{field}.data_point", value.data_point, "the event type", measures)
    if value.aggregate not in AGGREGATES:
        allowed = ", ".join(AGGREGATES)
        message = f"{field}.aggregate is {value.aggregate!r}; allowed are {allowed}."
        yield Problem(message, f"{field}.aggregate", "invalid")
    read = value.source or value.data_point
    if readings is None:
        return
    if read not in readings:
        yield _unknown(f"{field}.source", read, "the source", readings)
    if value.data_point not in measures or value.aggregate not in AGGREGATES or read not in readings:
        return
    there, made = measures[value.data_point], find_roll_up_measure(value.aggregate, readings[read])
    if made != there:
        gives = "takes numbers only" if made is None else f"gives a {_shown(made)}"
        message = f"{value.data_point!r} is a {_shown(there)}, and {value.aggregate} of {read!r} {gives}."
        yield Problem(f"{field}: {message}", f"{field}.aggregate", "invalid")


def _unknown(field: str, slug: str, whose: str, known: Collection[str]) -> Problem:
    has = ", ".join(map(repr, sorted(known))) or "none"
    return Problem(f"{field} is {slug!r}, which {whose} does not have; it has {has}.", field, "unknown")


def _shown(measure: Measure) -> str:
    kind, unit = measure
    return kind if kind != "number" else f"number in {unit}" if unit else "plain number"


async def store_roll_up(
    tx: Write, project: int, number: int, roll_up: RollUp, source: ReadingsType | None
) -> None:
    """Say of what the events of a type are made, in place of what was said before."""
    assert source is not None, "a roll-up without a source was refused"  # noqa: S101
    await tx.execute(_STORE, (project, number, source.number, roll_up.valid_share_min))
    values = [
        (point.data_point, point.aggregate, point.source or point.data_point) for point in roll_up.data_points
    ]
    columns = [list(column) for column in zip(*values, strict=True)] or [[], [], []]
    await tx.execute(_STORE_VALUES, (project, number, source.number, *columns))


async def forget_roll_up(tx: Write, project: int, number: int, *, values_only: bool = False) -> None:
    """Take back of what the events of a type are made, or the values only, before its schema changes."""
    key = (project, number)
    await tx.execute("DELETE FROM rolled_up_values WHERE project_id = %s AND event_type_id = %s", key)
    if not values_only:
        await tx.execute("DELETE FROM roll_ups WHERE project_id = %s AND event_type_id = %s", key)


async def roll_ups_of(tx: Read, project: int, numbers: Sequence[int]) -> dict[int, RollUp]:
    """The roll-ups of some event types, by number."""
    return {
        number: RollUp(slug, [RolledUpValue(*one) for one in values or ()], share)
        for number, slug, share, values in await tx.tuples(_ROLL_UPS, (project, list(numbers)))
    }


async def readers_of(tx: Read, project: int, number: int) -> list[str]:
    """The slugs of the event types that are rolled up from one."""
    rows = await tx.tuples(
        """
        SELECT t.slug FROM roll_ups r
          JOIN event_types t ON (t.project_id, t.id) = (r.project_id, r.event_type_id)
         WHERE r.project_id = %s AND r.source_id = %s ORDER BY t.slug
        """,
        (project, number),
    )
    return [slug for (slug,) in rows]


async def points_rolled_up(tx: Read, project: int, numbers: Sequence[int]) -> dict[int, str]:
    """Those of some data point types that values are rolled up from, with the type that reads them."""
    rows = await tx.tuples(
        """
        SELECT d.id, min(t.slug) FROM data_point_types d
          JOIN rolled_up_values v ON (v.project_id, v.source_id, v.source_position)
                                   = (d.project_id, d.event_type_id, d.position)
          JOIN event_types t ON (t.project_id, t.id) = (v.project_id, v.event_type_id)
         WHERE d.project_id = %s AND d.id = ANY (%s) GROUP BY d.id
        """,
        (project, list(numbers)),
    )
    return dict(map(tuple, rows))


_SOURCE: Final = """
    SELECT t.id, t.cadence_amount, t.cadence_unit,
           (SELECT jsonb_agg(jsonb_build_array(d.slug, d.value_type, d.unit)) FROM data_point_types d
             WHERE (d.project_id, d.event_type_id) = (t.project_id, t.id))
      FROM event_types t WHERE t.project_id = %(project)s AND t.slug = %(slug)s
"""
_ABOVE: Final = """
    WITH RECURSIVE above (id) AS (
        SELECT %(source)s::integer
        UNION
        SELECT r.source_id FROM roll_ups r JOIN above ON r.event_type_id = above.id
         WHERE r.project_id = %(project)s)
    SELECT id FROM above
"""
_STORE: Final = """
    INSERT INTO roll_ups (project_id, event_type_id, source_id, valid_share_min) VALUES (%s, %s, %s, %s)
    ON CONFLICT (project_id, event_type_id) DO UPDATE
       SET source_id = excluded.source_id, valid_share_min = excluded.valid_share_min
"""
_STORE_VALUES: Final = """
    WITH made AS MATERIALIZED (
        SELECT own.project_id, own.event_type_id, own.position, sent.aggregate, source.event_type_id,
               source.position
          FROM (SELECT %s::integer AS project_id, %s::integer AS target, %s::integer AS source) AS given,
               unnest(%s::text[], %s::text[], %s::text[]) AS sent (slug, aggregate, source_slug),
               data_point_types own, data_point_types source
         WHERE (own.project_id, own.event_type_id, own.slug) = (given.project_id, given.target, sent.slug)
           AND (source.project_id, source.event_type_id, source.slug)
             = (given.project_id, given.source, sent.source_slug)
    )
    INSERT INTO rolled_up_values (project_id, event_type_id, position, aggregate, source_id, source_position)
    SELECT * FROM made
"""
_ROLL_UPS: Final = """
    SELECT r.event_type_id, t.slug, r.valid_share_min,
           (SELECT jsonb_agg(jsonb_build_array(own.slug, v.aggregate, source.slug)
                            ORDER BY own.slug COLLATE "C")
              FROM rolled_up_values v
              JOIN data_point_types own ON (own.project_id, own.event_type_id, own.position)
                                         = (v.project_id, v.event_type_id, v.position)
              JOIN data_point_types source ON (source.project_id, source.event_type_id, source.position)
                                            = (v.project_id, v.source_id, v.source_position)
             WHERE (v.project_id, v.event_type_id) = (r.project_id, r.event_type_id))
      FROM roll_ups r JOIN event_types t ON (t.project_id, t.id) = (r.project_id, r.source_id)
     WHERE r.project_id = %s AND r.event_type_id = ANY (%s)
"""


# What an event type and its data point types must be like, whether they are made or changed.


_TYPES: Final = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


def problems_of_event_type(new: EventType) -> Iterator[Problem]:
    """What is wrong with an event type, apart from its data point types."""
    if wrong := problem_of_name(new.name, "An event type", "event_type.name"):
        yield wrong
    yield from _problem_of_slug(new.slug, new.name, "event_type.slug")
    if new.expected_locations not in EXPECTED_LOCATIONS:
        yield _not_among("event_type.expected_locations", new.expected_locations, EXPECTED_LOCATIONS)
    if (new.cadence_amount is None) != (new.cadence_unit is None):
        yield Problem(
            "cadence_amount and cadence_unit go together; one of them is missing.",
            "event_type.cadence_unit",
            "invalid",
        )
    if new.cadence_amount is not None and not 1 <= new.cadence_amount <= CADENCE_AMOUNT_MAX:
        yield Problem(
            f"cadence_amount is {new.cadence_amount}; it takes a whole number from 1 to"
            f" {CADENCE_AMOUNT_MAX:,}.",
            "event_type.cadence_amount",
            "invalid",
        )
    if new.cadence_unit is not None and new.cadence_unit not in CADENCE_UNITS:
        yield _not_among("event_type.cadence_unit", new.cadence_unit, CADENCE_UNITS)


def problems_of_measured_cadence(sent: Mapping[str, Any], *, has_capture_rate: bool) -> Iterator[Problem]:
    """What is wrong with sending a cadence to an account that does not have the feature it is for."""
    if has_capture_rate:
        return
    for name in ("cadence_amount", "cadence_unit", "valid_when"):
        if sent.get(name) is not None:
            yield Problem(
                f"{name} is for accounts with the data capture rate feature, which is off for this one.",
                f"event_type.{name}",
                "feature_off",
            )


def problems_of_valid_when(new: EventType) -> Iterator[Problem]:
    """What is wrong with the condition by which events are valid, by the data point types to be."""
    if new.valid_when is None:
        return
    field = "event_type.valid_when"
    types = {one.slug or make_slug(one.name): one.value_type for one in new.data_point_types}
    known = {slug: kind for slug, kind in types.items() if kind in VALUE_TYPES}
    try:
        tree = parse(new.valid_when)
        check_where(tree, {slug: _TYPES[kind] for slug, kind in known.items()})
        event_condition(tree, {slug: ValueColumn(1, kind) for slug, kind in known.items()})
    except ExpressionError as error:
        yield Problem(f"{field}: {error}", field, "expression")
    except Invalid as refusal:
        yield from (
            Problem(f"{field}: {problem.message}", field, problem.code) for problem in refusal.problems
        )


def problems_of_data_point_types(new: Sequence[DataPointType]) -> Iterator[Problem]:
    """What is wrong with the data point types that an event type is to have."""
    if len(new) > DATA_POINT_TYPES_MAX:
        yield Problem(
            f"There are {len(new)} data point types; an event type has at most {DATA_POINT_TYPES_MAX}.",
            "event_type.data_point_types",
            "too_many",
        )
    for index, one in enumerate(new):
        yield from _problems_of_data_point_type(one, f"event_type.data_point_types[{index}]")
    for slug, times in Counter(one.slug or make_slug(one.name) for one in new).items():
        if times > 1:
            yield Problem(
                f"{times} data point types have the slug {slug!r}; it must be unique in its event type.",
                "event_type.data_point_types",
                "taken",
            )


def _problems_of_data_point_type(new: DataPointType, field: str) -> Iterator[Problem]:
    if wrong := problem_of_name(new.name, field, f"{field}.name"):
        yield wrong
    yield from _problem_of_slug(new.slug, new.name, f"{field}.slug")
    if new.value_type not in VALUE_TYPES:
        yield _not_among(f"{field}.value_type", new.value_type, VALUE_TYPES)
    if new.uncertainty is not None and new.value_type != "number":
        message = f"{field} has an uncertainty; only a number has one."
        yield Problem(message, f"{field}.uncertainty", "invalid")
    elif new.uncertainty is not None:
        yield from find_problems(new.uncertainty, f"{field}.uncertainty", find_unit(new.unit))
    if new.unit is None:
        return
    if new.value_type != "number":
        yield Problem(f"{field} has a unit; only a number has one.", f"{field}.unit", "invalid")
    try:
        parse_unit(new.unit)
    except UnitError as error:
        yield Problem(f"{field}.unit is {new.unit!r}: {error}", f"{field}.unit", "invalid")


def _problem_of_slug(slug: str | None, name: str, field: str) -> Iterator[Problem]:
    if not is_slug(slug or make_slug(name)) and name.strip():
        message = f"is {slug!r}" if slug else f"is missing, and the name {name!r} makes none"
        yield Problem(f"{field} {message}; a slug is {SLUG_RULE}.", field, "invalid")


def _not_among(field: str, value: str, allowed: object) -> Problem:
    return Problem(f"{field} is {value!r}; allowed are {', '.join(allowed)}.", field, "invalid")  # type: ignore[arg-type]


# A revision is what a change makes of an event type: its data point types kept, added and removed.
#
# Invariants: a slug names the same data point type before and after; one that is kept keeps its position,
# so the values of events stay what they are; `desired` lists the data point types in the order sent.


_OF_THE_TYPE = (
    *("name", "description", "cadence_amount", "cadence_unit", "valid_when"),
    *("reusable_in_batches", "expected_locations", "requires_tracking_id", "rolled_up_from"),
)


@dataclass(frozen=True, slots=True)
class KeptDataPointType:
    """A data point type that stays, as it was and as it is to be; `index` is its position in the request."""

    index: int
    was: DataPointType
    desired: DataPointType

    @property
    def is_changed(self) -> bool:
        """Whether anything about it is different."""
        was = (self.was.name, self.was.required, self.was.uncertainty)
        desired = (self.desired.name.strip(), self.desired.required, self.desired.uncertainty)
        return self.is_redefined or was != desired

    @property
    def is_redefined(self) -> bool:
        """Whether the values that events carry would mean something else."""
        return (self.was.value_type, self.was.unit) != (self.desired.value_type, self.desired.unit)


@dataclass(frozen=True, slots=True)
class Revision:
    """An event type as it was and as it is to be."""

    was: EventType
    desired: EventType
    kept: tuple[KeptDataPointType, ...]
    added: tuple[DataPointType, ...]
    removed: tuple[DataPointType, ...]

    @property
    def is_change(self) -> bool:
        """Whether anything is different at all."""
        return (
            bool(self.added or self.removed)
            or any(one.is_changed for one in self.kept)
            or any(getattr(self.was, name) != getattr(self.desired, name) for name in _OF_THE_TYPE)
        )

    @property
    def restated(self) -> tuple[DataPointType, ...]:
        """Those of which something else is stated about how well their values are known."""
        return tuple(one.was for one in self.kept if one.was.uncertainty != one.desired.uncertainty)

    @property
    def is_loosened(self) -> bool:
        """Whether a value that was required no longer is."""
        return any(one.required for one in self.removed) or any(
            one.was.required and not one.desired.required for one in self.kept
        )


def revise(was: EventType, change: Struct) -> Revision:
    """Find what a change makes of an event type; what it leaves out stays."""
    there = {one.slug: one for one in was.data_point_types}
    kept = [DataPointTypeChange(slug=slug) for slug in there]
    changes = EVENT_TYPE_BODIES.sent(change).get("data_point_types", kept)
    points = [_merge_change(one, there) for one in changes]
    slugs = [point.slug or make_slug(point.name) for point in points]
    return Revision(
        was,
        _desired_type(was, change, points),
        tuple(
            KeptDataPointType(index, there[slug], point)
            for index, (slug, point) in enumerate(zip(slugs, points, strict=True))
            if slug in there
        ),
        tuple(point for slug, point in zip(slugs, points, strict=True) if slug not in there),
        tuple(one for slug, one in there.items() if slug not in slugs),
    )


def problems_of_new(revision: Revision, sent: Mapping[str, Any]) -> Iterator[Problem]:
    """What a new data point type lacks; one that the event type has already needs nothing but its slug."""
    kept = {one.index for one in revision.kept}
    for index, point in enumerate(sent.get("data_point_types", ())):
        lacks = [name for name in ("name", "value_type") if getattr(point, name) is UNSET]
        for name in lacks:
            if index not in kept and (point.slug or name != "name"):
                field = f"event_type.data_point_types[{index}].{name}"
                shown = f"The event type has no {point.slug!r} yet, and a new" if point.slug else "A new"
                yield Problem(f"{shown} data point type needs {field}.", field, "required")


def _desired_type(was: EventType, change: Struct, points: list[DataPointType]) -> EventType:
    desired = EVENT_TYPE_BODIES.changed(was, change)
    roll_up = desired.rolled_up_from
    return replace(
        desired,
        data_point_types=points,
        rolled_up_from=None if roll_up is None else written_out(roll_up),
    )


def written_out(roll_up: RollUp) -> RollUp:
    """A roll-up in which each value names its source."""
    values = [replace(point, source=point.source or point.data_point) for point in roll_up.data_points]
    return replace(roll_up, data_points=sorted(values, key=lambda one: one.data_point))


def _merge_change(change: DataPointTypeChange, there: Mapping[str, DataPointType]) -> DataPointType:
    named = change.slug or ("" if change.name is UNSET else make_slug(change.name))
    was = there.get(named)
    stated = (was.uncertainty if was else None) if change.uncertainty is UNSET else change.uncertainty
    return DATA_POINT_TYPE_BODIES.unstored(
        slug=change.slug if was is None else was.slug,
        name=(was.name if was else named) if change.name is UNSET else change.name,
        value_type=(was.value_type if was else "number") if change.value_type is UNSET else change.value_type,
        unit=(was.unit if was else None) if change.unit is UNSET else change.unit,
        required=(was.required if was else True) if change.required is UNSET else change.required,
        uncertainty=None if stated is None else to_canonical(stated),
    )
