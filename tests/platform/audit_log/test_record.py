"""Design, Audit: every write leaves a row in the same transaction; a bulk write leaves one row."""

import json
from decimal import Decimal

import pytest
from tests.given import collection as given

MASS = given.number("mass")

WRITES = {
    "project.create": lambda api, _: given.project(api),
    "event_type.create": lambda api, project: given.event_type(api, project, slug="reading"),
    "location.create": given.location,
    "feedstock.create": given.feedstock,
    "event.create": lambda api, project: given.event(api, project, values={"mass": Decimal("1.50")}),
}


def rows(sql, account, action):
    return sql(
        """
        SELECT user_id, token_id, project_id, request_id, object, before::text, after::text
          FROM audit_log WHERE account_id = %s AND action = %s ORDER BY id
        """,
        account.id,
        action,
    )


@pytest.mark.parametrize("action", WRITES)
def test_a_write_leaves_one_row_that_says_who_did_what_to_which_record(api, account, sql, action):
    project = given.measuring(api, MASS)
    before = len(rows(sql, account, action))

    made = WRITES[action](api, project)

    *_, (user_id, token_id, project_id, request_id, target, was, became) = rows(sql, account, action)
    assert len(rows(sql, account, action)) == before + 1
    assert user_id == account.actor.user_id
    assert token_id is not None
    assert project_id == (made["numeric_id"] if action == "project.create" else project["numeric_id"])
    assert request_id.startswith("req_")
    assert target == made["id"]
    assert was is None
    recorded = json.loads(became, parse_float=Decimal)
    assert ("leaf" in recorded) is (action == "event.create")
    assert {name: value for name, value in recorded.items() if name not in {"ui_url", "leaf"}} == {
        name: value for name, value in made.items() if name != "ui_url"
    }


def test_the_row_of_an_event_keeps_every_digit(api, account, sql):
    project = given.measuring(api, MASS)
    digits = Decimal("1234567890123.1234567890120")

    given.event(api, project, values={"mass": digits})

    [(*_, became)] = rows(sql, account, "event.create")
    assert '"value": 1234567890123.1234567890120' in became


def test_a_bulk_write_leaves_one_row_with_count_spans_of_ids_and_digest(api, account, sql):
    project = given.measuring(api, MASS)

    receipts = given.events(api, project, [given.event_body(values={"mass": mass}) for mass in range(50)])

    [(*_, target, _, became)] = rows(sql, account, "event.create_many")
    summary = json.loads(became)
    assert target == "50 events"
    assert summary["count"] == 50
    assert summary["ids"][0][0] == receipts[0]["id"]
    assert summary["ids"][-1][1] == receipts[-1]["id"]
    assert len(summary["sha256"]) == 64


def test_the_digest_of_a_bulk_write_depends_on_what_was_sent_and_not_on_how(api, account, sql):
    project = given.measuring(api, MASS)
    path = f"/projects/{project['id']}/events"
    point = '{"slug": "mass", "value": 1.5}'
    event = '{"event_type": "delivery", "start_time": "2025-01-01T00:00:00Z", "data_points": [%s]}'
    turned = '{ "data_points":[%s],"start_time":"2025-01-01T00:00:00Z",  "event_type":"delivery"}'
    for body in (event % point, turned % point, event % point.replace("1.5", "1.6")):
        api.post(path, f'{{"events": [{body}]}}'.encode()).expect(201)

    first, same, other = (json.loads(row[-1])["sha256"] for row in rows(sql, account, "event.create_many"))

    assert first == same != other


def test_a_refused_write_leaves_no_row(api, account, sql):
    project = given.measuring(api, MASS)
    count = "SELECT count(*) FROM audit_log WHERE account_id = %s"
    before = sql(count, account.id)

    api.post(f"/projects/{project['id']}/events", {"event": given.event_body(event_type="pickup")}).expect(
        422
    )
    api.post("/projects", {"project": {"name": ""}}).expect(422)

    assert sql(count, account.id) == before


def test_reading_leaves_no_row(api, account, sql):
    given.measuring(api, MASS)
    count = "SELECT count(*) FROM audit_log WHERE account_id = %s"
    before = sql(count, account.id)

    api.get("/projects").expect(200)

    assert sql(count, account.id) == before
