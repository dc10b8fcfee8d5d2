"""Monte Carlo trials of a chain of runs: each run repeated over what its sources came to in the same trial.

Runs are those that were posted, with what their inputs were read of (`TrialBasis`). A draw of `a` from a run
that came to `Q` takes in each trial `a / Q` of what the run comes to there, as first order takes it effect by
effect; so what partitions get of a run adds up to the run in each trial.

What is drawn once, and what for itself:

    a reading                by its event and data point type: the same error wherever it is read
    an effect with a name    once for all that name it, such as a calibration
    a constant, a column     once for all runs of the model
    a static input           once for all runs that read the value

Long series are pooled: a sum or an average of readings of which there are only sums is drawn once for each
statement, as a normal error (or, with degrees of freedom, as Student's t) with the exact standard deviation
of the sum, s sqrt(sum of squares). For normal errors that is their sum. For others it is the central limit:
of n equal rectangular errors the distribution function is off by at most 0.02 / n, of arcsine errors by
0.03 / n, of triangular ones by 0.01 / n (the first term of Edgeworth's series, kurtosis / (24 n) times at
most 0.55 x 6 / sqrt(2 pi)), so from 1,000 readings on by less than 1e-4. One reading that outweighs the
others is not foreseen.

Invariants: a trial depends on the seed and its number alone, so blocks of any size, in any order, have the
same bytes; a run of the chain has the same trials in every chain.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Final

import numpy as np

from weighbridge.core.engine.chain import POOLED_FROM, ChainError, ChainRun, ChainTerm, DrawnRun
from weighbridge.core.engine.input_reads import NO_READS, KeptReading, ReadGroup
from weighbridge.core.engine.reading_families import PointRead, find_reading_families
from weighbridge.core.engine.slot_computation import GivenValues
from weighbridge.core.engine.stated_values import StatedClass, keep_extreme, sum_changes, sum_moments
from weighbridge.core.engine.trial_inputs import InputReadings, aggregate_over_trials, list_weights
from weighbridge.core.engine.uncertainty import find_static_statement, name_static_effect
from weighbridge.core.engine.uncertainty_trials import (
    DRAWS_MAX,
    ProgramBuilder,
    TrialBlock,
    TrialProgram,
    TrialSetting,
    find_block_size,
    hold_amount,
)
from weighbridge.core.expression import ExpressionError
from weighbridge.core.expression.trial_values import TrialValues, convert_values
from weighbridge.core.model import Aggregate, Constant, Input, Model, Node, StaticInput
from weighbridge.core.model.aggregates import Reading
from weighbridge.core.number import CONTEXT, ZERO
from weighbridge.core.uncertainty.correlation import CorrelatedEffects
from weighbridge.core.uncertainty.draws import Column
from weighbridge.core.uncertainty.effects import UncertaintyEffect
from weighbridge.core.uncertainty.float_functions import sum_rows
from weighbridge.core.uncertainty.sampling import (
    BlockOfDraws,
    Mixtures,
    UncertainValue,
    build_mixtures,
    check_statement,
)
from weighbridge.core.uncertainty.statement import Distribution, Percentiles, Statements, UncertaintyStatement
from weighbridge.core.unit import ONE, Unit


@dataclass(frozen=True, slots=True)
class ChainProgram:
    """Trials of a chain ready to run, block by block."""

    seed: int
    draws_of_a_trial: int
    block_size: int
    """How many trials to compute at once, for the memory that it takes."""
    _mixtures: Mixtures
    _programs: tuple[tuple[ChainRun, TrialProgram], ...]
    _terms: tuple[ChainTerm, ...]
    _certain: float

    def run_block(self, first: int, count: int) -> Column:
        """Return the result of trials from `first` on; NaN where it has none."""
        parts = [
            self._run_part(start, min(self.block_size, first + count - start))
            for start in range(first, first + count, self.block_size)
        ]
        return np.concatenate(parts)

    def _run_part(self, first: int, count: int) -> Column:
        draws = BlockOfDraws(self.seed, first, count, self._mixtures)
        columns: dict[tuple[str, str], Column] = {}
        for run, program in self._programs:
            given = dict(_take_from_sources(run, columns, count))
            found = program.compute_block(draws, given)
            columns |= {(run.name, output): column for output, column in found.items()}
        result = np.full(count, self._certain)
        for term in self._terms:
            result = result + columns[term.run, term.output] * float(term.factor)
        return result


def prepare_chain(
    runs: Sequence[ChainRun], terms: Sequence[ChainTerm], seed: int, certain: Decimal = ZERO
) -> ChainProgram:
    """Make trials of the sum of some terms ready to run; `runs` come after those that they draw from.

    `certain` is what the sum has besides.

    Raises ChainError with what is in the way.
    """
    targets: dict[str, set[str]] = {run.name: set() for run in runs}
    for term in terms:
        targets[term.run].add(term.output)
    for run in reversed(runs):
        for source in _list_sources(run):
            targets[source.run] |= {source.output, *(output for output, _ in source.attributes)}
    mixtures = _mix_effects(runs)
    programs = [(run, _build_program(run, targets[run.name], mixtures, seed)) for run in runs]
    draws = sum(program.draws_of_a_trial for _, program in programs)
    return ChainProgram(
        seed,
        draws,
        min([find_block_size(draws // _DRAWS_KEPT), *(program.block_size for _, program in programs)]),
        mixtures,
        tuple(programs),
        tuple(terms),
        float(certain),
    )


def check_chain(program: ChainProgram, trials: int) -> None:
    """Raise ChainError when so many trials draw more values than a run may."""
    if trials * program.draws_of_a_trial > DRAWS_MAX:
        raise ChainError(
            f"{trials:,} trials of {program.draws_of_a_trial:,} uncertain values draw more than"
            f" {DRAWS_MAX:,} values; {DRAWS_MAX // program.draws_of_a_trial:,} trials do not."
        )


def join_bytes(blocks: Sequence[bytes]) -> Column:
    """Return the results of blocks of trials, in their order, of eight bytes each with the lowest first."""
    return np.frombuffer(b"".join(blocks), dtype="<f8").astype(np.float64)


_DRAWS_KEPT: Final = 8
"""Draws of a trial that take as little memory, kept for the block, as one number in work."""


def _list_sources(run: ChainRun) -> Iterator[DrawnRun]:
    for sources in run.sources.values():
        yield from (source for source in sources if source is not None)


def _take_from_sources(
    run: ChainRun, columns: Mapping[tuple[str, str], Column], count: int
) -> Iterator[tuple[str, Column]]:
    """What a run draws in each trial, by the names under which its formulas know it."""
    for node, sources in run.sources.items():
        if not any(sources):
            continue
        draws = list(_list_amounts(run.amounts.get(node)))
        rows = np.empty((len(draws), count))
        for place, (amount, source) in enumerate(zip(draws, sources, strict=True)):
            rows[place] = float(amount) if source is None else _take(columns, source)
        yield node, rows
        for column, slug in enumerate(run.program.model.node(node).body.attributes):  # type: ignore[union-attr]
            name = f"{node}.{slug}"
            held = _list_amounts(run.basis.environment.values[name].content)
            of_attribute = np.empty((len(draws), count))
            for place, (amount, source) in enumerate(zip(held, sources, strict=True)):
                if source is None:
                    of_attribute[place] = float(amount)
                else:
                    output, slope = source.attributes[column]
                    of_attribute[place] = columns[source.run, output] * float(slope)
            yield name, of_attribute


def _take(columns: Mapping[tuple[str, str], Column], source: DrawnRun) -> Column:
    """What a draw takes of its source's run in each trial; a discount stays what it was."""
    return columns[source.run, source.output] * float(source.part) - float(source.discount)


def _list_amounts(content: object) -> tuple[Decimal, ...]:
    assert isinstance(content, tuple), "what is drawn is an array"  # noqa: S101
    return content


def _build_program(run: ChainRun, targets: Collection[str], mixtures: Mixtures, seed: int) -> TrialProgram:
    try:
        return _ChainBuilder(run, targets, mixtures, seed).build_program(mixtures)
    except ExpressionError as error:
        raise ChainError(f"A formula of {run.program.model.name!r}: {error.message}") from None


# Effects: by what name a statement is drawn, and which of them are correlated.


def _name_effects(model: Model) -> frozenset[str]:
    """The names that the model's correlations are about."""
    pairs = () if model.uncertainty is None else model.uncertainty.correlations
    return frozenset(name for one, other, _ in pairs for name in (one, other))


def _mix_effects(runs: Sequence[ChainRun]) -> Mixtures:
    """How the correlated effects of all runs are drawn."""
    coefficients: dict[frozenset[str], Decimal] = {}
    for run in runs:
        model = run.program.model
        pairs = () if model.uncertainty is None else model.uncertainty.correlations
        for one, other, coefficient in pairs:
            for pair in map(frozenset, product(_name_correlated(run, one), _name_correlated(run, other))):
                if coefficients.setdefault(pair, coefficient) != coefficient:
                    raise ChainError(
                        f"The models of the chain state several correlations of {one!r} and {other!r};"
                        " trials need one."
                    )
    try:
        return build_mixtures([*_group_correlated(coefficients)])
    except ValueError as error:
        raise ChainError(str(error)) from None


def _name_correlated(run: ChainRun, name: str) -> list[str]:
    """The effects that a correlation of a model is about: of the model, of the run, or one with a name."""
    model = run.program.model
    node = model.by_slug.get(name)
    if node is not None and isinstance(node.body, Input):
        return [str(_name_own(run, node))]
    if node is not None and isinstance(node.body, StaticInput):
        numbers = dict.fromkeys(run.basis.statics.get(name, ()))
        return [str(name_static_effect(node.body.slug, number)) for number in numbers]
    is_own = node is not None or tuple(name.split(".")) in model.table_uncertainties
    return [str(UncertaintyEffect(name, model.name)) if is_own else name]


def _name_own(run: ChainRun, node: Node) -> UncertaintyEffect:
    """The effect that the values of an input have for themselves."""
    return UncertaintyEffect(node.slug, run.owner)


def _group_correlated(coefficients: Mapping[frozenset[str], Decimal]) -> Iterator[CorrelatedEffects]:
    """Correlations as matrices of the effects that hang together."""
    groups: list[set[str]] = []
    for pair in coefficients:
        touched = [group for group in groups if group & pair]
        groups = [group for group in groups if group not in touched] + [set(pair).union(*touched)]
    for group in groups:
        names = tuple(sorted(group))
        yield CorrelatedEffects(
            names,
            tuple(
                tuple(
                    Decimal(1) if one == other else coefficients.get(frozenset((one, other)), ZERO)
                    for other in names
                )
                for one in names
            ),
        )


# The program of one run: the builder of trials, which takes values from what was read.


class _ChainBuilder(ProgramBuilder):
    """Builds the steps of a run's trials from what its inputs were read of and its sources come to."""

    def __init__(self, run: ChainRun, targets: Collection[str], mixtures: Mixtures, seed: int) -> None:
        model = run.program.model
        self.run, self.mixtures, self.named = run, mixtures, _name_effects(model)
        cells = {
            (table, column): (
                self._state_shared(UncertaintyEffect(f"{table}.{column}", model.name), statement),
            )
            for (table, column), statement in model.table_uncertainties.items()
        }
        setting = TrialSetting(run.program, GivenValues(), stated_cells=cells, seed=seed, run=run.name)
        super().__init__(setting, run.amounts, run.basis.environment, targets)

    def _state_shared(self, own: UncertaintyEffect, statement: UncertaintyStatement) -> UncertainValue:
        """What has one error wherever it is read."""
        if statement.effect is None:
            statement = replace(statement, effect=str(own))
        self._check(statement, own.name)
        return UncertainValue((statement,))

    def _check(self, statement: UncertaintyStatement, name: str) -> None:
        if fault := check_statement(statement, self.mixtures):
            raise ChainError(f"The uncertainty of {name!r} {fault}.")

    def _draw_node(self, node: Node) -> None:
        match node.body:
            case Constant(value=value) if node.uncertainty is not None:
                own = UncertaintyEffect(node.slug, self.run.program.model.name)
                stated = self._state_shared(own, node.uncertainty)
                draw = self._build_drawing(node.slug, (value,), node.unit, (stated,))
                self._add(node.slug, lambda block: draw(block.draws)[0])
            case Input() as body:
                self._draw_input(node, body)
            case StaticInput() as body:
                self._draw_static(node, body)

    def _draw_static(self, node: Node, body: StaticInput) -> None:
        """Draw the values of a static input, each once wherever it is read."""
        numbers, amount = self.run.basis.statics.get(node.slug, ()), self.amounts.get(node.slug)
        amounts = amount if isinstance(amount, tuple) else () if amount is None else (amount,)
        if not numbers or len(numbers) != len(amounts):
            return
        stated = [self._state_static(node, body, number) for number in numbers]
        if not any(value.statements for value in stated):
            return
        draw = self._build_drawing(node.slug, amounts, node.unit, stated)
        if isinstance(amount, tuple):
            self._add(node.slug, lambda block: draw(block.draws))
        else:
            self._add(node.slug, lambda block: draw(block.draws)[0])

    def _state_static(self, node: Node, body: StaticInput, number: int) -> UncertainValue:
        statement = find_static_statement(node, self.run.statics[number])
        if statement is None:
            return UncertainValue(())
        return self._state_shared(name_static_effect(body.slug, number), statement)

    def _draw_input(self, node: Node, body: Input) -> None:
        """Draw what an input was read of: its own groups, and its parts of shared ones."""
        reads = self.run.basis.reads.get(node.slug, NO_READS)
        unit = ONE if body.aggregate is Aggregate.COUNT else self.run.measures[node.slug].unit
        groups = [(group, Decimal(1)) for group in reads.own]
        groups += [(shared.group, shared.part) for shared in reads.shared]
        is_uncertain = body.aggregate is not Aggregate.COUNT and any(
            _is_uncertain(group) for group, _ in groups
        )
        if not is_uncertain:
            return
        parts = [(self._build_group(node, body, group), float(part)) for group, part in groups]

        def compute(block: TrialBlock) -> TrialValues:
            columns = [
                convert_values(TrialValues(draw(block.draws)), unit, node.unit).values for draw, _ in parts
            ]
            if len(columns) == 1 and parts[0][1] == 1:
                return TrialValues(columns[0])
            rows = [np.multiply(column, part) for column, (_, part) in zip(columns, parts, strict=True)]
            return TrialValues(sum_rows(np.stack(np.broadcast_arrays(*rows))))

        self._add(node.slug, compute)

    def _build_group(self, node: Node, body: Input, group: ReadGroup) -> Callable[[BlockOfDraws], Column]:
        """Return what draws what a group comes to, in the unit of the data."""
        if not group.values:
            return self._build_sums(node, body, group)
        draw = self._build_readings(node, body.data_point_type, group.values)
        if group.rates is not None:
            rates = np.array([float(rate) for rate in group.rates]).reshape(-1, 1)
            return lambda draws: sum_rows(draw(draws) * rates)
        readings = InputReadings(
            tuple(Reading(one.time, one.value, one.weight, one.meter) for one in group.values), self.run.slot
        )
        weights = list_weights(readings.readings) if body.weight else None
        draw_weights = None if weights is None else self._build_weights(node, body, group, weights)
        return lambda draws: aggregate_over_trials(
            body.aggregate, readings, draw(draws), None if draw_weights is None else draw_weights(draws)
        )

    def _build_readings(
        self, node: Node, point: str, values: Sequence[KeptReading]
    ) -> Callable[[BlockOfDraws], Column]:
        """Return what draws readings, one row for each; a value that a rule put in moves with its sources."""
        unit = self.run.measures[node.slug].unit
        rates: dict[tuple[int, Decimal, Statements], dict[int, float]] = {}
        for place, value in enumerate(values):
            for source in value.rests_on:
                of_source = rates.setdefault((source.key, source.value, source.stated.statements), {})
                of_source[place] = of_source.get(place, 0.0) + float(source.rate)
        count = len(values) + len(rates)
        draw = self._build_drawing(
            node.slug,
            [value.value for value in values],
            unit,
            [self._state_reading(node, point, one.event, one.stated.statements, count) for one in values],
        )
        if not rates:
            return draw
        draw_sources = self._build_drawing(
            f"sources of {node.slug}",
            [value for _, value, _ in rates],
            unit,
            [self._state_reading(node, point, event, statements, count) for event, _, statements in rates],
        )

        def draw_with_sources(draws: BlockOfDraws) -> Column:
            rows = draw(draws)
            for (_, held, _), places, row in zip(rates, rates.values(), draw_sources(draws), strict=True):
                error = row - float(held)
                for place, rate in places.items():
                    rows[place] += rate * error
            return rows

        return draw_with_sources

    def _build_weights(
        self, node: Node, body: Input, group: ReadGroup, weights: tuple[Decimal, ...]
    ) -> Callable[[BlockOfDraws], Column]:
        unit = self.run.measures[node.slug].weight_unit
        stated = [
            UncertainValue(value.stated.weight_statements, f"reading {value.weighing_event} {body.weight}")
            for value in group.values
        ]
        if not any(one.statements for one in stated):
            held = hold_amount(weights)
            return lambda _draws: held
        return self._build_drawing(f"weights of {node.slug}", weights, unit, stated)

    def _state_reading(
        self, node: Node, point: str, event: int, statements: Statements, count: int
    ) -> UncertainValue:
        """What one reading states: what it has for itself is drawn by its event and data point type."""
        for statement in statements:
            self._check(statement, node.slug)
        if node.slug in self.named and any(statement.effect is None for statement in statements):
            if count > 1:
                raise ChainError(
                    f"The model states a correlation of the input {node.slug!r}, which has {count} readings;"
                    " trials draw correlations of single values and of named effects."
                )
            own = str(_name_own(self.run, node))
            statements = tuple(
                statement if statement.effect else replace(statement, effect=own) for statement in statements
            )
        return UncertainValue(statements, f"reading {event} {point}")

    # Pooled sums.

    def _build_sums(self, node: Node, body: Input, group: ReadGroup) -> Callable[[BlockOfDraws], Column]:
        """Return what draws an aggregate of readings of which there are only sums."""
        unit, whole = self.run.measures[node.slug].unit, sum_moments(group.moments)
        errors = [
            error
            for stated, moments in keep_extreme(body, group.moments, unit).items()
            for place, statement in enumerate(stated.statements)
            for error in [
                self._build_error(
                    node,
                    stated,
                    place,
                    unit,
                    sum_changes(body, moments, whole, is_relative=statement.is_relative),
                )
            ]
        ]
        self.draws += len(errors)
        amount = float(group.amount or ZERO)

        def draw(draws: BlockOfDraws) -> Column:
            drawn = np.full(draws.count, amount)
            for error in errors:
                drawn = drawn + error(draws)
            return drawn

        return draw

    def _name_readings(self, node: Node) -> str:
        """What names the readings of sums: that of all inputs that sum the same ones."""
        measures = self.run.measures
        families = find_reading_families(
            self.run.program.model, lambda slug: measures[slug].is_weight_of_target
        )
        family = families.get(PointRead(node.slug))
        return node.slug if family is None else family.name.node

    def _build_error(
        self, node: Node, stated: StatedClass, place: int, unit: Unit, changes: tuple[Decimal, Decimal]
    ) -> Callable[[BlockOfDraws], Column]:
        """Return what draws what one statement makes of a sum; `changes` are as in `stated_values`."""
        statement = stated.statements[place]
        self._check(statement, node.slug)
        if isinstance(statement.size, Percentiles):
            raise ChainError(
                f"The input {node.slug!r} has more than {POOLED_FROM} readings that state percentiles; trials"
                " draw the sum of so many at once only for other distributions."
            )
        first, second = changes
        if statement.effect is not None:
            shared = UncertainValue((replace(statement, is_relative=True),))
            scale = first if statement.is_relative else CONTEXT.multiply(first, statement.scale_to(unit))
            zero = float(scale)
            return lambda draws: draws.draw_value(scale, unit, shared, "") - zero
        size = CONTEXT.multiply(statement.standard_size, statement.scale_to(unit))
        deviation = CONTEXT.multiply(size, CONTEXT.sqrt(max(CONTEXT.plus(second), ZERO)))
        effect = str(_name_own(self.run, node)) if node.slug in self.named else None
        pooled = UncertainValue(
            (
                UncertaintyStatement(
                    Distribution.NORMAL,
                    deviation,
                    degrees_of_freedom=statement.degrees_of_freedom,
                    effect=effect,
                ),
            ),
            f"sum of {self._name_readings(node)} of {stated.owner}\n{_describe(stated.statements)}\n{place}",
        )
        return lambda draws: draws.draw_value(ZERO, unit, pooled, "")

    # What comes of other runs.

    def _find_drawn(self, name: str, unit: Unit) -> Callable[[TrialBlock], Column] | None:  # noqa: ARG002
        if not any(self.run.sources.get(name.partition(".")[0], ())):
            return None
        return lambda block: block.given[name]


def _describe(statements: Statements) -> str:
    """Statements as a text that tells them apart."""
    return "\n".join(map(repr, statements))


def _is_uncertain(group: ReadGroup) -> bool:
    stated = [value.stated for value in group.values] + list(group.moments)
    stated += [source.stated for value in group.values for source in value.rests_on]
    return any(one.statements or one.weight_statements for one in stated)
