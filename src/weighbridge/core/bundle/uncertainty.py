"""What a bundle says of uncertainty: statements and calibrations, each with the batches made while it held.

A statement may change after a batch was made of it. So each of its versions is a row that names the batches,
and a batch is computed again by the version that names it. What batches came to by them, effect by effect, is
a line for each batch whose model asks.

Invariants: of one thing at most one version names a batch; a bundle of models that do not ask, and of events
that state nothing, has none of these parts, and is of an earlier format.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core.bundle.archive import UnreadableError
from weighbridge.core.bundle.rows import CalibrationRow, SourceRow, StatementRow
from weighbridge.core.bundle.tables import parse_ranges
from weighbridge.core.engine.slot_computation import NEVER_CERTIFIED, CalibrationPeriod, Element, FilledBasis
from weighbridge.core.model import Model
from weighbridge.core.number import CONTEXT, plain
from weighbridge.core.signing import write_canonical_json
from weighbridge.core.time.calendar import Interval
from weighbridge.core.uncertainty.effects import (
    Component,
    Uncertainty,
    UncertaintyEffect,
    write_uncertainty,
)
from weighbridge.core.uncertainty.statement import (
    Statements,
    UncertaintyStatement,
    build_statement,
    read_fields,
    write_fields,
)

UNCERTAINTIES: Final = "uncertainties.jsonl"

OF_TYPE: Final = "type"
OF_VALUE: Final = "value"
OF_STATIC_INPUT: Final = "static_input"
OF_CORRECTION: Final = "correction"
"""What rules state of the values that they put in."""


@dataclass(frozen=True, slots=True)
class BundledComponent:
    """What one effect makes of a result, through each input, in its unit."""

    by_input: dict[str, str]
    degrees_of_freedom: str | None
    effect: str
    owner: str


@dataclass(frozen=True, slots=True)
class BundledCorrelation:
    """The correlation coefficient of two effects, by their places in the list of components."""

    coefficient: str
    one: int
    other: int


@dataclass(frozen=True, slots=True)
class BundledUncertainty:
    """How uncertain what was drawn is."""

    components: list[BundledComponent]
    correlations: list[BundledCorrelation]


@dataclass(frozen=True, slots=True)
class OutputUncertainty:
    """How uncertain an output is, in its unit."""

    components: list[BundledComponent]
    correlations: list[BundledCorrelation]
    coverage_probability: str
    degrees_of_freedom: str | None
    degrees_of_freedom_reason: str | None
    expanded_uncertainty: str
    """Half the width of the interval with the coverage probability."""
    standard_uncertainty: str


@dataclass(frozen=True, slots=True)
class BatchUncertainties:
    """A batch whose model asks for uncertainty: what its outputs carry, and what each of its draws took."""

    batch: int
    draws: list[list[BundledUncertainty]]
    """In the order of the lineage: of the amount, then of each attribute."""
    outputs: dict[str, OutputUncertainty]


def write_drawn(uncertainty: Uncertainty) -> BundledUncertainty:
    """Write an uncertainty as a bundle has it."""
    written = write_uncertainty(uncertainty)
    return BundledUncertainty(
        [
            BundledComponent(by_input, freedom, name, owner)
            for name, owner, freedom, by_input in written["components"]
        ],
        [BundledCorrelation(coefficient, one, other) for one, other, coefficient in written["correlations"]],
    )


def write_output(
    uncertainty: Uncertainty, probability: Decimal, factor: Decimal | None = None
) -> OutputUncertainty:
    """Write the uncertainty of an output, with what it combines to; a factor that is not known is found."""
    drawn, combined = write_drawn(uncertainty), uncertainty.combine()
    degrees = combined.degrees_of_freedom
    if factor is None:
        factor = combined.compute_coverage_factor(probability)
    return OutputUncertainty(
        drawn.components,
        drawn.correlations,
        plain(probability),
        None if degrees is None else plain(degrees),
        None if combined.reason is None else str(combined.reason),
        plain(CONTEXT.multiply(combined.standard_uncertainty, factor)),
        plain(combined.standard_uncertainty),
    )


def read_drawn(bundled: BundledUncertainty) -> Uncertainty:
    """Read what `write_drawn` wrote; ValueError or ArithmeticError for what is none."""
    effects = [UncertaintyEffect(one.effect, one.owner) for one in bundled.components]
    components = {
        effect: Component(
            {name: Decimal(change) for name, change in one.by_input.items()},
            None if one.degrees_of_freedom is None else Decimal(one.degrees_of_freedom),
        )
        for effect, one in zip(effects, bundled.components, strict=True)
    }
    correlations = {
        frozenset((effects[one.one], effects[one.other])): Decimal(one.coefficient)
        for one in bundled.correlations
    }
    return Uncertainty(components, correlations)


# Statements, each as the text of a column: JSON by RFC 8785 with numbers as texts.


def write_statement(fields: Mapping[str, Any]) -> str:
    """Write the fields of a statement as the text of a column."""
    return write_canonical_json(write_fields(fields)).decode()


def read_statement(text: str) -> UncertaintyStatement:
    """Read the statement of a column; UnreadableError for what is none, or written otherwise."""
    try:
        fields = read_fields(json.loads(text))
        statement, problems = build_statement(fields)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"{text[:60]!r} is no statement of uncertainty: {error}.") from None
    if statement is None:
        raise UnreadableError(f"{text[:60]!r} is no statement of uncertainty: {problems[0].message}")
    if write_statement(fields) != text:
        raise UnreadableError(f"{text[:60]!r} is not written as statements are.")
    return statement


class _Version(NamedTuple):
    batches: frozenset[int]
    statement: UncertaintyStatement


_Versions = dict[tuple[str, str, str], list[_Version]]
_Certificates = dict[tuple[str, str], list[tuple[frozenset[int], CalibrationPeriod]]]
_Sources = dict[int, list[tuple[frozenset[int], SourceRow, Statements | None]]]
"""By correction."""


@dataclass(frozen=True, slots=True)
class StatementsOfBundle:
    """What was stated when batches were made."""

    _versions: _Versions = field(default_factory=dict)
    _calibrations: _Certificates = field(default_factory=dict)
    _sources: _Sources = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        statements: Sequence[StatementRow],
        calibrations: Sequence[CalibrationRow],
        sources: Sequence[SourceRow] = (),
    ) -> "StatementsOfBundle":
        """Those of the rows of a bundle; UnreadableError for one that is none."""
        versions: _Versions = {}
        for row in statements:
            version = _Version(frozenset(parse_ranges(row.batches)), read_statement(row.statement))
            versions.setdefault((row.kind, row.name, row.data_point), []).append(version)
        certificates: _Certificates = {}
        for certificate in calibrations:
            statement = read_statement(certificate.statement)
            period = CalibrationPeriod(
                certificate.asset,
                None,
                certificate.valid_from,
                certificate.valid_until,
                replace(statement, effect=statement.effect or certificate.calibration_id),
            )
            certificates.setdefault((certificate.event_type, certificate.data_point), []).append(
                (frozenset(parse_ranges(certificate.batches)), period)
            )
        of_corrections: _Sources = {}
        for source in sources:
            stated = None if source.statement is None else (read_statement(source.statement),)
            of_corrections.setdefault(source.correction, []).append(
                (frozenset(parse_ranges(source.batches)), source, stated)
            )
        return cls(versions, certificates, of_corrections)

    def find(self, kind: str, name: str, data_point: str, batch: int | None = None) -> Statements | None:
        """What is stated of something, as a batch was made of it; None where nothing is.

        What never changes is found without a batch.
        """
        for version in self._versions.get((kind, name, data_point), ()):
            if batch is None or batch in version.batches:
                return (version.statement,)
        return None

    def find_of_event(self, event: int, points: Sequence[str], batch: int) -> tuple[Statements | None, ...]:
        """What the values of an event state alone; nothing where none does."""
        found = tuple(self.find(OF_VALUE, str(event), point, batch) for point in points)
        return found if any(found) else ()

    def find_basis(
        self, correction: int, data_point: str, batch: int, place: tuple[int, int]
    ) -> FilledBasis | None:
        """On what a value rests that a rule put in, when a batch was made of it; None where on nothing.

        `place` is the index of the value among so many of its event.
        """
        index, count = place
        if stated := self.find(OF_CORRECTION, str(correction), data_point, batch):
            return FilledBasis(statements=stated)
        sources = [
            (_build_source(row, of_reading, index, count), row.weight)
            for batches, row, of_reading in self._sources.get(correction, ())
            if batch in batches
        ]
        return FilledBasis(tuple(sources)) if sources else None

    def list_calibrations(
        self, event_type: str, data_point: str | None, batch: int
    ) -> tuple[CalibrationPeriod, ...]:
        """The calibrations that were entered when a batch was made, of readings of a data point."""
        periods = self._calibrations.get((event_type, data_point or ""), ())
        return tuple(period for batches, period in periods if batch in batches)


def _build_source(row: SourceRow, stated: Statements | None, index: int, count: int) -> Element:
    start = row.start_time or NEVER_CERTIFIED
    return Element(
        event=row.event,
        rank=0,
        time=Interval(start, start),
        values=tuple(row.value if place == index else None for place in range(count)),
        asset=row.asset,
        stated=tuple(stated if place == index else None for place in range(count)),
    )


def list_asking(models: Mapping[int, Model]) -> Iterator[int]:
    """The models that ask for uncertainty, by their numbers."""
    return (number for number, model in models.items() if model.uncertainty is not None)
