"""Events that people type in: the values of their type with its units, once, and void again."""

import re
from html import unescape

import pytest
from tests.given import collection as given
from tests.given.forms import typed_in
from tests.given.people import visitor

POINTS = [
    {"name": "Wet mass", "slug": "wet-mass", "value_type": "number", "unit": "t"},
    {"name": "Seal whole", "slug": "seal-whole", "value_type": "boolean"},
    {"name": "Driver", "slug": "driver", "value_type": "string", "required": False},
]
CANNOT_BE = [
    ("values.wet-mass", "12,5", "Wet mass must be a number with a decimal point"),
    ("values.wet-mass", "1e9999", "wet-mass"),
    ("start_time", "", "Start time must not be empty"),
    ("end_time", "2025-01-30T06:00", "end_time"),
]


@pytest.fixture
def project(api):
    return given.project(api, time_zone="Europe/Berlin")


@pytest.fixture
def kind(api, project):
    new = {"name": "Delivery", "data_point_types": POINTS, "expected_locations": "none"}
    return api.post(f"/projects/{project['id']}/event_types", {"event_type": new}).expect(201).body


@pytest.fixture
def listed(project):
    return f"/projects/{project['id']}/events"


@pytest.fixture
def form(listed):
    return f"{listed}/new"


@pytest.fixture
def writer(account):
    return visitor(account)


def typed(kind, **more):
    return {
        "event_type_id": kind["id"],
        "start_time": "2025-01-31T06:00",
        "values.wet-mass": "12.50",
        "values.seal-whole": "yes",
        **more,
    }


def test_values_are_typed_with_the_units_of_their_types(api, writer, form, kind):
    shown = writer.get(form).expect(200).text
    assert re.search(r'Wet mass <span class="unit">in t</span>', shown)

    moved = writer.post(form, typed(kind, tracking_id="LOT-7")).expect(303).headers["location"]

    made = api.get(moved).body
    assert made["start_time"] == "2025-01-31T05:00:00.000Z"
    assert {one["slug"]: one["value"] for one in made["data_points"]} == {
        "wet-mass": 12.5,
        "seal-whole": True,
    }
    assert (made["status"], made["tracking_id"]) == ("complete", "LOT-7")


def test_the_type_is_chosen_first_where_there_are_several(api, project, writer, kind):
    form = f"/projects/{project['id']}/events/new"
    other = given.event_type(api, project, slug="bill", name="Bill")

    shown = writer.get(form).expect(200).text

    assert f"?event_type_id={other['id']}" in shown
    assert f"?event_type_id={kind['id']}" in shown


def test_what_cannot_be_stands_at_its_field(api, writer, listed, kind):
    for field, text, said in CANNOT_BE:
        refused = writer.post(f"{listed}/new", typed(kind, **{field: text})).expect(422).text

        wrong = re.search(rf'<strong id="wrong-{re.escape(field)}">(.*?)</strong>', refused)
        assert wrong, refused.split('role="alert"')[1][:400]
        assert said in unescape(wrong[1])
        assert f'value="{text}"' in refused
    assert api.get(listed).data == []


def test_a_form_that_is_sent_twice_makes_one_event(api, writer, listed, kind):
    [reference] = re.findall(r'name="client_reference" value="([^"]+)"', writer.get(f"{listed}/new").text)

    writer.post(f"{listed}/new", typed(kind, client_reference=reference)).expect(303)
    again = writer.post(f"{listed}/new", typed(kind, client_reference=reference))

    assert again.status in {409, 422}
    assert len(api.get(listed).data) == 1


def test_the_next_event_begins_where_the_one_before_ended_with_its_tags(api, project, writer, kind):
    asset = given.asset(api, project)
    form = f"/projects/{project['id']}/events/new"
    more = {"asset_id": asset["id"], "end_time": "2025-01-31T07:00", "next": "yes"}

    moved = writer.post(form, typed(kind, **more)).expect(303).headers["location"]

    shown = writer.get(moved).expect(200).text
    assert 'value="2025-01-31T07:00"' in shown
    assert f'value="{asset["id"]}" selected' in shown
    assert 'name="values.wet-mass" inputmode' in shown or re.search(
        r'name="values.wet-mass"[^>]*value=""', shown
    )


def test_an_event_that_lacks_a_value_says_so(writer, form, kind):
    moved = writer.post(form, typed(kind, **{"values.wet-mass": ""})).expect(303).headers["location"]

    assert "Missing: wet-mass" in writer.get(moved).text


def test_an_event_is_void_by_its_page(api, writer, listed, kind):
    page = writer.post(f"{listed}/new", typed(kind)).expect(303).headers["location"]
    assert f'action="{page}/void"' in writer.get(page).text

    writer.post(f"{page}/void").expect(303)

    assert api.get(listed).data == []


def test_nobody_types_in_an_event_who_may_not(account, form, kind):
    reader = visitor(account, "data_collection:read")

    reader.get(form).expect(403)
    reader.post(form, typed(kind)).expect(403)


def test_what_a_correction_would_change_is_shown_before_it_is_made(api, writer, listed, kind):
    page = writer.post(f"{listed}/new", typed(kind)).expect(303).headers["location"]
    asked = "start_time=2025-01-31T06:00&values.wet-mass=13&values.seal-whole=yes&reason=Tare"
    assert f'href="{page}/edit"' in writer.get(page).text
    assert 'value="12.5"' in writer.get(f"{page}/edit").expect(200).text

    shown = writer.get(f"{page}/impact?{asked}").expect(200)

    assert 'id="impact"' in shown.text
    assert api.get(page).body["data_points"][0]["value"] == 12.5
    writer.post(f"{page}/edit", typed_in(shown, f"{page}/impact")).expect(303)
    after = api.get(page).body
    assert [(one["value"], one["raw_value"]) for one in after["data_points"]] == [(13, 12.5), (True, True)]
    assert "Tare" in writer.get(page).text


def test_a_value_is_not_taken_away_and_a_first_one_completes_the_event(api, writer, listed, kind):
    page = (
        writer.post(f"{listed}/new", typed(kind, **{"values.wet-mass": ""})).expect(303).headers["location"]
    )
    form = {"start_time": "2025-01-31T06:00", "values.seal-whole": "yes"}

    refused = writer.post(f"{page}/edit", form | {"values.seal-whole": "", "values.wet-mass": "1"}).expect(
        422
    )
    writer.post(f"{page}/edit", form | {"values.wet-mass": "7"}).expect(303)
    again = writer.post(f"{page}/edit", form | {"values.wet-mass": "7"}).expect(422)

    assert 'id="wrong-values.seal-whole"' in refused.text
    assert api.get(page).body["status"] == "complete"
    assert "No changes to save" in again.text


def test_a_project_without_locations_gets_them_with_its_first_event(api, project, writer):
    new = {"name": "Haul", "data_point_types": POINTS[:1], "expected_locations": "two"}
    kind = api.post(f"/projects/{project['id']}/event_types", {"event_type": new}).expect(201).body
    form = f"/projects/{project['id']}/events/new"
    sent = {
        "event_type_id": kind["id"],
        "start_time": "2025-01-31T06:00",
        "values.wet-mass": "12.50",
        "notes": "muddy road",
    }
    assert 'name="locations[1].id.new.name"' in writer.get(form).expect(200).text

    refused = writer.post(form, sent).expect(422).text
    made = writer.post(
        form, sent | {"locations[0].id.new.name": "North yard", "locations[1].id.new.name": "Mill"}
    ).expect(303)

    assert 'value="12.50"' in refused
    assert "muddy road" in refused
    event = api.get(made.headers["location"]).body
    assert [one["name"] for one in event["locations"]] == ["North yard", "Mill"]
    [first, second] = event["locations"]
    assert f'value="{first["id"]}"' in writer.get(form).expect(200).text
    assert f'value="{second["id"]}"' in writer.get(form).expect(200).text


def test_a_new_location_that_cannot_be_keeps_what_was_typed_and_makes_nothing(api, project, writer):
    new = {"name": "Haul", "data_point_types": POINTS[:1]}
    kind = api.post(f"/projects/{project['id']}/event_types", {"event_type": new}).expect(201).body
    sent = {"event_type_id": kind["id"], "start_time": "2025-01-31T06:00", "values.wet-mass": "12.50"}

    refused = writer.post(
        f"/projects/{project['id']}/events/new", sent | {"locations[0].id.new.name": "x" * 300}
    ).expect(422)

    assert 'id="wrong-locations[0].id.new.name"' in refused.text
    assert 'value="12.50"' in refused.text
    assert api.get(f"/projects/{project['id']}/locations").data == []
