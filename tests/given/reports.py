"""Reports that a test starts from: what they take of a plant's batches, and how they go on."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.given import accounting
from tests.given.accounting import QUARTER, Plant
from tests.given.collection import Record
from tests.server import Answer


@dataclass(frozen=True, slots=True)
class Claims:
    """A plant, and the reports of its ledger."""

    plant: Plant

    def batch(self, number: int = 0) -> str:
        """The id of a batch, the oldest first."""
        return str(self.plant.batches()[number]["id"])

    def ask(self, **fields: Any) -> Answer:
        """Ask for a report of the plant's project."""
        said = {"name": "First quarter", "report_type": "quarterly", "project_id": self.plant.project["id"]}
        return self.plant.api.post("/reports", {"report": said | fields})

    def report(self, *amounts: int | str, **fields: Any) -> Record:
        """A draft that takes so much of each batch, the oldest first."""
        batches = [
            {"batch_id": batch["id"], "amount": Decimal(amount)}
            for batch, amount in zip(self.plant.batches(), amounts, strict=False)
            if Decimal(amount)
        ]
        made: Record = self.ask(**({"batches": batches} if amounts else {}), **fields).expect(201).body
        return made

    def read(self, report: Record) -> Record:
        """A report as it stands now."""
        found: Record = self.plant.api.get(f"/reports/{report['id']}").expect(200).body
        return found

    def balances(self) -> list[Any]:
        """What each batch has left, the oldest first."""
        return [batch["ledger_balance"] for batch in self.plant.batches()]


def claims(api: Any, drain: Any, *masses: int | str, **fields: Any) -> Claims:
    """A plant that delivered so much in each month from January on, and generated its batches."""
    plant = accounting.plant(api, drain, **fields)
    for month, mass in enumerate(masses, start=1):
        plant.deliver(mass, f"2025-{month:02d}-02T00:00:00Z")
    if masses:
        plant.generate(QUARTER)
    return Claims(plant)


def submitted(claims: Claims, report: Record) -> Record:
    """A report that was sent off and received."""
    claims.plant.api.post(f"/reports/{report['id']}/submit", {}).expect(202)
    claims.plant.drain()
    found = claims.read(report)
    assert found["status"] == "submitted", found
    return found


def accepted(claims: Claims, report: Record) -> Record:
    """A report that was sent off and accepted."""
    submitted(claims, report)
    found: Record = claims.plant.api.post(f"/reports/{report['id']}/accept", {}).expect(200).body
    return found


def withdrawn(claims: Claims, report: Record) -> Record:
    """A report that was taken back."""
    body = {"reason": "It is claimed under another programme."}
    found: Record = claims.plant.api.post(f"/reports/{report['id']}/withdraw", body).expect(200).body
    return found


def rejected(claims: Claims, report: Record) -> Record:
    """A report that was sent off and rejected."""
    submitted(claims, report)
    body = {"reason": "The certificate of the scale is missing."}
    found: Record = claims.plant.api.post(f"/reports/{report['id']}/reject", body).expect(200).body
    return found
