"""People map a ledger to Isometric Certify by choosing, and see what became of its reports."""

import lxml.html
import pytest
from tests.given.certify import FOREST, STORED, TEMPLATE, certified_plant, certify
from tests.given.people import visitor


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
    assert "2 removal" in page
    calls = person.get(f"/projects/{project}/reports/{report['id']}/registry_calls").expect(200).text
    assert "/ghg_statements" in calls


def test_a_mapping_is_changed_and_removed(plant, person):
    mapping = plant.map()
    home = f"/projects/{plant.installed.project['id']}/registry_mappings"
    read_registry(plant, person, home)
    page = lxml.html.fromstring(person.get(f"{home}/{mapping['id']}").expect(200).text)
    [form] = [one for one in page.forms if one.action == f"{home}/{mapping['id']}"]
    fields = {name: value or "" for name, value in form.form_values() if name != "csrf_token"}
    assert '"sensors"' in fields["rest"]

    person.post(f"{home}/{mapping['id']}", fields | {"rest": "{}"}).expect(303)
    [changed] = plant.api.get(home).data
    bad = person.post(f"{home}/{mapping['id']}", fields | {"rest": "[1"})
    person.post(f"{home}/{mapping['id']}/removal", {}).expect(303)

    assert changed["contents"].get("sensors", []) == []
    assert "must be JSON" in bad.expect(422).text
    assert plant.api.get(home).data == []
