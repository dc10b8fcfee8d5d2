"""Conclude an engagement: with the verifier's signature over the statement that follows from it, and only
once.
"""

import subprocess

import pytest
from tests.given import engagements, reports

from weighbridge.core.signing import SigningKey, write_ssh_public_key, write_ssh_signature


@pytest.fixture
def claims(api, drain):
    claims = reports.claims(api, drain)
    for day in range(1, 11):
        claims.plant.deliver(day, f"2025-01-{day:02d}T00:00:00Z")
    claims.plant.generate(reports.QUARTER)
    return claims


@pytest.fixture
def report(claims, api, drain):
    draft = claims.report(55)
    engagements.make_bundle(api, drain, draft)
    return draft


@pytest.fixture
def verifier(api, anyone, report):
    return engagements.verifier(api, anyone, report)


@pytest.fixture
def drawn(verifier):
    return verifier.draw(verifier.begin())


def test_a_bundle_is_required(api, anyone, claims):
    verifier = engagements.verifier(api, anyone, claims.report(10))
    drawn = verifier.draw(verifier.begin())

    assert verifier.propose(drawn).expect(404).error["code"] == "bundle_missing"


def test_open_findings_above_materiality_exclude_an_unmodified_opinion(verifier, drawn):
    verifier.find(drawn, amount=-3)

    error = verifier.propose(drawn).expect(422).error
    assert (error["field"], error["code"]) == ("conclusion", "invalid")
    assert "3, more than the threshold of materiality, 2.75" in error["message"]
    concluded = verifier.conclude(drawn, "adverse")

    assert (concluded["state"], concluded["opinion"]["conclusion"]) == ("concluded", "adverse")
    assert concluded["effect"]["is_material"]


def test_nothing_changes_after_the_conclusion(api, verifier, drawn, report):
    verifier.find(drawn)
    verifier.conclude(drawn)
    finding = {"finding": {"kind": "request", "text": "Show the slip."}}
    path = f"/reports/{report['id']}/engagements/{drawn['id']}"

    verifier.post(f"/{drawn['id']}/findings", finding).expect(409)
    api.post(f"{path}/findings/1/answer", {"answer": "It is right."}).expect(409)
    verifier.post(f"/{drawn['id']}/withdraw", {}).expect(409)


def test_a_statement_that_no_longer_follows_is_rejected(verifier, drawn):
    statement = verifier.propose(drawn).expect(200).body["statement"]
    verifier.find(drawn)

    signed = {
        "statement": statement,
        "signature": verifier.sign(statement),
        "public_key": verifier.public_key,
    }
    error = verifier.post(f"/{drawn['id']}/conclude", signed).expect(422).error

    assert error["field"] == "statement"


@pytest.mark.parametrize(
    "statement",
    ["", "{}", "[]", "null", '{"predicate": 1}', '{"predicate": {"conclusion": []}}', "[" * 5_000],
    ids=["none", "empty", "list", "null", "number", "no word", "deep"],
)
def test_a_text_that_is_no_statement_is_rejected(verifier, drawn, statement):
    signed = {
        "statement": statement,
        "signature": verifier.sign(statement),
        "public_key": verifier.public_key,
    }
    error = verifier.post(f"/{drawn['id']}/conclude", signed).expect(422).error

    assert error["field"] == "statement"


@pytest.mark.parametrize(
    "key", ["", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-ed25519 é", "ssh-rsa AAAA", "x" * 300]
)
def test_a_text_that_is_no_key_is_rejected(verifier, drawn, key):
    statement = verifier.propose(drawn).expect(200).body["statement"]

    signed = {"statement": statement, "signature": verifier.sign(statement), "public_key": key}
    error = verifier.post(f"/{drawn['id']}/conclude", signed).expect(422).error

    assert error["field"] == "signature"


@pytest.mark.parametrize(
    "signature", ["", "é", "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"]
)
def test_a_text_that_is_no_signature_is_rejected(verifier, drawn, signature):
    statement = verifier.propose(drawn).expect(200).body["statement"]

    signed = {"statement": statement, "signature": signature, "public_key": verifier.public_key}
    error = verifier.post(f"/{drawn['id']}/conclude", signed).expect(422).error

    assert error["field"] == "signature"


@pytest.mark.parametrize("namespace", ["weighbridge-opinion", "file"])
def test_another_key_or_purpose_is_rejected(verifier, drawn, namespace):
    statement = verifier.propose(drawn).expect(200).body["statement"]
    other = SigningKey.made() if namespace == "weighbridge-opinion" else verifier.signing
    signature = write_ssh_signature(statement.encode(), other, namespace)

    signed = {"statement": statement, "signature": signature, "public_key": verifier.public_key}
    error = verifier.post(f"/{drawn['id']}/conclude", signed).expect(422).error

    assert error["field"] == "signature"


def test_the_program_of_openssh_signs_and_verifies_an_opinion(verifier, drawn, tmp_path):
    def run(*words, content=b""):
        subprocess.run(["ssh-keygen", *words], check=True, cwd=tmp_path, capture_output=True, input=content)

    run("-q", "-t", "ed25519", "-N", "", "-C", "desk", "-f", "key")
    statement = verifier.propose(drawn).expect(200).body["statement"]
    (tmp_path / "opinion.json").write_text(statement)

    run("-q", "-Y", "sign", "-f", "key", "-n", "weighbridge-opinion", "opinion.json")
    signature, key = (tmp_path / "opinion.json.sig").read_text(), (tmp_path / "key.pub").read_text()
    signed = {"statement": statement, "signature": signature, "public_key": key}
    opinion = verifier.post(f"/{drawn['id']}/conclude", signed).expect(200).body["opinion"]

    assert opinion["public_key"] == " ".join(key.split()[:2])
    (tmp_path / "allowed").write_text(f"verifier {opinion['public_key']}\n")
    words = ("-f", "allowed", "-I", "verifier", "-n", "weighbridge-opinion", "-s", "opinion.json.sig")
    run("-Y", "verify", *words, content=opinion["statement"].encode())


def test_a_disclaimer_takes_no_sample(verifier):
    begun = verifier.begin()

    verifier.propose(begun, "modified").expect(422)

    assert verifier.conclude(begun, "disclaimer")["state"] == "concluded"


def test_every_change_is_in_the_log_with_the_link(account, sql, verifier, drawn):
    verifier.find(drawn)
    verifier.decide(drawn, 1)
    verifier.conclude(drawn)

    rows = sql(
        """
        SELECT action, user_id, coalesce(after -> 'created_by_link', after -> 'recorded_by_link')
          FROM audit_log
         WHERE account_id = %s AND action ~ '^(engagement|finding)[.]' ORDER BY id
        """,
        account.id,
    )

    [link] = sql("SELECT id FROM report_links WHERE is_of_verifier ORDER BY id DESC LIMIT 1")
    actions = (
        "engagement.create",
        "engagement.draw",
        "finding.create",
        "finding.decide",
        "engagement.conclude",
    )
    assert rows == [(action, None, link[0]) for action in actions]


def test_the_key_is_written_as_openssh_does(verifier):
    assert verifier.public_key == write_ssh_public_key(verifier.signing.public)
