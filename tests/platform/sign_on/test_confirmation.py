"""People who leave the identity provider lose what they hold (`end_access`); those who change groups there
change roles (`govern_person`).
"""

import time

import pytest
from tests.durability.processes import until
from tests.given.canaille import sign_in
from tests.given.people import Visitor

from weighbridge.http.outgoing import CallReach, OutgoingClient
from weighbridge.platform.records import OUTAGE_MINUTES
from weighbridge.platform.sign_on.confirmation import confirm_people

DUE = "UPDATE provider_people SET next_at = now() - interval '1 day' WHERE account_id = %s RETURNING user_id"

ENDED = "SELECT after FROM audit_log WHERE account_id = %s AND action = 'user.end_access'"
PASSED = """
    UPDATE provider_people SET confirmed_at = confirmed_at - make_interval(mins => %s)
     WHERE account_id = %s RETURNING user_id
"""


@pytest.fixture
def confirm(account):
    """Ask providers about everybody of the account, as a worker does when they are due."""

    def ask():
        failed = []

        async def go():
            async with OutgoingClient(CallReach.of(account.server.settings.outgoing_networks)) as client:
                await confirm_people(account.database, client, account.server.settings.address, failed.append)

        # Access tokens that Canaille gives in the same second are equal, and it may take one for the other.
        began = int(time.time())
        until(lambda: int(time.time()) > began, what="another second")
        account.sql(DUE, account.id)
        account.server.run(go())
        return [one.reason for one in failed if one.account == account.id]

    return ask


def token_of(account, email):
    """A token of a person who has signed in by a provider, with what they may do."""
    [(user, permissions)] = account.sql("SELECT id, permissions FROM users WHERE email = %s", email)
    new = {"name": "mine", "permissions": permissions, "user_email": email}
    token = account.caller().post("/api_tokens", {"api_token": new}).expect(201).body
    return user, token["token"]


def works(account, token):
    answer = account.server.request("GET", "/v1/projects", (), None, {"authorization": f"Bearer {token}"})
    return answer.status


def test_whoever_stays_is_confirmed_and_goes_on(account, running, connect, confirm, name):
    running.add(name, "operators")
    somebody = Visitor(account.server)
    sign_in(somebody, connect(), running, name).expect(303)
    before = account.sql("SELECT confirmed_at FROM provider_people WHERE account_id = %s", account.id)

    assert confirm() == []
    assert confirm() == [], "the refresh token that came is used the next time"

    after = account.sql("SELECT confirmed_at FROM provider_people WHERE account_id = %s", account.id)
    assert after > before
    somebody.get("/me").expect(200)


def test_whoever_leaves_the_provider_loses_sessions_and_tokens(account, running, connect, confirm, name):
    email = running.add(name, "operators")
    somebody = Visitor(account.server)
    sign_in(somebody, connect(), running, name).expect(303)
    user, token = token_of(account, email)
    somebody.get("/me").expect(200)

    running.do("lock", name=name)
    assert confirm() == []

    somebody.get("/me").expect(303)
    revoked = account.sql("SELECT count(*) FROM api_tokens WHERE user_id = %s AND revoked_at IS NULL", user)
    assert revoked == [(0,)]
    rows = account.sql(ENDED, account.id)
    assert [row["reason"] for (row,) in rows] == ["the identity provider lets them in no longer"]
    assert token


def test_groups_that_change_at_the_provider_change_the_role_and_end_tokens_above_it(
    account, running, connect, confirm, name
):
    email = running.add(name, "operators")
    somebody = Visitor(account.server)
    sign_in(somebody, connect(), running, name).expect(303)
    user, _ = token_of(account, email)

    running.do("groups", name=name, groups=["office"])
    assert confirm() == []

    page = somebody.get("/me").expect(200)
    assert "data_rules:read" in page.text
    assert "data_collection:write" not in page.text
    left = account.sql("SELECT count(*) FROM api_tokens WHERE user_id = %s AND revoked_at IS NULL", user)
    assert left == [(0,)], "a token may do no more than its person"


def test_whoever_is_in_no_group_any_more_is_out(account, running, connect, confirm, name):
    running.add(name, "operators")
    somebody = Visitor(account.server)
    sign_in(somebody, connect(), running, name).expect(303)

    running.do("groups", name=name, groups=[])
    assert confirm() == []

    somebody.get("/me").expect(303)
    refused = sign_in(Visitor(account.server), connect(), running, name).expect(401)
    assert "You are in no group that has a role here." in refused.text


def test_sessions_stay_for_a_stated_time_while_the_provider_does_not_answer(
    account, running, connect, confirm, name
):
    running.add(name, "operators")
    provider, somebody = connect(), Visitor(account.server)
    sign_in(somebody, provider, running, name).expect(303)
    elsewhere = "UPDATE identity_providers SET issuer = %s WHERE id = %s RETURNING id"
    account.sql(elsewhere, "http://127.0.0.1:9", provider["id"])

    [reason] = confirm()

    assert "127.0.0.1" in reason
    page = somebody.get("/me").expect(200)
    assert f"Your session stays for {OUTAGE_MINUTES} minutes without its answer" in page.text
    shown = account.caller().get(f"/identity_providers/{provider['id']}").expect(200).body
    assert shown["failure"] == reason
    assert shown["failing_since"]

    account.sql(PASSED, OUTAGE_MINUTES, account.id)
    somebody.get("/me").expect(303)

    account.sql(elsewhere, running.issuer, provider["id"])
    assert confirm() == []
    somebody.get("/me").expect(200)
    assert account.caller().get(f"/identity_providers/{provider['id']}").body["failure"] is None
