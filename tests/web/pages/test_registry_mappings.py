"""People map a ledger to Isometric Certify by choosing, and see what became of its reports."""

import lxml.html
import pytest
from tests.given import collection
from tests.given.certified import certified_plant
from tests.given.certify import FIELD, FOREST, HUSK, STORED, TEMPLATE, certify
from tests.given.people import visitor

from weighbridge.reporting.isometric.mapping import read_mapping


@pytest.fixture
def plant(api, drain):
    with certify(page_size=25) as double:
        yield certified_plant(api, drain, double.address)


@pytest.fixture
def person(account):
    return visitor(account)


def read_registry(plant, person, home):
    """Have the registry read, as a person does."""
    person.post(f"{home}/reading", {"registry": str(plant.registry["id"])}).expect(303)
    plant.installed.drain()


def test_a_ledger_is_mapped_by_choosing_and_its_report_is_followed(plant, person):
    project = plant.installed.project["id"]
    home = f"/projects/{project}/registry_mappings"
    assert "was not read yet" in person.get(home).expect(200).text
    read_registry(plant, person, home)
    begin = f"{home}/new?registry={plant.registry['id']}&ledger={plant.ledger['id']}&template={TEMPLATE}"

    page = lxml.html.fromstring(person.get(begin).expect(200).text)
    [form] = [one for one in page.forms if one.action == home]
    fields = {name: value or "" for name, value in form.form_values() if name != "csrf_token"}
    for select in form.xpath(".//select[starts-with(@name, 'value-')]"):
        slug = "stored" if STORED in select.name else "emissions"
        assert f"node:{slug}" in select.value_options
        fields[select.name] = f"node:{slug}"
    for select in form.xpath(".//select[starts-with(@name, 'feedstock-')]"):
        fields[select.name] = FOREST
    made = person.post(home, fields).expect(303).headers["location"].partition("?")[0]

    [mapping] = plant.api.get(home).data
    contents = mapping["contents"]
    assert contents["removal_template"] == {"id": TEMPLATE, "name": "Biochar removal"}
    assert [one["inputs"][0]["own_unit"] for one in contents["components"]] == ["kg{CO2e}"] * 2
    assert len(contents["feedstocks"]) == 2
    shown = lxml.html.fromstring(person.get(made).expect(200).text)
    chosen = shown.xpath(f"//select[contains(@name, '{STORED}')]/option[@selected]/@value")
    assert "node:stored" in chosen
    report = plant.submit(plant.draft(2))
    page = person.get(f"/projects/{project}/reports/{report['id']}").expect(200).text
    assert "Statement" in page
    assert "4 data points, 1 GHG statement, 2 removals" in page
    calls = person.get(f"/projects/{project}/reports/{report['id']}/registry_calls").expect(200).text
    assert "/ghg_statements" in calls


def fields_of(page, path):
    """What the form of a mapping sends if nobody touches it."""
    [form] = [one for one in lxml.html.fromstring(page).forms if one.action == path]
    fields = {}
    for name, value in form.form_values():
        fields.setdefault(name, []).append(value or "")
    del fields["csrf_token"]
    return fields


def everything_of(plant):
    """Contents with every part, some of which the registry or the ledger does not have any more."""
    project = plant.installed.project
    ticket = plant.attach_certificate()
    collection.static_input(plant.api, project, slug="share", value=1, unit="kg")
    field = collection.location(plant.api, project, name="Field")
    contents = plant.contents()
    [stored], [emitted] = (one["inputs"] for one in contents["components"])
    stored |= {"source": "static_input", "slug": "share", "unit": "kg", "evidence_ids": [ticket["id"]]}
    stored |= {"name": "Share that is stored", "is_list": True, "type": "ASSUMPTION"}
    gone = {"id": "rtc_1CERTIFYWASHERE0", "name": "Left the template", "inputs": [emitted | {"slug": "gone"}]}
    contents["components"][0]["name"] = "Carbon stored"
    contents["components"][1]["name"] = "Emissions of production"
    contents["components"][1]["inputs"].append(emitted | {"input_key": "left", "own_unit": None})
    contents["components"].append(gone)
    names = {FOREST: "Forest", HUSK: "Rice husks"}
    for one in contents["feedstocks"]:
        one["feedstock_type"]["name"] = names[one["feedstock_type"]["id"]]
    contents["locations"] = [
        {"location_id": field["id"], "storage_location": {"id": FIELD, "name": "Field at the river"}}
    ]
    contents["feedstock_type"] = {"id": "fst_1CERTIFYWASHERE0", "name": "Left the registry"}
    contents["samples"].append({**contents["samples"][0], "values": contents["samples"][0]["values"] * 2})
    contents["series"][0]["storage_location"] = {"id": FIELD, "name": "Field at the river"}
    contents["series"][0]["time_column"] = "moment"
    contents["applications"]["storage_location"]["name"] = "Field at the river"
    return contents


def test_saving_a_page_that_nobody_touched_changes_nothing_of_the_mapping(plant, person):
    contents = everything_of(plant)
    mapping = plant.map(**contents)
    home = f"/projects/{plant.installed.project['id']}/registry_mappings"
    path = f"{home}/{mapping['id']}"
    read_registry(plant, person, home)

    person.post(path, fields_of(person.get(path).expect(200).text, path)).expect(303)

    [saved] = plant.api.get(home).data
    assert read_mapping(saved["contents"]) == read_mapping(contents)


def test_a_mapping_is_changed_and_removed(plant, person):
    mapping = plant.map()
    home = f"/projects/{plant.installed.project['id']}/registry_mappings"
    read_registry(plant, person, home)
    path = f"{home}/{mapping['id']}"
    fields = fields_of(person.get(path).expect(200).text, path)
    row = {
        "point": "lab-analysis:inorganic-carbon", "measurement_type": "biochar_production_batch",
        "quantity_kind": "mass_fraction", "unit": "%",
    }  # fmt: skip
    added = {f"sample-1-{name}": text for name, text in row.items()}

    person.post(path, fields | added | {"sensor-0-point": ""}).expect(303)
    [changed] = plant.api.get(home).data
    bad = person.post(path, fields | added | {"sample-1-own": "no unit"}).expect(422).text
    person.post(f"{path}/removal", {}).expect(303)

    [sample] = changed["contents"]["samples"]
    assert [one["data_point"] for one in sample["values"]] == ["total-carbon", "inorganic-carbon"]
    assert changed["contents"]["sensors"] == []
    assert "registry_mapping.contents.samples[0].values[1].own_unit" in bad
    assert fields_of(bad, path)["sample-1-own"] == ["no unit"]
    assert plant.api.get(home).data == []
