"""The functions of rules: those of formulas that fit plain values, aggregates over a window, event facts.

`sum average min max median count` of one argument aggregate over the rule's window; of several they are the
functions of formulas. An aggregate leaves out members for which its argument is missing; `facts` has what
every record has in addition to its values. To the compiler of expressions, aggregates and cells of tables are
leaves: their results are in the row of the record.

Invariants: every function has a sentence and an example that can be parsed; what an aggregate takes, gives
and is documented by is one row of a table.

A sliding aggregate follows a window: members enter at its front and leave at its back, first in first out.

Each keeps just enough for its result at any time, so that evaluating a million records costs a few
steps for each, however large their windows are.

Invariants: sums are exact, so nothing that left leaves a trace; only results are rounded; an aggregate of
nothing is missing, but a sum or a count is 0.

An example: deliveries of 10, 14, 12, 8 and 30 t, and a rolling window of two days. When a record comes, what
starts more than two days before it leaves; then the aggregates are read, and then the record enters.

    day  mass  leave  members  sum  average  max  kept for max
      1    10      -        -    0        -    -             -
      2    14      -       10   10       10   10            10
      3    12      -    10,14   24       12   14            14
      4     8     10    14,12   26       13   14         14,12
      6    30  14,12        8    8        8    8             8

`max` forgets the 10 as soon as the 14 enters, which stays longer and is larger. The rule
`{{mass}} > (2 * avg({{mass}}))` alerts on day 6 alone, where 30 is more than twice 8.
"""

from bisect import bisect_left, insort
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any, Final, Protocol

from weighbridge.core.expression import FUNCTIONS, Language
from weighbridge.core.expression.meaning import between
from weighbridge.core.expression.tree import Expression, FunctionCall, Number, Word, walk
from weighbridge.core.expression.value import Element, Fault, Row, RowStep
from weighbridge.core.number import CONTEXT, EXACT, ZERO
from weighbridge.core.rule.definition import Record
from weighbridge.core.rule.facts import FACT_FUNCTIONS, make_leaf
from weighbridge.core.time.expectation import MeterSlot

_ONE: Final = Decimal(1)
_CHUNK_MAX: Final = 512


class Ascending(Protocol):
    """Numbers in ascending order."""

    def __len__(self) -> int: ...

    def __getitem__(self, rank: int, /) -> Decimal: ...


def _find_nearest_rank(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.multiply(share, count).to_integral_value(ROUND_CEILING)


def _find_naaqs_rank(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.add(EXACT.multiply(share, count).to_integral_value(ROUND_FLOOR), _ONE)


def _find_eu_97_101_rank(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.multiply(share, count).to_integral_value(ROUND_HALF_UP)


def _find_inclusive_rank(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.add(EXACT.multiply(share, EXACT.subtract(count, _ONE)), _ONE)


def _find_exclusive_rank(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.multiply(share, EXACT.add(count, _ONE))


_POSITIONS: Final[Mapping[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "nearest_rank": _find_nearest_rank,
    "naaqs": _find_naaqs_rank,
    "eu_97_101": _find_eu_97_101_rank,
    "inclusive": _find_inclusive_rank,
    "linear": _find_inclusive_rank,
    "exclusive": _find_exclusive_rank,
}
"""The rank of a percentile, counted from 1, by its definition."""

DEFINITIONS: Final = tuple(_POSITIONS)
"""The five definitions of a percentile in use, by name; they differ wherever there are few values.

Of n values in ascending order, numbered from 1, and a share p from 0 to 1, the percentile is the value

    nearest_rank   at p n, rounded up: the smallest with at least that share at or below it
    naaqs          after the whole part of p n (40 CFR 50, appendices N and S)
    eu_97_101      at p n, rounded to the nearest, halves up (Council Decision 97/101/EC)
    inclusive      at 1 + (n - 1) p, between the two nearest (a spreadsheet's PERCENTILE.INC)
    exclusive      at (n + 1) p, between the two nearest, at least the first and at most the last (NIST,
                   PERCENTILE.EXC)

`linear` is another name of `inclusive`. Example: of the values 1 to 10 the 90th percentile is 9, 10, 9, 9.1
and 9.9, in this order. A percentile lies between the smallest and the largest value; equal values are
interchangeable, so it does not depend on the order in which they came.
"""


def compute_percentile(values: Ascending, share: Decimal, definition: str) -> Decimal:
    """The percentile of at least one value by a named definition, rounded once; the share is from 0 to 1."""
    count = len(values)
    position = _POSITIONS[definition](share, Decimal(count))
    below = int(position)
    if below < 1:
        return values[0]
    if below >= count:
        return values[count - 1]
    low = values[below - 1]
    fraction = EXACT.subtract(position, Decimal(below))
    if not fraction:
        return low
    step = EXACT.multiply(fraction, EXACT.subtract(values[below], low))
    return CONTEXT.plus(EXACT.add(low, step))


class Ordered:
    """Numbers in ascending order, each as often as it was added."""

    __slots__ = ("_chunks", "_count", "_tops")

    def __init__(self) -> None:
        self._chunks: list[list[Decimal]] = [[]]
        self._tops: list[Decimal] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, rank: int) -> Decimal:
        for chunk in self._chunks:
            if rank < len(chunk):
                return chunk[rank]
            rank -= len(chunk)
        raise IndexError(rank)

    def add(self, value: Decimal) -> None:
        """Put a number in."""
        index = min(bisect_left(self._tops, value), len(self._chunks) - 1)
        chunk = self._chunks[index]
        insort(chunk, value)
        if len(chunk) > _CHUNK_MAX:
            half = len(chunk) // 2
            self._chunks[index : index + 1] = [chunk[:half], chunk[half:]]
            self._tops[index : index + 1] = [chunk[half - 1], chunk[-1]]
        else:
            self._tops[index : index + 1] = [chunk[-1]]
        self._count += 1

    def remove(self, value: Decimal) -> None:
        """Take a number out that was put in."""
        index = bisect_left(self._tops, value)
        chunk = self._chunks[index]
        del chunk[bisect_left(chunk, value)]
        if chunk:
            self._tops[index] = chunk[-1]
        else:
            del self._tops[index]
            if len(self._chunks) > 1:
                del self._chunks[index]
        self._count -= 1


DEFINITION: Final = "linear"
"""The definition of a percentile that names none, and of the median."""


class Sliding(Protocol):
    """An aggregate over the members of a window; it is given no missing values."""

    def enter(self, value: Any) -> None:
        """A member enters the window."""

    def leave(self, value: Any) -> None:
        """The member that entered first leaves."""

    def result(self, own_value: Any) -> Element:
        """The aggregate for a record whose own value this is."""


class Count:
    """How many members there are."""

    def __init__(self) -> None:
        self._count = 0

    def enter(self, _value: Any) -> None:
        self._count += 1

    def leave(self, _value: Any) -> None:
        self._count -= 1

    def result(self, _own: Any) -> Element:
        return Decimal(self._count)


class Sum:
    """The exact sum, rounded once."""

    def __init__(self) -> None:
        self.total = ZERO
        self.count = 0

    def enter(self, value: Decimal) -> None:
        self.total = EXACT.add(self.total, value)
        self.count += 1

    def leave(self, value: Decimal) -> None:
        self.total = EXACT.subtract(self.total, value)
        self.count -= 1

    def result(self, _own: Any) -> Element:
        return CONTEXT.plus(self.total)


class Average(Sum):
    """The arithmetic mean, rounded once."""

    def result(self, _own: Any) -> Element:
        return CONTEXT.divide(self.total, Decimal(self.count)) if self.count else None


class TrueShare:
    """The part of the members for which something is true, of those of which it is known."""

    def __init__(self) -> None:
        self._true = 0
        self._count = 0

    def enter(self, value: bool) -> None:  # noqa: FBT001 - what a member enters with
        self._true += value
        self._count += 1

    def leave(self, value: bool) -> None:  # noqa: FBT001 - what a member enters with
        self._true -= value
        self._count -= 1

    def result(self, _own: Any) -> Element:
        return CONTEXT.divide(Decimal(self._true), Decimal(self._count)) if self._count else None


class Deviation(Sum):
    """The sample standard deviation, from the exact sums of the values and of their squares."""

    def __init__(self) -> None:
        super().__init__()
        self._squares = ZERO

    def enter(self, value: Decimal) -> None:
        super().enter(value)
        self._squares = EXACT.add(self._squares, EXACT.multiply(value, value))

    def leave(self, value: Decimal) -> None:
        super().leave(value)
        self._squares = EXACT.subtract(self._squares, EXACT.multiply(value, value))

    def result(self, _own: Any) -> Element:
        if self.count < 2:
            return None
        count = Decimal(self.count)
        spread = EXACT.subtract(EXACT.multiply(count, self._squares), EXACT.multiply(self.total, self.total))
        return CONTEXT.sqrt(CONTEXT.divide(spread, EXACT.multiply(count, EXACT.subtract(count, _ONE))))


class Extreme:
    """The smallest or largest; values that a later one outdoes are forgotten at once."""

    def __init__(self, *, is_largest: bool) -> None:
        self._is_largest = is_largest
        self._candidates: deque[Decimal] = deque()

    def enter(self, value: Decimal) -> None:
        candidates = self._candidates
        if self._is_largest:
            while candidates and candidates[-1] < value:
                candidates.pop()
        else:
            while candidates and candidates[-1] > value:
                candidates.pop()
        candidates.append(value)

    def leave(self, value: Decimal) -> None:
        if self._candidates[0] == value:
            self._candidates.popleft()

    def result(self, _own: Any) -> Element:
        return self._candidates[0] if self._candidates else None


class Ranked:
    """A value by its rank: the median, or a percentile by a named definition."""

    def __init__(self, share: Decimal, definition: str) -> None:
        self._share = share
        self._definition = definition
        self._values = Ordered()

    def enter(self, value: Decimal) -> None:
        self._values.add(value)

    def leave(self, value: Decimal) -> None:
        self._values.remove(value)

    def result(self, _own: Any) -> Element:
        return compute_percentile(self._values, self._share, self._definition) if len(self._values) else None


class Previous:
    """The value that entered last, while it has not left."""

    def __init__(self) -> None:
        self._last: Element = None
        self._count = 0

    def enter(self, value: Any) -> None:
        self._last = value
        self._count += 1

    def leave(self, _value: Any) -> None:
        self._count -= 1

    def result(self, _own: Any) -> Element:
        return self._last if self._count else None


class MissedSlots:
    """How many expected slots lie between the last member that entered, however long ago, and the record."""

    def __init__(self) -> None:
        self._last: MeterSlot | None = None

    def enter(self, value: MeterSlot) -> None:
        self._last = value

    def leave(self, _value: MeterSlot) -> None:
        """A member that left the window is still the last one before the record."""

    def result(self, own_slot: MeterSlot | None) -> Element:
        if own_slot is None or self._last is None:
            return None
        return Decimal(own_slot.missed_since(self._last))


class Same:
    """How many members have the record's own values."""

    def __init__(self) -> None:
        self._members: Counter[Any] = Counter()

    def enter(self, value: Any) -> None:
        self._members[value] += 1

    def leave(self, value: Any) -> None:
        self._members[value] -= 1
        if not self._members[value]:
            del self._members[value]

    def result(self, own_value: Any) -> Element:
        return ZERO if own_value is None else Decimal(self._members[own_value])


ARGUMENTS_MAX: Final = 10
"""Values that count_same may compare."""

PLAIN_FUNCTIONS: Final = (
    "abs", "round", "floor", "ceil", "clamp", "sqrt", "exp", "ln", "log10", "if", "coalesce",
)  # fmt: skip
"""The functions of formulas that a rule may call."""

EITHER: Final = frozenset(["sum", "average", "min", "max", "median"])
"""Functions of formulas that aggregate over the window when they have one argument."""

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
        "share", "condition", between(1, 1),
        "The part of the members for which a condition is true, from 0 to 1, of those of which it is known.",
        "share({{mass}} between 1 and 40) < 0.95",
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

TABLE_FUNCTIONS: Final = (
    make_leaf(
        "lookup", "table, column, key", between(3, 3),
        "The cell in a column of a table of the rule, in the row whose first cell equals the key. Of several"
        " rows of a key that one is taken whose `effective_from` is the latest by the start of the event. A"
        " key without a row makes a result with the status `error`, and the sentence that names it.",
        "({{gross}} - {{net}}) > (1.02 * lookup(lorries, tare, {{plate}}))", 0, 1,
    ),
)  # fmt: skip
"""The functions of a rule's tables."""

LANGUAGE: Final = Language(
    {
        **{name: FUNCTIONS[name] for name in (*PLAIN_FUNCTIONS, *sorted(EITHER))},
        "avg": FUNCTIONS["average"],
        **{function.name: function for function in (*WINDOW_FUNCTIONS, *FACT_FUNCTIONS, *TABLE_FUNCTIONS)},
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
    of_truths: bool = False
    """Whether it is taken of conditions alone."""
    gives_member: bool = False
    """Whether it gives the value of a member, of any kind; otherwise it gives a number."""
    is_before: bool = False
    """Whether it is read when the record arrives, before the record is a member itself."""
    reads_record: bool = False
    """Whether it compares members with the record."""
    needs_window: bool = True
    enter: Callable[[Sequence[RowStep]], Entering] = _enter_first
    """What of a member enters it, by its arguments."""


def _start_percentile(call: FunctionCall) -> Sliding:
    _, share, *definition = call.arguments
    assert isinstance(share, Number), "the rule was read"  # noqa: S101
    definition_name = definition[0].text if definition and isinstance(definition[0], Word) else DEFINITION
    return Ranked(share.value.scaleb(-2, EXACT), definition_name)


AGGREGATES: Final[Mapping[str, WindowMeaning]] = {
    "count": WindowMeaning(lambda _: Count()),
    "sum": WindowMeaning(lambda _: Sum(), of_numbers=True),
    "average": WindowMeaning(lambda _: Average(), of_numbers=True),
    "stddev": WindowMeaning(lambda _: Deviation(), of_numbers=True),
    "min": WindowMeaning(lambda _: Extreme(is_largest=False), of_numbers=True),
    "max": WindowMeaning(lambda _: Extreme(is_largest=True), of_numbers=True),
    "median": WindowMeaning(lambda _: Ranked(Decimal("0.5"), DEFINITION), of_numbers=True),
    "percentile": WindowMeaning(_start_percentile, of_numbers=True),
    "share": WindowMeaning(lambda _: TrueShare(), of_truths=True),
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


def is_lookup(tree: Expression) -> bool:
    """Whether a node looks up a cell of one of the rule's tables."""
    return isinstance(tree, FunctionCall) and tree.function == TABLE_FUNCTIONS[0].name


def list_lookups(*trees: Expression | None) -> list[FunctionCall]:
    """List what expressions look up in tables, each once."""
    nodes = (node for tree in trees if tree is not None for node in walk(tree))
    return list(dict.fromkeys(node for node in nodes if isinstance(node, FunctionCall) and is_lookup(node)))


def list_aggregates(tree: Expression | None) -> list[FunctionCall]:
    """List the aggregates of an expression, in the order they are written."""
    nodes = walk(tree) if tree is not None else ()
    return [node for node in nodes if isinstance(node, FunctionCall) and is_aggregate(node)]
