"""Random stories of reports of three ledgers, compared with an oracle that keeps each ledger's own books.

The oracle knows what was measured and what each chain of reports holds of which batch. After every step each
batch of each ledger has left what was credited less what is held, and each report states the signed sum, to
the last digit.
"""

import random
from decimal import Decimal

import pytest
from tests.given.net_claims import net_claims
from tests.given.recorded import differing
from tests.given.reports import submitted
from tests.reporting.reports.test_several_ledgers import breaches

STEPS = 8
FACTORS = {"removal": Decimal(1), "process emissions": Decimal("-0.001"), "leakage": Decimal(-1)}
SEEDS = (1, 2)


class Story:
    """A plant of three months, and what the oracle knows of it."""

    def __init__(self, api, drain, seed):
        self.random = random.Random(seed)  # noqa: S311 - the same story every time
        self.api = api
        months = [
            (self.number(80, 120, 6), self.number(1000, 9000, 3), self.number(1, 9, 6)) for _ in range(3)
        ]
        self.claims = net_claims(api, drain, *months)
        self.batches = {
            batch["id"]: (role, month, Decimal(str(batch["primary_output"]["value"])))
            for role in self.claims.ledgers
            for month, batch in enumerate(self.claims.batches_of(role))
        }
        self.held: dict[str, dict[str, Decimal]] = {}
        """By the chain of an accepted report what is held of each batch."""

    def number(self, least, most, places):
        return str(Decimal(self.random.randrange(least * 10**places, most * 10**places)).scaleb(-places))

    def left(self, batch, *, without=None):
        """What a batch has left; `without` a chain that gives back what it holds."""
        taken = [held.get(batch, Decimal(0)) for chain, held in self.held.items() if chain != without]
        return self.batches[batch][2] - sum(taken)

    def net(self, amounts):
        return sum(amount * FACTORS[self.batches[batch][0]] for batch, amount in amounts.items())

    def choose(self, without=None):
        """What a report takes: of removal a part of some months, and all that is deducted up to their end."""
        last = self.random.randrange(3)
        chosen = {}
        for batch, (role, month, _) in self.batches.items():
            left = self.left(batch, without=without)
            if month > last or not left:
                continue
            part = left
            if role == "removal" and self.random.random() < 0.5:
                part = (left / 2).quantize(Decimal("0.000001"))
            chosen[batch] = part
        return chosen

    def ask(self, amounts, **fields):
        named = [{"batch_id": batch, "amount": amount} for batch, amount in amounts.items()]
        report = self.claims.ask_net(batches=named, **fields).expect(201).body
        assert report["amount"] == self.net(amounts)
        for ledger in report["ledgers"]:
            own = [amount for batch, amount in amounts.items() if self.batches[batch][0] == ledger["role"]]
            assert ledger["amount"] == sum(own)
            assert ledger["counted"] == sum(own) * FACTORS[ledger["role"]]
        return report

    def step(self):
        """One thing that happens to a chain."""
        kept = sorted(self.held)
        before = self.random.choice(kept) if kept and self.random.random() < 0.5 else None
        if before is not None and self.random.random() < 0.3:
            self.api.post(f"/reports/{before}/withdraw", {"reason": "Sold elsewhere."}).expect(200)
            del self.held[before]
            return
        amounts = self.choose(before)
        if not amounts:
            return
        report = self.ask(amounts, **({"supersedes": before} if before else {}))
        if self.net(amounts) < 0:
            refused = self.api.post(f"/reports/{report['id']}/submit", {}).expect(422)
            assert "below_zero" in [one["code"] for one in refused.errors]
            self.api.delete(f"/reports/{report['id']}").expect(204)
            return
        submitted(self.claims, report)
        self.decide(report, before, amounts)

    def decide(self, report, before, amounts):
        path = f"/reports/{report['id']}"
        if before is None and self.random.random() < 0.25:
            self.api.post(f"{path}/reject", {"reason": "A form is missing."}).expect(200)
            return
        if self.random.random() < 0.4 and self.net(amounts) > 1:
            part = (self.net(amounts) / 3).quantize(Decimal("0.000001"))
            found = self.api.post(f"{path}/accept", {"amount": part, "reason": "A third."}).expect(200).body
            accepted = {one["batch_id"]: one["accepted_amount"] for one in found["inclusions"]}
            assert self.net(accepted) == part
            assert all(0 <= accepted[batch] <= amount for batch, amount in amounts.items())
        else:
            found = self.api.post(f"{path}/accept", {}).expect(200).body
            accepted = amounts
        assert found["accepted_amount"] == self.net(accepted)
        self.held.pop(before, None)
        self.held[report["id"]] = {batch: amount for batch, amount in accepted.items() if amount}

    def check(self):
        """Each ledger's books are its own."""
        for role in self.claims.ledgers:
            for batch in self.claims.batches_of(role):
                assert batch["ledger_balance"] == self.left(batch["id"]), (role, batch["tracking_id"])


@pytest.mark.parametrize("seed", SEEDS)
def test_each_ledger_keeps_its_books_and_the_sum_is_exact(api, drain, server, seed):
    story = Story(api, drain, seed)
    for _ in range(STEPS):
        story.step()
        story.check()

    assert breaches(server, story.claims) == {}
    assert differing(server, *story.held) == []
