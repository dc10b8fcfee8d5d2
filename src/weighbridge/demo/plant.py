"""The plant: what it measured in three months, and the published figures that must come of it.

Facts, with their sources:

- Isometric, Biochar Storage in Soil Environments v1.2, equations 1 to 3, worked example: 1.79 t of dry
  biochar with 79.2 % total and 0.9 % inorganic carbon, a hydrogen to carbon ratio of 0.27 and soil at
  24.5 degrees Celsius; durable fraction 0.84914, stored 4.362 t CO2e from rounded intermediate values,
  4.3611406784 t CO2e without rounding. It is January's batch of forest residues.
- A public accounting course: the electricity of a month shared by mass over four deliveries of 3, 5, 4
  and 2 t comes to 1.25, 2.09, 1.67 and 0.83. They are February's deliveries, two of each feedstock.

Everything else is made up for a plant of that size.

Invariants: the weighted averages of January's forest residues are the worked example's figures, to the
last digit; every moment is written in the time zone of the plant.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

Record = dict[str, Any]

TIME_ZONE: Final = "Asia/Kolkata"
OFFSET: Final = "+05:30"
FOREST: Final = "Forest residues"
HUSK: Final = "Rice husk"
FEEDSTOCKS: Final = (FOREST, HUSK)

PROJECT: Final[Record] = {
    "name": "Biochar plant",
    "description": "Forest residues and rice husk, applied to soil",
    "time_zone": TIME_ZONE,
}

EVENT_TYPES: Final[tuple[Record, ...]] = (
    {
        "name": "Biochar delivery",
        "expected_locations": "none",
        "data_point_types": [
            {"name": "Wet mass", "value_type": "number", "unit": "t{wet}"},
            {"name": "Moisture", "value_type": "number", "unit": "%"},
        ],
    },
    {
        "name": "Lab analysis",
        "expected_locations": "none",
        "data_point_types": [
            {"name": "Sample mass", "value_type": "number", "unit": "g"},
            {"name": "Total carbon", "value_type": "number", "unit": "%"},
            {"name": "Inorganic carbon", "value_type": "number", "unit": "%"},
            {"name": "Hydrogen to carbon", "value_type": "number"},
        ],
    },
    {
        "name": "Power bill",
        "expected_locations": "none",
        "data_point_types": [{"name": "Energy", "value_type": "number", "unit": "kWh"}],
    },
    {
        "name": "Soil temperature",
        "expected_locations": "none",
        "data_point_types": [{"name": "Annual mean", "value_type": "number", "unit": "degC"}],
    },
)

LEDGER: Final[Record] = {"name": "Net removal", "unit": "t{CO2e}"}
RANGE: Final[Record] = {
    "start_time": f"2025-01-01T00:00:00{OFFSET}",
    "end_time": f"2025-03-31T23:59:59{OFFSET}",
}


@dataclass(frozen=True, slots=True)
class Delivery:
    """A lorry on the weighbridge."""

    day: int
    feedstock: str
    wet_mass: str
    moisture: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the laboratory found in a sample."""

    day: int
    feedstock: str
    sample_mass: str
    total_carbon: str
    inorganic_carbon: str
    hydrogen_to_carbon: str


@dataclass(frozen=True, slots=True)
class Month:
    """The measurements of one month; energy and temperature are those of the whole plant."""

    first: str
    next: str
    energy: str
    temperature: str
    deliveries: tuple[Delivery, ...]
    analyses: tuple[Analysis, ...]


MONTHS: Final = (
    Month(
        "2025-01",
        "2025-02",
        energy="2150",
        temperature="24.5",
        deliveries=(
            Delivery(8, FOREST, "1.2", "10"),  # 1.08 t dry
            Delivery(21, FOREST, "0.8", "11.25"),  # 0.71 t dry, together 1.79
            Delivery(14, HUSK, "2.4", "9.5"),
            Delivery(27, HUSK, "1.6", "12.25"),
        ),
        analyses=(
            # By sample mass these come to 79.2 %, 0.9 % and 0.27.
            Analysis(9, FOREST, "50", "78.9", "1", "0.29"),
            Analysis(22, FOREST, "100", "79.35", "0.85", "0.26"),
            Analysis(15, HUSK, "60", "48.3", "1.1", "0.41"),
        ),
    ),
    Month(
        "2025-02",
        "2025-03",
        energy="5840",
        temperature="24.4",
        deliveries=(
            Delivery(4, FOREST, "3.75", "20"),  # 3 t dry
            Delivery(11, FOREST, "6.25", "20"),  # 5 t dry
            Delivery(18, HUSK, "5", "20"),  # 4 t dry
            Delivery(25, HUSK, "2.5", "20"),  # 2 t dry
        ),
        analyses=(
            Analysis(5, FOREST, "80", "78.6", "0.95", "0.28"),
            Analysis(12, FOREST, "75", "79.1", "0.9", "0.275"),
            Analysis(19, HUSK, "60", "47.9", "1.2", "0.42"),
            Analysis(26, HUSK, "90", "48.6", "1.05", "0.405"),
        ),
    ),
    Month(
        "2025-03",
        "2025-04",
        energy="3310.5",
        temperature="24.6",
        deliveries=(
            Delivery(6, FOREST, "2.6", "14"),
            Delivery(20, FOREST, "3.1", "15.5"),
            Delivery(13, HUSK, "1.9", "12.4"),
            Delivery(28, HUSK, "2.2", "18"),
        ),
        analyses=(
            Analysis(7, FOREST, "70", "80.3", "0.8", "0.265"),
            Analysis(14, HUSK, "65", "49.2", "1.15", "0.4"),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that someone else has published, and where it must come out."""

    month: str
    feedstock: str
    node: str
    places: int
    value: Decimal
    what: str
    published: str


EXAMPLE_MONTH: Final = "2025-01"
PUBLISHED: Final = (
    Published(
        EXAMPLE_MONTH, FOREST, "durable_fraction", 5, Decimal("0.84914"),
        "Durable fraction", "0.84914, Isometric v1.2",
    ),
    Published(
        EXAMPLE_MONTH, FOREST, "stored", 10, Decimal("4.3611406784"),
        "Stored, t CO2e", "4.362, Isometric v1.2, of rounded parts",
    ),
    Published(
        "2025-02", FOREST, "electricity", 2, Decimal("3.34"),
        "Power of 3 t and 5 t, MWh", "1.25 + 2.09, accounting course",
    ),
    Published(
        "2025-02", HUSK, "electricity", 2, Decimal("2.50"),
        "Power of 4 t and 2 t, MWh", "1.67 + 0.83, accounting course",
    ),
)  # fmt: skip


def model_file() -> AbstractContextManager[Path]:
    """The document of the plant's model, as a file."""
    return as_file(files(__package__).joinpath("biochar-plant.yaml"))


def events(feedstock_ids: Mapping[str, str]) -> list[Record]:
    """Everything that was measured, as the service takes it."""
    return [event for month in MONTHS for event in _events(month, feedstock_ids)]


def _events(month: Month, feedstock_ids: Mapping[str, str]) -> Iterator[Record]:
    for delivery in month.deliveries:
        yield {
            **_at(month, delivery.day, "10:30"),
            "event_type": "biochar-delivery",
            "feedstock_id": feedstock_ids[delivery.feedstock],
            "data_points": _points(wet_mass=delivery.wet_mass, moisture=delivery.moisture),
        }
    for analysis in month.analyses:
        yield {
            **_at(month, analysis.day, "16:00"),
            "event_type": "lab-analysis",
            "feedstock_id": feedstock_ids[analysis.feedstock],
            "data_points": _points(
                sample_mass=analysis.sample_mass,
                total_carbon=analysis.total_carbon,
                inorganic_carbon=analysis.inorganic_carbon,
                hydrogen_to_carbon=analysis.hydrogen_to_carbon,
            ),
        }
    yield {
        "event_type": "power-bill",
        "start_time": f"{month.first}-01T00:00:00{OFFSET}",
        "end_time": f"{month.next}-01T00:00:00{OFFSET}",
        "data_points": _points(energy=month.energy),
    }
    yield {
        **_at(month, 1, "00:00"),
        "event_type": "soil-temperature",
        "data_points": _points(annual_mean=month.temperature),
    }


def _at(month: Month, day: int, time: str) -> Record:
    return {"start_time": f"{month.first}-{day:02d}T{time}:00{OFFSET}"}


def _points(**values: str) -> list[Record]:
    return [{"slug": name.replace("_", "-"), "value": Decimal(value)} for name, value in values.items()]
