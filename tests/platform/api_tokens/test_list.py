"""GET /api_tokens."""

import pytest
from tests.server import Caller


def issue(api, name, **fields):
    body = {"api_token": {"name": name, "permissions": ["data_collection:read"]} | fields}
    return api.post("/api_tokens", body).expect(201).body


def test_the_accounts_tokens_are_listed_without_their_secrets(api, account):
    made = issue(api, "meter", user_email="ada@plant.example")

    answer = api.get("/api_tokens").expect(200)

    own, listed = answer.data
    assert listed == {name: value for name, value in made.items() if name != "token"}
    assert own["user"] == {
        "id": account.actor.user_id, "name": "administrator", "email": "administrator", "disabled_at": None,
    }  # fmt: skip
    assert answer.info["total_items"] == 2
    assert "wb_live_" not in answer.text


def test_another_accounts_tokens_are_not_listed(api, stranger):
    issue(api, "meter")

    assert len(stranger.get("/api_tokens").data) == 1


def test_the_list_is_sorted(api):
    for name in ("b", "a"):
        issue(api, name)

    assert [one["name"] for one in api.get("/api_tokens", {"sort": "name"}).data] == ["a", "b", "test"]
    api.get("/api_tokens", {"sort": "permissions"}).expect(400)


@pytest.mark.parametrize("sort", ["id", "name", "created_at", "expires_at", "-last_used_at"])
def test_the_list_is_walked_by_cursor_in_every_order(api, sort):
    for days in (30, None, None):
        issue(api, "meter", expires_in_days=days)
    query = {"sort": sort, "page_size": "2"}

    first = api.get("/api_tokens", query).expect(200)
    second = api.get("/api_tokens", query | {"cursor": first.info["next_cursor"]}).expect(200)

    walked = [one["id"] for page in (first, second) for one in page.data]
    assert walked == [one["id"] for one in api.get("/api_tokens", {"sort": sort}).data]
    assert len(set(walked)) == 4


def test_a_token_that_does_not_expire_comes_last(api):
    for days in (None, 30, 60):
        issue(api, "meter", expires_in_days=days)

    lasting = [one["expires_at"] for one in api.get("/api_tokens", {"sort": "expires_at"}).data]

    assert lasting[-1] is None
    assert lasting[:-1] == sorted(lasting[:-1])


def test_listing_takes_administration(account):
    account.caller("administration:read").get("/api_tokens").expect(200)
    error = account.caller("data_collection:write").get("/api_tokens").expect(403).error

    assert error["message"] == "The token lacks the permission administration:read."


def test_the_first_use_of_a_token_is_recorded(api, server):
    made = issue(api, "meter")
    assert made["last_used_at"] is None

    Caller(server, made["token"]).get("/projects").expect(200)

    [listed] = [one for one in api.get("/api_tokens").data if one["id"] == made["id"]]
    assert listed["last_used_at"] >= made["created_at"]


def test_use_within_an_hour_is_not_recorded_again_and_later_use_is(api, account, sql):
    def used_after(minutes):
        moment = f"{minutes} minutes"
        [(before,)] = sql(
            """
            UPDATE api_tokens SET last_used_at = now() - %s::interval
             WHERE account_id = %s RETURNING last_used_at
            """,
            moment,
            account.id,
        )
        api.get("/projects").expect(200)
        [(after,)] = sql("SELECT last_used_at FROM api_tokens WHERE account_id = %s", account.id)
        return after > before

    assert [used_after(minutes) for minutes in (59, 61)] == [False, True]


def test_a_refused_token_is_not_recorded_as_used(account, sql):
    account.expired_caller().get("/projects").expect(401)

    assert sql("SELECT last_used_at FROM api_tokens WHERE account_id = %s", account.id) == [(None,)]
