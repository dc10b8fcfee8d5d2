"""The functions of rules: those of formulas that fit plain values, aggregates over a window, event facts.

`sum average min max median count` of one argument aggregate over the rule's window; of several they are
the functions of formulas. An aggregate leaves out members for which its argument is missing. A fact is
something that every record has beside its values.

Invariants: every function has a sentence and an example that can be parsed.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import FUNCTIONS, Function, Language
from weighbridge.core.expression.functions.function import between
from weighbridge.core.expression.operation import Computing, TypedOperation, Typing
from weighbridge.core.expression.tree import Expression, FunctionCall
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.rule.record import Record
from weighbridge.core.time.instant import MILLISECOND

ARGUMENTS_MAX: Final = 10
"""Values that count_same may compare."""

PLAIN_FUNCTIONS: Final = (
    "abs",
    "round",
    "floor",
    "ceil",
    "clamp",
    "sqrt",
    "exp",
    "ln",
    "log10",
    "if",
    "coalesce",
)
"""The functions of formulas that a rule may call."""

EITHER: Final = frozenset(["sum", "average", "min", "max", "median"])
"""Functions of formulas that aggregate over the window when they have one argument."""

_HOUR_MILLISECONDS: Final = Decimal(3_600_000)


def _hours(length: timedelta) -> Decimal:
    return CONTEXT.divide(Decimal(length // MILLISECOND), _HOUR_MILLISECONDS)


FACTS: Final[Mapping[str, Callable[[Record], Decimal]]] = {
    "duration_hours": lambda record: _hours(record.end - record.start),
    "entry_delay_hours": lambda record: _hours(record.created - record.end),
}
"""What a function without arguments says of a record."""


def _replaced(_at: Typing | Computing) -> None:
    raise AssertionError("a function of rules is replaced by what it came to before anything is evaluated")


def _row(name: str, parameters: str, arity: range, doc: str, example: str, *words: int) -> Function:
    operation = TypedOperation(_replaced, _replaced)  # type: ignore[arg-type] # neither is ever called
    return Function(name, parameters, arity, operation, doc, example, frozenset(words))


WINDOW_FUNCTIONS: Final = (
    _row("count", "x", between(0, 1), "How many members have an x; without x, how many members there are.",
         "count() > 1"),
    _row("stddev", "x", between(1, 1), "The sample standard deviation; missing for fewer than two values.",
         "abs({{mass}} - avg({{mass}})) > (3 * stddev({{mass}}))"),
    _row("percentile", "x, p, definition", between(2, 3),
         "The p-th percentile, p written as a number from 0 to 100, by a definition: inclusive (or linear;"
         " the default; at 1 + (n - 1) p / 100, between the two nearest values), exclusive (at (n + 1) p /"
         " 100), nearest_rank (the smallest with at least p % at or below it), naaqs (the one after the"
         " whole part of n p / 100) or eu_97_101 (the one nearest to n p / 100).",
         "{{mass}} > percentile({{mass}}, 95, nearest_rank)", 2),
    _row("previous", "x", between(1, 1), "x of the last member before the record that has one.",
         "{{meter}} < previous({{meter}})"),
    _row("count_same", "x, …", between(1, ARGUMENTS_MAX),
         "How many members have the same x, … as the record; none when one of them is missing.",
         "count_same({{mass}}, tracking_id) > 0"),
    _row("missed_slots", "", between(0, 0),
         "How many slots of the event type's cadence lie empty between the member before the record and the"
         " record, without those that are not expected of the meter: an outage covers them, or they begin out"
         " of its service. It needs no window.",
         "missed_slots() > 0"),
)  # fmt: skip
"""Aggregates that only rules have."""

FACT_FUNCTIONS: Final = (
    _row("duration_hours", "", between(0, 0),
         "How long the event lasted, in hours.", "duration_hours() > 24"),
    _row("entry_delay_hours", "", between(0, 0),
         "How long after its end the event came in, in hours.", "entry_delay_hours() > 48"),
)  # fmt: skip
"""The facts as functions."""

LANGUAGE: Final = Language(
    {
        **{name: FUNCTIONS[name] for name in (*PLAIN_FUNCTIONS, *sorted(EITHER))},
        "avg": FUNCTIONS["average"],
        **{function.name: function for function in (*WINDOW_FUNCTIONS, *FACT_FUNCTIONS)},
    }
)
"""The language of rules."""

_WINDOW_ONLY: Final = frozenset(function.name for function in WINDOW_FUNCTIONS)


def is_aggregate(tree: Expression) -> bool:
    """Whether a node looks at other members than the record."""
    return isinstance(tree, FunctionCall) and (
        tree.function in _WINDOW_ONLY or (tree.function in EITHER and len(tree.arguments) == 1)
    )


def is_fact(tree: Expression) -> bool:
    """Whether a node is a fact of the record."""
    return isinstance(tree, FunctionCall) and tree.function in FACTS
