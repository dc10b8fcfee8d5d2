"""Bundles that a later key signed: they pass by the first key if that leads to the later one."""

import json

import pytest
from tests.given import reports
from tests.given.bundles import KEY
from tests.given.key_histories import BEGINNING, ENDORSEMENT, REVOCATION, History
from tests.given.tampering import signed, taken_apart

from weighbridge.core.bundle.check import Trust
from weighbridge.core.signing import SigningKey, VerifierKey, write_canonical_json

KEYS = "audit/keys.json"


@pytest.fixture
def history(account, api, drain):
    return History(account, reports.claims(api, drain, 5, 3).report(4))


def faults(checked):
    return [fault.text for fault in checked.faults.listed]


def test_a_bundle_without_another_key_says_so(history):
    made = history.bundle()

    assert taken_apart(made)[KEYS] == b'{"statements":[]}\n'
    assert made.faults() == []


def test_the_first_key_leads_to_later_ones_that_were_endorsed(history):
    made = history.follow().follow().bundle()

    assert faults(made.check(history.first)) == []
    assert faults(made.check(made.key)) == []
    assert made.check(history.first).signer == made.key
    assert f"a key that the one you gave leads to, {made.key.text}" in made.check(history.first).key_words


def test_a_key_that_began_without_an_endorsement_is_refused_by_the_first(history):
    made = history.follow(BEGINNING).bundle()

    assert "SHA256SUMS.sig" in " ".join(faults(made.check(history.first)))
    assert faults(made.check(made.key)) == []


def test_a_key_behind_one_that_was_not_endorsed_is_refused_by_the_first(history):
    made = history.follow(BEGINNING).follow().bundle()

    assert faults(made.check(history.first))
    assert faults(made.check(history.verifier(history.keys[1]))) == []


def test_a_revoked_key_leads_to_none(history):
    made = history.follow(REVOCATION).bundle()

    assert faults(made.check(history.first))
    assert faults(made.check(made.key)) == []


def test_a_stranger_who_endorses_himself_is_refused(history):
    stranger = SigningKey.made()
    forged = history.statement(BEGINNING, KEY, stranger).record
    parts = taken_apart(history.bundle())
    told = json.loads(parts[KEYS])["statements"]
    forged["text"] = forged["text"].replace("beginning", "endorsement")
    parts[KEYS] = write_canonical_json({"statements": [*told, forged]}) + b"\n"

    made = history.bundle()

    assert faults(made.check_of(signed(parts, stranger), history.first))


@pytest.mark.parametrize("change", ["left out", "twice", "in another order", "of another key"])
def test_statements_that_the_log_does_not_have_are_found(history, change):
    made = history.follow().follow().bundle()
    parts = taken_apart(made)
    told = json.loads(parts[KEYS])["statements"]
    other = history.statement(ENDORSEMENT, history.keys[-1], SigningKey.made()).record
    changed = {
        "left out": told[:1], "twice": [*told, told[1]], "in another order": told[::-1],
        "of another key": [*told, other],
    }[change]  # fmt: skip
    parts[KEYS] = write_canonical_json({"statements": changed}) + b"\n"

    assert faults(made.check_of(signed(parts, history.keys[-1]), made.key))


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"statements":[]}', b'{"statements":[7]}\n', b"\xff\n"])
def test_a_history_that_is_none_is_found(history, content):
    made = history.bundle()
    parts = {**taken_apart(made), KEYS: content}

    assert faults(made.check_of(signed(parts), made.key))


def test_a_bundle_is_refused_once_its_key_was_revoked_before_its_head(history):
    made = history.bundle()
    size = made.check().vouched.head.size
    revoked = [history.statement(REVOCATION, KEY, SigningKey.made(), rows) for rows in (size, size + 1)]

    assert [faults(made.check_by(Trust(statements=[one]))) != [] for one in revoked] == [True, False]


def test_keys_of_another_name_lead_nowhere(history):
    made = history.follow().bundle()

    assert faults(made.check(VerifierKey("other.example/audit_log/1", history.first.public)))
