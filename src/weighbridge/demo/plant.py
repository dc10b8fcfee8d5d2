"""The plant: its feedstocks, what it measures, its chain of ledgers, and the published figures it must meet.

Invariants: a ledger of the chain draws only from the one before it; a published figure names where it must
come out and to how many places.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

JsonRecord = dict[str, Any]

TIME_ZONE: Final = "Asia/Kolkata"
OFFSET: Final = "+05:30"
FOREST: Final = "Forest residues"
HUSK: Final = "Rice husk"
FEEDSTOCKS: Final = (FOREST, HUSK)

PROJECT: Final[JsonRecord] = {
    "name": "Biochar plant",
    "description": "Biochar of forest residues and rice husk, spread on fields",
    "time_zone": TIME_ZONE,
}

OUTAGE: Final[JsonRecord] = {
    "reason": "The kiln's lining is mended",
    "start_time": f"2025-02-20T00:00:00{OFFSET}",
    "end_time": f"2025-02-22T00:00:00{OFFSET}",
}

PACKAGE: Final = "biochar-plant"
"""The package of the library with which the project begins. One of its event types is what a logger of the
plant sends each hour: no model reads it, and what is missing is seen at a glance."""

PACKAGE_FOLDER: Final = Path(str(files("weighbridge"))) / "packages" / "library" / PACKAGE
"""Where it is read, as its writer would."""

RANGE: Final[JsonRecord] = {
    "start_time": f"2025-01-01T00:00:00{OFFSET}",
    "end_time": f"2025-03-31T23:59:59{OFFSET}",
}


@dataclass(frozen=True, slots=True)
class ChainLedger:
    """A ledger of the chain, and the nodes of its model that are shown."""

    ledger: str
    unit: str
    credited: str
    emitted: str


INVENTORY: Final = ChainLedger(
    "Feedstock inventory", "t{dry}",
    credited="dry_mass", emitted="transport_intensity",
)  # fmt: skip
PRODUCTION: Final = ChainLedger(
    "Biochar production", "t{dry}",
    credited="dry_mass", emitted="emissions_intensity",
)  # fmt: skip
REMOVAL: Final = ChainLedger(
    "Net removal", "t{CO2e}",
    credited="net_removal", emitted="emissions",
)  # fmt: skip
CHAIN: Final = (INVENTORY, PRODUCTION, REMOVAL)
"""From the source down: each draws from the one before it."""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that someone else has published, and where it must come out."""

    link: ChainLedger
    slot: str
    node: str
    places: int
    value: Decimal
    what: str
    published: str


EXAMPLE: Final = f"2025-01 {FOREST}"
"""The batches that stand on the worked example, as the ledgers name them."""

PUBLISHED: Final = (
    Published(
        REMOVAL, EXAMPLE, "durable_fraction", 5, Decimal("0.84914"),
        "Durable fraction", "0.84914, Isometric v1.2",
    ),
    Published(
        REMOVAL, EXAMPLE, "stored", 10, Decimal("4.3611406784"),
        "Stored, t CO2e", "4.362, Isometric v1.2, of rounded parts",
    ),
    Published(
        PRODUCTION, f"2025-02 {FOREST}", "electricity", 2, Decimal("3.34"),
        "Power of 3 t and 5 t, MWh", "1.25 + 2.09, accounting course",
    ),
    Published(
        PRODUCTION, f"2025-02 {HUSK}", "electricity", 2, Decimal("2.50"),
        "Power of 4 t and 2 t, MWh", "1.67 + 0.83, accounting course",
    ),
)  # fmt: skip
"""Isometric, Biochar Storage in Soil Environments v1.2, equations 1 to 3, worked example: durable fraction
0.84914; stored 4.362 t CO2e from rounded intermediate values, 4.3611406784 without rounding. A public
accounting course: the electricity of a month shared by mass over amounts of 3, 5, 4 and 2 t comes to 1.25,
2.09, 1.67 and 0.83."""


# The measurements: what was weighed, analysed and billed in three months, and one lorry that came in late.
#
# Facts, with their sources:
#
# - Isometric, Biochar Storage in Soil Environments v1.2, worked example: biochar with 79.2 % total and 0.9 %
#   inorganic carbon and a hydrogen to carbon ratio of 0.27, of which 1.79 t dry go into soil at 24.5 degrees
#   Celsius. It is January's biochar of forest residues, and what was spread of it in January.
# - A public accounting course: the electricity of a month shared by mass over four amounts of 3, 5, 4 and
#   2 t. They are February's runs of the plant, two of each feedstock.
#
# Everything else is made up for a plant of that size.
#
# Invariants: the weighted averages of January's forest residues are the worked example's figures, to the
# last digit; every moment is written in the time zone of the plant.


@dataclass(frozen=True, slots=True)
class Delivery:
    """A lorry with feedstock on the weighbridge, and how far it came."""

    day: int
    feedstock: str
    wet_mass: str
    moisture: str
    distance: str


@dataclass(frozen=True, slots=True)
class Biochar:
    """Biochar on a scale: what a run of the plant made, or a load that was spread."""

    day: int
    feedstock: str
    wet_mass: str
    moisture: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the laboratory found in a sample of the biochar."""

    day: int
    feedstock: str
    sample_mass: str
    total_carbon: str
    inorganic_carbon: str
    hydrogen_to_carbon: str


@dataclass(frozen=True, slots=True)
class Month:
    """The measurements of one month; energy and temperature are those of the whole plant and site."""

    first: str
    next: str
    energy: str
    temperature: str
    deliveries: tuple[Delivery, ...]
    runs: tuple[Biochar, ...]
    analyses: tuple[Analysis, ...]
    applications: tuple[Biochar, ...]


JANUARY: Final = Month(
    "2025-01",
    "2025-02",
    energy="2150",
    temperature="24.5",
    deliveries=(
        Delivery(3, FOREST, "8", "40", "45"),  # 4.8 t dry
        Delivery(16, FOREST, "12", "40", "70"),  # 7.2 t dry, together 12 with 10 kg CO2e a tonne
        Delivery(6, HUSK, "8", "12.5", "25"),
        Delivery(20, HUSK, "6.25", "12", "48"),
    ),
    runs=(
        Biochar(8, FOREST, "1.25", "20"),  # 1 t dry
        Biochar(21, FOREST, "1.875", "20"),  # 1.5 t dry, of 10 t of feedstock together
        Biochar(14, HUSK, "2.4", "9.5"),
        Biochar(27, HUSK, "1.6", "12.25"),
    ),
    analyses=(
        # By sample mass these come to 79.2 %, 0.9 % and 0.27.
        Analysis(9, FOREST, "50", "78.9", "1", "0.29"),
        Analysis(22, FOREST, "100", "79.35", "0.85", "0.26"),
        Analysis(15, HUSK, "60", "48.3", "1.1", "0.41"),
    ),
    applications=(
        Biochar(24, FOREST, "1.2", "10"),  # 1.08 t dry
        Biochar(29, FOREST, "0.8", "11.25"),  # 0.71 t dry, together 1.79
        Biochar(30, HUSK, "3.75", "20"),
    ),
)

FEBRUARY: Final = Month(
    "2025-02",
    "2025-03",
    energy="5840",
    temperature="24.4",
    deliveries=(
        Delivery(3, FOREST, "20", "40", "54"),
        Delivery(10, FOREST, "25", "36", "56"),
        Delivery(17, FOREST, "12.5", "36", "60.8"),
        Delivery(5, HUSK, "10", "10", "40"),
        Delivery(19, HUSK, "10", "10", "50"),
    ),
    runs=(
        Biochar(4, FOREST, "3.75", "20"),  # 3 t dry
        Biochar(11, FOREST, "6.25", "20"),  # 5 t dry
        Biochar(18, HUSK, "5", "20"),  # 4 t dry
        Biochar(25, HUSK, "2.5", "20"),  # 2 t dry
    ),
    analyses=(
        Analysis(5, FOREST, "80", "78.6", "0.95", "0.28"),
        Analysis(12, FOREST, "75", "79.1", "0.9", "0.275"),
        Analysis(19, HUSK, "60", "47.9", "1.2", "0.42"),
        Analysis(26, HUSK, "90", "48.6", "1.05", "0.405"),
    ),
    applications=(
        Biochar(14, FOREST, "7.5", "20"),  # 6 t dry: what January left, then of February
        Biochar(27, HUSK, "6.875", "20"),
    ),
)

MARCH: Final = Month(
    "2025-03",
    "2025-04",
    energy="3310.5",
    temperature="24.6",
    deliveries=(
        Delivery(4, FOREST, "12.5", "36", "48.4"),
        Delivery(18, FOREST, "12.5", "36", "54"),
        Delivery(11, HUSK, "12.5", "12", "35.2"),
    ),
    runs=(
        Biochar(6, FOREST, "2.6", "14"),
        Biochar(20, FOREST, "3.1", "15.5"),
        Biochar(13, HUSK, "1.9", "12.4"),
        Biochar(28, HUSK, "2.2", "18"),
    ),
    analyses=(
        Analysis(7, FOREST, "70", "80.3", "0.8", "0.265"),
        Analysis(14, HUSK, "65", "49.2", "1.15", "0.4"),
    ),
    applications=(
        Biochar(17, FOREST, "8.75", "20"),
        Biochar(31, HUSK, "5", "20"),
    ),
)

MONTHS: Final = (JANUARY, FEBRUARY, MARCH)

LATE: Final = Delivery(30, FOREST, "10", "20", "180")
"""A lorry of January whose slip turns up when all is booked: 8 t dry, from farther away than any other."""


LOGGED_DAYS: Final = {"2025-01": 31, "2025-02": 28, "2025-03": 31}
COLD: Final = frozenset({("2025-02", 20), ("2025-02", 21)})
"""The days on which the kiln was mended: an outage, in which nothing is expected."""
LOST: Final = frozenset(
    {("2025-01", 17, hour) for hour in (3, 4, 5)} | {("2025-03", 9, 22), ("2025-03", 9, 23)}
)
"""Hours that the logger lost: nothing says why, so they are missing."""


def events(feedstock_ids: Mapping[str, str]) -> list[JsonRecord]:
    """Everything that was measured in time, as the service takes it."""
    weighed = [event for month in MONTHS for event in _events(month, feedstock_ids)]
    return [*weighed, *(event for month in MONTHS for event in _list_readings(month))]


def late_event(feedstock_ids: Mapping[str, str]) -> JsonRecord:
    """What was measured in January and comes in late."""
    return _list_deliveries(JANUARY, LATE, feedstock_ids)


def _events(month: Month, feedstock_ids: Mapping[str, str]) -> Iterator[JsonRecord]:
    for delivery in month.deliveries:
        yield _list_deliveries(month, delivery, feedstock_ids)
    for kind, weighed in (("biochar-run", month.runs), ("biochar-application", month.applications)):
        for biochar in weighed:
            yield {
                **_at(month, biochar.day, "14:30", kind),
                "feedstock_id": feedstock_ids[biochar.feedstock],
                "data_points": _points(wet_mass=biochar.wet_mass, moisture=biochar.moisture),
            }
    for analysis in month.analyses:
        yield {
            **_at(month, analysis.day, "16:00", "lab-analysis"),
            "feedstock_id": feedstock_ids[analysis.feedstock],
            "data_points": _points(
                sample_mass=analysis.sample_mass,
                total_carbon=analysis.total_carbon,
                inorganic_carbon=analysis.inorganic_carbon,
                hydrogen_to_carbon=analysis.hydrogen_to_carbon,
            ),
        }
    yield {
        **_at(month, 1, "00:00", "power-bill"),
        "end_time": f"{month.next}-01T00:00:00{OFFSET}",
        "data_points": _points(energy=month.energy),
    }
    yield {
        **_at(month, 1, "00:00", "soil-temperature"),
        "data_points": _points(annual_mean=month.temperature),
    }


def _list_readings(month: Month) -> Iterator[JsonRecord]:
    """What the kiln's logger sent: warmest in the afternoon, and no two hours alike."""
    for day in range(1, LOGGED_DAYS[month.first] + 1):
        for hour in range(24):
            if (month.first, day) in COLD or (month.first, day, hour) in LOST:
                continue
            tenths = 6400 - 11 * abs(hour - 15) + 7 * day % 60 + 13 * (day + hour) % 29
            yield {
                **_at(month, day, f"{hour:02d}:00", "kiln-temperature"),
                "end_time": f"{month.first}-{day:02d}T{hour:02d}:59:59{OFFSET}",
                "data_points": _points(temperature=f"{tenths // 10}.{tenths % 10}"),
            }


def _list_deliveries(month: Month, delivery: Delivery, feedstock_ids: Mapping[str, str]) -> JsonRecord:
    return {
        **_at(month, delivery.day, "10:30", "feedstock-delivery"),
        "feedstock_id": feedstock_ids[delivery.feedstock],
        "data_points": _points(
            wet_mass=delivery.wet_mass, moisture=delivery.moisture, distance=delivery.distance
        ),
    }


def _at(month: Month, day: int, time: str, kind: str) -> JsonRecord:
    return {"event_type": kind, "start_time": f"{month.first}-{day:02d}T{time}:00{OFFSET}"}


def _points(**values: str) -> list[JsonRecord]:
    return [{"slug": name.replace("_", "-"), "value": Decimal(value)} for name, value in values.items()]
