"""Stories of reports: made, submitted, accepted, rejected, withdrawn and restated in any order over three
months.

Half of the reports go to a registry, which loses requests and answers, fails or refuses; some submissions
fail, and are sent off again.

A naive account of who holds what is kept beside them. After every step the service has taken what may be
taken and nothing else, and its ledger has at every moment what the last of each chain states; nothing is
counted twice.
"""

import os
from dataclasses import dataclass, field
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.given import registries, reports

from weighbridge.verification.books import check_books

STORIES = int(os.environ.get("STORIES", "2"))
PRODUCED = (5, 3, 4)
"""Tonnes of January, February and March."""
MOMENTS = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z")
UNDER_WAY = {"submitting", "submitted", "failed"}

TRIES = 2
BEHAVIOURS = (
    {},
    {"drop": 1},
    {"lose": 1},
    {"fail_after": 1},
    {"drop": 9},
    {"fail": 9},
    {"fail_after": 9},
    {"refuse": "Not like this."},
)
"""What the registry does with what is posted next."""

amounts = st.tuples(*[st.integers(0, mass + 1) for mass in PRODUCED])
steps = st.one_of(
    st.tuples(st.just("make"), amounts),
    st.tuples(st.just("restate"), st.integers(0, 9), amounts),
    st.tuples(st.just("restate"), st.integers(0, 9), st.just((0, 0, 0))),
    st.tuples(st.just("owe"), st.integers(0, 9), st.integers(1, 3)),
    st.tuples(st.just("submit"), st.integers(0, 9)),
    st.tuples(st.just("post"), st.integers(0, 9), st.sampled_from(BEHAVIOURS)),
    st.tuples(st.just("post"), st.integers(0, 9), st.sampled_from(BEHAVIOURS)),
    st.tuples(st.just("retry"), st.integers(0, 9), st.sampled_from(BEHAVIOURS)),
    st.tuples(st.just("cancel"), st.integers(0, 9)),
    st.tuples(st.just("accept"), st.integers(0, 9)),
    st.tuples(st.just("accept"), st.integers(0, 9)),
    st.tuples(st.just("accept_part"), st.integers(0, 9), amounts),
    st.tuples(st.just("reject"), st.integers(0, 9)),
    st.tuples(st.just("withdraw"), st.integers(0, 9)),
    st.tuples(st.just("merge"), st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.just("split"), st.integers(0, 9), amounts),
)


@dataclass
class Told:
    """A report as the naive account has it; months are numbers from 0."""

    id: str
    task: int | None = None
    taken: dict[int, int] = field(default_factory=dict)
    status: str = "draft"
    restates: "Told | None" = None
    restated: bool = False
    since: int = 0
    owes: int = 0
    accepted_since: int | None = None
    """The end of the month from which it counted when it was accepted, whatever became of it since."""
    is_succeeded: bool = False
    """Whether others took its place."""
    is_posted: bool = False
    """Whether it goes to the registry, and no longer to people."""

    @property
    def chain(self):
        """The report and those before it."""
        return [self, *(self.restates.chain if self.restates else ())]


@dataclass
class Account:
    """Every report that was made, and what they hold."""

    reports: list[Told] = field(default_factory=list)

    def stated(self, told):
        """The complete report of a chain."""
        return next((one for one in self.chain_of(told) if one.status == "complete"), None)

    def chain_of(self, told):
        return [one for one in self.reports if one.chain[-1] is told.chain[-1]]

    def holdings(self, but=()):
        """What is held, as month of the batch, month from whose end on it counts, and amount."""
        for one in self.reports:
            if one in but:
                continue
            if one.status == "complete":
                yield from ((month, one.since, amount) for month, amount in one.taken.items())
            elif one.status in UNDER_WAY:
                stated = self.stated(one)
                for month, amount in one.taken.items():
                    beyond = amount - (stated.taken.get(month, 0) if stated else 0)
                    if beyond > 0:
                        yield month, one.since, beyond

    def balance(self, month, but=()):
        """What a batch has left."""
        return PRODUCED[month] - sum(amount for batch, _, amount in self.holdings(but) if batch == month)

    def remaining(self, moment, but=()):
        """What was produced less what was taken at the end of a month."""
        taken = sum(amount for _, since, amount in self.holdings(but) if since <= moment)
        return sum(PRODUCED[: moment + 1]) - taken

    def since(self, told):
        """From the end of which month on a report would count."""
        stated = self.stated(told)
        held_from = [stated.since] if stated else []
        return max([*told.taken, *held_from] or [self.accepted_since(told)])

    def accepted_since(self, told):
        """From when on the last of a chain counted that was accepted; None for a chain that never was."""
        moments = [one.accepted_since for one in self.chain_of(told) if one.accepted_since is not None]
        return max(moments, default=None)

    def may_take(self, told):
        """Whether so much of each batch remains, at every moment from the latest slot's end on."""
        if not told.taken:
            return self.accepted_since(told) is not None
        since, chain, stated = self.since(told), self.chain_of(told), self.stated(told)
        waiting = [one for one in chain if one.status in UNDER_WAY]
        beyond = {
            month: amount - (stated.taken.get(month, 0) if stated else 0)
            for month, amount in told.taken.items()
        }
        more = sum(amount for amount in beyond.values() if amount > 0)
        whole = sum(told.taken.values())
        return (
            all(amount <= self.balance(month, chain) for month, amount in told.taken.items())
            and all(self.remaining(moment, chain) >= whole for moment in range(since, 3))
            and all(self.remaining(moment, waiting) >= more for moment in range(since, 3))
        )


class Story:
    """The service and the naive account of one story."""

    def __init__(self, server, registry):
        account = server.account()
        self.registry = registry
        self.server, self.drain = server, account.drain
        self.api = account.caller()
        self.claims = reports.claims(self.api, account.drain, *PRODUCED)
        self.account = Account()
        self.batches = [batch["id"] for batch in self.claims.plant.batches()]
        self.number = registry.register(self.api, tries=TRIES, poll_seconds=None)["id"]

    def make(self, amounts, restates=None):
        taken = {month: amount for month, amount in enumerate(amounts) if amount}
        told = Told("", taken=taken, restates=restates)
        body = [{"batch_id": self.batches[month], "amount": amount} for month, amount in taken.items()]
        fields = {"supersedes": restates.id} if restates else {}
        answer = self.claims.ask(batches=body, **fields)
        may = restates is None or (
            restates.status in {"submitted", "complete", "rejected", "withdrawn"}
            and not restates.restated
            and not any(one.is_succeeded for one in self.account.chain_of(restates))
        )
        self.account.reports.append(told)
        if may and (not taken or self.account.may_take(told)):
            told.id = answer.expect(201).body["id"]
            if restates:
                restates.restated = True
        else:
            answer.expect(422)
            self.account.reports.remove(told)

    def restate(self, number, amounts):
        if told := self._one(number):
            self.make(amounts, told)

    def post(self, number, behaviour):
        """Send a draft to the registry, which does as it is told, and wait for what comes of it."""
        told = self._one(number)
        if told and told.status == "draft":
            told.is_posted = True
            self.submit(number, {"registry_id": self.number})
            self._handed_on(told, behaviour)

    def retry(self, number, behaviour):
        """Send off again what failed, to where it went before."""
        told = self._one(number)
        if told and told.status == "failed":
            self.submit(number)
            self._handed_on(told, behaviour)

    def _handed_on(self, told, behaviour):
        """What comes of it: it is at the registry, or it failed."""
        if told.status != "submitting":
            told.is_posted = False
            return
        if not told.is_posted:
            self._deliver()
            return
        self.registry.behave(**behaviour)
        others = [one for one in self.account.reports if one.status == "submitting" and one is not told]
        self.drain()
        for one in [told, *others]:
            one.status = self.claims.read({"id": one.id})["status"]
        kept = self.api.get(f"/reports/{told.id}/submission").expect(200).body
        received = [one.key for one in self.registry.received()].count(kept["key"])
        assert received == (1 if told.status == "submitted" else received)
        assert received <= 1
        assert kept["may_have_been_received"] or not received
        assert told.status in {"submitted", "failed"}

    def submit(self, number, body=None):
        if not (told := self._one(number)):
            return
        answer = self.api.post(f"/reports/{told.id}/submit", body or {})
        if told.status not in {"draft", "failed"}:
            answer.expect(409)
        elif told.status == "draft" and not self.account.may_take(told):
            answer.expect(422)
        else:
            if told.status == "draft":
                told.since = self.account.since(told)
                for one in self.account.chain_of(told):
                    if one.status == "submitted":
                        one.status = "superseded"
            told.task, told.status = answer.expect(202).body["async_task_id"], "submitting"

    def owe(self, number, liability):
        """A draft that restates what was once accepted owes something."""
        if not (told := self._one(number)):
            return
        owed = {"liability": liability, "liability_reason": "The truth is below zero"}
        answer = self.api.patch(f"/reports/{told.id}", {"report": owed})
        if told.status != "draft":
            answer.expect(409)
        elif not told.restates or self.account.accepted_since(told) is None:
            answer.expect(422)
        else:
            assert answer.expect(200).body["amount"] == sum(told.taken.values()) - liability
            told.owes = liability

    def cancel(self, number):
        """Half of the submissions are not received."""
        told = self._one(number)
        if told and told.status == "submitting":
            self.api.post(f"/async_tasks/{told.task}/cancel", {}).expect(200)
            told.status = "failed"

    def accept(self, number):
        self._deliver()
        if told := self._one(number):
            answer = self.api.post(f"/reports/{told.id}/accept", {})
            if told.status == "submitted":
                answer.expect(200)
                if (stated := self.account.stated(told)) is not None:
                    stated.status = "superseded"
                told.status, told.accepted_since = "complete", told.since
            else:
                answer.expect(409)

    def accept_part(self, number, amounts):
        """So much of named batches is accepted, and nothing of the others: that is what it has taken then."""
        self._deliver()
        if not (told := self._one(number)):
            return
        accepted = {month: min(told.taken.get(month, 0), amount) for month, amount in enumerate(amounts)}
        accepted = {month: amount for month, amount in accepted.items() if amount}
        batches = [{"batch_id": self.batches[month], "amount": amount} for month, amount in accepted.items()]
        answer = self.api.post(f"/reports/{told.id}/accept", {"batches": batches, "reason": "Not all of it"})
        if told.status != "submitted":
            answer.expect(409)
        elif not accepted or told.owes:
            answer.expect(422)
        else:
            answer.expect(200)
            if (stated := self.account.stated(told)) is not None:
                stated.status = "superseded"
            told.status, told.taken, told.accepted_since = "complete", accepted, told.since

    def reject(self, number):
        if told := self._one(number):
            answer = self.api.post(f"/reports/{told.id}/reject", {"reason": "No"})
            if told.status in {"submitted", "failed"}:
                answer.expect(200)
                told.status = "rejected"
            else:
                answer.expect(409)

    def withdraw(self, number):
        """What waits or is complete is taken back, unless a restatement of what is complete is under way."""
        if told := self._one(number):
            answer = self.api.post(f"/reports/{told.id}/withdraw", {"reason": "Claimed elsewhere"})
            is_restated = any(one.status in UNDER_WAY for one in self.account.chain_of(told))
            if told.status in {"submitted", "failed"} or (told.status == "complete" and not is_restated):
                answer.expect(200)
                told.status = "withdrawn"
            else:
                answer.expect(409)

    def _may_be_succeeded(self, told):
        chain = self.account.chain_of(told)
        is_restated = any(one.status in {"draft", *UNDER_WAY} for one in chain)
        return told.status == "complete" and not told.owes and not is_restated

    def _succeed(self, earlier, made, taken, since):
        """Others have taken the place of reports."""
        for one in earlier:
            one.status, one.is_succeeded = "superseded", True
        for record, amounts in zip(made, taken, strict=True):
            self.account.reports.append(
                Told(record["id"], taken=amounts, status="complete", since=since, accepted_since=since)
            )

    def merge(self, number, other):
        one, two = self._one(number), self._one(other)
        if not one:
            return
        body = {"report_ids": [two.id], "name": "Merged", "reason": "One claim"}
        answer = self.api.post(f"/reports/{one.id}/merge", body)
        if not self._may_be_succeeded(one):
            answer.expect(409)
        elif one is two or two.status != "complete" or two.owes:
            answer.expect(422)
        elif not self._may_be_succeeded(two):
            answer.expect(409)
        else:
            months = {*one.taken, *two.taken}
            taken = {month: one.taken.get(month, 0) + two.taken.get(month, 0) for month in months}
            self._succeed([one, two], [answer.expect(201).body], [taken], max(one.since, two.since))

    def split(self, number, amounts):
        """So much of named batches is one part, and the rest another."""
        if not (told := self._one(number)):
            return
        first = {month: min(told.taken.get(month, 0), amount) for month, amount in enumerate(amounts)}
        first = {month: amount for month, amount in first.items() if amount}
        rest = {month: amount - first.get(month, 0) for month, amount in told.taken.items()}
        rest = {month: amount for month, amount in rest.items() if amount}
        batches = [{"batch_id": self.batches[month], "amount": amount} for month, amount in first.items()]
        parts = [{"name": "First", "batches": batches}, {"name": "Rest"}]
        answer = self.api.post(f"/reports/{told.id}/split", {"parts": parts, "reason": "Two buyers"})
        if not self._may_be_succeeded(told):
            answer.expect(409)
        elif not first or not rest:
            answer.expect(422)
        else:
            self._succeed([told], answer.expect(201).body["parts"], [first, rest], told.since)

    def check(self):
        """The ledger has what the last of each chain states, at every moment."""
        held = [batch["ledger_balance"] for batch in self.claims.plant.batches()]
        assert held == [self.account.balance(month) for month in range(3)]
        path = f"/ledgers/{self.claims.plant.ledger['id']}"
        for month, moment in enumerate(MOMENTS):
            ledger = self.api.get(path, {"effective_at": moment}).expect(200).body
            assert (ledger["balance"], ledger["deficit"]) == (self.account.remaining(month), 0)
        owed = sum(one.owes for one in self.account.reports if one.status == "complete")
        assert ledger["open_liability"] == owed
        found = {one["id"]: one for one in self.api.get("/reports", {"page_size": "200"}).data}
        assert {one.id: one.status for one in self.account.reports} == {
            number: one["status"] for number, one in found.items()
        }
        complete = [one for one in found.values() if one["status"] == "complete"]
        stated = sum(one["accepted_amount"] + (one["liability"] or 0) for one in complete)
        posted = self.server.sql(
            "SELECT coalesce(- sum(amount), 0) FROM ledger_entries"
            " WHERE project_id = %s AND kind IN ('report', 'restate')",
            self.claims.plant.project["numeric_id"],
        )
        assert posted == [(Decimal(stated),)]

    def breaches(self):
        async def run():
            async with self.server.database.read() as tx:
                return await check_books(tx, self.claims.plant.project["numeric_id"])

        return {words: found for words, found in self.server.run(run()).items() if found}

    def _one(self, number):
        reports = self.account.reports
        return reports[number % len(reports)] if reports else None

    def _deliver(self):
        self.registry.behave()
        self.drain()
        for one in self.account.reports:
            if one.status == "submitting":
                one.status = "submitted"


@pytest.fixture(scope="module")
def registry():
    with registries.rehearsal() as listening:
        yield listening


@settings(
    max_examples=STORIES,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@for_all(st.lists(steps, min_size=8, max_size=25))
def test_whatever_happens_to_reports_the_ledger_has_what_the_last_of_each_chain_states(
    server, registry, story
):
    told = Story(server, registry)

    for name, *arguments in story:
        getattr(told, name)(*arguments)
        told.check()

    assert told.breaches() == {}
