"""The plant of the demonstration, whose reports go to Isometric Certify (`tests/given/certify.py`)."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.given import library
from tests.given.certify import (
    EMITTED,
    FACILITY,
    FIELD,
    FOREST,
    HUSK,
    PROJECT,
    SECRET,
    STORED,
    TEMPLATE,
    TOKEN,
)
from tests.given.collection import Record
from tests.server import Caller

from weighbridge.demo import plant

PDF = b"%PDF-1.4\n1 0 obj << >> endobj\ntrailer << >>\n%%EOF\n"

TRUCK = 8
"""The mass of the empty truck that brings biochar to the field, in t."""

BUILDING = {
    "slug": "building", "value": 125_000, "unit": "kg{CO2e}", "effective_from": "2024-01-01T00:00:00Z",
}  # fmt: skip
"""What building the plant emitted."""


@dataclass(frozen=True, slots=True)
class CertifiedPlant:
    """A project with the quarter of the demonstration, a registry, and the mapping of its removal."""

    installed: library.Installed
    feedstocks: dict[str, str]
    registry: Record

    @property
    def api(self) -> Caller:
        return self.installed.api

    @property
    def project(self) -> Record:
        return self.installed.project

    @property
    def ledger(self) -> Record:
        return self.installed.ledgers[-1]

    def generate(self) -> None:
        for ledger in self.installed.ledgers:
            self.installed.generate(ledger, **plant.RANGE)

    def contents(self, **more: Any) -> dict[str, Any]:
        """A mapping of everything that the plant has."""

        def component(number: str, slug: str) -> dict[str, Any]:
            one = {
                "input_key": "co2e",
                "source": "node",
                "slug": slug,
                "unit": "kgCO2e",
                "own_unit": "kg{CO2e}",
            }
            return {"id": number, "inputs": [one]}

        def measure(point: str, unit: str) -> dict[str, Any]:
            return {"data_point": point, "unit": unit, "own_unit": unit}

        def value(point: str, kind: str, unit: str, **said: Any) -> dict[str, Any]:
            return {"data_point": point, "quantity_kind": kind, "unit": unit, **said}

        return {
            "project": {"id": PROJECT, "name": "Biochar plant"},
            "removal_template": {"id": TEMPLATE, "name": "Biochar removal"},
            "components": [component(STORED, "stored"), component(EMITTED, "emissions")],
            "feedstocks": [
                {"feedstock_id": self.feedstocks[plant.FOREST], "feedstock_type": {"id": FOREST}},
                {"feedstock_id": self.feedstocks[plant.HUSK], "feedstock_type": {"id": HUSK}},
            ],
            "feedstock_batches": {
                "event_type": "feedstock-delivery", "mass": "wet-mass", "unit": "kg", "own_unit": "kg{wet}",
            },
            "production_batches": {
                "ledger_id": self.installed.ledgers[1]["id"], "facility": {"id": FACILITY}, "unit": "kg",
                "own_unit": "kg{dry}",
            },
            "applications": {
                "event_type": "biochar-application", "storage_location": {"id": FIELD},
                "arrival": measure("truck-on-arrival", "kg"),
                "departure": measure("truck-on-departure", "kg"),
                "rate": {"data_point": "rate", "unit": "t/ha", "own_unit": "t/ha"},
            },
            "project_components": [
                {
                    "blueprint_key": "emission", "name": "Building of the plant",
                    "activity_started_on": "2024-03-01", "activity_completed_on": "2024-11-30",
                    "inputs": [
                        {
                            "input_key": "co2e", "slug": "building", "unit": "kgCO2e",
                            "own_unit": "kg{CO2e}",
                        }
                    ],
                }
            ],
            "samples": [
                {
                    "event_type": "lab-analysis", "measurement_type": "biochar_production_batch",
                    "values": [value("total-carbon", "mass_fraction", "%")],
                }
            ],
            "sensors": [
                {
                    "event_type": "kiln-temperature", "value": value("temperature", "temperature", "degC"),
                    "facility": {"id": FACILITY},
                }
            ],
            "series": [
                {
                    "event_type": "kiln-temperature", "facility": {"id": FACILITY},
                    "submission_type": "biochar_pyrolysis_reactor_facility_time_series",
                    "columns": [{"data_point": "temperature", "column": "temperature_c"}],
                }
            ],
        } | more  # fmt: skip

    def map(self, **more: Any) -> Record:
        body = {
            "registry_id": self.registry["id"], "ledger_id": self.ledger["id"],
            "contents": self.contents(**more),
        }  # fmt: skip
        path = f"{self.installed.home}/registry_mappings"
        made: Record = self.api.post(path, {"registry_mapping": body}).expect(201).body
        return made

    def come_late(self) -> None:
        """Bring in the lorry of January that came late, and generate the ledgers again."""
        path = f"{self.installed.home}/events"
        self.api.post(path, {"events": [plant.late_event(self.feedstocks)]}).expect(201)
        self.generate()

    def attach_certificate(self) -> Record:
        """Attach a file to the first delivery of the quarter; gives its evidence."""
        query = {"filter[slug]": "feedstock-delivery", "sort": "start_time"}
        events = self.api.get(f"{self.installed.home}/events", query).expect(200).data
        path = f"/events/{events[0]['id']}/evidence"
        made: Record = self.api.upload(path, "ticket.pdf", PDF).expect(201).body
        return made

    def draft(self, count: int | None = None, **fields: Any) -> Record:
        """A report of all batches of the quarter, or of the first of them."""
        query = {"page_size": 200, "sort": "start_time"}
        batches = self.api.get(f"/ledgers/{self.ledger['id']}/batches", query).data[:count]
        said = {
            "name": "First quarter", "report_type": "quarterly", "project_id": self.installed.project["id"],
            "batch_ids": [batch["id"] for batch in batches],
        }  # fmt: skip
        made: Record = self.api.post("/reports", {"report": said | fields}).expect(201).body
        return made

    def submit(self, report: Record) -> Record:
        """Submit a report, and carry its task out; gives the report as it stands."""
        self.api.post(f"/reports/{report['id']}/submit", {"registry_id": self.registry["id"]}).expect(202)
        self.installed.drain()
        return self.read(report)

    def read(self, report: Record) -> Record:
        found: Record = self.api.get(f"/reports/{report['id']}").expect(200).body
        return found

    def statement(self, report: Record) -> Record:
        path = f"/reports/{report['id']}/registry_statement"
        found: Record = self.api.get(path).expect(200).body
        return found


def register(api: Caller, address: str, **fields: Any) -> Record:
    """The registry as a record of an account."""
    said = {
        "name": "Isometric", "adapter": "isometric_certify", "address": address, "poll_seconds": 1,
        "headers": {"X-Client-Secret": SECRET, "Authorization": f"Bearer {TOKEN}"}, "tries": 3,
    }  # fmt: skip
    made: Record = api.post("/registries", {"registry": said | fields}).expect(201).body
    return made


def certified_plant(
    api: Caller,
    drain: Callable[[], None],
    address: str,
    prepare: Callable[[CertifiedPlant], None] = lambda _: None,
    **fields: Any,
) -> CertifiedPlant:
    """The plant of the demonstration with its quarter, generated once it is prepared, and a registry at an
    address.
    """
    installed = library.install(api, drain, plant.PACKAGE, time_zone=plant.TIME_ZONE)
    feedstocks = {
        name: api.post(f"{installed.home}/feedstocks", {"feedstock": {"name": name}}).expect(201).body["id"]
        for name in plant.FEEDSTOCKS
    }
    _weigh_trucks(api, installed)
    events = [*plant.events(feedstocks)]
    for event in events:
        if event["event_type"] == "biochar-application":
            event["data_points"] += _list_trucks(event["data_points"][0]["value"])
    api.post(f"{installed.home}/events", {"events": events}).expect(201)
    building = {
        "slug": "building",
        "value": 125_000,
        "unit": "kg{CO2e}",
        "effective_from": "2024-01-01T00:00:00Z",
    }
    api.post(f"{installed.home}/static_inputs", {"static_input": building}).expect(201)
    made = CertifiedPlant(installed, feedstocks, register(api, address, **fields))
    prepare(made)
    made.generate()
    return made


def _weigh_trucks(api: Caller, installed: library.Installed) -> None:
    """Have applications say what the truck weighed, and how much was spread on a hectare."""
    [kind] = [one for one in installed.event_types if one["slug"] == "biochar-application"]
    names = ("name", "slug", "value_type", "unit")
    points = [{name: one[name] for name in names} for one in kind["data_point_types"]]
    added = [
        {"name": name, "slug": slug, "value_type": "number", "unit": unit}
        for name, slug, unit in (
            ("Truck on arrival", "truck-on-arrival", "t"),
            ("Truck on departure", "truck-on-departure", "t"),
            ("Rate", "rate", "t/ha"),
        )
    ]
    path = f"{installed.home}/event_types/{kind['id']}"
    api.patch(path, {"event_type": {"data_point_types": [*points, *added]}}).expect(200)


def _list_trucks(spread: Decimal) -> list[dict[str, Any]]:
    """What the truck weighed that brought biochar, in t, and how it was spread."""
    return [
        {"slug": "truck-on-arrival", "value": TRUCK + spread},
        {"slug": "truck-on-departure", "value": TRUCK},
        {"slug": "rate", "value": 10},
    ]
