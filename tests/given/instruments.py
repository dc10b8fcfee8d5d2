"""System ledgers with instruments, and a plant whose model draws from one of them."""

from typing import Any

from tests.given import accounting, chain
from tests.given.accounting import Plant
from tests.given.collection import Record
from tests.server import Answer, Caller

CERTIFICATES = "Certificates"
UNITS = {"renewable_energy_credits": "kWh", "renewable_fuel": "kg{CO2e}", "embodied_emissions": "kg{CO2e}"}

USING = """
  - slug: made
    input: {event_type: production, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: needed
    formula: made * per_tonne
    unit: kWh
  - slug: per_tonne
    constant: 100
    unit: kWh/t
  - slug: claimed
    upstream: {ledger: Certificates, amount: needed}
    unit: kWh
  - slug: green
    formula: sum(claimed)
    unit: kWh
    output: true
"""
"""Nodes that claim 100 kWh of certificates for each tonne produced."""


def system_ledger(
    caller: Caller, project: Record, kind: str = "renewable_energy_credits", *, name: str = CERTIFICATES
) -> Record:
    """A system ledger of a kind."""
    body = {"ledger": {"name": name, "system_ledger_type": kind}}
    made: Record = caller.post(f"/projects/{project['id']}/ledgers", body).expect(201).body
    return made


def enter(caller: Caller, ledger: Record, external_id: str = "REC-1", **fields: Any) -> Answer:
    """Ask for an instrument of 1000 from Texas, issued on 10 January 2025 unless the test says otherwise."""
    stated: dict[str, Any] = {"external_id": external_id, "amount": 1000, "geography": "US-TX"}
    stated |= {"issued_on": "2025-01-10"} | fields
    sent = {name: value for name, value in stated.items() if value is not None}
    return caller.post(f"/ledgers/{ledger['id']}/instruments", {"instrument": sent})


def certified(api: Caller, drain: Any, *amounts: int) -> tuple[Plant, Record]:
    """A plant that draws certificates for what it produces, and their ledger with so many in it."""
    plant = chain.inventory(api, drain)
    ledger = system_ledger(api, plant.project)
    for number, amount in enumerate(amounts, start=1):
        enter(api, ledger, f"REC-{number}", amount=amount).expect(201)
    text = accounting.document(USING, name="Green", primary_output="green")
    model = accounting.model(api, plant.project, text)
    made = accounting.ledger(api, plant.project, model, name="Green", unit="kWh")
    return Plant(api, drain, plant.project, model, made), ledger
