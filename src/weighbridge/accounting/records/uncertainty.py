"""Records of how well an amount is known, and of what a better instrument would make of it."""

from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.core.uncertainty.effects import FreedomReason
from weighbridge.http.text import one_of


class UncertaintyInterval(msgspec.Struct, frozen=True):
    """How uncertain an amount is, to first order, in its unit."""

    standard_uncertainty: Decimal
    """The combined standard uncertainty."""
    degrees_of_freedom: Decimal | None
    """By the Welch-Satterthwaite formula; null when they are infinitely many or not defined."""
    degrees_of_freedom_reason: Annotated[str, one_of(tuple(map(str, FreedomReason)))] | None
    """Why there are none: all effects have infinitely many, or effects of finitely many are correlated."""
    coverage_probability: Decimal
    """That of the interval."""
    coverage_factor: Decimal
    """By what the standard uncertainty is multiplied, by Student's t or the normal distribution."""
    expanded_uncertainty: Decimal
    """Half the width of the interval."""
    low: Decimal
    """The low end of the interval about the computed amount, before a discount."""
    high: Decimal
    """The high end of the interval about the computed amount, before a discount."""


class AmountUncertainty(UncertaintyInterval, frozen=True):
    """How uncertain an amount is, to first order, in its unit."""

    amount: Decimal
    """The amount that it is about."""
    discount: Decimal
    """What was taken off for its uncertainty before it was credited; zero without a discount in the model."""
    relative_standard_uncertainty: Decimal | None
    """The standard uncertainty as a part of amount and discount; null where these are zero."""


class WeighedEffect(msgspec.Struct, frozen=True):
    """An effect by which values are uncertain, and what people call it."""

    effect: str
    """What the values share, or the node or the column that has it alone."""
    owner: str | None
    """The model, the value or the group of data that has it alone; null where values name the effect."""
    name: str
    """What it is called: the name of the calibration, the static input with its value, or else `effect`."""
    inputs: list[str]
    """The nodes whose values it makes uncertain, or tables with their columns."""


class UncertaintySaving(WeighedEffect, frozen=True):
    """What it would be worth to know the values of one effect exactly."""

    without: AmountUncertainty
    """How uncertain the amount would be with the effect at zero."""
    saving: Decimal
    """By how much the standard uncertainty would be less; below zero where the effect makes up for others."""
    saved_credit: Decimal | None
    """How much more the ledger would be credited with; null if the model has no discount."""


class UncertaintySavings(msgspec.Struct, frozen=True):
    """What better instruments would make of how uncertain a batch is, in its ledger's unit."""

    batch_id: str
    unit: str
    """The unit of the ledger."""
    current: AmountUncertainty | None
    """How uncertain what was computed is; null where the model does not ask for it."""
    savings: list[UncertaintySaving]
    """By effect what it would be with that effect at zero, the largest saving first; 50 at most."""
    effect_count: int
    """How many effects there are in all."""
    halving: list[WeighedEffect]
    """The first few effects that would have to be zero to halve the standard uncertainty; 50 at most."""
    halving_count: int
    """How many effects these are in all; zero where nothing is uncertain."""
    halved: AmountUncertainty | None
    """How uncertain the amount would be without them; null where nothing is uncertain."""
    is_fewest: bool
    """Whether no fewer effects would do; not certain where effects are correlated."""


class MaterialEffect(WeighedEffect, frozen=True):
    """How far one effect moves an amount."""

    reach: Decimal
    """The largest amount by which it alone moves the total at the coverage probability, in `unit`."""
    is_material: bool
    """Whether it alone reaches the threshold."""


class ReportMateriality(msgspec.Struct, frozen=True):
    """Which effects can move what a report states by as much as a threshold, in its ledger's unit."""

    report_id: str
    unit: str | None
    """The unit of the ledger; null while the report has none."""
    stated: AmountUncertainty | None
    """How uncertain the report is; null where a batch is of unknown uncertainty, and without batches."""
    threshold: Decimal
    """The threshold as an amount, in `unit`."""
    effects: list[MaterialEffect]
    """How far each effect reaches alone, the farthest first; 50 at most."""
    effect_count: int
    """How many effects there are in all."""
    together: list[MaterialEffect]
    """The first few effects that reach the threshold together, in the order in which they were chosen; 50 at
    most. Empty where all effects do not.
    """
    together_count: int
    """How many effects these are in all; zero where all effects together do not reach it."""
    together_reach: Decimal | None
    """By how much these move the total together, at the coverage probability; null where they do not."""
    is_fewest: bool
    """Whether no fewer effects would do; not certain where effects are correlated."""
