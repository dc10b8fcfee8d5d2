"""Define how well a value is known as requests and answers give it, and check it by the rules of `core`.

A statement stands on a data point type, on a value of an event, on a static input and on a calibration. It
is stored as the keys that were given, in their order, without those that say what would hold anyway.

Invariants: numbers keep every digit; what is stored can be built (`core/uncertainty/statement.py`).
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Final

import msgspec
from msgspec import structs

from weighbridge.core.identity import explain_unseen
from weighbridge.core.number import JsonNumber, NumberError, limit_number, read_special
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.statement import (
    EFFECT_LENGTH_MAX,
    PERCENTILE_KEYS,
    SOURCE_LENGTH_MAX,
    Distribution,
    UncertaintyStatement,
    build_statement,
    list_fields,
)
from weighbridge.core.unit import ONE, Unit, UnitError, parse_unit
from weighbridge.http.text import UnitText, at_most, one_of


class StatedPercentiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two values between which a quantity lies with a probability, with equal tails outside."""

    low: JsonNumber
    """The lower value, above 0."""
    high: JsonNumber
    """The upper value, above `low`."""
    probability: JsonNumber
    """The probability that the quantity lies between the two, such as 0.95."""


class StatedUncertainty(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How well a value is known: its size in exactly one of the first six fields; others are left out.

    A relative size is a part of the value: 0.005 is half a percent.
    """

    standard: JsonNumber | None = None
    """The standard uncertainty (a standard deviation), in `unit`."""
    relative_standard: JsonNumber | None = None
    """The standard uncertainty as a part of the value."""
    half_width: JsonNumber | None = None
    """Half of the width of an interval around the value, in `unit`; a normal one needs `coverage_factor`."""
    relative_half_width: JsonNumber | None = None
    """Half of the width of an interval around the value, as a part of the value."""
    percentiles: StatedPercentiles | None = None
    """Two percentiles of a lognormal distribution, in `unit`."""
    relative_percentiles: StatedPercentiles | None = None
    """Two percentiles of a lognormal distribution, as parts of the value, such as 0.9 and 1.1."""
    distribution: Annotated[str, one_of(Distribution)] | None = None
    """What is assumed of the values that the quantity may have; left out, it is `normal`, and `lognormal` of
    percentiles.
    """
    coverage_factor: JsonNumber | None = None
    """By what the half width of a normal distribution is divided to give the standard uncertainty: k."""
    degrees_of_freedom: JsonNumber | None = None
    """How well the uncertainty itself is known; left out, as well as can be."""
    unit: UnitText | None = None
    """The unit of an absolute size, which converts to that of the value; left out, the unit of the value."""
    effect: Annotated[str, at_most(EFFECT_LENGTH_MAX)] | None = None
    """The name of what all values of the project that name it share: one error, the same for all of them.
    Left out, the errors of values are independent.
    """
    source: Annotated[str, at_most(SOURCE_LENGTH_MAX)] | None = None
    """Where the statement is from, such as `data sheet of the analyser`."""


def find_problems(stated: StatedUncertainty, field: str, value_unit: Unit | None) -> Iterator[Problem]:
    """What is wrong with a statement about values in a unit, by the paths of its fields.

    None as a unit: that of the values is not known, because it is wrong itself.
    """
    fields = _list_given(stated)
    problems = [*_find_unreadable(fields)] or build_statement(fields, value_unit)[1]
    for problem in problems:
        path = f"{field}.{problem.field}" if problem.field else field
        yield Problem(f"{path}: {problem.message}", path, problem.code)


def build_stated(stated: StatedUncertainty) -> tuple[UncertaintyStatement | None, tuple[Problem, ...]]:
    """The statement that was stored, and what is wrong with it; nothing, if a service stored it."""
    statement, problems = build_statement(_list_given(stated))
    return statement, tuple(problems)


def to_canonical(stated: StatedUncertainty) -> StatedUncertainty:
    """The statement as it is stored; one that is wrong stays as it is, for whoever checks it to refuse it."""
    fields = _list_given(stated)
    statement = None if [*_find_unreadable(fields)] else build_statement(fields)[0]
    return stated if statement is None else read_stated(_as_read(list_fields(statement)))


def read_stated(stored: Mapping[str, Any]) -> StatedUncertainty:
    """The statement that a column has."""
    stated: StatedUncertainty = _convert(stored)
    return stated


def list_stated_fields(
    stated: Mapping[str, StatedUncertainty] | None,
) -> Mapping[str, Mapping[str, Any]] | None:
    """What is stated of the values of an event, by position, as its leaf has it."""
    return None if stated is None else {position: _list_given(one) for position, one in stated.items()}


def find_unit(text: str | None) -> Unit | None:
    """The unit of values, for the check of a statement about them; None for a text that is none."""
    try:
        return parse_unit(text) if text else ONE
    except UnitError:
        return None


_convert: Final = partial(msgspec.convert, type=StatedUncertainty, dec_hook=read_special)


def _list_given(stated: StatedUncertainty) -> dict[str, Any]:
    """The fields that are given, as `core` takes them."""
    given = {name: value for name, value in structs.asdict(stated).items() if value is not None}
    return {
        name: structs.asdict(value) if isinstance(value, StatedPercentiles) else value
        for name, value in given.items()
    }


def _find_unreadable(fields: Mapping[str, Any]) -> Iterator[Problem]:
    """Numbers that are too long, too large or too small, and texts that have characters nobody sees."""
    for name, value in fields.items():
        parts = value if isinstance(value, Mapping) else {"": value}
        for part in ("", *PERCENTILE_KEYS):
            if isinstance(number := parts.get(part), Decimal):
                try:
                    limit_number(number)
                except NumberError as error:
                    yield Problem(str(error), f"{name}.{part}" if part else name, "invalid")
    for name in ("effect", "source"):
        if unseen := explain_unseen(fields.get(name, "")):
            yield Problem(f"It {unseen}.", name, "invalid")


def _as_read(value: Any) -> Any:
    """Numbers as the database gives them back: without exponent, and zero without a sign."""
    if isinstance(value, Mapping):
        return {name: _as_read(part) for name, part in value.items()}
    return Decimal(format(value or value.copy_abs(), "f")) if isinstance(value, Decimal) else value
