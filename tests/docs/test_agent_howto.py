"""The how-to on agents says what happens when variables are chosen in the web app."""

import json
import re
from pathlib import Path

import pytest
import yaml
from tests.agent.programs import Agent, Plant
from tests.durability.processes import until
from tests.given import collection as given

TEXT = (Path(__file__).parents[2] / "docs" / "howto" / "run-an-agent.md").read_text(encoding="utf-8")
[SECTION] = re.findall(r"^### Choose variables in the web app\n(.*?)^### ", TEXT, re.MULTILINE | re.DOTALL)
[EVENT_TYPE] = re.findall(r"^```json\n(\{\"event_type\".*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
[OPENED] = re.findall(r"^```yaml\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
[MAPPING] = re.findall(r"^```json\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)


@pytest.fixture
def plant(tmp_path):
    plant = Plant(tmp_path, "Kiln:Float")
    plant.start()
    yield plant
    plant.close()


def test_the_variable_of_the_page_is_chosen_taken_and_refused_to_who_comes_second(api, tmp_path, plant):
    project = given.project(api)
    home = f"/projects/{project['id']}"
    api.post(f"{home}/event_types", json.loads(EVENT_TYPE)).expect(201)
    plant.measure("Kiln", 21.1, "2026-01-05T00:00:00+00:00")
    [source] = yaml.safe_load(OPENED)["sources"]
    service = {"url": api.server.address, "project": project["id"], "report_seconds": 1}
    stated = {"agent": "kiln-house", "service": service, "spool": {"path": str(tmp_path / "spool.db")}}
    running = Agent(tmp_path, stated | {"sources": [source | {"url": plant.url}]}, api.token)
    assert "nothing is wrong with it" in running.call("check")
    running.start()
    try:
        [agent] = until(lambda: api.get(f"{home}/agents").expect(200).data, what="the agent has registered")
        mappings = f"{home}/agents/{agent['id']}/mappings"

        saved = api.post(mappings, json.loads(MAPPING)).expect(201).body

        [event] = until(lambda: api.get(f"{home}/events").expect(200).data, what="the event is there")
        assert {point["slug"]: str(point["value"]) for point in event["data_points"]} == {
            "temperature": "21.1", "quality": "good",
        }  # fmt: skip
        state = until(
            lambda: api.get(f"{home}/agents/{agent['id']}").body["state"]["mapping"], what="the agent says it"
        )
        assert (state["version"], state["refused_version"], state["problems"]) == (1, None, [])
        changed = json.loads(MAPPING)
        changed["mapping"]["variables"] = []
        api.post(mappings, changed).expect(409)
        assert [one["version"] for one in api.get(mappings).expect(200).data] == [saved["version"]]
        assert api.get(f"{mappings}/1").expect(200).body == saved
    finally:
        running.close()
