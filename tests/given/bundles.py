"""Bundles that a test starts from: made of reports, checked by the key of their service."""

import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from tests.given.collection import Record
from tests.given.works import Works, works
from tests.server import Account

from weighbridge.collection.evidence_files.store import open_store
from weighbridge.core.bundle.check import CheckedBundle, check_bundle
from weighbridge.core.proof.signing import SigningKey, VerifierKey
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.platform.audit_tree.keys import Signer
from weighbridge.reporting.bundle.making import BundleRequest, make_bundle
from weighbridge.reporting.reports.queries import report_numbered

KEY: Final = SigningKey.made()


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle, and the key by which it is checked."""

    content: bytes
    key: VerifierKey

    def check(self, key: VerifierKey | None = None) -> CheckedBundle:
        """What is found of it."""
        return self.check_of(self.content, key)

    def check_of(self, content: bytes, key: VerifierKey | None = None) -> CheckedBundle:
        """What is found of a file that should be this one."""
        return check_bundle(memoryview(content), key or self.key, read_model)

    def faults(self) -> list[str]:
        """What does not hold, each in a line."""
        return [fault.text for fault in self.check().faults.told]


def bundle(account: Account, report: Record, **fields: Any) -> Bundle:
    """The bundle of a report as it stands."""
    signer = Signer(KEY, "plant.example")
    server = account.server
    [(number,)] = server.sql("SELECT project_id FROM reports WHERE id = %s", report["numeric_id"])
    request = BundleRequest(number, report["numeric_id"], account.id, signer, report_numbered, **fields)
    store = open_store(server.settings.evidence_url, server.settings.data_dir)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bundle.zip")
        server.run(make_bundle(server.database, store, request, Path(folder), file))
        return Bundle(file.read_bytes(), signer.verifier(account.id))


def report_of(api: Any, ledger: Record) -> Record:
    """A draft that takes all that remains of a ledger's batches."""
    batches = [
        batch["id"] for batch in api.get(f"/ledgers/{ledger['id']}/batches").expect(200).data
        if batch["ledger_balance"] > 0
    ]  # fmt: skip
    project = ledger["project_id"]
    body = {"name": "All", "report_type": "quarterly", "project_id": project, "batch_ids": batches}
    made: Record = api.post("/reports", {"report": body}).expect(201).body
    return made


def chained(account: Account) -> tuple[Works, Record]:
    """Works whose carbon rests on three ledgers, with a shared bill, meters, a correction, late data and
    evidence; and a draft that takes all of the carbon.
    """
    made = works(account.caller(), account.drain)
    for feedstock, amount, used in (("Straw", "10.25", "4.5"), ("Wood", "7.5", "4")):
        for month, of_month in ((1, used), (2, "0.25")):
            made.measure("delivery", month, Decimal(amount), feedstock)
            made.measure("production", month, Decimal(of_month), feedstock)
            made.measure("application", month, Decimal(of_month), feedstock)
    made.measure("bill", 1, Decimal("1000.5"))
    made.measure("delivery", 2, Decimal(99), "Straw", grade="reject")
    for meter, shown in (("North", "17.5"), ("South", "4")):
        made.read(meter, 2, Decimal(1))
        made.read(meter, 40, Decimal(shown))
    made.generate("Deliveries")
    made.correct(made.events[0], Decimal("11.75"))
    made.measure("delivery", 1, Decimal("3.5"), "Wood")
    path = f"/events/{made.events[0].id}/evidence"
    made.api.upload(path, "slip.txt", b"11.75 t, weighed again\n").expect(201)
    for ledger in ("Deliveries", "Biochar", "Carbon"):
        made.generate(ledger)
    return made, report_of(made.api, made.ledgers["Carbon"])
