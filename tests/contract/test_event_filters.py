"""Seed, Filtering and paging: events accept `filter[event_type_id]` (friendly ID), `filter[slug]`,
`filter[location_id]` (each `eq` only) and `filter[nexus_event_type_id]` (numeric ID).
"""

import pytest
from tests.given import collection as given

MASS = given.number("mass")


@pytest.fixture
def plant(api):
    """A project with events of two types at two locations; the events by name."""
    project = given.project(api)
    delivery = given.event_type(api, project, slug="delivery", data_point_types=[MASS])
    bill = given.event_type(api, project, slug="bill", data_point_types=[MASS])
    yard, mill = given.location(api, project), given.location(api, project)
    events = {
        "at the yard": given.event(api, project, event_type="delivery", locations=[yard]),
        "at both": given.event(api, project, event_type="delivery", locations=[mill, yard]),
        "nowhere": given.event(api, project, event_type="bill"),
    }
    return {
        "project": project,
        "delivery": delivery,
        "bill": bill,
        "yard": yard,
        "mill": mill,
        "events": events,
    }


def found(api, plant, *query):
    """The names of the events that a query finds."""
    names = {event["id"]: name for name, event in plant["events"].items()}
    answer = api.get(f"/projects/{plant['project']['id']}/events", query)
    return {names[event["id"]] for event in answer.expect(200).data}


@pytest.mark.parametrize("comparator", ["", "[eq]"])
def test_events_are_found_by_the_friendly_id_of_their_type(api, plant, comparator):
    name = f"filter[event_type_id]{comparator}"

    assert found(api, plant, (name, plant["delivery"]["id"])) == {"at the yard", "at both"}
    assert found(api, plant, (name, plant["bill"]["id"])) == {"nowhere"}


@pytest.mark.parametrize("comparator", ["", "[eq]"])
def test_events_are_found_by_the_slug_of_their_type(api, plant, comparator):
    assert found(api, plant, (f"filter[slug]{comparator}", "bill")) == {"nowhere"}
    assert found(api, plant, (f"filter[slug]{comparator}", "Bill")) == set()


@pytest.mark.parametrize("comparator", ["", "[eq]"])
def test_events_are_found_by_any_of_their_locations(api, plant, comparator):
    name = f"filter[location_id]{comparator}"

    assert found(api, plant, (name, plant["yard"]["id"])) == {"at the yard", "at both"}
    assert found(api, plant, (name, plant["mill"]["id"])) == {"at both"}


@pytest.mark.parametrize("comparator", ["", "[eq]"])
def test_events_are_found_by_the_number_of_their_type(api, plant, comparator):
    number = plant["bill"]["data_point_types"][0]["nexus_event_type_id"]

    assert found(api, plant, (f"filter[nexus_event_type_id]{comparator}", str(number))) == {"nowhere"}


@pytest.mark.parametrize("comparator", ["", "[eq]"])
def test_events_are_found_by_what_they_are_tagged_with(api, comparator):
    project = given.measuring(api, MASS)
    wood, kiln = given.feedstock(api, project), given.asset(api, project)
    straw, oven = given.feedstock(api, project), given.asset(api, project)
    burnt = given.event(api, project, feedstock_id=wood["id"], asset_id=kiln["id"], tracking_id="T-1")
    given.event(api, project, feedstock_id=straw["id"], asset_id=oven["id"], tracking_id="T-2")
    given.event(api, project)
    path = f"/projects/{project['id']}/events"

    tags = {"feedstock_id": wood["id"], "asset_id": kiln["id"], "tracking_id": "T-1"}
    for field, value in tags.items():
        (found,) = api.get(path, {f"filter[{field}]{comparator}": value}).expect(200).data
        assert found["id"] == burnt["id"]


def test_filters_together_find_what_all_of_them_find(api, plant):
    of_type = ("filter[slug]", "delivery")

    assert found(api, plant, of_type, ("filter[location_id]", plant["mill"]["id"])) == {"at both"}
    assert found(api, plant, of_type, ("filter[event_type_id]", plant["bill"]["id"])) == set()


@pytest.mark.parametrize(
    "field",
    [
        "event_type_id",
        "slug",
        "location_id",
        "nexus_event_type_id",
        "feedstock_id",
        "asset_id",
        "tracking_id",
    ],
)
@pytest.mark.parametrize("comparator", ["geq", "leq", "gt", "in", "not_eq", "EQ"])
def test_each_takes_eq_only(api, plant, field, comparator):
    name = f"filter[{field}][{comparator}]"

    error = api.get(f"/projects/{plant['project']['id']}/events", {name: "1"}).expect(400).error

    assert (error["field"], error["code"]) == (name, "unsupported")
    assert error["message"].endswith(f"{field} takes eq.")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("event_type_id", "1"), ("event_type_id", "delivery"), ("event_type_id", "et_\0"),
        ("feedstock_id", "1"), ("feedstock_id", "Wood"), ("asset_id", "1"), ("asset_id", "Kiln"),
        ("location_id", "1"), ("location_id", "evt_000000000000000000000000"),
        ("nexus_event_type_id", "et_000000000000000000000000"), ("nexus_event_type_id", "2147483648"),
        ("nexus_event_type_id", "9223372036854775808"), ("nexus_event_type_id", " 1"),
        ("nexus_event_type_id", "1_0"),
        ("slug", "a\0b"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_read_is_refused(api, plant, field, value):
    error = (
        api.get(f"/projects/{plant['project']['id']}/events", {f"filter[{field}]": value}).expect(400).error
    )

    assert (error["field"], error["code"]) == (f"filter[{field}]", "unreadable")


def test_records_of_another_project_find_nothing(api, plant):
    other = given.measuring(api, MASS)
    elsewhere = given.location(api, other)

    assert found(api, plant, ("filter[location_id]", elsewhere["id"])) == set()


NUMBERS = ["2147483648", "9223372036854775808", "9" * 40, "-1", "1.5", "1e3", "٣", " 7", "7_0", ""]


@pytest.mark.parametrize("path", ["/feedstocks", "/models", "/ledgers", "/batches", "/async_tasks"])
@pytest.mark.parametrize("number", NUMBERS)
def test_the_number_of_a_project_is_one_that_a_project_can_have(api, path, number):
    error = api.get(path, {"filter[project_id]": number}).expect(400).error

    assert (error["field"], error["code"]) == ("filter[project_id]", "unreadable")


@pytest.mark.parametrize("path", ["/projects/{}", "/projects/{}/events", "/async_tasks/{}"])
@pytest.mark.parametrize("number", ["2147483648", "9223372036854775808", "9" * 40, "-1", "1.5", "%D9%A3"])
def test_a_number_in_a_path_that_no_record_can_have_finds_nothing(api, path, number):
    api.get(path.format(number)).expect(404)
