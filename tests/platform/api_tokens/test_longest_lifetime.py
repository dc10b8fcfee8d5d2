"""WEIGHBRIDGE_TOKEN_LIFETIME_DAYS_MAX bounds how long a new token lives; unset, as long as is offered."""

import pytest
from tests.server import Caller


@pytest.fixture
def caller(server, account):
    with server.again(token_lifetime_days_max=60) as bounded:
        yield Caller(bounded, account.caller().token)


def body(days):
    token = {"name": "meter", "permissions": ["data_collection:read"], "expires_in_days": days}
    return {"api_token": token}


@pytest.mark.parametrize("days", [30, 60])
def test_a_token_lives_as_long_as_the_setting_allows(caller, days):
    caller.post("/api_tokens", body(days)).expect(201)


@pytest.mark.parametrize(("days", "came"), [(90, "90 days"), (365, "365 days"), (None, "for ever")])
def test_a_longer_life_is_refused_with_what_is_allowed(caller, days, came):
    error = caller.post("/api_tokens", body(days)).expect(422).error

    assert error["message"] == f"A token lives 30, 60 days, not {came}."
    assert error["field"] == "expires_in_days"


def test_without_the_setting_a_token_may_live_for_ever(api):
    api.post("/api_tokens", body(None)).expect(201)
