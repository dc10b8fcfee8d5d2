"""The log has a row about the parts of each bundle: with the key alone nobody writes another one later."""

import json

import pytest
from tests.given import bundles, reports
from tests.given.tampering import remade, taken_apart

from weighbridge.core.bundle.contents import SEAL
from weighbridge.core.signing import write_canonical_json
from weighbridge.modelling.documents import read_model


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def faults(bundle, change):
    """What is found of a bundle that somebody with the key changed."""
    return bundle.check_of(remade(bundle, change, read_model)).faults.listed


def test_what_nothing_depends_on_is_as_it_was_when_the_bundle_was_made(account, claims):
    made = bundles.bundle(account, claims.report(4))

    def change(parts):
        manifest = json.loads(parts["bundle.json"])
        parts["bundle.json"] = write_canonical_json(manifest | {"is_redacted": True}) + b"\n"

    assert [fault.part for fault in faults(made, change)] == [SEAL]


def test_the_seal_of_another_bundle_does_not_do(account, claims):
    one = bundles.bundle(account, claims.report(4))
    other = taken_apart(bundles.bundle(account, claims.report("2.5")))

    def change(parts):
        number = json.loads(parts[SEAL])["number"]
        del parts[f"audit/{number}.tlog-proof"]
        number = json.loads(other[SEAL])["number"]
        proof = f"audit/{number}.tlog-proof"
        parts |= {name: other[name] for name in (SEAL, proof)}

    assert faults(one, change)


def test_a_bundle_without_a_seal_is_not_whole(account, claims):
    made = bundles.bundle(account, claims.report(4))

    def change(parts):
        del parts[f"audit/{json.loads(parts.pop(SEAL))['number']}.tlog-proof"]

    assert SEAL in {fault.part for fault in faults(made, change)}


def test_a_bundle_that_is_made_again_of_the_same_has_the_same_row(account, claims):
    draft = claims.report(4)

    first, second = (taken_apart(bundles.bundle(account, draft))[SEAL] for _ in range(2))

    assert first == second
