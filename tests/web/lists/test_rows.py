"""Records are changed in the row of their list, and by their own form where no script runs: what was typed is
kept when it is refused, and nobody's change is lost unseen.
"""

from html import unescape
from urllib.parse import urlencode

import pytest
from tests.given import collection as given
from tests.given.forms import typed_in
from tests.given.people import visitor


@pytest.fixture
def project(api):
    return given.project(api, time_zone="Europe/Berlin")


@pytest.fixture
def home(project):
    return f"/projects/{project['id']}"


@pytest.fixture
def writer(account):
    return visitor(account)


@pytest.fixture
def yard(api, home):
    return api.post(f"{home}/locations", {"location": {"name": "North yard", "lat": "52.5"}}).expect(201).body


def row_of(home, record, *columns, **query):
    asked = {"columns": ",".join(columns), "next": f"{home}/locations?sort=-name", **query}
    return f"{home}/locations/{record['id']}/row?{urlencode(asked, safe=',')}"


def test_a_row_leads_to_its_form_and_back_to_the_list_as_it_was(writer, home, yard):
    listed = writer.get(f"{home}/locations?sort=-name").expect(200).text
    edit = f"{home}/locations/{yard['id']}/edit?{urlencode({'next': f'{home}/locations?sort=-name'})}"
    assert f'href="{edit}"' in unescape(listed)
    typed = typed_in(writer.get(edit).expect(200), f"{home}/locations/{yard['id']}/edit")

    saved = writer.post(f"{home}/locations/{yard['id']}/edit", typed | {"name": "South yard"}).expect(303)

    assert saved.headers["location"] == f"{home}/locations?sort=-name"
    shown = writer.get(saved.headers["location"]).text
    assert "South yard" in shown
    assert "Location saved." in shown


def test_a_form_returns_to_no_other_host(writer, home, yard):
    edit = f"{home}/locations/{yard['id']}/edit"
    typed = typed_in(writer.get(f"{edit}?next=https://evil.example/").expect(200), edit)

    assert "next" not in typed
    saved = writer.post(edit, typed | {"name": "South yard", "next": "//evil.example/"}).expect(303)
    assert saved.headers["location"] == f"{home}/locations/{yard['id']}"


def test_the_form_of_a_row_has_the_plain_fields_that_the_row_shows(writer, home, yard):
    asked = row_of(home, yard, "name", "lat", "created_at", edit="yes")
    typed = typed_in(writer.get(asked).expect(200), row_of(home, yard, "name", "lat", "created_at"))

    assert {*typed} == {"csrf_token", "begun", "name", "lat"}
    assert (typed["name"], typed["lat"]) == ("North yard", "52.5")


def test_a_row_is_changed_and_shown_again_with_its_columns(api, writer, home, yard):
    place = row_of(home, yard, "name", "lat")
    typed = typed_in(writer.get(f"{place}&edit=yes").expect(200), place)

    saved = writer.post(place, typed | {"name": "South yard", "lat": "-52.5"}).expect(303)

    after = api.get(f"{home}/locations/{yard['id']}").body
    assert (after["name"], after["lat"], after["long"]) == ("South yard", "-52.5", yard["long"])
    assert saved.headers["location"] == place
    row = writer.get(place).expect(200).text.split(f'id="row-{yard["id"]}"')[1].split("</tr>")[0]
    assert row.count("<td") == 2
    assert "South yard" in row


def test_what_is_refused_stands_at_its_field_with_what_was_typed(api, writer, home, yard):
    place = row_of(home, yard, "name", "lat")
    typed = typed_in(writer.get(f"{place}&edit=yes").expect(200), place)

    refused = writer.post(place, typed | {"name": "", "lat": "north"}).expect(422)

    assert f'id="row-{yard["id"]}-wrong-lat"' in refused.text
    assert "Latitude must be a number" in refused.text
    assert typed_in(refused, place)["lat"] == "north"
    assert api.get(f"{home}/locations/{yard['id']}").body["name"] == "North yard"


@pytest.mark.parametrize("form", ["row", "edit"])
def test_a_field_that_somebody_else_changed_is_refused_once_and_then_replaced(api, writer, home, yard, form):
    place = row_of(home, yard, "name", "lat") if form == "row" else f"{home}/locations/{yard['id']}/edit"
    typed = typed_in(writer.get(f"{place}&edit=yes" if form == "row" else place).expect(200), place)
    api.patch(f"{home}/locations/{yard['id']}", {"location": {"name": "Old yard", "lat": "1"}}).expect(200)

    refused = writer.post(place, typed | {"name": "South yard"}).expect(409)

    assert "Name was changed to &#39;Old yard&#39; after this form was opened." in refused.text
    again = typed_in(refused, place)
    assert (again["name"], again["lat"]) == ("South yard", "1")
    writer.post(place, again).expect(303)
    after = api.get(f"{home}/locations/{yard['id']}").body
    assert (after["name"], after["lat"]) == ("South yard", "1")


@pytest.mark.parametrize("form", ["row", "edit"])
def test_what_somebody_else_changed_stays_where_nobody_typed(api, writer, home, yard, form):
    place = row_of(home, yard, "name", "lat") if form == "row" else f"{home}/locations/{yard['id']}/edit"
    typed = typed_in(writer.get(f"{place}&edit=yes" if form == "row" else place).expect(200), place)
    api.patch(f"{home}/locations/{yard['id']}", {"location": {"lat": "1"}}).expect(200)

    writer.post(place, typed | {"name": "South yard"}).expect(303)

    after = api.get(f"{home}/locations/{yard['id']}").body
    assert (after["name"], after["lat"]) == ("South yard", "1")


@pytest.mark.parametrize(
    ("kind", "sent", "field", "value"),
    [
        ("feedstock", {"name": "Chips"}, "name", "Bark"),
        ("asset", {"name": "Scale 2", "asset_type": "scale"}, "asset_type", "hopper"),
        ("event_type", {"name": "Log", "data_point_types": [given.number("mass")]}, "name", "Kiln log"),
        ("outage", {"reason": "Tests", "start_time": "2025-02-20T00:00:00Z"}, "end_time", "2025-02-21T01:00"),
    ],
)
def test_every_plain_list_of_a_project_has_rows_that_are_changed(api, writer, home, kind, sent, field, value):  # noqa: PLR0917
    made = api.post(f"{home}/{kind}s", {kind: sent}).expect(201).body
    record = f"{home}/{kind}s/{made['id']}"
    assert f"{record}/row?edit=yes" in writer.get(f"{home}/{kind}s?columns={field},id").expect(200).text
    place = f"{record}/row?{urlencode({'columns': field, 'next': ''})}"
    typed = typed_in(writer.get(f"{place}&edit=yes").expect(200), place)

    writer.post(place, typed | {field: value}).expect(303)

    assert api.get(record).body[field] in {value, "2025-02-21T00:00:00.000Z"}


def test_rows_are_not_changed_without_the_permission(account, home, yard):
    reader = visitor(account, "data_collection:read")

    assert "/row?edit=yes" not in reader.get(f"{home}/locations").expect(200).text
    reader.get(row_of(home, yard, "name")).expect(403)
    reader.post(row_of(home, yard, "name"), {"name": "South yard"}).expect(403)


def test_records_that_are_never_changed_have_no_form_in_their_rows(api, writer, home):
    field = {"asset_custom_field": {"label": "Bay", "value_type": "text"}}
    api.post(f"{home}/asset_custom_fields", field).expect(201)

    listed = writer.get(f"{home}/asset_custom_fields").expect(200).text

    assert "Bay" in listed
    assert "/row?" not in listed
