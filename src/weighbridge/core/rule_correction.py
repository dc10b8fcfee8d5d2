"""A rule's correction says what stands in for a value that the rule found wrong, or that is missing.

An adjustment is a calibration and computes from the value itself; a substitution takes another value's place;
an imputation fills a slot that has no event. A method that looks at other values says which, by a window.

Invariants: what `read_correction` takes is written back in one form; every problem names its field.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.expression import ExpressionError, Kind, names, parse
from weighbridge.core.problem import Problem
from weighbridge.core.rule import LANGUAGE, TAGS, Target, Vocabulary, read_window, write_window


class Purpose(StrEnum):
    """What a rule is for."""

    ALERT = "alert"
    ADJUST = "adjust"
    SUBSTITUTE = "substitute"
    IMPUTE = "impute"


class Method(StrEnum):
    """How the value of a correction is found."""

    CONSTANT = "constant"
    PREVIOUS = "previous"
    NEXT = "next"
    NEIGHBOURS = "mean_of_neighbours"
    LINEAR = "linear"
    MEAN = "mean"
    MEDIAN = "median"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    PERCENTILE = "percentile"
    EXPRESSION = "expression"


FIELDS: Final[Mapping[Method, tuple[str, ...]]] = {
    Method.CONSTANT: ("value",),
    Method.PREVIOUS: (),
    Method.NEXT: (),
    Method.NEIGHBOURS: (),
    Method.LINEAR: (),
    Method.MEAN: ("window",),
    Method.MEDIAN: ("window",),
    Method.MINIMUM: ("window",),
    Method.MAXIMUM: ("window",),
    Method.PERCENTILE: ("window", "percentile", "definition"),
    Method.EXPRESSION: ("expression",),
}
"""What each method takes, all of it required but the definition of a percentile."""

METHODS: Final[Mapping[Purpose, tuple[Method, ...]]] = {
    Purpose.ALERT: (),
    Purpose.ADJUST: (Method.EXPRESSION,),
    Purpose.SUBSTITUTE: tuple(Method),
    Purpose.IMPUTE: tuple(Method),
}
"""The methods of each purpose."""

DEFINITIONS: Final = ("linear", "nearest_rank")
"""How a percentile between two values is found; linear unless it is said."""

_OF_NUMBERS: Final = frozenset(
    {
        Method.NEIGHBOURS,
        Method.LINEAR,
        Method.MEAN,
        Method.MEDIAN,
        Method.MINIMUM,
        Method.MAXIMUM,
        Method.PERCENTILE,
    }
)
_VALUES: Final = {Kind.NUMBER: (int, Decimal), Kind.TEXT: (str,), Kind.TRUTH: (bool,)}
_WORDS: Final = {Kind.NUMBER: "number", Kind.TEXT: "text", Kind.TRUTH: "boolean"}
_HUNDRED: Final = Decimal(100)
_FIELD: Final = "correction"


def read_correction(
    purpose: Purpose, given: Mapping[str, Any] | None
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Read the correction of a rule for a purpose: in its one form, with everything that is wrong with it."""
    if purpose is Purpose.ALERT:
        return None, [] if given is None else [
            _problem("", "belongs to a rule that corrects; this one alerts")
        ]
    if given is None:
        return None, [_problem("", f"says how a rule corrects whose purpose is {purpose}; it is missing")]
    method = next((one for one in METHODS[purpose] if one == given.get("method")), None)
    if method is None:
        allowed = ", ".join(METHODS[purpose])
        return None, [_problem("method", f"of a rule whose purpose is {purpose} is one of {allowed}")]
    allowed_fields = FIELDS[method]
    problems = [
        _problem(name, f"is nothing that the method {method} takes")
        for name in given
        if name != "method" and name not in allowed_fields
    ]
    read: dict[str, Any] = {"method": method.value}
    for name in allowed_fields:
        value, wrong = _READERS[name](given.get(name))
        problems += wrong
        read[name] = value
    return read, problems


def problems_of_fit(
    correction: Mapping[str, Any], vocabulary: Vocabulary, data_point: str
) -> Iterator[Problem]:
    """What keeps a correction that was read from being computed for a data point of this vocabulary."""
    kind = vocabulary.types[data_point].kind if data_point in vocabulary.types else None
    method = correction["method"]
    value = correction.get("value")
    if value is not None and kind is not None and not isinstance(value, _VALUES[kind]):
        yield _problem("value", f"is no {_WORDS[kind]}, which {data_point!r} is")
    if isinstance(value, bool) and kind is Kind.NUMBER:
        yield _problem("value", f"is no number, which {data_point!r} is")
    if method in _OF_NUMBERS and kind is not Kind.NUMBER:
        yield _problem("method", f"is {method!r}, which is taken of numbers; {data_point!r} is none")
    if "expression" in correction:
        for name in names(parse(correction["expression"], LANGUAGE)):
            is_tag = not name.is_verbatim and name.text in TAGS[Target.DATA_POINT]
            if not is_tag and vocabulary.slug_of(name) is None:
                said = f"At {name.position}: {vocabulary.label} has nothing called {name.text!r}."
                yield Problem(said, f"{_FIELD}.expression", "unknown")


def _problem(name: str, what: str) -> Problem:
    field = f"{_FIELD}.{name}" if name else _FIELD
    return Problem(f"{field} {what}.", field, "invalid")


def _value(given: Any) -> tuple[Any, list[Problem]]:
    if isinstance(given, str | bool | int | Decimal) and given != "":
        return given, []
    return None, [_problem("value", "is a number, a text or a boolean")]


def _percentile(given: Any) -> tuple[Any, list[Problem]]:
    is_number = isinstance(given, int | Decimal) and not isinstance(given, bool)
    if is_number and 0 <= given <= _HUNDRED:
        return given, []
    return None, [_problem("percentile", "is a number from 0 to 100")]


def _definition(given: Any) -> tuple[Any, list[Problem]]:
    if given is None or given in DEFINITIONS:
        return given or DEFINITIONS[0], []
    return None, [_problem("definition", f"is {' or '.join(DEFINITIONS)}")]


def _expression(given: Any) -> tuple[Any, list[Problem]]:
    if not isinstance(given, str) or not given.strip():
        return None, [_problem("expression", "is an expression, as a text")]
    try:
        parse(given, LANGUAGE)
    except ExpressionError as error:
        return None, [Problem(str(error), f"{_FIELD}.expression", "invalid")]
    return given, []


def _window(given: Any) -> tuple[Any, list[Problem]]:
    if not isinstance(given, Mapping):
        return None, [_problem("window", "says which values the method looks at; it is missing")]
    window, problems = read_window(given)
    found = [
        Problem(f"{_FIELD}.{problem.message}", f"{_FIELD}.{problem.field}", problem.code)
        for problem in problems
    ]
    return (None if window is None else write_window(window)), found


_READERS: Final = {
    "value": _value,
    "percentile": _percentile,
    "definition": _definition,
    "expression": _expression,
    "window": _window,
}
