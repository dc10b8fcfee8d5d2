"""Keys, heads and proofs of the audit log by a report's link: for a stranger, without a token."""

import pytest
from tests.given import reports
from tests.given.sealing import seal_rows_of

from weighbridge.core.proof import ConsistencyProof, InclusionProof, open_checkpoint
from weighbridge.core.signing import VerifierKey

PATHS = {
    "key": {},
    "keys": {},
    "head": {},
    "proof": {"number": "1", "size": "2"},
    "consistency": {"from": "1", "to": "2"},
}


@pytest.fixture
def report(api, drain):
    return reports.claims(api, drain, 10).report(4)


@pytest.fixture
def link(api, report, server, account):
    made = api.post(f"/reports/{report['id']}/links", {"link": {"name": "Verifier"}}).expect(201).body
    server.run(seal_rows_of(server.database, account.id))
    return made["url"][made["url"].index("/reports/") :]


@pytest.fixture
def follow(anyone, link):
    """Asks for something of the log by the link."""

    def followed(path, query=(), at=None):
        place, _, key = (at or link).partition("?")
        more = "".join(f"&{name}={value}" for name, value in dict(query).items())
        return anyone.get(f"{place}/audit_log/{path}?{key}{more}")

    return followed


def test_a_stranger_gets_what_a_token_of_the_account_gets(api, follow):
    for path, query in PATHS.items():
        assert follow(path, query).expect(200).text == api.get(f"/audit_log/{path}", query).expect(200).text


def test_a_stranger_holds_the_log_against_a_head_that_was_kept(api, follow, server, account):
    key = VerifierKey.read(follow("key").body["verifier_key"])
    kept = open_checkpoint(follow("head").text, key)
    api.post("/projects", {"project": {"name": "North", "time_zone": "UTC"}})
    server.run(seal_rows_of(server.database, account.id))

    proof = follow("consistency", {"from": kept.size, "to": kept.size + 1}).expect(200).text

    assert ConsistencyProof.read(proof).verify(kept, key).size == kept.size + 1
    [row] = api.get("/audit_log", {"filter[number][eq]": "1"}).data
    proof = InclusionProof.read(follow("proof", {"number": 1, "size": kept.size}).text)
    assert proof.verify(bytes.fromhex(row["hash"]), key) == kept


def test_rows_are_not_to_be_had_by_a_link(anyone, link):
    place, _, key = link.partition("?")

    assert anyone.get(f"{place}/audit_log?{key}").status == 404


def test_a_wrong_link_opens_nothing_of_the_log(follow, link):
    wrong = link[:-1] + ("0" if link[-1] != "0" else "1")

    for path, query in PATHS.items():
        assert follow(path, query, at=wrong).status == 404


def test_a_revoked_link_opens_nothing_any_more(api, report, follow):
    [made] = api.get(f"/reports/{report['id']}/links").data
    api.delete(f"/reports/{report['id']}/links/{made['id']}").expect(204)

    for path, query in PATHS.items():
        assert follow(path, query).status == 410


def test_each_use_is_counted_as_a_use_of_the_link(api, report, follow, account, sql):
    for path, query in PATHS.items():
        follow(path, query).expect(200)

    [made] = api.get(f"/reports/{report['id']}/links").data
    assert made["use_count"] == len(PATHS)
    counted = sql("SELECT DISTINCT operation FROM report_link_uses WHERE account_id = %s", account.id)
    assert len(counted) == len(PATHS)


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("proof", {}, 400),
        ("proof", {"number": 1, "size": 10**9}, 422),
        ("consistency", {"from": 9, "to": 1}, 422),
        ("cosigned_head", {"cosignatures": 1}, 422),
        ("cosigned_head", {"cosignatures": "many"}, 400),
    ],
)
def test_what_cannot_be_proved_is_refused_as_with_a_token(api, follow, path, query, status):
    assert follow(path, query).status == status == api.get(f"/audit_log/{path}", query).status


@pytest.mark.usefixtures("link")
def test_a_verifier_with_a_token_needs_no_administration(account, report):
    verifier = account.caller("production_accounting:read")

    for path, query in PATHS.items():
        verifier.get(f"/audit_log/{path}", query).expect(200)
    verifier.get(f"/reports/{report['id']}").expect(200)
    verifier.get("/audit_log").expect(403)
