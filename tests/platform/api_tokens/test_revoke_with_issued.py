"""A token that was issued by another is revoked with it: whoever had the first also has the second."""

import pytest
from tests.server import Caller

from weighbridge.core.platform.permission import ALL_PERMISSIONS
from weighbridge.errors import Unauthorized
from weighbridge.platform.api_tokens import issue_token
from weighbridge.platform.authentication import authenticate
from weighbridge.platform.records import NewApiToken

BODY = {"api_token": {"name": "next", "permissions": ["administration:write", "data_collection:read"]}}


def issue(caller):
    made = caller.post("/api_tokens", BODY).expect(201).body
    return made["id"], Caller(caller.server, made["token"])


def test_whoever_loses_a_token_loses_those_it_issued_and_those_issued_by_them(api):
    first, first_caller = issue(api)
    _, second_caller = issue(first_caller)
    _, third_caller = issue(second_caller)

    api.delete(f"/api_tokens/{first}").expect(204)

    for caller in (first_caller, second_caller, third_caller):
        assert caller.get("/projects").expect(401).error["code"] == "token_revoked"
    api.get("/projects").expect(200)


def test_a_token_beside_the_revoked_one_goes_on(api):
    first, _ = issue(api)
    _, beside = issue(api)

    api.delete(f"/api_tokens/{first}").expect(204)

    beside.get("/projects").expect(200)


def test_each_revoked_token_leaves_an_audit_row_of_its_own(api, account, sql):
    first, first_caller = issue(api)
    second, _ = issue(first_caller)

    api.delete(f"/api_tokens/{first}").expect(204)
    api.delete(f"/api_tokens/{first}").expect(204)

    assert sql(
        """
        SELECT object, before ->> 'revoked_at', after ->> 'revoked_at' IS NOT NULL FROM audit_log
         WHERE account_id = %s AND action = 'api_token.revoke' ORDER BY id
        """,
        account.id,
    ) == [(str(first), None, True), (str(second), None, True)]


def test_a_token_that_was_revoked_since_it_was_recognised_issues_none(api, server):
    first, first_caller = issue(api)
    actor = server.run(authenticate(server.database, first_caller.token, "req_test"))
    api.delete(f"/api_tokens/{first}").expect(204)

    async def late():
        async with server.database.write() as tx:
            await issue_token(tx, actor, NewApiToken("late", ["data_collection:read"]))

    with pytest.raises(Unauthorized, match="The token has been revoked"):
        server.run(late())


@pytest.mark.parametrize("permission", [one for one in ALL_PERMISSIONS if one != "administration:write"])
def test_without_administration_no_token_is_issued_for_anybody(account, permission):
    body = {"api_token": {"name": "mine", "permissions": [permission], "user_email": "other@example.com"}}

    refused = account.caller(permission).post("/api_tokens", body).expect(403)

    assert refused.error["code"] == "permission_missing"
