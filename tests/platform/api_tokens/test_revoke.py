"""DELETE /api_tokens/{token_id}."""

import pytest
from tests.server import Caller


def issue(api):
    body = {"api_token": {"name": "meter", "permissions": ["data_collection:read"]}}
    return api.post("/api_tokens", body).expect(201).body


def test_a_revoked_token_opens_nothing_any_more_and_stays_in_the_list(api, server):
    made = issue(api)

    assert api.delete(f"/api_tokens/{made['id']}").expect(204).text == ""

    assert Caller(server, made["token"]).get("/projects").expect(401).error["message"] == (
        "The token has been revoked."
    )
    [listed] = [one for one in api.get("/api_tokens").data if one["id"] == made["id"]]
    assert listed["revoked_at"] is not None


def test_a_token_that_was_revoked_before_stays_as_it_is(api, account, sql):
    made = issue(api)
    api.delete(f"/api_tokens/{made['id']}").expect(204)
    before = api.get("/api_tokens").data

    api.delete(f"/api_tokens/{made['id']}").expect(204)

    assert [one["revoked_at"] for one in api.get("/api_tokens").data] == [one["revoked_at"] for one in before]
    assert sql(
        """
        SELECT object, before ->> 'revoked_at', after ->> 'revoked_at' IS NOT NULL FROM audit_log
         WHERE account_id = %s AND action = 'api_token.revoke'
        """,
        account.id,
    ) == [(str(made["id"]), None, True)]


def test_a_token_may_revoke_itself(api):
    [own] = api.get("/api_tokens").data

    api.delete(f"/api_tokens/{own['id']}").expect(204)

    api.get("/projects").expect(401)


@pytest.mark.parametrize(
    "number", ["0", "-1", "2147483647", "2147483648", "9223372036854775808", "9" * 40, "²", "1.0", "x", "%00"]
)
def test_a_number_of_no_token_finds_nothing(api, number):
    api.delete(f"/api_tokens/{number}").expect(404)


def test_revoking_takes_administration(api, account):
    made = issue(api)

    error = account.caller("administration:read").delete(f"/api_tokens/{made['id']}").expect(403).error

    assert error["message"] == "The token lacks the permission administration:write."
