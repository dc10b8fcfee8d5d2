"""GET one data point: of its project, and of its event."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given

from weighbridge.core import identity

MASS = given.number("mass")


def test_a_data_point_is_found_in_its_project_and_in_its_event_as_in_the_list(api):
    project = given.measuring(api, MASS, given.text("note"))
    event = given.event(api, project, values={"mass": 3, "note": "ok"})
    listed = api.get(f"/projects/{project['id']}/data_points").data

    for point in listed:
        assert api.get(f"/projects/{project['id']}/data_points/{point['id']}").expect(200).body == point
        of_event = f"/projects/{project['id']}/events/{event['id']}/data_points/{point['id']}"
        assert api.get(of_event).expect(200).body == point
    assert [point["value"] for point in listed] == [3, "ok"]


def test_a_data_point_of_another_event_is_not_found_in_this_one(api):
    project = given.measuring(api, MASS)
    event, other = (given.event(api, project, values={"mass": mass}) for mass in (1, 2))
    [point] = other["data_points"]

    api.get(f"/projects/{project['id']}/events/{event['id']}/data_points/{point['id']}").expect(404)
    api.get(f"/projects/{project['id']}/events/{event['id']}0/data_points/{point['id']}").expect(404)


def test_a_data_point_of_another_project_or_account_is_not_found(api, stranger):
    project, other = given.measuring(api, MASS), given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 1})
    [point] = event["data_points"]

    api.get(f"/projects/{other['id']}/data_points/{point['id']}").expect(404)
    api.get(f"/projects/{other['id']}/events/{event['id']}/data_points/{point['id']}").expect(404)
    stranger.get(f"/projects/{project['id']}/data_points/{point['id']}").expect(404)


def test_a_position_without_a_value_is_no_data_point(api):
    project = given.measuring(api, MASS, given.text("note"))
    event = given.event(api, project, values={"mass": 1})
    key = identity.parse("event", event["id"])

    for position in (0, 2, 3, identity.POSITION_MAX):
        point = identity.of("data_point", key.project, key.key, position)
        api.get(f"/projects/{project['id']}/data_points/{point}").expect(404)


def test_the_id_of_a_batchs_output_is_no_data_point_of_an_event(api, drain):
    plant = given_accounting.plant(api, drain)
    key = identity.parse("event", plant.deliver(1))

    output = identity.of("data_point", key.project, key.key, 1, identity.Owner.BATCH)

    api.get(f"/projects/{plant.project['id']}/data_points/{output}").expect(404)


@pytest.mark.parametrize(
    "name", ["in_000000000000000000000000", "in_", "1", "99999999999999999999", "%00", "²"]
)
def test_a_name_of_no_data_point_finds_nothing(api, name):
    project = given.measuring(api, MASS)
    event = given.event(api, project)

    api.get(f"/projects/{project['id']}/data_points/{name}").expect(404)
    api.get(f"/projects/{project['id']}/events/{event['id']}/data_points/{name}").expect(404)
