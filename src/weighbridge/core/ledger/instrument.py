"""Instruments: certificates and the like that are bought or held, not measured, and kept in system ledgers.

A system ledger is one of the presets below. Its unit is given by the preset, and only instruments credit it;
nodes draw from it with `upstream` as from any other ledger.

Invariants: an instrument has every field that its preset requires and none that it does not take; its amount
is above zero and has no more decimals than its ledger, so that it is credited to the last digit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.identity import problem_of_unseen
from weighbridge.core.number import NumberError, limit_number, plain, round_to
from weighbridge.core.problem import Problem
from weighbridge.core.unit import Unit, parse_unit

AMOUNT: Final = "amount"

GENERATION_TECHS: Final = ("wind", "solar", "other")
"""How the energy behind a renewable energy credit was made."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that an instrument may have in addition to its amount; nodes read it as an attribute."""

    name: str
    unit: str
    is_positive: bool = True


FIGURES: Final[Mapping[str, Figure]] = {
    "mass": Figure("Mass of fuel", "t"),
    "energy_intensity": Figure("Energy intensity", "g{CO2e}/MJ", is_positive=False),
    "lower_heating_value": Figure("Lower heating value", "MJ/kg"),
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of system ledger: its unit, and the fields of its instruments after external id and amount."""

    name: str
    unit: str
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def figures(self) -> dict[str, Figure]:
        """The numbers that its instruments may have."""
        return {slug: figure for slug, figure in FIGURES.items() if slug in self.required + self.optional}

    @property
    def attributes(self) -> dict[str, Unit]:
        """What nodes can have travel along, and the unit of each."""
        units = {AMOUNT: self.unit} | {slug: figure.unit for slug, figure in self.figures.items()}
        return {slug: parse_unit(unit) for slug, unit in units.items()}


PRESETS: Final[Mapping[str, Preset]] = {
    "renewable_energy_credits": Preset(
        "Renewable energy credits",
        "kWh",
        required=("geography",),
        optional=("name", "generation_tech", "issued_on", "purchased_on"),
    ),
    "renewable_fuel": Preset(
        "Renewable fuel",
        "kg{CO2e}",
        required=(),
        optional=("name", "geography", "issued_on", "purchased_on", *FIGURES),
    ),
    "embodied_emissions": Preset(
        "Embodied emissions",
        "kg{CO2e}",
        required=("name",),
        optional=("geography", "issued_on", "purchased_on"),
    ),
}
"""The system ledgers, by the `system_ledger_type` that a ledger is made with."""


def check_instrument(preset: Preset, scale: int, fields: Mapping[str, Any]) -> list[Problem]:
    """All that is wrong with an instrument of a ledger of so many decimals; `given` has what was sent."""
    return [
        *_check_external_id(fields["external_id"]),
        *_check_fields(preset, fields),
        *_check_amount(preset, scale, fields[AMOUNT]),
        *(
            problem
            for slug, figure in preset.figures.items()
            if fields.get(slug) is not None
            for problem in _check_number(slug, fields[slug], is_positive=figure.is_positive)
        ),
    ]


def _check_external_id(external_id: str) -> Iterator[Problem]:
    field = "instrument.external_id"
    if not external_id.strip():
        yield Problem("An instrument needs an external_id.", field, "required")
    if unseen := problem_of_unseen(external_id, field):
        yield unseen


def _check_fields(preset: Preset, fields: Mapping[str, Any]) -> Iterator[Problem]:
    kind = preset.name.lower()
    allowed_names = ("external_id", AMOUNT, *preset.required, *preset.optional)
    for name, value in fields.items():
        field = f"instrument.{name}"
        if name not in allowed_names and value is not None:
            message = f"{field} is no field of {kind}, which take {', '.join(allowed_names)}."
            yield Problem(message, field, "unknown")
        if name in preset.required and (value is None or not str(value).strip()):
            yield Problem(f"{field} is required of {kind}.", field, "required")
    tech = fields.get("generation_tech")
    if "generation_tech" in allowed_names and tech is not None and tech not in GENERATION_TECHS:
        message = f"instrument.generation_tech is {tech!r}; it is one of {', '.join(GENERATION_TECHS)}."
        yield Problem(message, "instrument.generation_tech", "invalid")


def _check_amount(preset: Preset, scale: int, amount: Decimal) -> Iterator[Problem]:
    if problems := list(_check_number(AMOUNT, amount, is_positive=True)):
        yield from problems
    elif round_to(amount, scale) != amount:
        message = (
            f"instrument.amount is {plain(amount)}; a ledger of {preset.name.lower()} keeps {scale} decimals."
        )
        yield Problem(message, "instrument.amount", "invalid")


def _check_number(slug: str, value: Decimal, *, is_positive: bool) -> Iterator[Problem]:
    field = f"instrument.{slug}"
    try:
        number = limit_number(value)
    except NumberError as error:
        yield Problem(f"{field}: {error}", field, "invalid")
        return
    if is_positive and number <= 0:
        yield Problem(f"{field} is {plain(number)}; it is above zero.", field, "invalid")
