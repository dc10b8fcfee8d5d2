"""A program is a rule made ready to evaluate records: where each value stands in a row, and what to compute.

Invariants: a program has no state; the values of a record stand in the order of `names`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.expression.tree import Expression, FunctionCall, Name, Word, walk
from weighbridge.core.expression.value import Element, Fault
from weighbridge.core.rule.compiling import Computed, Row, RowIndexes, compiled
from weighbridge.core.rule.definition import Rule
from weighbridge.core.rule.functions import FACTS, is_fact
from weighbridge.core.rule.record import Record
from weighbridge.core.rule.windows.sliding import BEFORE, Sliding, sliding

Entering = Callable[[Row, Record], object]


@dataclass(frozen=True, slots=True)
class WindowAggregate:
    """One aggregate: what of a member enters it, and whether it is told before the record enters."""

    call: FunctionCall
    entering: Entering
    is_before: bool

    def start(self) -> Sliding:
        """The aggregate of an empty window."""
        return sliding(self.call)


@dataclass(frozen=True, slots=True)
class RuleProgram:
    """What to do for each record of a rule."""

    rule: Rule
    names: tuple[Name, ...]
    facts: tuple[Callable[[Record], Decimal], ...]
    aggregates: tuple[WindowAggregate, ...]
    is_member: Computed | None
    """The condition of the window, on a record's values and facts."""
    verdict: Computed
    """The expression, on a record's values, facts and aggregates."""
    correction: Computed | None
    """The correction, on the same."""

    def row(self, record: Record) -> list[Element]:
        """The values and facts of a record."""
        return [*record.values, *(fact(record) for fact in self.facts)]


def program_of(rule: Rule) -> RuleProgram:
    """Make a rule ready."""
    names = rule.names
    trees = [tree for tree in (rule.tree, rule.where, rule.correction) if tree is not None]
    facts = tuple(dict.fromkeys(node for tree in trees for node in walk(tree) if is_fact(node)))
    own: dict[Expression, int] = {node: index for index, node in enumerate((*names, *facts))}
    everything = own | {call: index for index, call in enumerate(rule.aggregates, start=len(own))}
    return RuleProgram(
        rule,
        names,
        tuple(FACTS[fact.function] for fact in facts if isinstance(fact, FunctionCall)),
        tuple(
            WindowAggregate(call, _entering(call, own), call.function in BEFORE) for call in rule.aggregates
        ),
        None if rule.where is None else compiled(rule.where, own),
        compiled(rule.tree, everything),
        None if rule.correction is None else compiled(rule.correction, everything),
    )


def _entering(call: FunctionCall, indexes: RowIndexes) -> Entering:
    """What of a member an aggregate is given: None when there is nothing."""
    if call.function == "missed_slots":
        return lambda _row, record: record.slot
    arguments = [compiled(argument, indexes) for argument in call.arguments if not isinstance(argument, Word)]
    if call.function == "count_same":
        return lambda row, _record: _together([argument(row) for argument in arguments])
    if not arguments:
        return lambda _row, _record: True
    first = arguments[0]
    return lambda row, _record: first(row)


def _together(values: list[Element]) -> tuple[Element, ...] | Fault | None:
    for value in values:
        if value is None or isinstance(value, Fault):
            return value
    return tuple(values)
