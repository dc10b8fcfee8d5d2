"""Pages of operations do what their buttons say: tokens are made and revoked, messages sent, tasks shown."""

import re

import pytest
from tests.given.people import Visitor, visitor
from tests.given.requests import World
from tests.server import Account, Caller, Server

_TOKEN = re.compile(r"<code class=\"long\">(wb_live_\w+)</code>")


@pytest.fixture
def administrator(account: Account) -> Visitor:
    return visitor(account)


def made(administrator: Visitor) -> str:
    typed = {"name": "meter", "permissions": ["data_collection:read"], "days": "30"}
    [token] = _TOKEN.findall(administrator.post("/api_tokens", typed).expect(200).text)
    return token


def test_a_token_is_shown_once_and_does_what_it_may(server: Server, administrator: Visitor):
    token = made(administrator)

    Caller(server, token).get("/projects").expect(200)
    Caller(server, token).post("/projects", {"project": {"name": "A", "time_zone": "UTC"}}).expect(403)
    assert token not in administrator.get("/api_tokens").expect(200).text


def test_a_token_that_is_revoked_opens_nothing(server: Server, administrator: Visitor, sql, account: Account):
    token = made(administrator)
    [(number,)] = sql("SELECT id FROM api_tokens WHERE account_id = %s AND name = 'meter'", account.id)

    administrator.post(f"/api_tokens/{number}/revoke").expect(303)

    assert Caller(server, token).get("/projects").expect(401).error["code"] == "token_revoked"
    assert "revoked" in administrator.get("/api_tokens").expect(200).text


def test_a_token_without_a_permission_is_refused_at_its_form(administrator: Visitor):
    refused = administrator.post("/api_tokens", {"name": "meter", "days": "30"}).expect(422)

    assert 'value="meter"' in refused.text
    assert 'role="alert"' in refused.text


def test_nobody_makes_a_token_who_may_not_administer(account: Account):
    visitor(account, "administration:read").post("/api_tokens", {"name": "x"}).expect(403)


def test_a_webhook_shows_its_deliveries_and_is_tried(world: World):
    ada = visitor(world.account)
    page = f"/projects/{world.ids['project']}/webhooks/{world.ids['webhook']}"
    before = ada.get(page).expect(200).text.count("<tr>")

    ada.post(f"{page}/test").expect(303)

    assert ada.get(page).expect(200).text.count("<tr>") == before + 1


def test_a_task_shows_how_far_it_is_and_one_that_has_ended_is_not_cancelled(world: World):
    ada = visitor(world.account)
    page = f"/projects/{world.ids['project']}/async_tasks/{world.ids['task']}"

    assert 'value="100"' in ada.get(page).expect(200).text
    ada.post(f"{page}/cancel").expect(409)
