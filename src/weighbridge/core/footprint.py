"""Footprints of products as PACT exchanges them: which fields add up to what, and what is wrong with one.

A footprint is the object `ProductFootprint` of the PACT Technical Specifications 3.0 (WBCSD,
https://github.com/wbcsd/data-exchange-protocol, spec/v3/openapi.yaml): all of its amounts are decimals in
texts, in kg of CO2e for each declared unit. `check_footprint` is the linter, for ours and for received ones.

Invariants: amounts are compared exactly; nothing is refused here, for what others state is theirs: a finding
says by how much parts and totals differ.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.number import EXACT, ZERO, exact_total, plain, shorten

SPEC_VERSION: Final = "3.0.0"
"""The version of the specification that footprints are made by."""

ACTIVE: Final = "Active"
DEPRECATED: Final = "Deprecated"
STATUSES: Final = (ACTIVE, DEPRECATED)
"""Whether a footprint is to be used, in the words of the specification."""

DECLARED_UNITS: Final[Mapping[str, str]] = {
    "liter": "L",
    "kilogram": "kg",
    "cubic meter": "m^3",
    "kilowatt hour": "kWh",
    "megajoule": "MJ",
    "ton kilometer": "t*km",
    "square meter": "m^2",
    "piece": "",
    "hour": "h",
    "megabit second": "",
}
"""Units that a product is declared in, and what they are here; those without a unit are plain numbers."""

REGIONS: Final = (
    "Africa", "Americas", "Asia", "Europe", "Oceania", "Australia and New Zealand", "Central Asia",
    "Eastern Asia", "Eastern Europe", "Latin America and the Caribbean", "Melanesia", "Micronesia",
    "Northern Africa", "Northern America", "Northern Europe", "Polynesia", "South-eastern Asia",
    "Southern Asia", "Southern Europe", "Sub-Saharan Africa", "Western Asia", "Western Europe",
)  # fmt: skip
"""Regions and subregions of the United Nations (M49) by which a footprint may be placed."""

EXCLUDING: Final = "pcfExcludingBiogenicUptake"
INCLUDING: Final = "pcfIncludingBiogenicUptake"
UPTAKE: Final = "biogenicCO2Uptake"
FOSSIL: Final = "fossilGhgEmissions"
OF_LAND: Final = "landManagementFossilGhgEmissions"
"""Emissions of land management that `fossilGhgEmissions` includes by the specification."""

PARTS: Final = (
    FOSSIL,
    "landUseChangeGhgEmissions",
    "landManagementBiogenicCO2Emissions",
    "landManagementBiogenicCO2Removals",
    "technologicalCO2Removals",
    "ccsTechnologicalCO2Capture",
    "biogenicNonCO2Emissions",
)
"""What adds up to the footprint without biogenic uptake, by the formula that the specification prints."""

BELOW_ZERO: Final = ("landManagementBiogenicCO2Removals", UPTAKE, "ccsTechnologicalCO2Capture")
"""Amounts that are zero or below."""

ABOVE_ZERO: Final = (
    "fossilCarbonContent", "biogenicCarbonContent", "recycledCarbonContent", FOSSIL,
    "landUseChangeGhgEmissions", "landCarbonLeakage", OF_LAND, "landManagementBiogenicCO2Emissions",
    "biogenicNonCO2Emissions", "landAreaOccupation", "aircraftGhgEmissions", "packagingGhgEmissions",
    "packagingBiogenicCarbonContent", "outboundLogisticsGhgEmissions", "technologicalCO2Removals",
    "ccuCarbonContent",
)  # fmt: skip
"""Amounts that are zero or above."""

AMOUNTS: Final = (*ABOVE_ZERO, *BELOW_ZERO)
"""The amounts of a footprint that a product says the source of; totals follow from them."""

CARBON: Final = tuple(name for name in ABOVE_ZERO if name.endswith("CarbonContent"))
"""Amounts in kg of carbon, not of CO2e."""

_TOTALS: Final = (EXCLUDING, INCLUDING)
_PERCENTS: Final = ("exemptedEmissionsPercent", "primaryDataShare")
_REQUIRED: Final = (
    "id", "specVersion", "created", "status", "companyName", "companyIds", "productDescription", "productIds",
    "productNameCompany", "pcf",
)  # fmt: skip
_REQUIRED_OF_PCF: Final = (
    "declaredUnitOfMeasurement", "declaredUnitAmount", "productMassPerDeclaredUnit", "referencePeriodStart",
    "referencePeriodEnd", EXCLUDING, INCLUDING, FOSSIL, "fossilCarbonContent", "ipccCharacterizationFactors",
    "crossSectoralStandards", "exemptedEmissionsPercent",
)  # fmt: skip
_GEOGRAPHIES: Final = ("geographyRegionOrSubregion", "geographyCountry", "geographyCountrySubdivision")
_DECIMAL: Final = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?", re.ASCII)
_URN: Final = re.compile(r"urn:[a-z0-9][a-z0-9-]{0,31}:\S+", re.ASCII | re.IGNORECASE)
COUNTRY: Final = re.compile(r"[A-Z]{2}", re.ASCII)
SUBDIVISION: Final = re.compile(r"[A-Z]{2}-[A-Z0-9]{1,3}", re.ASCII)
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_FACTORS: Final = re.compile(r"AR\d+", re.ASCII)
_QUALITY: Final = ("technologicalDQR", "geographicalDQR", "temporalDQR")
_PERCENT_MAX: Final = Decimal(100)
_QUALITY_RANGE: Final = (Decimal(1), Decimal(5))
_LISTED_MAX: Final = 100
"""Entries of a list that are looked at."""


@dataclass(frozen=True, slots=True)
class FootprintFlaw:
    """One thing that is wrong with a footprint, or does not add up."""

    code: str
    """`missing`, `form`, `sum`, `order`, `range` or `conflict`."""
    field: str
    message: str
    difference: Decimal | None = None
    """How much more the parts come to than what is stated; below zero where it is less."""


def check_footprint(footprint: Mapping[str, Any]) -> list[FootprintFlaw]:
    """Find everything that is wrong with a footprint, in the order of its fields."""
    raw = footprint.get("pcf")
    pcf: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    flaws = [*_find_missing(footprint, _REQUIRED, ""), *_check_identity(footprint)]
    if pcf:
        flaws += [
            *_find_missing(pcf, _REQUIRED_OF_PCF, "pcf."),
            *_check_declared_unit(pcf),
            *_check_amounts(pcf),
            *_check_sums(pcf),
            *_check_percents(pcf),
            *_check_geography(pcf),
            *_check_packaging(pcf),
            *_check_sources(pcf),
        ]
    return [*flaws, *_check_times(footprint, pcf)]


def read_amount(value: Any) -> Decimal | None:
    """The decimal that a text of a footprint is; None for anything else."""
    return Decimal(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else None


def read_urn(value: Any) -> str | None:
    """A uniform resource name (RFC 8141), in the one case that it is compared in; None for anything else."""
    return value.lower() if isinstance(value, str) and _URN.fullmatch(value) else None


def read_moment(value: Any) -> datetime | None:
    """A time with an offset; None for anything else, and for one that is in no year from 1 to 9999 in UTC."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        return None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_uuid(value: Any) -> bool:
    """Whether a value is an identifier of a footprint: a UUID with its hyphens (RFC 9562)."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


# What parts add up to.


def sum_parts(pcf: Mapping[str, Any], *others: str) -> Decimal:
    """What the parts come to that a footprint states, with others that are named."""
    read = (read_amount(pcf.get(name)) for name in (*PARTS, *others))
    return exact_total(amount for amount in read if amount is not None)


def _check_sums(pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    excluding, including = read_amount(pcf.get(EXCLUDING)), read_amount(pcf.get(INCLUDING))
    if excluding is not None:
        yield from _check_parts(pcf, excluding)
    uptake = read_amount(pcf.get(UPTAKE))
    if excluding is None or including is None or uptake is None:
        return
    both = EXACT.add(excluding, uptake)
    if difference := EXACT.subtract(both, including):
        message = (
            f"{INCLUDING} is {plain(including)}; {EXCLUDING} ({plain(excluding)}) and {UPTAKE}"
            f" ({plain(uptake)}) add up to {plain(both)}, which is {_describe(difference)}."
        )
        yield FootprintFlaw("sum", f"pcf.{INCLUDING}", message, difference)


def _check_parts(pcf: Mapping[str, Any], stated: Decimal) -> Iterator[FootprintFlaw]:
    """Whether the parts come to what is stated, with emissions of land management once more or without."""
    by_formula = sum_parts(pcf)
    of_land = read_amount(pcf.get(OF_LAND)) or ZERO
    with_land = EXACT.add(by_formula, of_land)
    if stated in {by_formula, with_land}:
        return
    difference = EXACT.subtract(with_land, stated)
    message = f"{EXCLUDING} is {plain(stated)}; its parts add up to {plain(with_land)}"
    message += f", which is {_describe(difference)}."
    if of_land:
        message += (
            f" Without {OF_LAND}, which {FOSSIL} includes by the specification, they add up to"
            f" {plain(by_formula)}, which is {_describe(EXACT.subtract(by_formula, stated))}."
        )
    yield FootprintFlaw("sum", f"pcf.{EXCLUDING}", message, difference)


def _describe(difference: Decimal) -> str:
    word = "more" if difference > 0 else "less"
    return f"{plain(abs(difference))} {word}"


# The form of fields.


def _find_missing(record: Mapping[str, Any], names: Sequence[str], prefix: str) -> Iterator[FootprintFlaw]:
    for name in names:
        if record.get(name) is None:
            yield FootprintFlaw("missing", f"{prefix}{name}", f"{prefix}{name} is missing, and is required.")


def _wrong(field: str, value: Any, takes: str) -> FootprintFlaw:
    shown = str(value) if isinstance(value, Decimal) else repr(value)
    return FootprintFlaw("form", field, f"{field} is {shorten(shown)}; it takes {takes}.")


def _check_identity(footprint: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    given = {name: value for name, value in footprint.items() if value is not None}
    if "id" in given and not is_uuid(given["id"]):
        yield _wrong("id", given["id"], "a UUID")
    if "status" in given and given["status"] not in STATUSES:
        yield _wrong("status", given["status"], " or ".join(STATUSES))
    for name in ("companyIds", "productIds", "productClassifications"):
        yield from _check_list(name, given.get(name), read_urn, "URNs such as urn:gtin:4712345060507")
    preceding = given.get("precedingPfIds")
    yield from _check_list("precedingPfIds", preceding, lambda value: is_uuid(value) or None, "UUIDs")
    if isinstance(preceding, list) and given.get("id") in preceding:
        message = "precedingPfIds names the footprint itself, which cannot precede it."
        yield FootprintFlaw("conflict", "precedingPfIds", message)


def _check_list(field: str, values: Any, read: Callable[[Any], Any], takes: str) -> Iterator[FootprintFlaw]:
    if values is None:
        return
    if not isinstance(values, list) or not values:
        yield _wrong(field, values, f"a list of {takes}")
        return
    yield from (
        _wrong(f"{field}[{index}]", value, takes)
        for index, value in enumerate(values[:_LISTED_MAX])
        if read(value) is None
    )


def _check_declared_unit(pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    unit = pcf.get("declaredUnitOfMeasurement")
    if unit is not None and unit not in DECLARED_UNITS:
        yield _wrong("pcf.declaredUnitOfMeasurement", unit, f"one of {', '.join(DECLARED_UNITS)}")
    amount = pcf.get("declaredUnitAmount")
    if amount is not None and not (read_amount(amount) or ZERO) > 0:
        yield _wrong("pcf.declaredUnitAmount", amount, "a decimal above zero, in a text")
    mass = pcf.get("productMassPerDeclaredUnit")
    if mass is not None and ((read := read_amount(mass)) is None or read < 0):
        yield _wrong("pcf.productMassPerDeclaredUnit", mass, "a decimal from zero, in a text")
    yield from _check_mass(unit, read_amount(amount), read_amount(mass))


def _check_mass(unit: Any, amount: Decimal | None, mass: Decimal | None) -> Iterator[FootprintFlaw]:
    """Of a product that is declared in kilograms the mass is known twice."""
    if unit != "kilogram" or amount is None or mass is None or amount <= 0 or amount == mass:
        return
    difference = EXACT.subtract(mass, amount)
    message = (
        f"pcf.productMassPerDeclaredUnit is {plain(mass)}; the declared unit is {plain(amount)} kilogram,"
        f" and the mass is {_describe(difference)}."
    )
    yield FootprintFlaw("sum", "pcf.productMassPerDeclaredUnit", message, difference)


def _check_amounts(pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    for name in (*_TOTALS, *AMOUNTS):
        value = pcf.get(name)
        if value is None:
            continue
        amount = read_amount(value)
        if amount is None:
            yield _wrong(f"pcf.{name}", value, "a decimal in a text, such as '1.25'")
        elif (name in BELOW_ZERO and amount > 0) or (name in ABOVE_ZERO and amount < 0):
            least = "zero or below" if name in BELOW_ZERO else "zero or above"
            yield FootprintFlaw("range", f"pcf.{name}", f"pcf.{name} is {plain(amount)}; it is {least}.")


def _check_percents(pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    for name in _PERCENTS:
        yield from _check_range(f"pcf.{name}", pcf.get(name), ZERO, _PERCENT_MAX)
    quality = pcf.get("dqi")
    if isinstance(quality, Mapping):
        for name in _QUALITY:
            yield from _check_range(f"pcf.dqi.{name}", quality.get(name), *_QUALITY_RANGE)


def _check_range(field: str, value: Any, least: Decimal, most: Decimal) -> Iterator[FootprintFlaw]:
    if value is None:
        return
    amount = read_amount(value)
    if amount is None:
        yield _wrong(field, value, "a decimal in a text, such as '1.25'")
    elif not least <= amount <= most:
        message = f"{field} is {plain(amount)}; it is from {plain(least)} to {plain(most)}."
        yield FootprintFlaw("range", field, message)


def _check_geography(pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    given = {name: pcf[name] for name in _GEOGRAPHIES if pcf.get(name) is not None}
    forms: Mapping[str, tuple[Callable[[str], object], str]] = {
        "geographyRegionOrSubregion": (REGIONS.__contains__, "a region of the United Nations"),
        "geographyCountry": (COUNTRY.fullmatch, "a country as ISO 3166-1 writes it, such as DE"),
        "geographyCountrySubdivision": (SUBDIVISION.fullmatch, "a part of one by ISO 3166-2, such as DE-BW"),
    }
    for name, value in given.items():
        fits, takes = forms[name]
        if not isinstance(value, str) or not fits(value):
            yield _wrong(f"pcf.{name}", value, takes)
    if len(given) > 1:
        names = " and ".join(given)
        message = f"{names} are stated together; a footprint has one of them, that of its granularity."
        yield FootprintFlaw("conflict", f"pcf.{[*given][-1]}", message)


def _check_packaging(pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    if pcf.get("packagingEmissionsIncluded") is False and pcf.get("packagingGhgEmissions") is not None:
        message = "pcf.packagingGhgEmissions is stated, though pcf.packagingEmissionsIncluded is false."
        yield FootprintFlaw("conflict", "pcf.packagingGhgEmissions", message)


def _check_sources(pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    def read_factor(value: Any) -> object:
        return (isinstance(value, str) and _FACTORS.fullmatch(value)) or None

    def read_word(value: Any) -> object:
        return value if isinstance(value, str) and value else None

    name = "ipccCharacterizationFactors"
    yield from _check_list(f"pcf.{name}", pcf.get(name), read_factor, "reports of the IPCC such as AR6")
    name = "crossSectoralStandards"
    yield from _check_list(f"pcf.{name}", pcf.get(name), read_word, "standards such as ISO14067")


def _check_times(footprint: Mapping[str, Any], pcf: Mapping[str, Any]) -> Iterator[FootprintFlaw]:
    fields = {
        "created": footprint.get("created"),
        "validityPeriodStart": footprint.get("validityPeriodStart"),
        "validityPeriodEnd": footprint.get("validityPeriodEnd"),
        "pcf.referencePeriodStart": pcf.get("referencePeriodStart"),
        "pcf.referencePeriodEnd": pcf.get("referencePeriodEnd"),
    }
    moments = {name: read_moment(value) for name, value in fields.items()}
    for name, value in fields.items():
        if value is not None and moments[name] is None:
            yield _wrong(name, value, "a time with an offset, such as 2025-01-01T00:00:00Z")
    for first, last in (
        ("pcf.referencePeriodStart", "pcf.referencePeriodEnd"),
        ("validityPeriodStart", "validityPeriodEnd"),
    ):
        start, end = moments[first], moments[last]
        if start is not None and end is not None and start >= end:
            message = f"{last} is {fields[last]}, which is not after {first}, {fields[first]}."
            yield FootprintFlaw("order", last, message)
