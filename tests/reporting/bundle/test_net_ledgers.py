"""Bundles of reports of several ledgers: both checkers hold each ledger, its sign and the sum to the log."""

import json

import pytest
from tests.given import bundles, tampering
from tests.given.net_claims import net_claims
from tests.given.reports import accepted

from weighbridge.modelling.documents import read_model


@pytest.fixture
def net(api, drain, account):
    """The bundle of a report of 85 t: removal less process emissions and leakage."""
    claims = net_claims(api, drain, ("100", "12500", "2.5"), ("80.25", "9999.999", "0"))
    return bundles.bundle(account, accepted(claims, claims.draft(0)))


def rewrite(bundle, part, *changes):
    """What is found of a bundle in which somebody with the key wrote something else."""

    def change(parts):
        text = parts[part].decode()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        parts[part] = text.encode()

    found = bundle.check_of(tampering.remade(bundle, change, read_model)).faults.listed
    return [fault.text for fault in found]


def test_a_report_of_several_ledgers_has_a_bundle_that_holds(net):
    report = net.check().contents.report

    assert net.faults() == []
    assert report.amount == "85"
    assert [(one.role, one.sign, one.counted) for one in report.ledgers] == [
        ("removal", 1, "100"), ("process emissions", -1, "-12.5"), ("leakage", -1, "-2.5"),
    ]  # fmt: skip
    page = bytes(net.check().contents.parts["report.html"]).decode()
    assert "12500 kg of ledger" in page


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([('"role":"leakage","sign":-1', '"role":"leakage","sign":1')], "other roles, signs or units"),
        ([('"counted":"-12.5"', '"counted":"-12.4"')], "is not its amount with its sign"),
        ([('"counted":"-12.5"', '"counted":"12.5"'), ('"amount":"85"', '"amount":"110"')], "with its sign"),
        ([('"amount":"12500","batch_ids"', '"amount":"12000","batch_ids"')], "come to 12500"),
        ([('"role":"leakage"', '"role":"loss"')], "other roles, signs or units"),
    ],
)
def test_what_is_said_of_a_ledger_is_what_its_inclusions_and_the_methodology_say(net, changes, sentence):
    found = rewrite(net, "report.json", *changes)

    assert any(sentence in text for text in found), found
    assert any("ledgers are others than row" in text for text in found), found


def test_the_signs_of_a_methodology_are_those_of_the_log(net):
    found = rewrite(net, "methodology.json", ('"role":"leakage","sign":-1', '"role":"leakage","sign":1'))

    assert any("is another than" in text or "methodology" in text for text in found), found


def test_ledgers_cannot_be_left_out(net):
    def change(parts):
        report = json.loads(parts["report.json"])
        del report["ledgers"]
        parts["report.json"] = (json.dumps(report, sort_keys=True, separators=(",", ":")) + "\n").encode()

    found = [fault.text for fault in net.check_of(tampering.remade(net, change, read_model)).faults.listed]

    assert "report.json: Its methodology names several ledgers, and it states none." in found
