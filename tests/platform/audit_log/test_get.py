"""GET /audit_log/head, /proof, /consistency and /key: what a stranger checks with the rows alone."""

import base64
import hashlib
import json
from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.platform.audit_log.test_list import seal

from weighbridge.core.proof import ConsistencyProof, InclusionProof, open_checkpoint
from weighbridge.core.signing import UnprovenError, VerifierKey

HASHED = (
    "id", "number", "at", "project_id", "user_id", "token_id", "request_id", "action", "object", "before",
    "after",
)  # fmt: skip


def rows(api):
    """Every sealed row, as a stranger reads it: with the standard library, and no number through a float."""
    listed = []
    query = {"sort": "number", "filter[number][geq]": "1", "page_size": "200"}
    listed = json.loads(
        api.get("/audit_log", query).expect(200).text,
        parse_float=lambda text: format(Decimal(text), "f"),
        parse_int=lambda text: int(text) if abs(int(text)) < 2**53 else text,
    )["data"]
    return [row for row in listed if row["number"] is not None]


def leaf(row):
    content = json.dumps(
        {field: row[field] for field in HASHED}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return hashlib.sha256(b"\x00" + content.encode()).digest()


def root(leaves):
    """The root as RFC 6962 writes it down."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + root(leaves[:split]) + root(leaves[split:])).digest()


def verifier(api):
    return VerifierKey.read(api.get("/audit_log/key").expect(200).body["verifier_key"])


@pytest.fixture
def written(server, api, account):
    """Writes of an account, sealed; long decimals, non-ASCII texts and times among them."""
    project = given.measuring(api, given.number("mass"))
    for value in ("1.50", "0.00000010", "1234567890123.123456789012", "7"):
        given.event(api, project, values={"mass": Decimal(value)}, notes="Füllstand “€” 😀\n\x7f")
    seal(server, account)
    return project


@pytest.mark.usefixtures("written")
def test_a_stranger_makes_the_head_from_the_rows_with_the_standard_library(api):
    origin, size, encoded, _, signature = api.get("/audit_log/head").expect(200).text.splitlines()

    listed = rows(api)
    assert [row["hash"] for row in listed] == [leaf(row).hex() for row in listed]
    assert (int(size), base64.b64decode(encoded)) == (len(listed), root([leaf(row) for row in listed]))
    assert signature.startswith(f"— {origin} ")


@pytest.mark.usefixtures("written")
def test_the_head_is_signed_by_the_key_of_the_service(api):
    head = open_checkpoint(api.get("/audit_log/head").text, verifier(api))

    assert head.origin == api.get("/audit_log/key").body["origin"]
    with pytest.raises(UnprovenError):
        open_checkpoint(api.get("/audit_log/head").text.replace("\n", "\n1", 1), verifier(api))


@pytest.mark.usefixtures("written")
def test_each_row_is_proved_to_be_under_the_head(api):
    listed = rows(api)
    for row in listed:
        proof = api.get("/audit_log/proof", {"number": str(row["number"]), "size": str(len(listed))})

        head = InclusionProof.read(proof.expect(200).text).verify(leaf(row), verifier(api))

        assert head.size == len(listed)
        with pytest.raises(UnprovenError):
            InclusionProof.read(proof.text).verify(leaf(row | {"action": "forged"}), verifier(api))


@pytest.mark.usefixtures("written")
def test_a_head_that_was_kept_is_proved_to_be_a_beginning_of_the_newest(server, api, account):
    kept = open_checkpoint(api.get("/audit_log/head").text, verifier(api))
    given.project(api)
    seal(server, account)
    newest = open_checkpoint(api.get("/audit_log/head").text, verifier(api))

    proof = api.get("/audit_log/consistency", {"from": str(kept.size), "to": str(newest.size)}).expect(200)

    assert ConsistencyProof.read(proof.text).verify(kept, verifier(api)) == newest
    assert newest.size == kept.size + 1


def test_a_log_without_sealed_rows_has_the_head_of_an_empty_tree(api):
    head = open_checkpoint(api.get("/audit_log/head").text, verifier(api))

    assert (head.size, head.root) == (0, hashlib.sha256().digest())


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("request_of", "status", "field"),
    [
        (("proof", {"size": "1"}), 400, "number"),
        (("proof", {"number": "1", "size": "x"}), 400, "size"),
        (("proof", {"number": "0", "size": "1"}), 422, "number"),
        (("proof", {"number": "2", "size": "1"}), 422, "number"),
        (("proof", {"number": "1", "size": "999999"}), 422, "size"),
        (("consistency", {"from": "1"}), 400, "to"),
        (("consistency", {"from": "2", "to": "1"}), 422, "from"),
        (("consistency", {"from": "1", "to": "999999"}), 422, "to"),
        (("consistency", {"from": "1", "to": "9" * 30}), 400, "to"),
    ],
)
def test_what_no_proof_is_of_is_refused_by_its_parameter(api, request_of, status, field):
    path, query = request_of

    assert api.get(f"/audit_log/{path}", query).expect(status).error["field"] == field


@pytest.mark.usefixtures("written")
def test_each_account_has_a_log_and_a_head_of_its_own(api, stranger):
    ours, theirs = (
        open_checkpoint(one.get("/audit_log/head").text, verifier(one)) for one in (api, stranger)
    )

    assert ours.origin != theirs.origin
    assert (ours.size > 0, theirs.size) == (True, 0)


@pytest.mark.parametrize("path", ["", "/witnesses"])
def test_rows_and_witnesses_need_administration(account, path):
    account.caller("data_collection:write").get(f"/audit_log{path}").expect(403)


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("head", {}),
        ("key", {}),
        ("keys", {}),
        ("proof", {"number": "1", "size": "2"}),
        ("consistency", {"from": "1", "to": "2"}),
    ],
)
def test_what_says_nothing_of_rows_but_their_hashes_is_for_every_token(account, path, query):
    account.caller("data_collection:read").get(f"/audit_log/{path}", query).expect(200)


@pytest.mark.usefixtures("written")
def test_a_host_without_the_key_signs_nothing_and_says_so(server, api):
    file = server.settings.audit_key_file
    away = file.rename(file.with_suffix(".away"))
    try:
        assert api.get("/audit_log/head").expect(503).error["code"] == "audit_key_missing"
    finally:
        away.rename(file)
