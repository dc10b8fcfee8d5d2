"""POST /api_tokens. Seed, Authentication and Limits: 30, 60, 90 (default), 180 days, 1 year, or none."""

from datetime import datetime, timedelta

import pytest
from tests.given.requests import DOCUMENT
from tests.server import Caller

ALL_BUT_TOKENS = ["data_collection:write", "production_accounting:write", "data_rules:write"]


def issue(caller, **fields):
    body = {"name": "meter", "permissions": ["data_collection:read"]} | fields
    return caller.post("/api_tokens", {"api_token": body})


def lifetime(token):
    times = (token["expires_at"], token["created_at"])
    expires, created = (datetime.fromisoformat(text) for text in times)
    return expires - created


def test_a_new_token_is_shown_once_and_works(api, server):
    made = issue(api, name=" Gate scale ", permissions=["data_collection:write"]).expect(201).body

    assert made["name"] == "Gate scale"
    assert made["permissions"] == ["data_collection:write"]
    assert (made["revoked_at"], made["last_used_at"]) == (None, None)
    assert isinstance(made["id"], int)
    Caller(server, made["token"]).get("/projects").expect(200)
    Caller(server, made["token"]).get("/api_tokens").expect(403)
    assert made["token"] not in api.get("/api_tokens").text


def test_a_token_lives_90_days_unless_another_lifetime_is_chosen(api):
    assert lifetime(issue(api).expect(201).body) == timedelta(days=90)


@pytest.mark.parametrize("days", [30, 60, 90, 180, 365])
def test_a_token_lives_as_long_as_was_chosen(api, days):
    assert lifetime(issue(api, expires_in_days=days).expect(201).body) == timedelta(days=days)


def test_a_token_may_live_for_ever(api):
    assert issue(api, expires_in_days=None).expect(201).body["expires_at"] is None


@pytest.mark.parametrize("days", [0, -1, 1, 91, 366, 10**30])
def test_another_lifetime_is_refused(api, days):
    error = issue(api, expires_in_days=days).expect(422).error

    assert (error["field"], error["code"]) == ("expires_in_days", "invalid")


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": " "}, "name", "required"),
        ({"name": "x" * 256}, "name", "invalid"),
        ({"permissions": []}, "permissions", "required"),
        ({"permissions": ["everything"]}, "permissions", "invalid"),
        ({"user_email": " "}, "user_email", "invalid"),
        ({"user_email": "a b@c"}, "user_email", "invalid"),
        ({"user_email": "x" * 256}, "user_email", "invalid"),
    ],
)
def test_a_token_that_makes_no_sense_is_refused(api, fields, field, code):
    error = issue(api, **fields).expect(422).error

    assert (error["field"], error["code"]) == (field, code)


@pytest.mark.parametrize(
    "fields", [{"name": None}, {"permissions": None}, {"expires_in_days": "30"}, {"expires_at": "x"}]
)
def test_a_body_of_the_wrong_shape_is_refused(api, fields):
    issue(api, **fields).expect(400)


def test_a_caller_cannot_give_away_what_it_does_not_have(account):
    caller = account.caller("administration:write", "data_collection:read")

    error = issue(caller, permissions=["data_collection:write", "data_rules:read", "data_collection:read"])

    assert error.expect(403).error["message"] == (
        "The token lacks the permission data_collection:write, data_rules:read, so it cannot give it away."
    )
    assert len(caller.get("/api_tokens").data) == 1
    issue(caller, permissions=["data_collection:read", "administration:read"]).expect(201)


def test_a_refused_token_makes_no_user(account, sql):
    issue(account.caller("administration:write"), user_email="ada@plant.example").expect(403)

    assert sql("SELECT email FROM users WHERE account_id = %s", account.id) == [("administrator",)]


@pytest.mark.parametrize("others", [["administration:read"], ALL_BUT_TOKENS])
def test_making_a_token_takes_administration(account, others):
    error = issue(account.caller(*others)).expect(403).error

    assert error["message"] == "The token lacks the permission administration:write."


def test_a_token_acts_for_its_callers_user_or_for_the_user_that_is_named(api, account):
    own = issue(api).expect(201).body
    other = issue(api, user_email=" ada@plant.example ").expect(201).body
    again = issue(api, user_email="ada@plant.example").expect(201).body

    assert own["user"]["id"] == account.actor.user_id
    assert other["user"] == again["user"]
    assert (other["user"]["name"], other["user"]["email"]) == ("ada", "ada@plant.example")


def test_what_a_token_writes_is_written_by_its_user(api, server, sql):
    made = issue(api, permissions=["administration:write"], user_email="ada@plant.example").expect(201).body

    project = Caller(server, made["token"]).post("/projects", {"project": {"name": "Plant"}}).expect(201).body

    assert sql(
        "SELECT user_id, token_id FROM audit_log WHERE object = %s AND action = 'project.create'",
        project["id"],
    ) == [(made["user"]["id"], made["id"])]


def test_the_audit_has_the_token_without_its_secret(api, account, sql):
    made = issue(api, expires_in_days=30).expect(201).body

    [(target, after)] = sql(
        """
        SELECT object, after FROM audit_log
         WHERE account_id = %s AND action = 'api_token.create' AND object = %s
        """,
        account.id,
        str(made["id"]),
    )
    assert (target, after) == (
        str(made["id"]),
        {"name": "meter", "permissions": ["data_collection:read"], "lifetime_days": 30},
    )


def test_a_repeated_request_does_not_show_the_secret_again(api):
    content = b'{"api_token": {"name": "meter", "permissions": ["data_collection:read"]}}'
    headers = {"idempotency-key": "make-a-token"}

    first, second = (api.send("POST", "/api_tokens", content=content, headers=headers) for _ in range(2))

    made = first.expect(201).body
    assert second.expect(201).body == {name: value for name, value in made.items() if name != "token"}


def test_a_tokens_expiry_cannot_be_changed(api):
    made = issue(api).expect(201).body

    api.patch(f"/api_tokens/{made['id']}", {"api_token": {"expires_in_days": 365}}).expect(400)


def test_the_document_says_that_a_repeated_answer_may_lack_the_secret():
    issued = DOCUMENT["components"]["schemas"]["IssuedApiToken"]

    assert "token" in issued["properties"]
    assert "token" not in issued["required"]
