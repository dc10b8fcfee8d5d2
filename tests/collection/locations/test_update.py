"""PATCH /projects/{project_id}/locations/{location_id}."""

from decimal import Decimal

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given import generation as given_generation


def update(api, project, location, **fields):
    return api.patch(f"/projects/{project['id']}/locations/{location['id']}", {"location": fields})


def test_what_is_sent_is_changed_and_the_rest_stays(api):
    project = given.project(api)
    yard = given.location(api, project, name="Yard")

    update(api, project, yard, lat=Decimal("53.550"), long="9.99", address={"city": "Hamburg"}).expect(200)
    changed = update(api, project, yard, name=" North yard ").expect(200).body

    assert (changed["name"], changed["lat"], changed["long"]) == ("North yard", "53.550", "9.99")
    assert changed["address"]["city"] == "Hamburg"
    assert api.get(f"/projects/{project['id']}/locations/{yard['id']}").body == changed


def test_degrees_and_address_are_cleared_by_null(api):
    project = given.project(api)
    yard = given.location(api, project)
    update(api, project, yard, lat=53, long=9, address={"city": "Hamburg"}).expect(200)

    cleared = update(api, project, yard, lat=None, long=None, address=None).expect(200).body

    assert (cleared["lat"], cleared["long"], cleared["address"]) == (None, None, None)


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"lat": 91}, "lat", "invalid"),
        ({"long": Decimal("-180.1")}, "long", "invalid"),
    ],
)
def test_a_change_that_breaks_a_rule_is_refused(api, fields, field, code):
    project = given.project(api)
    yard = given.location(api, project, name="Yard")

    error = update(api, project, yard, **fields).expect(422).error

    assert (error["field"], error["code"]) == (field, code)
    assert api.get(f"/projects/{project['id']}/locations/{yard['id']}").body == yard


def test_the_name_is_fixed_once_batches_were_made_of_events_there(api, drain):
    plant = given_accounting.plant(api, drain)
    yard, mill = (given.location(api, plant.project, name=name) for name in ("Yard", "Mill"))
    plant.deliver(5, locations=[yard])
    plant.generate()

    error = update(api, plant.project, yard, name="North yard").expect(422).error
    update(api, plant.project, yard, lat=53).expect(200)
    update(api, plant.project, mill, name="South mill").expect(200)

    assert (error["field"], error["code"]) == ("name", "in_use")


def test_a_name_waits_for_a_generation_that_runs(api, drain, server):
    plant = given_accounting.plant(api, drain)
    yard = given.location(api, plant.project)

    with given_generation.running(server, plant):
        update(api, plant.project, yard, name="North yard").expect(409)


def test_the_same_again_changes_nothing(api, account, sql):
    project = given.project(api)
    yard = given.location(api, project, name="Yard")
    known = update(api, project, yard, lat=Decimal("53.5")).expect(200).body

    assert update(api, project, yard, name="Yard", lat="53.50").expect(200).body == known

    assert sql(
        "SELECT count(*) FROM audit_log WHERE account_id = %s AND action = 'location.update'", account.id
    ) == [(1,)]
