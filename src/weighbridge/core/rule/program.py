"""A program is a rule made ready to evaluate records: where each value stands in a row, and what to compute.

Invariants: a program has no state but what is left of its budget; the values of a record stand in the order
of `names`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import FUNCTIONS, Budget
from weighbridge.core.expression.pattern import Spend
from weighbridge.core.expression.tree import Expression, FunctionCall, Name, Word, walk
from weighbridge.core.expression.value import Element, Fault
from weighbridge.core.rule.compiling import Computed, Row, RowIndexes, compiled
from weighbridge.core.rule.definition import Rule
from weighbridge.core.rule.functions import FACTS, is_fact
from weighbridge.core.rule.record import Record
from weighbridge.core.rule.windows.sliding import BEFORE, Sliding, sliding

COST_MAX: Final = 20_000_000
"""How much evaluating a rule may cost once, beside what its records add."""

COST_OF_RECORD_MAX: Final = 1_000
"""What each record adds to what evaluating a rule may cost: a hundred times what most cost."""

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
    budget: Budget
    """What is left of what evaluating it may cost."""
    cost: int
    """What evaluating it for a record costs, but for texts that are matched."""

    def spend_on_record(self) -> None:
        """Count what a record costs; ExpressionError when the rule has cost too much.

        Each record adds its part to the budget, so that only a rule that costs far more than most is stopped,
        however many records there are.
        """
        self.budget.limit += COST_OF_RECORD_MAX
        self.budget.spend(self.cost, self.rule.tree.position)

    def row(self, record: Record) -> list[Element]:
        """The values and facts of a record."""
        return [*record.values, *(fact(record) for fact in self.facts)]


def program_of(rule: Rule, budget: Budget | None = None) -> RuleProgram:
    """Make a rule ready to be evaluated once, with a budget of its own unless one is given."""
    names = rule.names
    trees = [tree for tree in (rule.tree, rule.where, rule.correction) if tree is not None]
    allowed = budget or Budget(COST_MAX)

    def spend(states: int) -> None:
        allowed.spend(states, rule.tree.position)

    facts = tuple(dict.fromkeys(node for tree in trees for node in walk(tree) if is_fact(node)))
    own: dict[Expression, int] = {node: index for index, node in enumerate((*names, *facts))}
    everything = own | {call: index for index, call in enumerate(rule.aggregates, start=len(own))}
    return RuleProgram(
        rule,
        names,
        tuple(FACTS[fact.function] for fact in facts if isinstance(fact, FunctionCall)),
        tuple(
            WindowAggregate(call, _entering(call, own, spend), call.function in BEFORE)
            for call in rule.aggregates
        ),
        None if rule.where is None else compiled(rule.where, own, spend),
        compiled(rule.tree, everything, spend),
        None if rule.correction is None else compiled(rule.correction, everything, spend),
        allowed,
        sum(cost_of(node) for tree in trees for node in walk(tree)),
    )


def cost_of(node: Expression) -> int:
    """What computing a node costs."""
    function = FUNCTIONS.get(node.function) if isinstance(node, FunctionCall) else None
    return 1 if function is None else function.operation.cost


def _entering(call: FunctionCall, indexes: RowIndexes, spend: Spend) -> Entering:
    """What of a member an aggregate is given: None when there is nothing."""
    if call.function == "missed_slots":
        return lambda _row, record: record.slot
    arguments = [
        compiled(argument, indexes, spend) for argument in call.arguments if not isinstance(argument, Word)
    ]
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
