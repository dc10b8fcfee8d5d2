"""Forms of named records: what is typed becomes the record, what is refused stands at its field, and of a
change only what was typed anew is sent.
"""

import re
from html import unescape

import pytest
from tests.given import collection as given
from tests.given.people import visitor

MAKING = {
    "event_types": {"name": "Kiln log", "expected_locations": "none",
                    "data_point_types[0].name": "Temperature", "data_point_types[0].required": "yes",
                    "data_point_types[0].value_type": "number", "data_point_types[0].unit": "degC"},
    "locations": {"name": "North yard", "lat": "52.520008", "long": "-13.4", "address.city": "Berlin"},
    "feedstocks": {"name": "Forest residues", "description": "Chips of thinning"},
    "assets": {"name": "Truck scale 2", "asset_type": "scale", "in_service_from": "2025-01-01T06:00"},
    "asset_custom_fields": {"label": "Calibrated on", "value_type": "date"},
    "outages": {"reason": "Calibration", "start_time": "2025-02-20T00:00", "end_time": "2025-02-22T00:00"},
    "static_inputs": {"slug": "grid-factor", "value": "0.38", "unit": "kg{CO2e}/kWh",
                      "effective_from": "2025-01-01T00:00"},
}  # fmt: skip


@pytest.fixture
def project(api):
    return given.project(api, time_zone="Europe/Berlin")


@pytest.fixture
def home(project):
    return f"/projects/{project['id']}"


@pytest.fixture
def writer(account):
    return visitor(account)


def words(answer):
    """What stands in a page, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text.split("<main", 1)[1])))


def typed_in(text):
    """What stands in the fields of the form of a page, as a browser would send it."""
    form = text.split('class="typing"')[1].split("</form>")[0]
    found = {
        unescape(name): unescape(value)
        for name, value in re.findall(r'<input [^>]*name="([^"]+)"[^>]*? value="([^"]*)"', form)
        if "checkbox" not in re.search(rf'<input [^>]*name="{re.escape(name)}"[^>]*>', form)[0]
    }
    for name in re.findall(r'<input type="checkbox"[^>]*name="([^"]+)"[^>]* checked', form):
        found[name] = "yes"
    for name, said in re.findall(r'<textarea [^>]*name="([^"]+)"[^>]*>([^<]*)</textarea>', form):
        found[name] = unescape(said)
    for name, options in re.findall(r'<select [^>]*name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options) or re.search(r'value="([^"]*)"', options)
        found[unescape(name)] = chosen[1]
    return found


@pytest.mark.parametrize("kind", MAKING)
def test_a_record_is_made_by_its_form_without_a_script(api, writer, home, kind):
    listed = writer.get(f"{home}/{kind}").expect(200).text
    assert f'href="{home}/{kind}/new"' in listed
    writer.get(f"{home}/{kind}/new").expect(200)

    writer.post(f"{home}/{kind}/new", MAKING[kind]).expect(303)

    [made] = api.get(f"{home}/{kind}").data
    called = (
        MAKING[kind].get("name") or MAKING[kind].get("label") or MAKING[kind].get("reason") or "grid-factor"
    )
    assert called in made.values()
    assert called in writer.get(f"{home}/{kind}").expect(200).text


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("1E999999999", "Cadence is '1E999999999', and 1E+999999999 is outside 1e-100 to 1e100."),
        ("9" * 100_000, "has more than 34 significant digits."),
        ("1e-999999999", "Cadence is '1e-999999999', and 1E-999999999 is outside 1e-100 to 1e100."),
        (
            "1_000",
            "Cadence must be a number with a decimal point and without thousands separators, but is '1_000'.",
        ),
        ("1.5", "Cadence must be a whole number, but is 1.5."),
    ],
)
def test_cadence_that_is_no_whole_number_is_rejected(writer, home, typed, message):
    writer.get(f"{home}/event_types/new").expect(200)

    refused = writer.post(
        f"{home}/event_types/new", MAKING["event_types"] | {"cadence_amount": typed}
    ).expect(422)

    assert "Cadence " in words(refused)
    assert message in words(refused)


def test_a_time_with_an_offset_is_that_moment(api, writer, home):
    writer.get(f"{home}/outages/new").expect(200)

    typed = {"start_time": "2025-02-20T00:00+05:00", "end_time": "2025-02-20T00:00Z"}
    writer.post(f"{home}/outages/new", MAKING["outages"] | typed).expect(303)

    [made] = api.get(f"{home}/outages").data
    assert (made["start_time"], made["end_time"]) == ("2025-02-19T19:00:00.000Z", "2025-02-20T00:00:00.000Z")


def test_a_time_that_the_clocks_pass_over_is_refused(writer, home):
    writer.get(f"{home}/outages/new").expect(200)

    typed = {"start_time": "2025-03-30T02:30", "end_time": "2025-03-31T00:00"}
    refused = writer.post(f"{home}/outages/new", MAKING["outages"] | typed).expect(422)

    assert "Start time must be a time that exists in Europe/Berlin" in words(refused)
    assert "but is '2025-03-30T02:30'." in words(refused)


def test_times_are_typed_by_the_clock_of_the_project_and_degrees_keep_every_digit(api, writer, home):
    writer.post(f"{home}/locations/new", MAKING["locations"] | {"in_service_from": "2025-07-01T00:00"})

    [made] = api.get(f"{home}/locations").data
    assert (made["lat"], made["long"], made["in_service_from"]) == (
        "52.520008",
        "-13.4",
        "2025-06-30T22:00:00.000Z",
    )
    assert made["address"]["city"] == "Berlin"


def test_what_is_refused_stands_at_its_field_with_what_was_typed(writer, home):
    typed = {"name": "", "lat": "north", "long": "200", "address.city": "Berlin"}

    refused = writer.post(f"{home}/locations/new", typed).expect(422).text

    assert 'id="wrong-lat"' in refused
    assert 'value="north"' in refused
    assert 'value="Berlin"' in refused
    again = writer.post(f"{home}/locations/new", typed | {"lat": "1"}).expect(422).text
    assert 'id="wrong-long"' in again
    assert 'id="wrong-name"' in again


def test_a_problem_of_a_row_stands_at_the_row_as_it_was_typed(writer, home):
    typed = {
        "name": "Kiln log",
        "data_point_types[0].name": "",
        "data_point_types[2].name": "Heat",
        "data_point_types[2].value_type": "number",
        "data_point_types[2].unit": "furlong per",
    }

    refused = writer.post(f"{home}/event_types/new", typed).expect(422).text

    assert 'id="wrong-data_point_types[2].unit"' in refused
    assert 'value="furlong per"' in refused


def test_more_lines_are_there_when_they_are_asked_for_and_nothing_is_stored(api, writer, home):
    before = writer.get(f"{home}/event_types/new").expect(200).text
    typed = MAKING["event_types"] | {"data_point_types[3].name": "", "more_lines": "data_point_types"}

    shown = writer.post(f"{home}/event_types/new", typed).expect(200).text

    assert shown.count('.unit"') > before.count('.unit"')
    assert 'value="Temperature"' in shown
    assert api.get(f"{home}/event_types").data == []


def test_of_a_change_only_what_was_typed_anew_is_sent(api, writer, home):
    asset = api.post(
        f"{home}/assets", {"asset": {"name": "Kiln 1", "in_service_from": "2025-01-01T06:00:30.250Z"}}
    ).body
    page = f"{home}/assets/{asset['id']}"
    typed = typed_in(writer.get(f"{page}/edit").expect(200).text)

    writer.post(f"{page}/edit", typed | {"description": "Relined"}).expect(303)

    after = api.get(page).body
    assert after["description"] == "Relined"
    assert after["in_service_from"] == asset["in_service_from"]
    untouched = writer.post(f"{page}/edit", typed_in(writer.get(f"{page}/edit").text)).expect(303)
    assert "No changes to save" in writer.get(untouched.headers["location"]).text
    again = typed_in(writer.get(f"{page}/edit").text)
    writer.post(f"{page}/edit", again | {"description": "", "in_service_from": ""}).expect(303)
    emptied = api.get(page).body
    assert (emptied["description"], emptied["in_service_from"]) == (None, None)


def test_custom_fields_of_a_project_are_fields_of_its_assets(api, writer, home):
    for label, kind in (("Bay", "text"), ("Checked", "boolean"), ("Tare", "number"), ("Since", "date")):
        api.post(f"{home}/asset_custom_fields", {"asset_custom_field": {"label": label, "value_type": kind}})
    typed = {
        "name": "Scale",
        "custom_fields.Bay": "3",
        "custom_fields.Checked": "no",
        "custom_fields.Tare": "1.50",
    }

    writer.post(f"{home}/assets/new", typed | {"custom_fields.Since": "2025-01-31"}).expect(303)

    [made] = api.get(f"{home}/assets").data
    assert made["custom_fields"] == {"Bay": "3", "Checked": False, "Tare": 1.5, "Since": "2025-01-31"}
    page = f"{home}/assets/{made['id']}"
    typed = typed_in(writer.get(f"{page}/edit").text)
    writer.post(f"{page}/edit", typed | {"custom_fields.Bay": ""}).expect(303)
    assert api.get(page).body["custom_fields"] == {"Checked": False, "Tare": 1.5, "Since": "2025-01-31"}


def test_data_point_types_are_renamed_added_and_taken_away_in_place(api, writer, home):
    writer.post(f"{home}/event_types/new", MAKING["event_types"]).expect(303)
    [kind] = api.get(f"{home}/event_types").data
    page = f"{home}/event_types/{kind['id']}"
    typed = typed_in(writer.get(f"{page}/edit").expect(200).text)
    assert typed["data_point_types[0].slug"] == "temperature"
    added = {"data_point_types[0].name": "Heat", "data_point_types[1].name": "Seen",
             "data_point_types[1].value_type": "boolean"}  # fmt: skip

    writer.post(f"{page}/edit", typed | added).expect(303)

    points = api.get(page).body["data_point_types"]
    assert [(one["slug"], one["name"], one["unit"]) for one in points] == [
        ("temperature", "Heat", "degC"),
        ("seen", "Seen", None),
    ]
    typed = typed_in(writer.get(f"{page}/edit").text)
    writer.post(f"{page}/edit", typed | {"data_point_types[1].gone": "yes"}).expect(303)
    assert [one["slug"] for one in api.get(page).body["data_point_types"]] == ["temperature"]


def test_an_event_type_is_rolled_up_from_readings_by_its_form(api, writer, home, project):
    given.event_type(
        api,
        project,
        slug="reading",
        cadence_amount=1,
        cadence_unit="minute",
        data_point_types=[given.number("heat", unit="degC")],
    )
    typed = MAKING["event_types"] | {
        "cadence_amount": "1", "cadence_unit": "hour", "rolled_up_from.event_type": "reading",
        "rolled_up_from.valid_share_min": "0.75", "rolled_up_from.data_points[0].data_point": "temperature",
        "rolled_up_from.data_points[0].aggregate": "average", "rolled_up_from.data_points[0].source": "heat",
    }  # fmt: skip

    refused = (
        writer.post(f"{home}/event_types/new", typed | {"rolled_up_from.data_points[0].source": "cold"})
        .expect(422)
        .text
    )
    writer.post(f"{home}/event_types/new", typed).expect(303)

    assert "rolled_up_from" in refused.split('role="alert"')[0] or 'class="group" open' in refused
    made = next(one for one in api.get(f"{home}/event_types").data if one["name"] == "Kiln log")
    assert made["rolled_up_from"]["valid_share_min"] == 0.75
    assert made["rolled_up_from"]["data_points"][0]["source"] == "heat"


def test_an_outage_of_an_asset_is_declared_from_its_page_and_ended(api, writer, home, project):
    asset = given.asset(api, project)
    assert f"{home}/outages/new?asset_id={asset['id']}" in writer.get(f"{home}/assets/{asset['id']}").text
    shown = writer.get(f"{home}/outages/new?asset_id={asset['id']}").expect(200).text
    assert f'value="{asset["id"]}" selected' in shown

    typed = {"reason": "Relined", "start_time": "2025-02-20T00:00", "asset_id": asset["id"]}
    made = writer.post(f"{home}/outages/new", typed).expect(303).headers["location"]
    writer.post(f"{made}/edit", typed | {"end_time": "2025-02-21T00:00"}).expect(303)

    [outage] = api.get(f"{home}/outages").data
    assert (outage["asset_id"], outage["end_time"]) == (asset["id"], "2025-02-20T23:00:00.000Z")


def test_a_record_that_something_names_is_not_removed_and_one_that_nothing_does_is(
    api, writer, home, project
):
    used, unused = given.location(api, project), given.location(api, project, name="Elsewhere")
    given.event_type(api, project, slug="visit")
    given.event(api, project, event_type="visit", locations=[used])

    refused = writer.post(f"{home}/locations/{used['id']}/delete")
    writer.post(f"{home}/locations/{unused['id']}/delete").expect(303)

    assert refused.status in {409, 422}
    assert 'role="alert"' in refused.text
    assert f'value="{used["name"]}"' in refused.text
    assert [one["id"] for one in api.get(f"{home}/locations").data] == [used["id"]]


def test_whoever_may_only_read_is_shown_no_form_and_cannot_send_one(account, home, api, project):
    reader = visitor(account, "data_collection:read")
    place = given.location(api, project)

    assert f"{home}/locations/new" not in reader.get(f"{home}/locations").expect(200).text
    assert "/edit" not in reader.get(f"{home}/locations/{place['id']}").expect(200).text
    reader.get(f"{home}/locations/new").expect(403)
    reader.post(f"{home}/locations/new", {"name": "A"}).expect(403)
    reader.post(f"{home}/locations/{place['id']}/delete").expect(403)


def test_a_form_that_another_site_sends_makes_nothing(api, writer, home):
    refused = writer.post(f"{home}/feedstocks/new", MAKING["feedstocks"], sec_fetch_site="cross-site")

    assert refused.status == 403
    writer.word = ""
    assert (
        writer.post(f"{home}/feedstocks/new", MAKING["feedstocks"] | {"csrf_token": "0" * 32}).status == 403
    )
    assert api.get(f"{home}/feedstocks").data == []


def test_static_inputs_stand_on_the_page_of_what_they_hold_for(api, writer, home, project):
    asset, other = given.asset(api, project, name="Kiln"), given.asset(api, project, name="Dryer")
    for slug, one in (("kiln-factor", asset), ("dryer-factor", other)):
        given.static_input(api, project, slug=slug, asset_id=one["id"])
    page = f"{home}/assets/{asset['id']}"
    assert f"{home}/static_inputs/new?asset_id={asset['id']}" in writer.get(page).expect(200).text
    typed = {
        "slug": "kiln-loss",
        "value": "0.15",
        "effective_from": "2025-02-01T00:00",
        "asset_id": asset["id"],
    }

    writer.post(f"{home}/static_inputs/new", typed | {"asset_id": asset["id"]}).expect(303)

    shown = words(writer.get(page))
    assert "kiln-factor" in shown
    assert "kiln-loss" in shown
    assert "dryer-factor" not in shown


def test_a_form_of_many_rows_comes_back_with_what_is_wrong_at_each(writer, home):
    typed = {"value_type": "number", "unit": "no such unit"}
    rows = {
        f"data_point_types[{at}].{part}": text
        for at in range(300)
        for part, text in (typed | {"name": f"Value {at}"}).items()
    }
    writer.get(f"{home}/event_types/new").expect(200)

    refused = writer.post(f"{home}/event_types/new", {"name": "Wide", **rows}).expect(422).text

    assert [at for at in range(300) if f'id="wrong-data_point_types[{at}].unit"' not in refused] == []


def test_more_rows_than_a_form_takes_are_refused_and_not_left_out(api, writer, home):
    writer.get(f"{home}/event_types/new").expect(200)
    row = {
        f"data_point_types[1000].{part}": text for part, text in (("name", "Mass"), ("value_type", "number"))
    }

    refused = writer.post(f"{home}/event_types/new", {"name": "Wide", **row}).expect(422)

    said = "Data points must have at most 1,000 rows."
    assert said in words(refused)
    assert "Wide" not in [one["name"] for one in api.get(f"{home}/event_types").data]
