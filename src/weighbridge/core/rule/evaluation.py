"""Evaluation takes the records of a rule in their order, in one pass, and finds those that it alerts on.

A program is a rule made ready for that: where each value is in a row, and what to compute. For each group of
records that are members of one another's windows the pass keeps the window of the latest: what entered, in
order, and the aggregates that slide along. A record of a whole period is decided when its period is over.

Invariants: what is found for a record depends on the records and their order alone, not on the portions they
come in; a record that is no target is never found; a program has no state but what is left of its budget.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from typing import Any, Final, NamedTuple

from weighbridge.core.expression import FUNCTIONS, Budget
from weighbridge.core.expression.compiler import compile_row
from weighbridge.core.expression.pattern import Spend
from weighbridge.core.expression.tree import Expression, FunctionCall, Name, Word, walk
from weighbridge.core.expression.value import Element, Fault, RowStep
from weighbridge.core.halt import proceeding
from weighbridge.core.rule.definition import Calendar, Extent, MemberScope, Record, Rolling, Rule
from weighbridge.core.rule.facts import FACTS, FactMeaning, is_fact
from weighbridge.core.rule.functions import AGGREGATES, Entering, Sliding, list_lookups
from weighbridge.core.time.calendar import Interval

COST_MAX: Final = 20_000_000
"""The most that one evaluation may cost, without the costs per record."""

COST_OF_RECORD_MAX: Final = 1_000
"""What each record adds to what evaluating a rule may cost: a hundred times what most cost."""

COST_OF_PERIOD: Final = 20
"""What finding a period of the calendar costs."""


_RECORDS_BETWEEN_FORGETTING: Final = 4_096

_Lookup = Callable[[Record], Element]


@dataclass(frozen=True, slots=True)
class WindowAggregate:
    """One aggregate: the value of a member that enters, and whether it is read before the record enters."""

    call: FunctionCall
    entering: Entering
    is_before: bool

    def start(self) -> Sliding:
        """Return the aggregate of an empty window."""
        return AGGREGATES[self.call.function].start(self.call)


@dataclass(frozen=True, slots=True)
class RuleProgram:
    """What to do for each record of a rule."""

    rule: Rule
    names: tuple[Name, ...]
    facts: tuple[Callable[[Record], Element], ...]
    aggregates: tuple[WindowAggregate, ...]
    is_member: RowStep | None
    """The condition of the window, on a record's values and facts."""
    same: RowStep | None
    """What members have in common with the record, on the same."""
    verdict: RowStep
    """The expression, on a record's values, facts and aggregates."""
    correction: RowStep | None
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


def compile_rule(rule: Rule, budget: Budget | None = None, zone: tzinfo = UTC) -> RuleProgram:
    """Make a rule ready to be evaluated once, with a budget of its own unless one is given.

    The zone is that of the project's calendar.
    """
    names = rule.names
    trees = [tree for tree in (rule.tree, rule.where, rule.same, rule.correction) if tree is not None]
    budget_left = budget or Budget(COST_MAX)

    def spend(states: int) -> None:
        budget_left.spend(states, rule.tree.position)

    def aggregate(call: FunctionCall) -> WindowAggregate:
        meaning = AGGREGATES[call.function]
        arguments = [
            compile_row(argument, own_indices, spend)
            for argument in call.arguments
            if not isinstance(argument, Word)
        ]
        return WindowAggregate(call, meaning.enter(arguments), meaning.is_before)

    facts = tuple(dict.fromkeys(node for tree in trees for node in walk(tree) if is_fact(node)))
    name_indices: dict[Expression, int] = {name: index for index, name in enumerate(names)}
    lookups = list_lookups(*trees)
    own_indices: dict[Expression, int] = {
        node: index for index, node in enumerate((*names, *facts, *lookups))
    }
    everything = own_indices | {
        call: index for index, call in enumerate(rule.aggregates, start=len(own_indices))
    }
    return RuleProgram(
        rule,
        names,
        (
            *(
                partial(_compute_fact, FACTS[fact.function], zone)
                for fact in facts
                if isinstance(fact, FunctionCall)
            ),
            *(_compile_lookup(rule, call, name_indices, spend) for call in lookups),
        ),
        tuple(aggregate(call) for call in rule.aggregates),
        None if rule.where is None else compile_row(rule.where, own_indices, spend),
        None if rule.same is None else compile_row(rule.same, own_indices, spend),
        compile_row(rule.tree, everything, spend),
        None if rule.correction is None else compile_row(rule.correction, everything, spend),
        budget_left,
        sum(compute_cost(node) for tree in trees for node in walk(tree)),
    )


def _compile_lookup(
    rule: Rule, call: FunctionCall, indices: Mapping[Expression, int], spend: Spend
) -> _Lookup:
    """What a table has for a record, by the record's own values and its start."""
    table, column, key = call.arguments
    assert isinstance(table, Word) and isinstance(column, Word)  # noqa: S101, PT018 - the rule was read
    of = rule.tables[table.text]
    place, compute_key = of.columns.index(column.text), compile_row(key, indices, spend)
    return lambda record: of.look_up(place, compute_key(record.values), record.start, call.position)


def _compute_fact(meaning: FactMeaning, zone: tzinfo, record: Record) -> Element:
    return meaning.compute(record, zone)


def compute_cost(node: Expression) -> int:
    """What computing a node costs."""
    function = FUNCTIONS.get(node.function) if isinstance(node, FunctionCall) else None
    return 1 if function is None else function.meaning.cost


class Finding(NamedTuple):
    """A record that the rule is true for, or that it could not be evaluated for, with the reason."""

    record: Record
    error: str | None
    correction: Element = None
    """What the rule's correction comes to, if it has one."""


class GroupWindow:
    """The window of one group: its members from the oldest on, and the aggregates over them."""

    __slots__ = ("aggregates", "faults", "is_alone", "members", "waiting")

    def __init__(self, program: RuleProgram, *, is_alone: bool = False) -> None:
        self.is_alone = is_alone
        self.members: deque[tuple[datetime, Sequence[Any]]] = deque()
        self.aggregates = [aggregate.start() for aggregate in program.aggregates]
        # A member whose value has no result is kept apart; until it leaves, the aggregate has no result.
        self.faults: list[deque[Fault]] = [deque() for _ in program.aggregates]
        self.waiting: list[tuple[Record, list[Element], Sequence[Any]]] = []

    def enter(self, moment: datetime, values: Sequence[Any]) -> None:
        """A member enters every aggregate that it has a value for."""
        self.members.append((moment, values))
        for aggregate, faults, value in zip(self.aggregates, self.faults, values, strict=True):
            if isinstance(value, Fault):
                faults.append(value)
            elif value is not None:
                aggregate.enter(value)

    def leave(self) -> None:
        """The oldest member leaves."""
        _, values = self.members.popleft()
        for aggregate, faults, value in zip(self.aggregates, self.faults, values, strict=True):
            if isinstance(value, Fault):
                faults.popleft()
            elif value is not None:
                aggregate.leave(value)

    def leave_before(self, moment: datetime) -> None:
        """Every member that starts before the moment leaves."""
        members = self.members
        while members and members[0][0] < moment:
            self.leave()

    def leave_beyond(self, count: int) -> None:
        """Only so many members stay, the latest."""
        while len(self.members) > count:
            self.leave()

    def result(self, index: int, own_value: Any) -> Element:
        """What one aggregate is for a record whose own value this is."""
        faults = self.faults[index]
        return faults[0] if faults else self.aggregates[index].result(own_value)


class Evaluation:
    """One pass of a program over records; the zone is that of the project's calendar."""

    def __init__(self, program: RuleProgram, zone: tzinfo) -> None:
        self._program = program
        self._zone = zone
        self._window = program.rule.window
        self._groups: dict[Hashable, GroupWindow] = {}
        self._period: Interval | None = None
        self._opening: datetime | None = None
        self._findings: list[Finding] = []
        self._passed = 0
        self.evaluated = 0
        """How many targets there were."""

    def take(self, records: Iterable[Record]) -> list[Finding]:
        """Take the next records in order; give what is decided by now.

        Raises ExpressionError when the rule costs too much.
        """
        about_itself = self._program.rule.is_about_itself
        for record in proceeding(records):
            self._program.spend_on_record()
            self.evaluated += record.is_target
            row = self._program.row(record)
            if about_itself:
                if record.is_target:
                    self._decide(record, row)
            else:
                self._take_member(record, row)
        return self._hand_out()

    def finish(self) -> list[Finding]:
        """Decide what waited for later records."""
        self._close_period()
        return self._hand_out()

    def _hand_out(self) -> list[Finding]:
        findings, self._findings = self._findings, []
        return findings

    def _take_member(self, record: Record, row: list[Element]) -> None:
        program, window = self._program, self._window
        if isinstance(window, Calendar):
            self._open_period(window, record.start)
        group = self._group(record, row)
        values = [aggregate.entering(row, record) for aggregate in program.aggregates]
        is_member = program.is_member is None or program.is_member(row) is True
        match window:
            case Calendar(extent=extent):
                group.leave_before(self._opening or record.start)
                value_before = self._before(group, values)
                self._enter(group, record, values, is_member=is_member)
                if not record.is_target:
                    return
                group.waiting.append((record, [*row, *value_before], values))
                if extent is Extent.TO_DATE or group.is_alone:
                    self._decide_waiting(group)
            case _:
                self._roll(window, group, record, row, values, is_member=is_member)

    def _roll(
        self,
        window: Rolling | None,
        group: GroupWindow,
        record: Record,
        row: list[Element],
        values: Sequence[Any],
        *,
        is_member: bool,
    ) -> None:
        if window is not None and window.duration is not None:
            group.leave_before(record.start - window.duration)
        value_before = self._before(group, values)
        includes_current = window is not None and window.includes_current
        if includes_current:
            self._enter(group, record, values, is_member=is_member)
        if record.is_target:
            group.waiting.append((record, [*row, *value_before], values))
            self._decide_waiting(group)
        if not includes_current:
            self._enter(group, record, values, is_member=is_member)

    def _enter(self, group: GroupWindow, record: Record, values: Sequence[Any], *, is_member: bool) -> None:
        if not is_member:
            return
        group.enter(record.start, values)
        match self._window:
            case None:
                group.leave_beyond(0)
            case Rolling(members=int(count)):
                group.leave_beyond(count)

    def _group(self, record: Record, row: Sequence[Element]) -> GroupWindow:
        """The window of a record; one without what members have in common has none but itself."""
        name: Hashable = record.group
        if self._program.same is not None:
            common = self._program.same(row)
            if common is None or isinstance(common, Fault):
                return GroupWindow(self._program, is_alone=True)
            name = (record.group, common)
            self._passed += 1
            if not self._passed % _RECORDS_BETWEEN_FORGETTING:
                self._forget_groups(record.start)
        if self._program.rule.scope is MemberScope.EVENT:
            self._close_period()
            self._groups = {}
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = GroupWindow(self._program)
        return group

    def _forget_groups(self, moment: datetime) -> None:
        """Forget the windows that hold nothing any more; what records have in common may be new in each."""
        match self._window:
            case Rolling(duration=timedelta() as duration):
                oldest = moment - duration
            case Calendar():
                oldest = self._opening or moment
            case _:
                return
        self._groups = {
            name: group
            for name, group in self._groups.items()
            if group.waiting or (group.members and group.members[-1][0] >= oldest)
        }

    def _before(self, group: GroupWindow, values: Sequence[Any]) -> list[Element]:
        """Return the aggregates that read the members before the record; None in place of the others."""
        return [
            group.result(index, values[index]) if aggregate.is_before else None
            for index, aggregate in enumerate(self._program.aggregates)
        ]

    def _open_period(self, window: Calendar, moment: datetime) -> None:
        if self._period is not None and moment < self._period.end:
            return
        self._close_period()
        self._program.budget.spend(window.value * COST_OF_PERIOD, self._program.rule.tree.position)
        self._period = window.period(moment, self._zone)
        self._opening = window.opening(self._period, self._zone)

    def _close_period(self) -> None:
        for group in self._groups.values():
            if group.waiting:
                self._decide_waiting(group)

    def _decide_waiting(self, group: GroupWindow) -> None:
        """Decide the targets of a group by its current window."""
        first = len(self._program.names) + len(self._program.facts)
        for record, row, values in group.waiting:
            for index, aggregate in enumerate(self._program.aggregates):
                if not aggregate.is_before:
                    row[first + index] = group.result(index, values[index])
            self._decide(record, row)
        group.waiting.clear()

    def _decide(self, record: Record, row: list[Element]) -> None:
        verdict = self._program.verdict(row)
        if verdict is True:
            correction = self._program.correction
            self._findings.append(Finding(record, None, None if correction is None else correction(row)))
        elif isinstance(verdict, Fault):
            self._findings.append(Finding(record, str(verdict.error)))
