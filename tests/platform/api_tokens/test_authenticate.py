"""A token is recognised as whom it acts for; every other refusal stands in the tests of permissions."""

import pytest

from weighbridge.errors import Unauthorized
from weighbridge.platform.authentication import authenticate


def test_a_token_acts_for_its_user_with_its_permissions(server, account):
    token = account.caller("data_collection:write", "data_rules:read").token

    actor = server.run(authenticate(server.database, token, "req_test"))

    assert (actor.account_id, actor.user_id) == (account.id, account.actor.user_id)
    assert actor.permissions == {"data_collection:write", "data_rules:read"}
    assert actor.request_id == "req_test"
    assert actor.token_id is not None


@pytest.mark.parametrize(
    "spoil", [str.upper, str.swapcase, lambda token: token[:-1], lambda token: token + "0"]
)
def test_a_spoiled_token_is_refused(server, account, spoil):
    token = spoil(account.caller().token)

    with pytest.raises(Unauthorized, match="The token is not one of this service"):
        server.run(authenticate(server.database, token, "req_test"))


def test_a_token_that_was_not_stored_is_refused_like_a_spoiled_one(server, account, sql):
    token = account.caller().token
    sql("UPDATE api_tokens SET secret_hash = sha256(secret_hash) WHERE account_id = %s", account.id)

    with pytest.raises(Unauthorized, match="The token is not one of this service"):
        server.run(authenticate(server.database, token, "req_test"))
