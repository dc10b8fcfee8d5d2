"""Facts: what every record of a rule has in addition to its values, such as its duration or its calibration.

To the compiler of expressions a fact is a leaf: its result is in the row of the record.

Invariant: every fact has a sentence and an example that can be parsed; what it gives and is documented by is
one row of a table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import PLAIN, TRUTH, Function, Type
from weighbridge.core.expression.meaning import OperationMeaning, TypedNode, between
from weighbridge.core.expression.tree import Expression, FunctionCall, walk
from weighbridge.core.expression.value import Element
from weighbridge.core.number import CONTEXT
from weighbridge.core.rule.definition import Record
from weighbridge.core.time.calendar import MILLISECOND

_HOUR_MILLISECONDS: Final = Decimal(3_600_000)


_DAY_MILLISECONDS: Final = Decimal(86_400_000)


def _measure_hours(length: timedelta) -> Decimal:
    return CONTEXT.divide(Decimal(length // MILLISECOND), _HOUR_MILLISECONDS)


def _measure_days(length: timedelta) -> Decimal:
    return CONTEXT.divide(Decimal(length // MILLISECOND), _DAY_MILLISECONDS)


def _is_calibrated(record: Record) -> Element:
    span = record.calibration
    return span is not None and (span.end is None or record.start < span.end)


def _measure_calibration_age(record: Record) -> Element:
    span = record.calibration
    return None if span is None else _measure_days(record.start - span.start)


def _measure_calibration_rest(record: Record) -> Element:
    span = record.calibration
    return None if span is None or span.end is None else _measure_days(span.end - record.start)


@dataclass(frozen=True, slots=True)
class FactMeaning:
    """What a function without arguments says of a record."""

    compute: Callable[[Record, tzinfo], Element]
    """What it is of a record, in the time zone of the project's calendar."""
    type: Type = PLAIN
    is_of_calibration: bool = False
    """Whether it looks at the calibrations of the record's meter."""


FACTS: Final[Mapping[str, FactMeaning]] = {
    "duration_hours": FactMeaning(lambda record, _: _measure_hours(record.end - record.start)),
    "entry_delay_hours": FactMeaning(lambda record, _: _measure_hours(record.created - record.end)),
    "is_calibrated": FactMeaning(lambda record, _: _is_calibrated(record), TRUTH, is_of_calibration=True),
    "calibration_age_days": FactMeaning(
        lambda record, _: _measure_calibration_age(record), is_of_calibration=True
    ),
    "calibration_days_left": FactMeaning(
        lambda record, _: _measure_calibration_rest(record), is_of_calibration=True
    ),
    "calibration_as_found": FactMeaning(
        lambda record, _: None if record.calibration is None else record.calibration.as_found,
        is_of_calibration=True,
    ),
    "calibration_drift": FactMeaning(
        lambda record, _: None if record.calibration is None else record.calibration.drift,
        is_of_calibration=True,
    ),
    "next_calibration_drift": FactMeaning(
        lambda record, _: None if record.calibration is None else record.calibration.next_drift,
        is_of_calibration=True,
    ),
    "month": FactMeaning(lambda record, zone: Decimal(record.start.astimezone(zone).month)),
    "day_of_month": FactMeaning(lambda record, zone: Decimal(record.start.astimezone(zone).day)),
    "weekday": FactMeaning(lambda record, zone: Decimal(record.start.astimezone(zone).isoweekday())),
    "hour": FactMeaning(lambda record, zone: Decimal(record.start.astimezone(zone).hour)),
}
"""The meaning of each fact."""


def _reject_operands(_at: TypedNode) -> Type:
    raise AssertionError("a leaf has its own type and value, and no rule for operands")


LEAF: Final = OperationMeaning(rule=_reject_operands, sql=None, slopes=None)
"""In place of the meaning of a function that is a leaf of the tree."""


def make_leaf(name: str, parameters: str, arity: range, doc: str, example: str, *words: int) -> Function:
    """Make the row of a function that is a leaf of the tree."""
    return Function(name, parameters, arity, LEAF, doc, example, frozenset(words))


FACT_FUNCTIONS: Final = (
    make_leaf(
        "duration_hours", "", between(0, 0), "How long the event lasted, in hours.", "duration_hours() > 24"
    ),
    make_leaf(
        "entry_delay_hours", "", between(0, 0), "How long after its end the event came in, in hours.",
        "entry_delay_hours() > 48",
    ),
    make_leaf(
        "is_calibrated", "", between(0, 0),
        "Whether a calibration of the event's asset holds at the start of the event, for the data point that"
        " results are about.",
        "not is_calibrated()",
    ),
    make_leaf(
        "calibration_age_days", "", between(0, 0),
        "How many days before the start of the event the latest calibration began, whether or not it still"
        " holds; missing where the asset had none by then.",
        "calibration_age_days() > 365",
    ),
    make_leaf(
        "calibration_days_left", "", between(0, 0),
        "How many days after the start of the event the latest calibration ends; zero or less where it has"
        " ended, missing where there is none or it names no end.",
        "calibration_days_left() between 0 and 30",
    ),
    make_leaf(
        "calibration_as_found", "", between(0, 0),
        "The error that the latest calibration found (`as_found`), in its unit; missing where it says none.",
        "abs(calibration_as_found()) > 5",
    ),
    make_leaf(
        "calibration_drift", "", between(0, 0),
        "By how much the meter had moved by the latest calibration: what that one found (`as_found`) less"
        " what the one before left (`as_left`). Where it is too much, the event is behind a calibration that"
        " failed, up to the next one. Missing where one of them says no error.",
        "abs(calibration_drift()) > 5",
    ),
    make_leaf(
        "next_calibration_drift", "", between(0, 0),
        "By how much the meter will have moved by the next calibration: what that one found less what the"
        " latest one left. Where it is too much, the event is in the time between the two in which the meter"
        " drifted. Missing until the next one is entered.",
        "abs(next_calibration_drift()) > 2.5",
    ),
    make_leaf(
        "month", "", between(0, 0),
        "The month in which the event starts, from 1 to 12, in the project's time zone.",
        "month() between 5 and 9",
    ),
    make_leaf(
        "day_of_month", "", between(0, 0),
        "The day of the month on which the event starts, from 1 to 31, in the project's time zone.",
        "day_of_month() = 1",
    ),
    make_leaf(
        "weekday", "", between(0, 0),
        "The day of the week on which the event starts, from 1 for Monday to 7 for Sunday, in the project's"
        " time zone.",
        "weekday() >= 6",
    ),
    make_leaf(
        "hour", "", between(0, 0),
        "The hour of the day in which the event starts, from 0 to 23, in the project's time zone.",
        "hour() not between 6 and 21",
    ),
)  # fmt: skip
"""The facts as functions."""


def is_fact(tree: Expression) -> bool:
    """Whether a node is a fact of the record."""
    return isinstance(tree, FunctionCall) and tree.function in FACTS


def asks_calibration(*trees: Expression | None) -> bool:
    """Whether one of the expressions looks at the calibrations of meters."""
    return any(
        isinstance(node, FunctionCall) and is_fact(node) and FACTS[node.function].is_of_calibration
        for tree in trees
        if tree is not None
        for node in walk(tree)
    )
