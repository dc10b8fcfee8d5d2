"""Saved views over the interface: each user has their own, with limits and one default of each list."""

import pytest
from tests.server import Caller

from weighbridge.platform.records import VIEW_NAME_LENGTH_MAX, VIEW_QUERY_LENGTH_MAX
from weighbridge.platform.saved_views import SAVED_VIEWS_OF_USER_MAX

VIEW = {"list_name": "events", "name": "Deliveries by day", "query": "filter[slug]=delivery&group=day"}


def save(api, **fields):
    return api.post("/saved_views", {"saved_view": VIEW | fields})


def refusals(answer):
    return [(problem.get("field"), problem["message"]) for problem in answer.expect(422).errors]


def test_a_view_is_saved_changed_and_deleted(api):
    made = save(api).expect(201).body
    assert {name: made[name] for name in VIEW} == VIEW
    assert made["is_default"] is False

    changed = (
        api.patch(f"/saved_views/{made['id']}", {"saved_view": {"name": " Deliveries "}}).expect(200).body
    )
    assert (changed["name"], changed["query"]) == ("Deliveries", VIEW["query"])
    assert api.get(f"/saved_views/{made['id']}").expect(200).body == changed
    assert [one["id"] for one in api.get("/saved_views?filter[list_name]=events").data] == [made["id"]]
    assert api.get("/saved_views?filter[list_name]=batches").data == []

    api.delete(f"/saved_views/{made['id']}").expect(204)
    api.get(f"/saved_views/{made['id']}").expect(404)


def test_a_list_has_one_default(api):
    first, second = save(api, is_default=True).body, save(api, name="Other", is_default=True).body
    of_batches = save(api, list_name="batches", is_default=True).body

    defaults = {one["id"] for one in api.get("/saved_views").data if one["is_default"]}
    assert defaults == {second["id"], of_batches["id"]}
    api.patch(f"/saved_views/{first['id']}", {"saved_view": {"is_default": True}}).expect(200)
    defaults = {one["id"] for one in api.get("/saved_views").data if one["is_default"]}
    assert defaults == {first["id"], of_batches["id"]}


def test_a_name_is_taken_once_in_a_list(api):
    save(api).expect(201)
    other = save(api, name="Other").expect(201).body
    save(api, list_name="batches").expect(201)

    taken = "There is a view 'Deliveries by day' of this list already. Choose another name."
    assert refusals(save(api)) == [("name", taken)]
    renamed = api.patch(f"/saved_views/{other['id']}", {"saved_view": {"name": VIEW["name"]}})
    assert refusals(renamed) == [("name", taken)]


def test_everything_that_is_wrong_is_said_at_once(api):
    answer = save(
        api,
        list_name="secrets",
        name="n" * (VIEW_NAME_LENGTH_MAX + 1),
        query="q" * (VIEW_QUERY_LENGTH_MAX + 1),
    )

    assert [field for field, _ in refusals(answer)] == [
        "name", "query", "list_name",
    ]  # fmt: skip
    assert "saved_view.name must have at most 60 characters, but has 61." in answer.text
    assert refusals(save(api, name="  ")) == [("name", "A saved view needs a name.")]
    assert refusals(save(api, query="a\u200bb"))[0][0] == "query"


def test_a_user_has_so_many_views_and_no_more(api, sql):
    first = save(api).expect(201).body
    sql(
        """
        INSERT INTO saved_views (account_id, user_id, list_name, name, query)
        SELECT account_id, user_id, list_name, 'View ' || n, query
          FROM saved_views, generate_series(2, %s) AS n WHERE id = %s
        """,
        SAVED_VIEWS_OF_USER_MAX,
        first["id"],
    )

    [(_, message)] = refusals(save(api, name="One more"))
    assert message == "You have 200 saved views, which is all that a user may have. Delete one first."
    api.patch(f"/saved_views/{first['id']}", {"saved_view": {"query": ""}}).expect(200)


@pytest.mark.parametrize("who", ["another user of the account", "another account"])
def test_views_of_others_are_not_found(api, server, who):
    mine = save(api).expect(201).body
    own = {"name": "A", "permissions": ["data_collection:read"], "user_email": "bo@plant.example"}
    token = api.post("/api_tokens", {"api_token": own}).expect(201).body["token"]
    other = Caller(server, token) if who == "another user of the account" else server.account().caller()

    assert other.get("/saved_views").expect(200).data == []
    assert other.get(f"/saved_views/{mine['id']}").expect(404).errors[0]["type"] == "saved_view"
    other.patch(f"/saved_views/{mine['id']}", {"saved_view": {"name": "Mine"}}).expect(404)
    other.delete(f"/saved_views/{mine['id']}").expect(404)
    assert save(other).expect(201).body["id"] != mine["id"]
    assert api.get(f"/saved_views/{mine['id']}").expect(200).body == mine
