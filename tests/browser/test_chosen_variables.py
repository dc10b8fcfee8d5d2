"""A person browses a server on the page of an agent, chooses a variable, and sees its event arrive."""

import pytest
from tests.agent.conftest import Site as PlantSite
from tests.agent.programs import Agent, Plant
from tests.browser.site import refuse_sideways, refuse_violations
from tests.durability.processes import until
from tests.given.requests import AGENT


@pytest.fixture
def site_of_plant(account, tmp_path):
    return PlantSite(account.caller(), tmp_path)


@pytest.fixture
def plant(tmp_path):
    plant = Plant(tmp_path, "Kiln:Float")
    plant.start()
    yield plant
    plant.close()


def agents(site):
    return site.api.get(f"/projects/{site.project['id']}/agents").expect(200).data


def test_a_variable_is_found_chosen_and_read_on_the_screen_of_a_telephone(
    person, site_of_plant, plant, tmp_path
):
    site = site_of_plant
    plant.measure("Kiln", 21.1, "2026-01-05T00:00:00+00:00")
    service = site.service() | {"report_seconds": 1}
    source = site.opcua(plant, nodes_from_service=True) | {"nodes": []}
    running = Agent(tmp_path, site.configuration(source, service=service), site.api.token)
    running.start()
    try:
        [agent] = until(lambda: agents(site), what="the agent has registered")
        until(lambda: agents(site)[0]["state"]["mapping"], what="the agent says that it takes mappings")
        node = f"nsu=urn:plant;{plant.node('Kiln').partition(';')[2]}"
        with person.at(f"/projects/{site.project['id']}/agents/{agent['id']}", width=390) as page:
            page.get_by_role("button", name="Browse plc").click()
            page.get_by_role("link", name="Read Kiln").click()
            assert page.get_by_label("Node").input_value() == node
            page.get_by_label("Value").select_option(label="Temperature in °C")
            refuse_sideways(page, 390)
            refuse_violations(page)
            page.get_by_role("button", name="Save variable").click()

            page.locator("#chosen").get_by_text("The agent reads by version 1.").wait_for()
            assert page.locator("#chosen code").first.inner_text() == node
            refuse_sideways(page, 390)
            refuse_violations(page)
        until(lambda: site.told("kiln", "temperature", "quality"), what="the event has arrived")
        [(time, value, quality)] = site.told("kiln", "temperature", "quality")
        assert (time, str(value), quality) == ("2026-01-05T00:00:00.000Z", "21.1", "good")
        with person.at(f"/projects/{site.project['id']}/events", width=390) as page:
            page.get_by_text("21.1").first.wait_for()
    finally:
        running.close()


def test_what_the_pages_of_a_mapping_say_can_be_read_wide_and_narrow(person, site_of_plant):
    site = site_of_plant
    taking = {"sources": ["plc"], "version": None, "digest": None}
    source = AGENT["state"]["sources"][0]
    state = AGENT["state"] | {"mapping": taking, "sources": [source, source | {"name": "safety"}]}
    path = f"/projects/{site.project['id']}/agents"
    agent = site.api.post(path, {"agent": AGENT | {"state": state}}).expect(201).body
    home = f"{path}/{agent['id']}"
    variable = {
        "source": "plc", "node": f"nsu=urn:plant;s={'Kiln.' * 30}", "event_type": "kiln",
        "data_point": "temperature", "quality": "quality", "tracking_id": "K-1",
    }  # fmt: skip
    site.api.post(f"{home}/mappings", {"mapping": {"replaces": 0, "variables": [variable]}}).expect(201)
    refused = taking | {"refused_version": 1, "problems": ["mapping.variables[0].node is wrong."]}
    site.api.post(path, {"agent": AGENT | {"state": state | {"mapping": refused}}}).expect(201)
    for shot, address in (
        ("agent", home),
        ("variable", f"{home}/choose?source=plc&node=i%3D1"),
        ("versions", f"{home}/mappings"),
    ):
        person.look(address, shot=f"mapping-{shot}")


def test_a_variable_is_chosen_where_no_script_runs(person, site_of_plant):
    site = site_of_plant
    path = f"/projects/{site.project['id']}/agents"
    taking = {"mapping": {"sources": ["plc"], "version": None, "digest": None}}
    report = AGENT | {"state": AGENT["state"] | taking}
    agent = site.api.post(path, {"agent": report}).expect(201).body
    home = f"{path}/{agent['id']}"
    site.api.post(f"{home}/browse", {"browsing": {"source": "plc"}}).expect(201)
    child = {"node": "nsu=urn:plant;i=1", "name": "Kiln", "is_variable": True}
    found = report | {"browsed": {"number": 1, "children": [child]}}
    site.api.post(path, {"agent": found}).expect(201)

    with person.at(home, javascript=False, width=390) as page:
        page.get_by_role("link", name="Read Kiln").click()
        page.get_by_label("Value").select_option(value="kiln/temperature")
        page.get_by_label("Quality").select_option(value="kiln/quality")
        page.get_by_role("button", name="Save variable").click()
        page.get_by_text("It takes version 1 with its next report.").wait_for()
        page.get_by_role("button", name="Remove nsu=urn:plant;i=1").click()
        page.get_by_text("Variable removed.").wait_for()

    versions = site.api.get(f"{home}/mappings").expect(200).data
    assert [one["variable_count"] for one in versions] == [0, 1]
