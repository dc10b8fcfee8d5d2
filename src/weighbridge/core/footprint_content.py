"""Make the content of a footprint from what was produced: amounts for each declared unit, totals, and texts.

A product says by a term where each amount comes from: `amount` is what its source states (a batch what it
credited, a report what it takes), `node:slug` what a node of the model came to, both with a minus before
them if need be, and a number is so much for each declared unit.

Invariants: totals are sums of the amounts as they are written, so a footprint that is made here adds up to
the last digit; an amount is rounded once.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.footprint import (
    AMOUNTS,
    CARBON,
    COUNTRY,
    DECLARED_UNITS,
    EXCLUDING,
    FOSSIL,
    INCLUDING,
    REGIONS,
    SPEC_VERSION,
    SUBDIVISION,
    UPTAKE,
    read_amount,
    sum_parts,
)
from weighbridge.core.number import CONTEXT, EXACT, plain, round_to, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.unit import Unit, UnitError, are_compatible, convert, parse_unit

PLACES: Final = 9
"""Decimals of an amount of a footprint: a microgram of CO2e for each declared unit."""

AMOUNT: Final = "amount"
"""The term that means what the source itself states."""

_TERM: Final = re.compile(r"(?P<sign>-?)(?:(?P<amount>amount)|node:(?P<node>[a-z0-9_]{1,255}))", re.ASCII)
_MATERIAL: Final = re.compile(r"\{(?!CO2|C\}|CH4|N2O)\w+\}", re.ASCII)
"""What a unit says of the product, such as that a mass is dry: it is a mass of the product all the same."""
_OF_CARBON: Final = ("kg{C}", "kg")
_OF_CO2: Final = ("kg{CO2e}", "kg{CO2}", "kg")


@dataclass(frozen=True, slots=True)
class Term:
    """Where an amount comes from."""

    node: str | None = None
    constant: Decimal | None = None
    is_negative: bool = False

    @property
    def is_amount(self) -> bool:
        """Whether it is what the source states."""
        return self.node is None and self.constant is None


def read_term(text: str) -> Term | None:
    """Read a term; None for any other text."""
    if (constant := read_amount(text)) is not None:
        return Term(constant=constant)
    found = _TERM.fullmatch(text)
    return None if found is None else Term(found["node"], None, bool(found["sign"]))


@dataclass(frozen=True, slots=True)
class MeasuredAmount:
    """A value with its unit."""

    value: Decimal
    unit: str


@dataclass(frozen=True, slots=True)
class Produced:
    """What a batch or a report says of a product, over its whole period."""

    amount: MeasuredAmount
    nodes: Mapping[str, MeasuredAmount]
    start: datetime
    end: datetime
    measured_share: Decimal | None
    """How much of the amount was measured, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class DeclaredProduct:
    """What a footprint says of its product, and the terms of its amounts."""

    unit: str
    declared_amount: Decimal
    mass: Decimal
    quantity: str
    amounts: Mapping[str, str]
    properties: Mapping[str, Any]
    geography: str | None
    exempted_percent: Decimal


class UnmadeFootprintError(ValueError):
    """A footprint cannot be made of what was produced; the problems are full sentences."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(" ".join(problem.message for problem in problems))
        self.problems = problems


def place_geography(text: str | None) -> dict[str, str]:
    """The field of a footprint that says where it holds; none where it holds everywhere."""
    if text is None:
        return {}
    if SUBDIVISION.fullmatch(text):
        return {"geographyCountrySubdivision": text}
    return {"geographyCountry" if COUNTRY.fullmatch(text) else "geographyRegionOrSubregion": text}


def is_geography(text: str) -> bool:
    """Whether a text is a place that a footprint may hold for."""
    return bool(SUBDIVISION.fullmatch(text) or COUNTRY.fullmatch(text) or text in REGIONS)


def list_nodes(terms: Iterable[str]) -> set[str]:
    """The nodes that terms name."""
    read = (read_term(text) for text in terms)
    return {term.node for term in read if term is not None and term.node is not None}


def rests_on_amount(amounts: Mapping[str, str]) -> bool:
    """Whether all that a footprint without uptake comes to is what its source states."""
    terms = [read_term(text) for name, text in amounts.items() if name != UPTAKE and name not in CARBON]
    counted = [term for term in terms if term is not None and term.constant != 0]
    return len(counted) == 1 and counted[0].is_amount


def write_pcf(product: DeclaredProduct, produced: Produced, share: Decimal | None) -> dict[str, Any]:
    """The object `pcf` of a footprint; `share` is the part of primary data, from 0 to 1, if it is stated.

    Raises UnmadeFootprintError where nothing was made, a node is missing, or a unit does not fit.
    """
    problems: list[Problem] = []
    quantity = _read_quantity(product, produced, problems)
    written: dict[str, str] = {}
    for name in AMOUNTS:
        text = product.amounts.get(name)
        term = None if text is None else read_term(text)
        if term is not None:
            value = _compute(name, term, product, produced, quantity, problems)
            if value is not None:
                written[name] = value
    if problems:
        raise UnmadeFootprintError(problems)
    excluding = sum_parts(written)
    including = EXACT.add(excluding, read_amount(written.get(UPTAKE)) or Decimal(0))
    stated_share = {} if share is None else {"primaryDataShare": plain(EXACT.multiply(share, Decimal(100)))}
    return {
        "declaredUnitOfMeasurement": product.unit,
        "declaredUnitAmount": plain(product.declared_amount),
        "productMassPerDeclaredUnit": plain(product.mass),
        "referencePeriodStart": write_moment(produced.start),
        "referencePeriodEnd": write_moment(produced.end),
        **place_geography(product.geography),
        EXCLUDING: plain(excluding),
        INCLUDING: plain(including),
        FOSSIL: written[FOSSIL],
        **written,
        "exemptedEmissionsPercent": plain(product.exempted_percent),
        **stated_share,
        **product.properties,
    }


def write_footprint(
    identifier: str,
    created: datetime,
    texts: Mapping[str, Any],
    preceding: Sequence[str],
    pcf: Mapping[str, Any],
) -> dict[str, Any]:
    """The footprint as it is sent, without its status."""
    chain = {"precedingPfIds": [*preceding]} if preceding else {}
    return {
        "id": identifier, "specVersion": SPEC_VERSION, **chain, "created": write_moment(created), **texts,
        "pcf": dict(pcf),
    }  # fmt: skip


def write_moment(moment: datetime) -> str:
    """A time as footprints have it: in UTC, to the second."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _read_quantity(product: DeclaredProduct, produced: Produced, problems: list[Problem]) -> Decimal:
    """How many declared units were made; one, with a problem, where that is not known."""
    term = read_term(product.quantity)
    field = "quantity"
    measure = None if term is None else _find(term, produced)
    if term is None or measure is None:
        problems.append(_missing(field, product.quantity))
        return Decimal(1)
    unit = DECLARED_UNITS[product.unit]
    material = _MATERIAL.search(measure.unit)
    value = _convert(measure, (unit, unit + material[0]) if unit and material else (unit,), field, problems)
    value = None if value is None else EXACT.copy_negate(value) if term.is_negative else value
    if value is None:
        return Decimal(1)
    if value <= 0:
        problems.append(Problem(f"{field} came to {plain(value)}; nothing was made.", field, "invalid"))
        return Decimal(1)
    return CONTEXT.divide(value, product.declared_amount)


def _compute(
    name: str,
    term: Term,
    product: DeclaredProduct,
    produced: Produced,
    quantity: Decimal,
    problems: list[Problem],
) -> str | None:
    """An amount for each declared unit."""
    if term.constant is not None:
        return plain(round_to(term.constant, PLACES))
    measure = _find(term, produced)
    if measure is None:
        problems.append(_missing(f"amounts.{name}", product.amounts[name]))
        return None
    targets = _OF_CARBON if name in CARBON else ("m^2",) if name == "landAreaOccupation" else _OF_CO2
    value = _convert(measure, targets, f"amounts.{name}", problems)
    if value is None:
        return None
    signed = EXACT.copy_negate(value) if term.is_negative else value
    return plain(round_to(CONTEXT.divide(signed, quantity), PLACES))


def _find(term: Term, produced: Produced) -> MeasuredAmount | None:
    return produced.amount if term.node is None else produced.nodes.get(term.node)


def _missing(field: str, text: str) -> Problem:
    message = f"{field} is {shorten(text)!r}, which the source has no value of."
    return Problem(message, field, "unknown")


def _convert(
    measure: MeasuredAmount, targets: Sequence[str], field: str, problems: list[Problem]
) -> Decimal | None:
    """A value in the first of some units that fits; None, with a problem, where none does."""
    source: Unit = parse_unit(measure.unit)
    for target in map(parse_unit, targets):
        if are_compatible(source, target):
            try:
                return convert(measure.value, source, target)
            except UnitError as error:
                problems.append(Problem(f"{field}: {error}", field, "invalid"))
                return None
    wanted = targets[0] or "a plain number"
    message = f"{field} is in {measure.unit or 'no unit'}, which cannot be converted to {wanted}."
    problems.append(Problem(message, field, "invalid"))
    return None
