"""What a form needs and is not there is made in place: both records are stored, or neither is, and whatever
was typed stays.
"""

import re
from html import unescape

import pytest
from tests.given import collection as given
from tests.given import packages
from tests.given.forms import typed_in
from tests.given.people import visitor

from weighbridge.packages.reading import plain_record, read_package

LONG = "x" * 300
"""A name that no record can have."""


@pytest.fixture
def project(api):
    return given.project(api, time_zone="Europe/Berlin")


@pytest.fixture
def home(project):
    return f"/projects/{project['id']}"


@pytest.fixture
def writer(account):
    return visitor(account)


OUTAGE = {"reason": "Calibration", "start_time": "2025-02-20T00:00"}
STATIC_INPUT = {"slug": "grid-factor", "value": "0.38", "effective_from": "2025-01-01T00:00"}
RULE = {
    "name": "Heavy", "target": "data_point", "expression": "{{wet-mass}} > 40", "purpose": "alert",
    "effective_from": "2025-01-01T00:00", "priority": "100", "evaluation": "automatic",
}  # fmt: skip
FEED = {
    "name": "Scale", "column": "when", "field": "start_time", "time_zone": "UTC", "encoding": "utf-8",
    "decimal_mark": ".", "delimiter": ",", "header_line": "1", "client_reference": "row",
    "bad_rows": "refuse_file", "on_difference": "report", "other_columns": "refuse", "formulas": "refuse",
}  # fmt: skip
EVENT = {"start_time": "2025-01-31T06:00"}
METHODOLOGY = {"name": "Removal", "version": "1", "report_type": "quarterly"}
REPORT = {"name": "First quarter", "report_type": "quarterly"}

FORMS = [
    ("outages", OUTAGE, "location_id", "locations", {"name": "North yard"}),
    ("outages", OUTAGE, "asset_id", "assets", {"name": "Truck scale", "serial_number": "7"}),
    ("outages", OUTAGE, "event_type_id", "event_types",
     {"name": "Kiln log", "data_point_types[0].name": "Heat", "data_point_types[0].value_type": "number"}),
    ("static_inputs", STATIC_INPUT, "feedstock_id", "feedstocks", {"name": "Chips"}),
    ("rules", RULE, "event_type_id", "event_types",
     {"name": "Delivery", "data_point_types[0].name": "Wet mass", "data_point_types[0].value_type": "number",
      "data_point_types[0].unit": "t"}),
    ("data_feeds", FEED, "location_id", "locations", {"name": "North yard"}),
    ("data_feeds", FEED, "asset_id", "assets", {"name": "Truck scale"}),
    ("events", EVENT, "asset_id", "assets", {"name": "Truck scale"}),
    ("events", EVENT, "locations[0].id", "locations", {"name": "North yard"}),
]  # fmt: skip
"""Forms of a project: what is typed, the field that chooses a record, and the new record."""


def form_of(api, project, kind):
    """The address of a form, and what its page says beside what is typed."""
    path = f"/projects/{project['id']}/{kind}/new"
    if kind not in {"data_feeds", "events"}:
        return path, {}
    type_id = given.event_type(api, project, slug="haul", name="Haul")["id"]
    return f"{path}?event_type_id={type_id}", {"event_type_id": type_id}


def new(field, texts):
    return {f"{field}.new.{name}": text for name, text in texts.items()}


def names(api, home, kind):
    return [one["name"] for one in api.get(f"{home}/{kind}").data]


@pytest.mark.parametrize("case", FORMS, ids=lambda case: f"{case[0]}-{case[2]}")
def test_a_record_is_made_with_what_needs_it(api, writer, project, home, case):
    kind, typed, field, made, texts = case
    path, said = form_of(api, project, kind)
    shown = writer.get(path).expect(200).text
    assert all(f'name="{field}.new.{name}"' in shown for name in texts)

    writer.post(path.partition("?")[0], said | typed | new(field, texts)).expect(303)

    record = next(one for one in api.get(f"{home}/{made}").data if one["name"] == texts["name"])
    [needed] = api.get(f"{home}/{kind}").data
    assert record["id"] in str(needed)


@pytest.mark.parametrize("case", FORMS, ids=lambda case: f"{case[0]}-{case[2]}")
def test_a_new_record_that_cannot_be_is_said_at_its_field_and_nothing_is_made(
    api, writer, project, home, case
):
    kind, typed, field, made, texts = case
    path, said = form_of(api, project, kind)
    before = names(api, home, made)

    sent = said | typed | new(field, texts | {"name": LONG})
    refused = writer.post(path.partition("?")[0], sent).expect(422)

    assert f'id="wrong-{field}.new.name"' in refused.text
    kept = typed_in(refused, path.partition("?")[0])
    assert {name: kept.get(name) for name in sent} == sent
    assert (names(api, home, made), api.get(f"{home}/{kind}").data) == (before, [])


@pytest.mark.parametrize(
    "case", [form for form in FORMS if form[0] != "data_feeds"], ids=lambda case: f"{case[0]}-{case[2]}"
)
def test_a_new_record_is_not_made_where_what_needs_it_is_refused(api, writer, project, home, case):
    kind, typed, field, made, texts = case
    path, said = form_of(api, project, kind)
    before = names(api, home, made)
    wrong = {**typed, next(name for name in typed if name in {"start_time", "effective_from"}): "soon"}

    sent = said | wrong | new(field, texts)
    refused = writer.post(path.partition("?")[0], sent).expect(422)

    kept = typed_in(refused, path.partition("?")[0])
    assert {name: kept.get(name) for name in sent} == sent
    assert names(api, home, made) == before


def test_what_is_required_of_a_new_record_is_what_its_form_requires(writer, home):
    refused = writer.post(
        f"{home}/static_inputs/new", STATIC_INPUT | new("asset_id", {"serial_number": "7"})
    ).expect(422)

    assert 'id="wrong-asset_id.new.name"' in refused.text
    assert typed_in(refused, f"{home}/static_inputs/new")["asset_id.new.serial_number"] == "7"


def test_a_record_is_chosen_or_made_and_not_both(api, writer, project, home):
    asset = given.asset(api, project)
    both = OUTAGE | {"asset_id": asset["id"]} | new("asset_id", {"name": "Truck scale"})

    refused = writer.post(f"{home}/outages/new", both).expect(422).text

    assert "Asset must be chosen or created, not both." in refused
    assert names(api, home, "assets") == [asset["name"]]


def test_a_record_that_is_changed_gets_a_new_one(api, writer, home):
    writer.post(f"{home}/outages/new", OUTAGE).expect(303)
    [outage] = api.get(f"{home}/outages").data
    path = f"{home}/outages/{outage['id']}/edit"
    typed = typed_in(writer.get(path).expect(200), path)

    writer.post(path, typed | new("location_id", {"name": "Mill"})).expect(303)

    [location] = api.get(f"{home}/locations").data
    [outage] = api.get(f"{home}/outages").data
    assert (location["name"], outage["location_id"]) == ("Mill", location["id"])


def test_a_corrected_event_gets_a_new_asset_after_its_impact_was_shown(api, writer, project, home):
    kind = given.event_type(api, project, slug="haul", name="Haul")
    made = writer.post(f"{home}/events/new", EVENT | {"event_type_id": kind["id"]}).expect(303)
    page = made.headers["location"]
    asked = "start_time=2025-01-31T06:00&reason=Tare&asset_id.new.name=Truck+scale"

    looked = writer.get(f"{page}/impact?{asked}").expect(200)
    assert api.get(f"{home}/assets").data == []

    writer.post(f"{page}/edit", typed_in(looked, f"{page}/impact")).expect(303)

    [asset] = api.get(f"{home}/assets").data
    assert api.get(page).body["asset"]["id"] == asset["id"]


def test_nobody_is_offered_a_new_record_who_may_not_make_one(account, api, home):
    ruler = visitor(account, "data_rules:read", "data_rules:write", "data_collection:read")
    form = f"{home}/rules/new"

    assert ".new." not in ruler.get(form).expect(200).text
    assert ruler.post(form, RULE | new("event_type_id", {"name": "Delivery"})).status == 403
    assert api.get(f"{home}/event_types").data == []


def test_a_rule_is_not_tested_on_what_is_made_with_it(writer, home):
    period = {"tried_from": "2025-01-01T00:00", "tried_until": "2025-02-01T00:00"}

    tried = writer.post(f"{home}/rules/preview", RULE | period | new("event_type_id", {"name": "Delivery"}))

    assert "The new event type has no data yet" in tried.expect(200).text


def test_a_registry_is_made_with_the_methodology_that_names_it(api, writer):
    registry = {"name": "Registry of removals", "adapter": "file"}

    writer.post("/methodologies/new", METHODOLOGY | new("registry_id", registry)).expect(303)

    [made] = api.get("/registries").data
    assert api.get("/methodologies").data[0]["registry_id"] == made["id"]


def test_a_methodology_is_made_with_the_report_that_follows_it(api, writer, home):
    writer.post(f"{home}/reports", REPORT | new("methodology_id", METHODOLOGY)).expect(303)

    [made] = api.get("/methodologies").data
    assert api.get("/reports").data[0]["methodology_id"] == made["id"]


# A model takes a form of many steps: it is made first, and the form that needed it goes on.


LEDGER = {
    "name": "Stored carbon",
    "unit": "t{CO2e}",
    "display_places": "2",
    "asset_category": "carbon & more",
}


def test_a_model_is_made_first_and_the_ledger_goes_on_with_what_was_typed(api, writer, home):
    form = f"{home}/ledgers/new"
    assert 'name="make_first" value="model_id"' in writer.get(form).expect(200).text

    away = writer.post(form, LEDGER | {"make_first": "model_id"}).expect(303).headers["location"]
    begun = writer.get(away).expect(200).text
    [editor] = [unescape(one) for one in re.findall(r'href="([^"]*example=stored-carbon/[^"]*)"', begun)]
    checked = writer.post(f"{home}/models/validate", typed_in(writer.get(editor), f"{home}/models/new"))
    for part in read_package(packages.shipped("stored-carbon")).event_types:
        api.post(f"{home}/event_types", {"event_type": plain_record(part)}).expect(201)
    typed = typed_in(checked.expect(200), f"{home}/models/new")
    back = writer.post(f"{home}/models/new", typed).expect(303).headers["location"]

    again = typed_in(writer.get(back).expect(200), form)
    [model] = api.get("/models").data
    assert {name: again[name] for name in LEDGER} == LEDGER
    assert again["model_id"] == model["id"]
    writer.post(form, again).expect(303)
    assert api.get(f"{home}/ledgers").data[0]["latest_model"]["id"] == model["id"]


def test_what_no_address_holds_is_kept_and_the_model_is_made_elsewhere(writer, home):
    row = "models[0].model_id"
    long = METHODOLOGY | {
        row: "",
        "mapping.written": "rows",
        "mapping.schema": "y" * 3_000,
        "make_first": row,
    }

    refused = writer.post(f"{home}/methodologies/new", long).expect(422)

    assert "What was typed is too long to be kept while a model is created." in refused.text
    assert typed_in(refused, f"{home}/methodologies/new")["mapping.schema"] == "y" * 3_000


@pytest.mark.parametrize("address", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere"])
def test_a_form_goes_back_to_no_other_site(writer, home, address):
    made = writer.post(
        f"{home}/event_types/new", {"name": "Haul", "return": address, "return_as": "event_type_id"}
    ).expect(303)

    assert made.headers["location"].startswith(f"{home}/event_types/")


@pytest.mark.parametrize("kind", ["events", "data_feeds"])
def test_an_event_type_is_made_first_and_the_form_goes_on_with_it(api, writer, home, kind):
    [way] = re.findall(r'href="([^"]*/event_types/new\?[^"]*)"', writer.get(f"{home}/{kind}/new").text)
    form = writer.get(unescape(way)).expect(200)
    typed = typed_in(form, f"{home}/event_types/new") | {"name": "Haul"}

    back = writer.post(f"{home}/event_types/new", typed).expect(303).headers["location"]

    [made] = api.get(f"{home}/event_types").data
    assert back == f"{home}/{kind}/new?event_type_id={made['id']}"
    assert f'value="{made["id"]}"' in writer.get(back).expect(200).text
