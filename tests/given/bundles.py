"""Bundles that a test starts from: made of reports, checked by the key of their service."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from tests.given import accounting, chain, instruments, rule_evaluation
from tests.given import collection as given
from tests.given.accounting import QUARTER
from tests.given.collection import Record
from tests.given.works import Works, works
from tests.server import Account

from weighbridge.collection.evidence_files import open_store
from weighbridge.core.bundle.check import CheckedBundle, Trust, check_bundle
from weighbridge.core.signing import SigningKey, VerifierKey
from weighbridge.modelling.documents import read_model
from weighbridge.platform.audit_tree import Signer
from weighbridge.reporting.bundle.builder import BundleRequest, make_bundle
from weighbridge.reporting.reports_queries import report_numbered

KEY: Final = SigningKey.made()

FUEL: Final = """
  - slug: made
    input: {event_type: production, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: per_tonne
    static_input: {slug: per-tonne}
    unit: kg{CO2e}/t
  - slug: needed
    formula: made * per_tonne
    unit: kg{CO2e}
  - slug: claimed
    upstream: {ledger: Certificates, amount: needed, attributes: [mass]}
    unit: kg{CO2e}
  - slug: moved
    formula: sum(claimed.mass)
    unit: t
  - slug: green
    formula: sum(claimed)
    unit: kg{CO2e}
    output: true
"""
"""Nodes that claim renewable fuel for what was produced, by a factor that somebody entered."""


class CheckedFile(NamedTuple):
    """A file, the key by which it was checked, what was changed of it, and what was found."""

    content: bytes
    key: VerifierKey
    what: str
    faults: Sequence[str]
    gaps: Sequence[str] = ()

    @property
    def is_valid(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


CHECKED: Final[list[CheckedFile]] = []
"""Every file that was checked, for the second checker to check them again."""

CHECKED_TWICE: Final = 3
"""Of the files that one test makes by the hundred, one in so many, unless it was asked for many."""

IN_FULL: Final = bool({"WEIGHBRIDGE_BUNDLE_BYTES", "WEIGHBRIDGE_BUNDLE_SET"} & os.environ.keys())


@contextmanager
def some_checked_twice() -> Iterator[None]:
    """Leave the second checker some of the files that are checked in the block, the same in every run."""
    begun = len(CHECKED)
    yield
    if not IN_FULL:
        made = CHECKED[begun:]
        CHECKED[begun:] = Random(1).sample(made, -(-len(made) // CHECKED_TWICE))  # noqa: S311 - which does not matter


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle, and the key by which it is checked."""

    content: bytes
    key: VerifierKey

    def check(self, key: VerifierKey | None = None) -> CheckedBundle:
        """What is found of it."""
        return self.check_of(self.content, key)

    def check_by(self, trust: Trust) -> CheckedBundle:
        """What is found of it by somebody who trusts more than the key."""
        return check_bundle(memoryview(self.content), self.key, read_model, trust=trust)

    def check_of(self, content: bytes, key: VerifierKey | None = None, what: str = "") -> CheckedBundle:
        """What is found of a file that should be this one; `what` names what was changed."""
        checked = check_bundle(memoryview(content), key or self.key, read_model)
        faults = [fault.text for fault in checked.faults.listed]
        gaps = [gap.sentence for gap in checked.gaps]
        CHECKED.append(CheckedFile(content, key or self.key, what, faults, gaps))
        return checked

    def faults(self) -> list[str]:
        """What does not hold, each in a line."""
        return [fault.text for fault in self.check().faults.listed]


def bundle(account: Account, report: Record, key: SigningKey = KEY, **fields: Any) -> Bundle:
    """The bundle of a report as it stands."""
    signer = Signer(key, "plant.example")
    server = account.server
    [(number,)] = server.sql("SELECT project_id FROM reports WHERE id = %s", report["numeric_id"])
    request = BundleRequest(number, report["numeric_id"], account.actor, signer, report_numbered, **fields)
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


def mixed(account: Account) -> Bundle:
    """The bundle of a restated report over three ledgers: shared bills, meters in service, corrections, late
    data, a file and a link.
    """
    made, draft = chained(account)
    api, project = made.api, made.project["id"]
    link = {"evidence": {"type": "url", "name": "Weighbridge log", "url": "https://plant.example/log/7"}}
    api.post(f"/events/{made.events[0].id}/evidence", link).expect(201)
    [north, _] = made.meters.values()
    service = {"location": {"in_service_from": "2024-06-01T00:00:00Z"}}
    api.patch(f"/projects/{project}/locations/{north['id']}", service).expect(200)
    for ledger in made.ledgers:
        made.generate(ledger)
    first = api.get(f"/reports/{draft['id']}").expect(200).body
    api.post(f"/reports/{first['id']}/submit", {}).expect(202)
    account.drain()
    api.post(f"/reports/{first['id']}/accept", {}).expect(200)
    application = next(one for one in made.events if one.kind == "application" and one.feedstock == "Wood")
    made.correct(application, Decimal("3.75"))
    made.measure("delivery", 2, Decimal("0.125"), "Straw")
    for ledger in ("Deliveries", "Biochar", "Carbon"):
        made.generate(ledger)
    wood = next(one for one in first["inclusions"] if one["tracking_id"] == "2025-01 Wood")
    taken = [
        {"batch_id": one["batch_id"], "amount": 3 if one is wood else one["amount"]}
        for one in first["inclusions"]
    ]
    body = {"name": "Restated", "report_type": "quarterly", "project_id": project, "batches": taken}
    second = api.post("/reports", {"report": body | {"supersedes": first["id"]}}).expect(201).body
    api.post(f"/reports/{second['id']}/submit", {}).expect(202)
    account.drain()
    return bundle(account, second)


def entered(account: Account) -> Bundle:
    """The bundle of fuel that draws certificates: a static input, instruments with figures, a correction by
    a rule.
    """
    api, drain = account.caller(), account.drain
    plant = chain.inventory(api, drain)
    system = instruments.system_ledger(api, plant.project, "renewable_fuel")
    figures = {"mass": 40, "energy_intensity": "12.5"}
    instruments.enter(api, system, "FUEL-1", amount=500, **figures).expect(201)
    instruments.enter(api, system, "FUEL-2", amount=700, **(figures | {"mass": 41})).expect(201)
    given.static_input(api, plant.project, slug="per-tonne", value=100, unit="kg{CO2e}/t")
    rule = rule_evaluation.calibration(api, plant.project, expression="{{mass}} > 6", becomes="6")
    text = accounting.document(FUEL, name="Fuel", primary_output="green")
    model = accounting.model(api, plant.project, text)
    ledger = accounting.ledger(api, plant.project, model, name="Fuel", unit="kg{CO2e}")
    made = accounting.Plant(api, drain, plant.project, model, ledger)
    made.measure("production", {"mass": 4}, 3)
    made.measure("production", {"mass": 7}, 5)
    rule_evaluation.work(account)
    assert rule["version"] == 1
    made.generate(QUARTER)
    return bundle(account, report_of(api, ledger))
