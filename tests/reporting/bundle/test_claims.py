"""What became of restated reports, in the bundles of those that restate them: both checkers recompute it."""

import pytest
from tests.given import bundles, reports, tampering
from tests.given.reports import accepted, submitted, withdrawn

from weighbridge.modelling.documents import read_model


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def rewrite(bundle, part, old, new):
    """What is found of a bundle in which somebody with the key wrote something else."""

    def change(parts):
        assert old in parts[part].decode()
        parts[part] = parts[part].decode().replace(old, new, 1).encode()

    found = bundle.check_of(tampering.remade(bundle, change, read_model)).faults.listed
    return [fault.text for fault in found]


def test_what_is_restated_has_posted_what_was_accepted_of_it(claims, account):
    report = submitted(claims, claims.report(4))
    said = {"amount": 3, "reason": "Less"}
    claims.plant.api.post(f"/reports/{report['id']}/accept", said).expect(200)
    again = accepted(claims, claims.report(2, supersedes=report["id"]))
    made = bundles.bundle(account, again)

    assert made.faults() == []
    found = rewrite(made, "entries.csv", ",report,-3,", ",report,-4,")
    assert any("posted 4 of batch" in text and "3 was accepted" in text for text in found)


def test_what_was_withdrawn_before_it_is_restated_has_posted_nothing(claims, account):
    report = withdrawn(claims, accepted(claims, claims.report(4)))
    again = accepted(claims, claims.report(2, supersedes=report["id"]))
    made = bundles.bundle(account, again)

    assert made.faults() == []
    found = rewrite(made, "entries.csv", ",restate,4,", ",restate,3,")
    assert any("posted 1 of batch" in text and "0 was accepted" in text for text in found)


def test_the_bundle_of_a_report_states_the_claim_whatever_is_accepted(claims, account):
    report = submitted(claims, claims.report(4))
    before = bundles.bundle(account, report).check().contents.report
    said = {"amount": 3, "reason": "Less"}
    claims.plant.api.post(f"/reports/{report['id']}/accept", said).expect(200)

    after = bundles.bundle(account, report)

    assert after.faults() == []
    assert after.check().contents.report == before


def owing(claims):
    """A report that restates four accepted tonnes to what is below zero."""
    report = accepted(claims, claims.report(4))
    owed = {"liability": 9, "liability_reason": "More was emitted than removed"}
    return submitted(claims, claims.ask(supersedes=report["id"], batches=[], **owed).expect(201).body)


def test_a_report_that_owes_something_states_that_in_its_bundle(claims, account):
    made = bundles.bundle(account, owing(claims))

    assert made.faults() == []
    stated = made.check().contents.report
    assert (stated.amount, stated.liability, stated.inclusions) == ("-9", "9", [])
    assert b"Of this it owes" in bytes(made.check().contents.parts["report.html"])


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('"liability":"9"', '"liability":"8"', "add up to -8, and it states -9"),
        ('"amount":"-9"', '"amount":"-8"', "add up to -9, and it states -8"),
        ('"liability_reason":"More', '"liability_reason":"Less', "owes something else than row"),
        (',"liability_reason":"More was emitted than removed"', "", "report.json"),
    ],
)
def test_a_liability_that_is_forged_is_found(claims, account, old, new, found):
    made = bundles.bundle(account, owing(claims))

    assert any(found in text for text in rewrite(made, "report.json", old, new))
