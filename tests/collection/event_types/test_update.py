"""PATCH /projects/{project_id}/event_types/{event_type_id}: the meaning of captured values stays."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from tests.given import collection as given

MASS, MOISTURE = given.number("mass"), given.number("moisture", unit="%")


@pytest.fixture
def project(api):
    return given.project(api)


def update(api, project, event_type, **fields):
    return api.patch(f"/projects/{project['id']}/event_types/{event_type['id']}", {"event_type": fields})


def slugs(event_type):
    return [one["slug"] for one in event_type["data_point_types"]]


def test_what_is_sent_is_changed_and_the_rest_stays(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS])

    changed = update(
        api, project, delivery,
        name=" Delivery of wood ", description="Weighed at the gate", cadence_amount=1, cadence_unit="hour",
        reusable_in_batches=True, expected_locations="two", requires_tracking_id=True,
    ).expect(200).body  # fmt: skip

    assert (changed["name"], changed["description"]) == ("Delivery of wood", "Weighed at the gate")
    assert (changed["cadence_amount"], changed["cadence_unit"]) == (1, "hour")
    assert (changed["reusable_in_batches"], changed["expected_locations"]) == (True, "two")
    assert changed["requires_tracking_id"] is True
    assert changed["slug"] == "delivery"
    assert changed["data_point_types"] == delivery["data_point_types"]
    assert update(api, project, delivery, description=None).expect(200).body["description"] is None


def test_new_rules_hold_for_the_events_that_are_stored_from_then_on(api, project):
    delivery = given.event_type(api, project)
    before = given.event(api, project)

    update(api, project, delivery, expected_locations="one").expect(200)

    refused = api.post(f"/projects/{project['id']}/events", {"event": given.event_body()}).expect(422)
    assert refused.error["field"] == "locations"
    assert api.get(f"/projects/{project['id']}/events/{before['id']}").body["locations"] == []


def test_a_cadence_is_cleared_by_null_and_its_halves_go_together(api, project):
    delivery = given.event_type(api, project)
    update(api, project, delivery, cadence_amount=15, cadence_unit="minute").expect(200)

    assert update(api, project, delivery, cadence_amount=30).expect(200).body["cadence_unit"] == "minute"
    error = update(api, project, delivery, cadence_amount=None).expect(422).error
    cleared = update(api, project, delivery, cadence_amount=None, cadence_unit=None).expect(200).body

    assert error["field"] == "cadence_unit"
    assert (cleared["cadence_amount"], cleared["cadence_unit"]) == (None, None)


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": " "}, "name", "required"),
        ({"expected_locations": "three"}, "expected_locations", "invalid"),
        ({"cadence_amount": 10**30, "cadence_unit": "hour"}, "cadence_amount", "invalid"),
        ({"data_point_types": [MASS, MASS]}, "data_point_types", "taken"),
    ],
)
def test_a_change_that_breaks_a_rule_is_refused(api, project, fields, field, code):
    delivery = given.event_type(api, project, data_point_types=[MASS])

    error = update(api, project, delivery, **fields).expect(422).error

    assert (error["field"], error["code"]) == (f"{field}", code)
    assert api.get(f"/projects/{project['id']}/event_types/{delivery['id']}").body == delivery


@pytest.mark.parametrize(
    ("point", "field", "code"),
    [
        ({"slug": "mass", "value_type": "date", "unit": None}, "value_type", "invalid"),
        ({"slug": "mass", "unit": "quux"}, "unit", "invalid"),
        ({"slug": "mass", "value_type": "string"}, "unit", "invalid"),
        ({"slug": "mass", "name": " "}, "name", "required"),
        ({"slug": "Ash", "name": "Ash", "value_type": "number"}, "slug", "invalid"),
        ({"slug": "ash", "name": "Ash"}, "value_type", "required"),
        ({"slug": "ash", "value_type": "number"}, "name", "required"),
        ({"value_type": "number"}, "name", "required"),
    ],
)
def test_a_data_point_type_that_breaks_a_rule_is_refused(api, project, point, field, code):
    delivery = given.event_type(api, project, data_point_types=[MASS])

    error = update(api, project, delivery, data_point_types=[point]).expect(422).error

    assert (error["field"], error["code"]) == (f"data_point_types[0].{field}", code)
    assert api.get(f"/projects/{project['id']}/event_types/{delivery['id']}").body == delivery


@pytest.mark.parametrize("fields", [{"slug": "pickup"}, {"name": None}, {"data_point_types": None}])
def test_a_slug_is_fixed_and_a_wrong_shape_is_refused(api, project, fields):
    update(api, project, given.event_type(api, project), **fields).expect(400)


def test_the_list_that_made_an_event_type_changes_nothing(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS, MOISTURE])
    given.event(api, project, values={"mass": 3, "moisture": 8})

    assert update(api, project, delivery, data_point_types=[MASS, MOISTURE]).expect(200).body == delivery


def test_a_new_data_point_type_comes_after_the_others_and_stored_values_stay_where_they_are(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS])
    event = given.event(api, project, values={"mass": 3})

    added = [given.number("ash", required=False), {"slug": "mass"}]
    changed = update(api, project, delivery, data_point_types=added).expect(200).body
    later = given.event(api, project, values={"ash": Decimal("0.7"), "mass": 4})

    assert slugs(changed) == ["mass", "ash"]
    assert api.get(f"/projects/{project['id']}/events/{event['id']}").body == event
    assert [(one["slug"], one["value"]) for one in later["data_points"]] == [
        ("mass", 4),
        ("ash", Decimal("0.7")),
    ]


def test_a_data_point_type_that_events_carry_can_be_renamed(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS])
    event = given.event(api, project, values={"mass": 3})

    renamed = [{"slug": "mass", "name": "Net mass"}]
    changed = update(api, project, delivery, data_point_types=renamed).expect(200).body

    assert [(one["slug"], one["name"], one["unit"]) for one in changed["data_point_types"]] == [
        ("mass", "Net mass", "t")
    ]
    [point] = api.get(f"/projects/{project['id']}/events/{event['id']}").body["data_points"]
    assert (point["slug"], point["data_point_type"], point["value"]) == ("mass", "Net mass", 3)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"unit": "kg"}, "unit"), ({"unit": None}, "unit"),
        ({"value_type": "string", "unit": None}, "value_type"),
    ],
)  # fmt: skip
def test_what_the_values_of_events_mean_is_fixed(api, project, change, field):
    delivery = given.event_type(api, project, data_point_types=[MOISTURE, MASS])
    given.event(api, project, values={"mass": 3, "moisture": 8})

    points = [{"slug": "moisture"}, {"slug": "mass"} | change]
    error = update(api, project, delivery, data_point_types=points).expect(422).error

    assert (error["field"], error["code"]) == (f"data_point_types[1].{field}", "in_use")
    assert "'mass'" in error["message"]


@pytest.mark.parametrize("change", [{"unit": "kg"}, {"unit": None}, {"value_type": "string", "unit": None}])
def test_a_data_point_type_that_no_event_carries_can_become_something_else(api, project, change):
    delivery = given.event_type(api, project, data_point_types=[MASS, MOISTURE])
    given.event(api, project, values={"moisture": 8})

    points = [{"slug": "mass"} | change, {"slug": "moisture"}]
    changed = update(api, project, delivery, data_point_types=points).expect(200).body

    assert {name: changed["data_point_types"][0][name] for name in change} == change


def test_a_data_point_type_that_no_event_carries_can_be_left_out(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS, MOISTURE])
    event = given.event(api, project, values={"mass": 3})

    changed = update(api, project, delivery, data_point_types=[MASS]).expect(200).body

    assert slugs(changed) == ["mass"]
    assert api.get(f"/projects/{project['id']}/events/{event['id']}").body["status"] == "complete"


def test_the_place_of_one_that_was_left_out_is_not_given_out_again(api, project, sql):
    delivery = given.event_type(api, project, data_point_types=[MASS, MOISTURE])
    update(api, project, delivery, data_point_types=[MASS]).expect(200)

    update(api, project, delivery, data_point_types=[MASS, given.text("note")]).expect(200)
    update(api, project, delivery, data_point_types=[given.text("note")]).expect(200)
    update(api, project, delivery, data_point_types=[given.text("note"), MOISTURE, MASS]).expect(200)

    assert sql(
        "SELECT slug, position FROM data_point_types WHERE project_id = %s ORDER BY position",
        project["numeric_id"],
    ) == [("note", 3), ("moisture", 4), ("mass", 5)]


def test_one_that_events_carry_cannot_be_left_out_even_when_they_are_voided(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS, MOISTURE])
    event = given.event(api, project, values={"mass": 3})
    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)

    error = update(api, project, delivery, data_point_types=[MOISTURE]).expect(422).error

    assert (error["field"], error["code"]) == ("data_point_types", "in_use")
    assert "leaves out 'mass'" in error["message"]


def test_a_text_or_a_false_is_carried_too(api, project):
    kinds = [given.text("note"), given.boolean("sealed")]
    delivery = given.event_type(api, project, data_point_types=kinds)
    given.event(api, project, values={"note": "ok", "sealed": False})

    assert len(update(api, project, delivery, data_point_types=[]).expect(422).errors) == 2


def test_what_becomes_required_leaves_the_stored_events_complete(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS])
    before = given.event(api, project, values={"mass": 3})

    update(api, project, delivery, data_point_types=[MASS, given.number("ash")]).expect(200)
    after = given.event(api, project, values={"mass": 3})

    stored = api.get(f"/projects/{project['id']}/events/{before['id']}").body
    assert (stored["status"], stored["missing"]) == ("complete", [])
    assert (after["status"], after["missing"]) == ("incomplete", ["ash"])


def test_what_is_no_longer_required_completes_the_events_that_lacked_nothing_else(api, project, account, sql):
    delivery = given.event_type(api, project, data_point_types=[MASS, MOISTURE, given.number("ash")])
    lacks_one = given.event(api, project, values={"mass": 3, "ash": 1})
    lacks_two = given.event(api, project, values={"ash": 1})

    points = [MASS, {"slug": "moisture", "required": False}, {"slug": "ash"}]
    update(api, project, delivery, data_point_types=points).expect(200)

    read = [api.get(f"/projects/{project['id']}/events/{one['id']}").body for one in (lacks_one, lacks_two)]
    assert [(one["status"], one["missing"]) for one in read] == [("complete", []), ("incomplete", ["mass"])]
    assert sql(
        """
        SELECT object, after ->> 'event_type' FROM audit_log
         WHERE account_id = %s AND action = 'event.complete_many'
        """,
        account.id,
    ) == [("1 events", delivery["id"])]


def test_a_value_cannot_slip_in_while_its_data_point_type_is_removed(api, project, server):
    delivery = given.event_type(api, project, data_point_types=[MASS, given.number("ash", required=False)])
    body = {"event": given.event_body(values={"mass": 1, "ash": 2})}

    with ThreadPoolExecutor(1) as other:
        with server.transaction() as removal:
            removal.execute(
                "SELECT FROM event_types WHERE project_id = %s FOR UPDATE", (project["numeric_id"],)
            )
            removal.execute(
                "DELETE FROM data_point_types WHERE slug = 'ash' AND project_id = %s",
                (project["numeric_id"],),
            )
            storing = other.submit(lambda: api.post(f"/projects/{project['id']}/events", body))
            server.await_blocked()
        error = storing.result().expect(422).error

    assert (error["field"], error["code"]) == ("data_points[1].slug", "unknown")
    assert slugs(api.get(f"/projects/{project['id']}/event_types/{delivery['id']}").body) == ["mass"]


def test_a_removal_waits_for_events_that_are_being_stored(api, project, server):
    delivery = given.event_type(api, project, data_point_types=[MASS, given.number("ash", required=False)])
    event = given.event(api, project, values={"mass": 1})

    with ThreadPoolExecutor(1) as other:
        with server.transaction() as storing:
            storing.execute(
                "SELECT FROM event_types WHERE project_id = %s FOR KEY SHARE", (project["numeric_id"],)
            )
            storing.execute(
                "UPDATE events SET numbers = '{1,2}' WHERE project_id = %s", (project["numeric_id"],)
            )
            removing = other.submit(lambda: update(api, project, delivery, data_point_types=[MASS]))
            server.await_blocked()
        assert removing.result().expect(422).error["code"] == "in_use"

    stored = api.get(f"/projects/{project['id']}/events/{event['id']}").body
    assert [one["slug"] for one in stored["data_points"]] == ["mass", "ash"]


def test_a_change_stands_in_the_audit_with_before_and_after(api, project, account, sql):
    delivery = given.event_type(api, project, data_point_types=[MASS])

    update(api, project, delivery, name="Weighing", data_point_types=[MASS, MOISTURE]).expect(200)
    update(api, project, delivery, name="Weighing").expect(200)

    assert sql(
        """
        SELECT object, before ->> 'name', after ->> 'name', jsonb_array_length(after -> 'data_point_types')
          FROM audit_log WHERE account_id = %s AND action = 'event_type.update'
        """,
        account.id,
    ) == [(delivery["id"], "delivery", "Weighing", 2)]


def test_another_accounts_event_type_is_not_found_nor_one_of_another_project(api, stranger, project):
    delivery = given.event_type(api, project)

    update(stranger, project, delivery, name="Mine").expect(404)
    update(api, given.project(api), delivery, name="Mine").expect(404)
    update(api, project, {"id": "1"}, name="Mine").expect(404)
