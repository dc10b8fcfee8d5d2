"""Stories of reports over books that change: values are corrected, slots are cut anew, reports are restated.

At any time a restatement may take whatever the other reports leave of what was produced, and nothing more; no
report that was sent off is stuck, whatever is generated before it is accepted or rejected.
"""

import os
from decimal import Decimal
from random import Random

import pytest
from tests.given import accounting, bundles
from tests.given.accounting import MASS, document
from tests.given.reports import Claims
from tests.reporting.reports.test_restate import breaches

STORIES = int(os.environ.get("STORIES", "2"))
SEED = int(os.environ.get("SEED", "1"))
STEPS = 14
ALL = ("2024-12-01T00:00:00Z", "2025-06-01T00:00:00Z")


class Story:
    """A plant of one ledger, and its reports."""

    def __init__(self, account, random):
        self.account, self.random = account, random
        self.plant = accounting.plant(account.caller(), account.drain, cadence="weekly")
        self.api, self.claims = self.plant.api, Claims(self.plant)
        self.model, self.told = self.plant.model, []
        self.masses = {}
        self.last = []
        """The last report of each chain."""
        for day in (8, 15, 36, 64):
            self.deliver(day)
        self.generate()

    def deliver(self, day=None):
        day = self.random.randrange(2, 80) if day is None else day
        moment = f"2025-{1 + day // 28:02d}-{1 + day % 28:02d}T12:00:00Z"
        self.masses[self.plant.deliver(5, moment)] = 5

    def correct(self):
        event = self.random.choice([*self.masses])
        path = f"/projects/{self.plant.project['id']}"
        [point] = self.api.get(f"{path}/events/{event}").expect(200).body["data_points"]
        self.masses[event] = value = self.random.choice((0, 1, 4, 9))
        body = {"data_point": {"value": value, "reason": "weighed again"}}
        self.api.patch(f"{path}/data_points/{point['id']}", body).expect(200)
        self.told.append(f"correct {event} to {value}")

    def recut(self):
        cadence = self.random.choice(("daily", "weekly", "monthly", "quarterly"))
        self.model = accounting.version(self.api, self.model, document(MASS, cadence=cadence))
        self.api.post(f"/models/{self.model['id']}/activate", {}).expect(200)
        self.told.append(cadence)

    def generate(self):
        self.plant.generate(ALL, model_version="latest")
        self.told.append("generate")

    def report(self):
        self._make(None)

    def restate(self):
        if self.last:
            self._make(self.random.choice(self.last))

    def _make(self, old):
        self.generate()
        fields = {"supersedes": old["id"]} if old else {}
        ends = {one["id"]: one["end_time"] for one in self.plant.batches()}
        free = max(0, sum(self.masses.values()) - self._held(but=old))
        draft = self._ask_for_all(ends, free, fields)
        if draft is None:
            return
        inclusions = draft["inclusions"]
        some = self.random.sample(inclusions, self.random.randint(1, len(inclusions)))
        if self.random.random() < 0.6:
            share = self.random.choice(("1", "0.5", "0.25"))
            taken = [
                {"batch_id": one["batch_id"], "amount": Decimal(str(one["amount"])) * Decimal(share)}
                for one in some
            ]
            changed = self.api.patch(f"/reports/{draft['id']}", {"report": {"batches": taken}})
            if changed.status == 422:
                assert {one["code"] for one in changed.errors} <= {"not_remaining"}, changed.body
        sent = self.api.post(f"/reports/{draft['id']}/submit", {})
        codes = {one.get("code") for one in sent.errors} - {"requirements"} if sent.status == 422 else ""
        self.told.append(f"{'restate' if old else 'report'}: {sent.status} {codes}")
        if sent.status == 422:
            assert codes == {"open_deficits"}, codes
            self.api.delete(f"/reports/{draft['id']}").expect(204)
            return
        self.account.drain()
        self.last = [one for one in self.last if old is None or one["id"] != old["id"]]
        self.last.append(self.claims.read(draft) | {"restates": old})
        assert bundles.bundle(self.account, self.last[-1]).faults() == []

    def _ask_for_all(self, ends, free, fields):
        """A draft that takes all that is left of all batches; those of which nothing is are left out."""
        whole, left = self.claims.ask(batch_ids=[*ends], **fields), dict(ends)
        if whole.status == 422:
            used_up = {name for one in whole.errors for name in one["records"]}
            left = {name: end for name, end in ends.items() if name not in used_up}
            if not free or not left:
                assert not free
                return None
            whole = self.claims.ask(batch_ids=[*left], **fields)
        # A report that counts from earlier on may take less: what comes later does not hide what was short.
        if max(left.values()) == max(ends.values()):
            assert whole.expect(201).body["amount"] == free
        return whole.body if whole.status == 201 else None

    def _held(self, but):
        """What the chains of other reports hold."""
        mine = self._chain(but) if but else set()
        return sum(
            Decimal(str(one["amount"]))
            for batch in self.plant.batches()
            for one in batch["report_allocations"]
            if one["report"]["id"] not in mine
        )

    def _chain(self, report):
        return {report["id"]} | (self._chain(report["restates"]) if report["restates"] else set())

    def answer(self):
        for report in list(self.last):
            if self.claims.read(report)["status"] == "submitted":
                verb = self.random.choice(("accept", "accept", "reject"))
                said = {} if verb == "accept" else {"reason": "No"}
                self.api.post(f"/reports/{report['id']}/{verb}", said).expect(200)
                self.told.append(verb)

    def check(self):
        ledger = self.api.get(f"/ledgers/{self.plant.ledger['id']}").expect(200).body
        balance, deficit = Decimal(str(ledger["balance"])), Decimal(str(ledger["deficit"]))
        assert not (balance and deficit), (balance, deficit)
        assert breaches(self.account.server, self.claims) == {}


@pytest.mark.parametrize("seed", range(SEED, SEED + STORIES))
def test_whatever_is_measured_a_restatement_may_take_what_others_leave(server, seed):
    story = Story(server.account(), Random(seed))  # noqa: S311 - a seed tells a story again
    happenings = ["deliver", "correct", "correct", "recut", "generate", "report", "restate", "restate",
                  "restate", "answer", "answer"]  # fmt: skip
    try:
        for _ in range(STEPS):
            getattr(story, story.random.choice(happenings))()
            story.check()
    except AssertionError as error:
        raise AssertionError("\n  ".join([f"SEED={seed} STORIES=1", *story.told, str(error)])) from error
