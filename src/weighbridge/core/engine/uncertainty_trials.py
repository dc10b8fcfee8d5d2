"""Monte Carlo trials of a model: its run, repeated over values that are drawn anew in each trial
(JCGM 101:2008, 5.9 and 7).

The run is first computed once in decimals over the values as they are given. Nodes that depend on nothing
uncertain keep that result, whatever it is: a missing value stays missing, a default stays the default. The
others are computed again over columns of floats, one number for each trial, in blocks of trials.

An uncertain value is drawn around the value that was given. What is drawn from other ledgers is in each trial
what the run then needs: the amounts of an `upstream` node grow and fall with the node that says how much is
needed, so what is drawn adds up to it, however uncertain it is.

A worked example: a mass of 10 t with u = 0.1 t, times a fraction of 0.8: of 100,000 trials the mean is 8.0 t
and the standard uncertainty 0.08 t.

A trial in which an output has no result is NaN there, and its summary counts it.

Invariants: a trial's values depend on the seed and its number alone, so blocks of any size, computed in any
order by any number of processes, have the same bytes, whatever else is asked for; with nothing uncertain,
each trial is the run in decimals, to the digits of floats.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

import numpy as np

from weighbridge.core.engine.slot_computation import NOT_COMPUTABLE, UNMATCHED, GivenValues
from weighbridge.core.engine.trial_inputs import (
    InputReadings,
    aggregate_column,
    aggregate_over_trials,
    list_weights,
)
from weighbridge.core.engine.trials import try_out
from weighbridge.core.expression import (
    Environment,
    ExpressionError,
    NameScope,
    Type,
    Value,
    number,
    quantity,
    text,
)
from weighbridge.core.expression.tree import FunctionCall, Word, names, walk
from weighbridge.core.expression.trial_compiler import TrialEnvironment, compile_trials, list_cells
from weighbridge.core.expression.trial_values import TrialValues, convert_values, round_to
from weighbridge.core.halt import proceed
from weighbridge.core.model import (
    Aggregate,
    Amount,
    Constant,
    Formula,
    Input,
    Node,
    PreparedModel,
    StaticInput,
    Upstream,
)
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.correlation import CorrelatedEffects
from weighbridge.core.uncertainty.draws import TRIALS_OF_A_CALL, Column
from weighbridge.core.uncertainty.float_functions import NO_RESULT
from weighbridge.core.uncertainty.sampling import (
    BlockOfDraws,
    Mixtures,
    UncertainValue,
    build_mixtures,
    check_statement,
)
from weighbridge.core.uncertainty.trial_summary import TRIALS_MAX, TRIALS_MIN
from weighbridge.core.unit import Unit, parse_unit

TRIALS_OF_A_BLOCK: Final = 8192
"""Trials that are computed at once, where arrays are short: a column of them is 64 kB."""

NUMBERS_OF_A_BLOCK_MAX: Final = 2**19
"""Numbers of the longest array in a block: 4 MB. Longer arrays have blocks of fewer trials."""

DRAWS_MAX: Final = 10_000_000_000
"""How many values all trials of a run may draw together: about a quarter of an hour of a processor."""

Stated = Sequence[UncertainValue]
"""What was stated of a node's values, one by one; a single one is about each of them, drawn for each."""


@dataclass(frozen=True, slots=True)
class TrialSetting:
    """What trials are about: a model, the values that it runs over, and how well each of them is known."""

    program: PreparedModel
    given: GivenValues
    stated: Mapping[str, Stated] = field(default_factory=dict)
    """By the slug of a node that is given its value, or of a constant; of a draw's attribute by
    `slug.attribute`. What is stated of a value that is missing, or a default, says nothing.
    """
    readings: Mapping[str, InputReadings] = field(default_factory=dict)
    """The readings of inputs that go by time or weights, by slug; `stated` is then about each of them."""
    stated_weights: Mapping[str, Stated] = field(default_factory=dict)
    """What was stated of the weights of these readings, by slug."""
    stated_cells: Mapping[tuple[str, str], Stated] = field(default_factory=dict)
    """What was stated of the cells of a table's column, row by row, by table and column."""
    correlated: Sequence[CorrelatedEffects] = ()
    seed: int = 0
    run: str = ""
    """What names the run, where trials of several are added up: values without an identity are drawn by it
    and their node. What runs share, such as constants and static inputs, then needs an identity.
    """


@dataclass(slots=True)
class TrialBlock:
    """Some trials on their way through the nodes."""

    draws: BlockOfDraws
    environment: TrialEnvironment
    values: dict[str, TrialValues]
    """The values of the environment, where nodes add theirs."""
    given: Mapping[str, Column] = field(default_factory=dict)
    """What came of other runs, by the name under which formulas know it."""


_Step = Callable[[TrialBlock], None]
"""Gives a node its value in a block."""


@dataclass(frozen=True, slots=True)
class TrialProgram:
    """Trials ready to run, block by block."""

    targets: tuple[str, ...]
    estimates: Mapping[str, Amount]
    """What the nodes came to in decimals, from the values as they are given."""
    block_size: int
    """How many trials a block should have, for the memory that it takes."""
    varying: frozenset[str]
    """Nodes that differ from trial to trial."""
    draws_of_a_trial: int
    """How many values are drawn in each trial."""
    seed: int
    _mixtures: Mixtures
    _environment: Environment
    _steps: tuple[_Step, ...]

    def run_block(self, first: int, count: int) -> dict[str, Column]:
        """Run trials from `first` on: a column of each target, of an array with a row for each element."""
        return self.compute_block(BlockOfDraws(self.seed, first, count, self._mixtures), {})

    def compute_block(self, draws: BlockOfDraws, given: Mapping[str, Column]) -> dict[str, Column]:
        """Run the trials of some draws over what came of other runs."""
        values: dict[str, TrialValues] = {}
        environment = TrialEnvironment(self._environment, values, {})
        block = TrialBlock(draws, environment, values, given)
        with np.errstate(all="ignore"):
            for step in self._steps:
                proceed()
                step(block)
        return {slug: self._read_target(slug, values, draws.count) for slug in self.targets}

    def _read_target(self, slug: str, values: Mapping[str, TrialValues], count: int) -> Column:
        column = values[slug].values if slug in values else hold_amount(self.estimates[slug])
        # A zero has no sign, and what is beyond all floats is no result.
        finished = np.where(np.isfinite(column), column + 0.0, NO_RESULT)
        return np.ascontiguousarray(np.broadcast_to(finished, (*finished.shape[:-1], count)))


def check_trials(program: TrialProgram, trials: int) -> Problem | None:
    """Say why so many trials cannot be run; None when they can."""
    if not TRIALS_MIN <= trials <= TRIALS_MAX:
        sentence = f"A run has {TRIALS_MIN} to {TRIALS_MAX} trials; here are {trials}."
        return Problem(sentence, "trials", "invalid")
    if trials * program.draws_of_a_trial > DRAWS_MAX:
        sentence = (
            f"{trials} trials of {program.draws_of_a_trial} uncertain values draw more than {DRAWS_MAX}"
            f" values; {DRAWS_MAX // program.draws_of_a_trial} trials do not."
        )
        return Problem(sentence, "trials", "invalid")
    return None


def list_blocks(trials: int, block_size: int) -> list[tuple[int, int]]:
    """The first trial of each block and how many it has."""
    return [(first, min(block_size, trials - first)) for first in range(0, trials, block_size)]


def join_blocks(blocks: Iterable[Mapping[str, Column]]) -> dict[str, Column]:
    """The columns of all trials, of those of blocks in the order of their trials."""
    columns: dict[str, list[Column]] = {}
    for block in blocks:
        for slug, column in block.items():
            columns.setdefault(slug, []).append(column)
    return {slug: np.concatenate(parts, axis=-1) for slug, parts in columns.items()}


def run_trials(program: TrialProgram, trials: int) -> dict[str, Column]:
    """Run trials in this process."""
    return join_blocks(program.run_block(*block) for block in list_blocks(trials, program.block_size))


def prepare_trials(
    setting: TrialSetting, targets: Collection[str]
) -> tuple[TrialProgram | None, tuple[Problem, ...]]:
    """Make trials of the targets ready to run; else say all that is in their way."""
    given_values = _add_readings(setting)
    trial = try_out(setting.program, given_values, targets)
    mixtures, problems = _mix_effects(setting)
    problems += [*trial.problems, *_list_problems(setting, given_values, mixtures)]
    if problems:
        return None, tuple(problems)
    setting = replace(setting, given=given_values)
    environment = _build_environment(setting, trial.values)
    builder = ProgramBuilder(setting, trial.values, environment, targets)
    try:
        return builder.build_program(mixtures), ()
    except ExpressionError as error:
        return None, (Problem(f"At {error.position}: {error.message}", None, NOT_COMPUTABLE),)


def find_block_size(numbers: int) -> int:
    """Return how many trials a block should have that holds so many numbers of each trial at once."""
    size = min(TRIALS_OF_A_BLOCK, NUMBERS_OF_A_BLOCK_MAX // max(numbers, 1))
    return max(TRIALS_OF_A_CALL, size - size % TRIALS_OF_A_CALL)


def _add_readings(setting: TrialSetting) -> GivenValues:
    """The values that were given, with what readings come to."""
    model, values = setting.program.model, dict(setting.given.values)
    for slug, readings in setting.readings.items():
        body = model.node(slug).body
        assert isinstance(body, Input), "only inputs have readings"  # noqa: S101
        amount = readings.aggregate(body.aggregate)
        if amount is not None:
            values[slug] = amount
    return replace(setting.given, values=values)


def _mix_effects(setting: TrialSetting) -> tuple[Mixtures, list[Problem]]:
    try:
        return build_mixtures(setting.correlated), []
    except ValueError as error:
        return {}, [Problem(str(error), "correlated", "invalid")]


def _list_problems(setting: TrialSetting, given_values: GivenValues, mixtures: Mixtures) -> Iterator[Problem]:
    """What is stated of no value, of too many or too few, or cannot be drawn from."""
    for name, stated in _list_stated(setting):
        for value in stated:
            for statement in value.statements:
                if fault := check_statement(statement, mixtures):
                    yield Problem(f"The uncertainty of {name!r} {fault}.", name, NOT_COMPUTABLE)
    for name, stated in setting.stated.items():
        node = setting.program.model.by_slug.get(name.partition(".")[0])
        if (
            node is None
            or isinstance(node.body, Formula)
            or ("." in name and name not in setting.program.types)
        ):
            yield Problem(f"{name!r} is no node that is given its value.", name, "invalid")
            continue
        value_or_list = given_values.values.get(name)
        count = len(value_or_list) if isinstance(value_or_list, tuple) else 1
        if name in setting.readings:
            count = len(setting.readings[name].readings)
        yield from _check_count(name, stated, count)
    for (table, column), stated in setting.stated_cells.items():
        found = setting.program.model.tables.get(table)
        index = None if found is None else found.column(column)
        if found is None or not index or any(isinstance(row[index], str) for row in found.rows):
            sentence = f"{table!r} has no column of numbers {column!r} behind its first one."
            yield Problem(sentence, f"{table}.{column}", "invalid")
        else:
            yield from _check_count(f"{table}.{column}", stated, len(found.rows))


def _list_stated(setting: TrialSetting) -> Iterator[tuple[str, Stated]]:
    yield from setting.stated.items()
    yield from setting.stated_weights.items()
    yield from ((f"{table}.{column}", stated) for (table, column), stated in setting.stated_cells.items())


def _check_count(name: str, stated: Stated, count: int) -> Iterator[Problem]:
    if len(stated) not in {1, count}:
        sentence = f"{name!r} has {count} values, and something is stated of {len(stated)}."
        yield Problem(sentence, name, UNMATCHED)


def hold_amount(amount: Amount) -> Column:
    """An amount as the same in all trials; a missing one is no number."""
    if isinstance(amount, tuple):
        return np.array([float(element) for element in amount]).reshape(-1, 1)
    return np.array([NO_RESULT if amount is None else float(amount)])


class ProgramBuilder:
    """Builds the steps of trials, node by node, from what the run came to in decimals."""

    def __init__(
        self,
        setting: TrialSetting,
        amounts: Mapping[str, Amount],
        environment: Environment,
        targets: Collection[str],
    ) -> None:
        self.setting, self.amounts, self.environment = setting, amounts, environment
        self.types = _add_units_of_run(setting.program.types, environment)
        self.part = setting.program.only(targets)
        self.targets = tuple(slug for slug in setting.program.model.slugs if slug in targets)
        self.varying: set[str] = set()
        self.steps: list[_Step] = []
        self.rows_max = 1
        self.draws = 0

    def build_program(self, mixtures: Mixtures) -> TrialProgram:
        """Build the program; ExpressionError for a formula that has no meaning over trials."""
        self._add_steps()
        return TrialProgram(
            targets=self.targets,
            estimates=self.amounts,
            block_size=find_block_size(self.rows_max),
            varying=frozenset(self.varying),
            draws_of_a_trial=self.draws,
            seed=self.setting.seed,
            _mixtures=mixtures,
            _environment=self.environment,
            _steps=tuple(self.steps),
        )

    def _add_steps(self) -> None:
        """Add the steps of all nodes that differ from trial to trial, in their order."""
        used = {table for node in self.part.nodes for table in _list_tables(node)}
        for place, stated in self.setting.stated_cells.items():
            if place in used:
                self._draw_cells(*place, stated)
        for node in self.part.nodes:
            match node.body:
                case Formula() as formula:
                    self._compute(node, formula)
                case Upstream() as upstream:
                    self._draw_upstream(node, upstream)
                case _:
                    self._draw_node(node)

    def _add(self, name: str, compute: Callable[[TrialBlock], Any]) -> None:
        self.varying.add(name)

        def step(block: TrialBlock) -> None:
            found = compute(block)
            block.values[name] = found if isinstance(found, TrialValues) else TrialValues(found)

        self.steps.append(step)

    def _draw_cells(self, table: str, column: str, stated: Stated) -> None:
        found = self.setting.program.model.tables[table]
        index = found.column(column)
        assert index is not None, "what is stated of cells was checked"  # noqa: S101
        unit = found.columns[index].type.unit
        assert unit is not None, "numbers of tables have a unit"  # noqa: S101
        cells = list_cells(self.setting.program.model.tables, table, column)
        draw = self._build_drawing(f"table {table}.{column}", cells, unit, stated)

        def step(block: TrialBlock) -> None:
            block.environment.cells[table, column] = draw(block.draws)  # type: ignore[index] # made for it

        self.varying.add(f"{table}.{column}")
        self.steps.append(step)

    def _build_drawing(
        self, name: str, amounts: Sequence[Decimal], unit: Unit, stated: Stated
    ) -> Callable[[BlockOfDraws], Column]:
        """Return what draws values in their unit: one row for each."""
        self.rows_max = max(self.rows_max, len(amounts))
        self.draws += len(amounts)
        run = self.setting.run
        each = tuple(stated) * len(amounts) if len(stated) == 1 else tuple(stated)

        def draw(draws: BlockOfDraws) -> Column:
            rows = np.empty((len(amounts), draws.count))
            for place, (amount, value) in enumerate(zip(amounts, each, strict=True)):
                proceed()
                rows[place] = draws.draw_value(amount, unit, value, f"{run}\n{name}\n{place}")
            return rows

        return draw

    def _draw_node(self, node: Node) -> None:
        """Draw the value of a node that was given one."""
        stated, given = self.setting.stated.get(node.slug), self.setting.given.values.get(node.slug)
        value = node.body.value if isinstance(node.body, Constant) else given
        if node.slug in self.setting.readings and value is not None:
            self._draw_readings(node, self.setting.readings[node.slug], stated)
            return
        if stated is None or value is None:
            return
        is_array = self.setting.program.types[node.slug].is_array
        if not isinstance(value, tuple):
            draw_one = self._build_drawing(node.slug, (value,), node.unit, stated)
            self._add(
                node.slug, lambda block: draw_one(block.draws) if is_array else draw_one(block.draws)[0]
            )
            return
        draw = self._build_drawing(node.slug, value, node.unit, stated)
        kind = Aggregate.VALUES if isinstance(node.body, StaticInput) else _require_input(node).aggregate
        if kind is not Aggregate.COUNT and value:
            self._add(node.slug, lambda block: aggregate_column(kind, draw(block.draws)))

    def _draw_readings(self, node: Node, source: InputReadings, stated: Stated | None) -> None:
        """Draw the readings of an input, or their weights, and aggregate them."""
        stated_weights = self.setting.stated_weights.get(node.slug)
        if stated is None and stated_weights is None:
            return
        kind = _require_input(node).aggregate
        amounts, weights = [reading.value for reading in source.readings], list_weights(source.readings)
        draw = self._build_drawing_or_hold(node.slug, amounts, node.unit, stated)
        draw_weights = (
            None
            if weights is None
            else self._build_drawing_or_hold(f"weights of {node.slug}", weights, node.unit, stated_weights)
        )
        self._add(
            node.slug,
            lambda block: aggregate_over_trials(
                kind, source, draw(block.draws), None if draw_weights is None else draw_weights(block.draws)
            ),
        )

    def _build_drawing_or_hold(
        self, name: str, amounts: Sequence[Decimal], unit: Unit, stated: Stated | None
    ) -> Callable[[BlockOfDraws], Column]:
        if stated is not None:
            return self._build_drawing(name, amounts, unit, stated)
        held = hold_amount(tuple(amounts))
        return lambda _draws: held

    def _draw_upstream(self, node: Node, body: Upstream) -> None:
        """Draw what came from another ledger and what travels along; amounts follow what is needed."""
        for slug in body.attributes:
            name = f"{node.slug}.{slug}"
            unit = self.types[name].unit
            if unit is not None and (attribute := self._find_drawn(name, unit)) is not None:
                self._add(name, attribute)
        need = body.amount if body.amount in self.varying else None
        needed = None if need is None else self.amounts[need]
        amounts = list_amounts(self.amounts.get(node.slug))
        is_following = isinstance(needed, Decimal) and needed != 0
        drawn = self._find_drawn(node.slug, node.unit)
        if not amounts or (drawn is None and not is_following):
            return
        draw = drawn or _hold(amounts)
        if not is_following:
            self._add(node.slug, draw)
            return
        assert isinstance(needed, Decimal), "it was just seen to be"  # noqa: S101
        before = float(needed)

        def follow(block: TrialBlock) -> Column:
            needed_then = block.values[need or ""].values
            part = np.where(needed_then >= 0.0, needed_then / before, NO_RESULT)
            return np.multiply(draw(block), part)

        self._add(node.slug, follow)

    def _find_drawn(self, name: str, unit: Unit) -> Callable[[TrialBlock], Column] | None:
        """What draws an amount that came from other ledgers, or an attribute; None if it is certain."""
        if name not in self.setting.stated:
            return None
        amounts = list_amounts(self.setting.given.values.get(name))
        draw = self._build_drawing(name, amounts, unit, self.setting.stated[name])
        return lambda block: draw(block.draws)

    def _compute(self, node: Node, formula: Formula) -> None:
        """Compute a formula over trials when anything that it reads differs between them."""
        read = {name.text for name in names(formula.tree)}
        cells = {f"{table}.{column}" for table, column in _list_tables(node)}
        if not (read | cells) & self.varying:
            return
        scope = NameScope(self.types, self.setting.program.model.tables)
        compiled = compile_trials(formula.tree, scope)
        unit, rounding = compiled.type.unit, node.rounding
        assert unit is not None, "its names have units"  # noqa: S101

        def compute(block: TrialBlock) -> TrialValues:
            held = convert_values(compiled.step(block.environment), unit, node.unit)
            if rounding is None:
                return held
            return TrialValues(round_to(held.values, rounding.places, rounding.mode), held.missing)

        self._add(node.slug, compute)


def _add_units_of_run(types: Mapping[str, Type], environment: Environment) -> dict[str, Type]:
    """The types of names; attributes that are listed without a unit have that which they have in the run."""
    values = environment.values
    return {
        name: replace(known, unit=values[name].type.unit) if known.unit is None and name in values else known
        for name, known in types.items()
    }


def _hold(amounts: tuple[Decimal, ...]) -> Callable[[TrialBlock], Column]:
    held = hold_amount(amounts)
    return lambda _block: held


def _require_input(node: Node) -> Input:
    assert isinstance(node.body, Input), "a list is of an input"  # noqa: S101
    return node.body


def list_amounts(value: Decimal | tuple[Decimal, ...] | None) -> tuple[Decimal, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, Decimal) else value


def _list_tables(node: Node) -> Iterator[tuple[str, str]]:
    """The tables and columns that a node looks up."""
    if isinstance(node.body, Formula):
        for part in walk(node.body.tree):
            match part:
                case FunctionCall(
                    function="lookup" | "interpolate", arguments=(Word() as table, Word() as column, *_)
                ):
                    yield table.text, column.text


def _build_environment(setting: TrialSetting, amounts: Mapping[str, Amount]) -> Environment:
    """What formulas may name, as the run in decimals had it."""
    given, types, model = setting.given, setting.program.types, setting.program.model
    values = {
        f"partition.{name}": text(given.partition.get(name)) for name in ("asset", "feedstock", "tracking_id")
    }
    for name, amount in {**given.values, **amounts}.items():
        is_list = isinstance(amount, tuple)
        if name in types and (name in amounts or "." in name):
            is_attribute = name not in amounts
            content = list_amounts(amount) if is_attribute else amount
            origin = types[name].origin if is_list or is_attribute else None
            values[name] = Value(number(types[name].unit, origin), content)
    hours = parse_unit("h")
    durations = {
        slug: Value(number(hours, types[slug].origin), lengths)
        for slug, lengths in given.hours.items()
        if slug in types
    }
    return Environment(
        values,
        model.tables,
        durations,
        None if given.period_days is None else quantity(given.period_days, parse_unit("d")),
        None if given.period_hours is None else quantity(given.period_hours, hours),
    )
