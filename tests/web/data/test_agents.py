"""Pages of agents: how each fares, and how a person browses a server by way of one."""

import re
from html import unescape

import pytest
from tests.given import collection as given
from tests.given.people import visitor
from tests.given.requests import AGENT


@pytest.fixture
def ada(account):
    return visitor(account)


@pytest.fixture
def project(api):
    return given.project(api)


def report(api, project, **fields):
    answer = api.post(f"/projects/{project['id']}/agents", {"agent": AGENT | fields})
    return answer.expect(201).body


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.expect(200).text)))


SOURCE = AGENT["state"]["sources"][0]
FAILING = [SOURCE | {"state": "waiting", "error": "Connection refused"}]
STATES = [
    ({}, "reads"),
    ({"lag_seconds": 900, "waiting": 7}, "late"),
    ({"refused": 1}, "has problems"),
    ({"sources": FAILING}, "a source fails"),
]


@pytest.mark.parametrize(("fields", "mark"), STATES, ids=str)
def test_the_list_says_how_each_agent_fares(api, project, ada, fields, mark):
    report(api, project, state=AGENT["state"] | fields | {"clock_offset_seconds": 7_200.5})

    said = words(ada.get(f"/projects/{project['id']}/agents"))

    assert f"kiln-house {mark} " in said
    assert "7200.5 s ahead" in said


def test_an_agent_that_does_not_report_is_quiet(api, project, ada, sql):
    agent = report(api, project)
    sql("UPDATE agents SET reported_at = now() - interval '301 seconds' WHERE id = %s", agent["id"])

    assert "kiln-house quiet " in words(ada.get(f"/projects/{project['id']}/agents"))


def test_a_person_asks_for_nodes_and_sees_what_the_agent_found(api, project, ada):
    value = {"variable": "plc/Kiln", "time": "2026-01-05T00:00:00Z", "value": "temperature 21.1"}
    agent = report(api, project, state=AGENT["state"] | {"last_values": [value]})
    page = f"/projects/{project['id']}/agents/{agent['id']}"
    assert "plc/Kiln" in words(ada.get(page))

    ada.post(f"{page}/browse", {"source": "plc", "node": "i=85"}).expect(303)
    assert "The agent is asked for the nodes below i=85 of plc" in words(ada.get(page))
    child = {
        "node": "nsu=urn:plant;i=1",
        "name": "Kiln",
        "is_variable": True,
        "data_type": "Float",
        "value": "2",
    }
    report(api, project, browsed={"number": 1, "children": [child]})

    assert "nsu=urn:plant;i=1 Kiln Float 2" in words(ada.get(page))
