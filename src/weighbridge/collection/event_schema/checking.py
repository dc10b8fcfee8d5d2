"""What an event type and its data point types must be like, whether they are made or changed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from weighbridge.collection.event_types.records import (
    CADENCE_AMOUNT_MAX,
    CADENCE_UNITS,
    DATA_POINT_TYPES_MAX,
    EXPECTED_LOCATIONS,
    VALUE_TYPES,
    EventTypeChange,
    NewDataPointType,
    NewEventType,
)
from weighbridge.collection.measurements.condition import event_condition
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.expression import PLAIN, TEXT, TRUTH, ExpressionError, parse
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.identity.slug import SLUG_RULE, is_slug, slug_of
from weighbridge.core.model.document.where import check_where
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import UnitError, parse_unit
from weighbridge.errors import Invalid

_TYPES: Final = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


def problems_of_event_type(new: NewEventType) -> Iterator[Problem]:
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


def problems_of_measured_cadence(
    request: NewEventType | EventTypeChange, *, has_capture_rate: bool
) -> Iterator[Problem]:
    """What is wrong with sending a cadence to an account that does not have the feature it is for."""
    if has_capture_rate:
        return
    for name in ("cadence_amount", "cadence_unit", "valid_when"):
        if getattr(request, name) not in {None, UNSET}:
            yield Problem(
                f"{name} is for accounts with the data capture rate feature, which is off for this one.",
                f"event_type.{name}",
                "feature_off",
            )


def problems_of_valid_when(new: NewEventType) -> Iterator[Problem]:
    """What is wrong with the condition by which events are valid, by the data point types to be."""
    if new.valid_when is None:
        return
    field = "event_type.valid_when"
    types = {one.slug or slug_of(one.name): one.value_type for one in new.data_point_types}
    known = {slug: kind for slug, kind in types.items() if kind in VALUE_TYPES}
    try:
        tree = parse(new.valid_when)
        check_where(tree, {slug: _TYPES[kind] for slug, kind in known.items()})
        event_condition(tree, {slug: ValueColumn(1, kind) for slug, kind in known.items()})
    except ExpressionError as error:
        yield Problem(f"{field}: {error}", field, "expression")
    except Invalid as refusal:
        yield from (Problem(f"{field}: {one.message}", field, one.code) for one in refusal.problems)


def problems_of_data_point_types(new: Sequence[NewDataPointType]) -> Iterator[Problem]:
    """What is wrong with the data point types that an event type is to have."""
    if len(new) > DATA_POINT_TYPES_MAX:
        yield Problem(
            f"There are {len(new)} data point types; an event type has at most {DATA_POINT_TYPES_MAX}.",
            "event_type.data_point_types",
            "too_many",
        )
    for index, one in enumerate(new):
        yield from _problems_of_data_point_type(one, f"event_type.data_point_types[{index}]")
    for slug, times in Counter(one.slug or slug_of(one.name) for one in new).items():
        if times > 1:
            yield Problem(
                f"{times} data point types have the slug {slug!r}; it must be unique in its event type.",
                "event_type.data_point_types",
                "taken",
            )


def _problems_of_data_point_type(new: NewDataPointType, field: str) -> Iterator[Problem]:
    if wrong := problem_of_name(new.name, field, f"{field}.name"):
        yield wrong
    yield from _problem_of_slug(new.slug, new.name, f"{field}.slug")
    if new.value_type not in VALUE_TYPES:
        yield _not_among(f"{field}.value_type", new.value_type, VALUE_TYPES)
    if new.unit is None:
        return
    if new.value_type != "number":
        yield Problem(f"{field} has a unit; only a number has one.", f"{field}.unit", "invalid")
    try:
        parse_unit(new.unit)
    except UnitError as error:
        yield Problem(f"{field}.unit is {new.unit!r}: {error}", f"{field}.unit", "invalid")


def _problem_of_slug(slug: str | None, name: str, field: str) -> Iterator[Problem]:
    if not is_slug(slug or slug_of(name)) and name.strip():
        said = f"is {slug!r}" if slug else f"is missing, and the name {name!r} makes none"
        yield Problem(f"{field} {said}; a slug is {SLUG_RULE}.", field, "invalid")


def _not_among(field: str, value: str, allowed: object) -> Problem:
    return Problem(f"{field} is {value!r}; allowed are {', '.join(allowed)}.", field, "invalid")  # type: ignore[arg-type]
