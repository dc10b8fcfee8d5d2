"""The plant: its feedstocks, what it measures, its chain of ledgers, and the published figures it must meet.

Invariants: a ledger of the chain draws only from the one before it; a published figure names where it must
come out and to how many places.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import as_file, files
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

WEIGHED: Final[tuple[JsonRecord, ...]] = (
    {"name": "Wet mass", "value_type": "number", "unit": "t{wet}"},
    {"name": "Moisture", "value_type": "number", "unit": "%"},
)

LOGGED: Final[JsonRecord] = {
    "name": "Kiln temperature",
    "expected_locations": "none",
    "cadence_amount": 1,
    "cadence_unit": "hour",
    "data_point_types": [{"name": "Temperature", "value_type": "number", "unit": "degC"}],
}
"""What a logger of the plant sends each hour: no model reads it, and what is missing is seen at a glance."""

OUTAGE: Final[JsonRecord] = {
    "reason": "The kiln's lining is mended",
    "start_time": f"2025-02-20T00:00:00{OFFSET}",
    "end_time": f"2025-02-22T00:00:00{OFFSET}",
}

_WEIGHED_AND_BILLED: Final[tuple[JsonRecord, ...]] = tuple(
    {"name": name, "expected_locations": "none", "data_point_types": list(points)}
    for name, points in (
        ("Feedstock delivery", (*WEIGHED, {"name": "Distance", "value_type": "number", "unit": "km"})),
        ("Biochar run", WEIGHED),
        (
            "Lab analysis",
            (
                {"name": "Sample mass", "value_type": "number", "unit": "g"},
                {"name": "Total carbon", "value_type": "number", "unit": "%"},
                {"name": "Inorganic carbon", "value_type": "number", "unit": "%"},
                {"name": "Hydrogen to carbon", "value_type": "number"},
            ),
        ),
        ("Power bill", ({"name": "Energy", "value_type": "number", "unit": "kWh"},)),
        ("Biochar application", WEIGHED),
        ("Soil temperature", ({"name": "Annual mean", "value_type": "number", "unit": "degC"},)),
    )
)
EVENT_TYPES: Final = (*_WEIGHED_AND_BILLED, LOGGED)

RANGE: Final[JsonRecord] = {
    "start_time": f"2025-01-01T00:00:00{OFFSET}",
    "end_time": f"2025-03-31T23:59:59{OFFSET}",
}


@dataclass(frozen=True, slots=True)
class ChainLedger:
    """A ledger of the chain, the document of the model that credits it, and its nodes that are shown."""

    ledger: str
    unit: str
    document: str
    credited: str
    emitted: str


INVENTORY: Final = ChainLedger(
    "Feedstock inventory", "t{dry}", "feedstock-inventory.yaml",
    credited="dry_mass", emitted="transport_intensity",
)  # fmt: skip
PRODUCTION: Final = ChainLedger(
    "Biochar production", "t{dry}", "biochar-production.yaml",
    credited="dry_mass", emitted="emissions_intensity",
)  # fmt: skip
REMOVAL: Final = ChainLedger(
    "Net removal", "t{CO2e}", "net-removal.yaml",
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


def model_file(link: ChainLedger) -> AbstractContextManager[Path]:
    """The document of the model that credits a ledger, as a file."""
    return as_file(files(__package__).joinpath("models", link.document))
