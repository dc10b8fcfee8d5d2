"""The functions of rules: those of formulas that fit plain values, aggregates over a window, event facts.

`sum average min max median count` of one argument aggregate over the rule's window; of several they are the
functions of formulas. An aggregate leaves out members for which its argument is missing. A fact is something
that every record has in addition to its values. To the compiler of expressions, aggregates and facts are
leaves: what they come to is in the row of the record.

Invariants: every function has a sentence and an example that can be parsed; what an aggregate takes, gives
and is told of is stated in one row of a table.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import FUNCTIONS, Function, Language, Type
from weighbridge.core.expression.meaning import OperationMeaning, TypedNode, between
from weighbridge.core.expression.null import Row, RowStep
from weighbridge.core.expression.tree import Expression, FunctionCall, Number, Word, walk
from weighbridge.core.expression.value import Element, Fault
from weighbridge.core.quantity.number import CONTEXT, EXACT
from weighbridge.core.rule.definition import Record
from weighbridge.core.rule.sliding import (
    DEFINITION,
    Average,
    Count,
    Deviation,
    Extreme,
    MissedSlots,
    Previous,
    Ranked,
    Same,
    Sliding,
    Sum,
)
from weighbridge.core.time.instant import MILLISECOND

ARGUMENTS_MAX: Final = 10
"""Values that count_same may compare."""

PLAIN_FUNCTIONS: Final = (
    "abs", "round", "floor", "ceil", "clamp", "sqrt", "exp", "ln", "log10", "if", "coalesce",
)  # fmt: skip
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


def _never(_at: TypedNode) -> Type:
    raise AssertionError("a leaf has its own type and value, and no rule for operands")


LEAF: Final = OperationMeaning(rule=_never, sql=None, slopes=None)
"""In place of the meaning of a function that is a leaf of the tree."""


def make_leaf(name: str, parameters: str, arity: range, doc: str, example: str, *words: int) -> Function:
    """Make the row of a function that is a leaf of the tree."""
    return Function(name, parameters, arity, LEAF, doc, example, frozenset(words))


WINDOW_FUNCTIONS: Final = (
    make_leaf(
        "count", "x", between(0, 1), "How many members have an x; without x, how many members there are.",
        "count() > 1",
    ),
    make_leaf(
        "stddev", "x", between(1, 1), "The sample standard deviation; missing for fewer than two values.",
        "abs({{mass}} - avg({{mass}})) > (3 * stddev({{mass}}))",
    ),
    make_leaf(
        "percentile", "x, p, definition", between(2, 3),
        "The p-th percentile, p written as a number from 0 to 100, by a definition: inclusive (or linear;"
        " the default; at 1 + (n - 1) p / 100, between the two nearest values), exclusive (at (n + 1) p /"
        " 100), nearest_rank (the smallest with at least p % at or below it), naaqs (the one after the"
        " whole part of n p / 100) or eu_97_101 (the one nearest to n p / 100).",
        "{{mass}} > percentile({{mass}}, 95, nearest_rank)", 2,
    ),
    make_leaf(
        "previous", "x", between(1, 1), "x of the last member before the record that has one.",
        "{{meter}} < previous({{meter}})",
    ),
    make_leaf(
        "count_same", "x, …", between(1, ARGUMENTS_MAX),
        "How many members have the same x, … as the record; none when one of them is missing.",
        "count_same({{mass}}, tracking_id) > 0",
    ),
    make_leaf(
        "missed_slots", "", between(0, 0),
        "How many slots of the event type's cadence lie empty between the member before the record and the"
        " record, without those that are not expected of the meter: an outage covers them, or they begin out"
        " of its service. It needs no window.",
        "missed_slots() > 0",
    ),
)  # fmt: skip
"""Aggregates that only rules have."""

FACT_FUNCTIONS: Final = (
    make_leaf(
        "duration_hours", "", between(0, 0), "How long the event lasted, in hours.", "duration_hours() > 24"
    ),
    make_leaf(
        "entry_delay_hours", "", between(0, 0), "How long after its end the event came in, in hours.",
        "entry_delay_hours() > 48",
    ),
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

Entering = Callable[[Row, Record], object]
"""What of a member an aggregate is given; None when there is nothing."""


def _enter_first(arguments: Sequence[RowStep]) -> Entering:
    if not arguments:
        return lambda _row, _record: True
    first = arguments[0]
    return lambda row, _record: first(row)


def _enter_together(arguments: Sequence[RowStep]) -> Entering:
    def entering(row: Row, _record: Record) -> tuple[Element, ...] | Fault | None:
        values = tuple(argument(row) for argument in arguments)
        for value in values:
            if value is None or isinstance(value, Fault):
                return value
        return values

    return entering


def _enter_slot(_arguments: Sequence[RowStep]) -> Entering:
    return lambda _row, record: record.slot


@dataclass(frozen=True, slots=True)
class WindowMeaning:
    """What an aggregate does with the members of a window."""

    start: Callable[[FunctionCall], Sliding]
    """The aggregate of an empty window, for a call whose arguments are known to be right."""
    of_numbers: bool = False
    """Whether it is taken of numbers alone."""
    gives_member: bool = False
    """Whether it gives the value of a member, of whatever kind; else it gives a number."""
    is_before: bool = False
    """Whether it is told when the record arrives, before the record is a member itself."""
    reads_record: bool = False
    """Whether it compares members with the record."""
    needs_window: bool = True
    enter: Callable[[Sequence[RowStep]], Entering] = _enter_first
    """What of a member enters it, by its arguments."""


def _start_percentile(call: FunctionCall) -> Sliding:
    _, share, *definition = call.arguments
    assert isinstance(share, Number), "the rule was read"  # noqa: S101
    named = definition[0].text if definition and isinstance(definition[0], Word) else DEFINITION
    return Ranked(share.value.scaleb(-2, EXACT), named)


AGGREGATES: Final[Mapping[str, WindowMeaning]] = {
    "count": WindowMeaning(lambda _: Count()),
    "sum": WindowMeaning(lambda _: Sum(), of_numbers=True),
    "average": WindowMeaning(lambda _: Average(), of_numbers=True),
    "stddev": WindowMeaning(lambda _: Deviation(), of_numbers=True),
    "min": WindowMeaning(lambda _: Extreme(is_largest=False), of_numbers=True),
    "max": WindowMeaning(lambda _: Extreme(is_largest=True), of_numbers=True),
    "median": WindowMeaning(lambda _: Ranked(Decimal("0.5"), DEFINITION), of_numbers=True),
    "percentile": WindowMeaning(_start_percentile, of_numbers=True),
    "previous": WindowMeaning(lambda _: Previous(), gives_member=True, is_before=True),
    "count_same": WindowMeaning(lambda _: Same(), reads_record=True, enter=_enter_together),
    "missed_slots": WindowMeaning(
        lambda _: MissedSlots(), is_before=True, needs_window=False, enter=_enter_slot
    ),
}
"""The meaning of each aggregate."""


def is_aggregate(tree: Expression) -> bool:
    """Whether a node looks at other members than the record."""
    return (
        isinstance(tree, FunctionCall)
        and tree.function in AGGREGATES
        and (tree.function not in EITHER or len(tree.arguments) == 1)
    )


def is_fact(tree: Expression) -> bool:
    """Whether a node is a fact of the record."""
    return isinstance(tree, FunctionCall) and tree.function in FACTS


def list_aggregates(tree: Expression | None) -> list[FunctionCall]:
    """List the aggregates of an expression, in the order they are written."""
    nodes = walk(tree) if tree is not None else ()
    return [node for node in nodes if isinstance(node, FunctionCall) and is_aggregate(node)]
