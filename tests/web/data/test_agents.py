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


TAKING = {"sources": ["plc"], "version": None, "digest": None}


@pytest.fixture(autouse=True)
def _kiln(api, project):
    """An event type with a value and its quality."""
    given.event_type(
        api, project, slug="kiln", name="Kiln",
        data_point_types=[given.number("temperature", unit="degC", required=False), given.text("quality")],
    )  # fmt: skip


def taking(api, project, **mapping):
    """A report of an agent whose file opens its server."""
    return report(api, project, state=AGENT["state"] | {"mapping": TAKING | mapping})


def home(project, agent):
    return f"/projects/{project['id']}/agents/{agent['id']}"


def chosen(node="nsu=urn:plant;i=1", **fields):
    return {
        "replaces": "0", "source": "plc", "node": node, "data_point": "kiln/temperature",
    } | fields  # fmt: skip


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


def test_a_variable_that_was_found_is_chosen_for_an_event_type(api, project, ada):
    agent = taking(api, project)
    page = home(project, agent)
    location = given.location(api, project)["id"]
    assert "Temperature in °C" in words(ada.get(f"{page}/choose?source=plc&node=i%3D1"))

    answer = ada.post(f"{page}/choose", chosen(locations=location, tracking_id="K-1"))

    assert answer.expect(303).headers["location"] == f"{page}#chosen"
    [variable] = api.get(f"{page}/mappings/1").expect(200).body["variables"]
    assert variable == {
        "source": "plc", "node": "nsu=urn:plant;i=1", "event_type": "kiln", "data_point": "temperature",
        "quality": "quality", "status": None, "arrived_at": None, "asset_id": None, "feedstock_id": None,
        "locations": [location], "tracking_id": "K-1",
    }  # fmt: skip
    assert "still reads by its file alone. It takes version 1 with its next report." in words(ada.get(page))


def test_the_page_says_what_the_agent_makes_of_the_mapping(api, project, ada):
    agent = taking(api, project)
    page = home(project, agent)
    ada.post(f"{page}/choose", chosen("i=1")).expect(303)
    digest = api.get(page).expect(200).body["mapping"]["digest"]

    taking(api, project, version=1, digest=digest)
    assert "The agent reads by version 1." in words(ada.get(page))

    ada.post(f"{page}/choose", chosen("i=2", replaces="1")).expect(303)
    taking(api, project, version=1, digest=digest, refused_version=2, problems=["i=2 is read already."])
    said = words(ada.get(page))
    assert "The agent refuses version 2 and goes on by version 1. All versions i=2 is read already." in said
    assert "kiln-house has problems " in words(ada.get(f"/projects/{project['id']}/agents"))


def test_a_variable_that_the_server_does_not_have_is_marked(api, project, ada):
    agent = taking(api, project)
    page = home(project, agent)
    ada.post(f"{page}/choose", chosen("i=4711")).expect(303)
    source = SOURCE | {"problems": {"i=4711": "it cannot be subscribed to: BadNodeIdUnknown."}}
    report(api, project, state=AGENT["state"] | {"mapping": TAKING, "sources": [source]})

    assert "plc i=4711 not read it cannot be subscribed to: BadNodeIdUnknown. kiln" in words(ada.get(page))


def test_of_two_people_who_choose_at_once_the_second_is_told(api, project, ada):
    agent = taking(api, project)
    page = home(project, agent)
    ada.post(f"{page}/choose", chosen("i=1")).expect(303)

    refused = ada.post(f"{page}/choose", chosen("i=2", tracking_id="K-2"))

    assert refused.status == 409
    assert re.search(r"but .* saved version 1 at .*Read that version and choose again", words_of(refused))
    assert 'value="K-2"' in refused.text
    assert '<input type="hidden" name="replaces" value="1">' in refused.text


def words_of(answer):
    return unescape(re.sub(r"<[^>]+>", " ", answer.text))


def test_a_form_whose_parts_do_not_belong_together_is_shown_again(api, project, ada):
    given.event_type(
        api, project, slug="mill", data_point_types=[given.number("load"), given.text("a"), given.text("b")]
    )
    page = f"{home(project, taking(api, project))}/choose"

    of_none = ada.post(page, chosen(data_point=""))
    of_another = ada.post(page, chosen(quality="mill/a"))
    of_several = ada.post(page, chosen(data_point="mill/load"))

    assert "Select the data point that gets the value." in words_of(of_none)
    assert "quality is a data point of another event type; select one of Kiln." in words_of(of_another)
    assert "has several texts. Select the one that gets the quality." in words_of(of_several)
    assert [answer.status for answer in (of_none, of_another, of_several)] == [422] * 3


def test_a_variable_is_left_out_and_each_version_names_who_saved_it(api, project, ada):
    agent = taking(api, project)
    page = home(project, agent)
    ada.post(f"{page}/choose", chosen("i=1")).expect(303)
    ada.post(f"{page}/choose", chosen("i=2", replaces="1")).expect(303)

    ada.post(f"{page}/leave_out", {"replaces": "2", "source": "plc", "node": "i=1"}).expect(303)

    assert [one["node"] for one in api.get(f"{page}/mappings/3").body["variables"]] == ["i=2"]
    saved = api.get(f"{page}/mappings").expect(200).data
    said = words(ada.get(f"{page}/mappings"))
    assert [f"{one['version']} {one['variable_count']} {one['user_name']} " in said for one in saved] == [
        True
    ] * 3


def test_a_variable_that_is_chosen_is_changed_and_stays_one(api, project, ada):
    page = home(project, taking(api, project))
    ada.post(f"{page}/choose", chosen("i=1", tracking_id="K-1")).expect(303)
    form = ada.get(f"{page}/choose?source=plc&node=i%3D1").expect(200).text
    assert '<option value="kiln/temperature" selected>' in form
    assert 'value="K-1"' in form

    ada.post(f"{page}/choose", chosen("i=1", replaces="1", tracking_id="K-2")).expect(303)

    [variable] = api.get(f"{page}/mappings/2").expect(200).body["variables"]
    assert variable["tracking_id"] == "K-2"


def test_the_page_says_which_line_of_the_file_opens_a_server(api, project, ada):
    page = home(project, report(api, project, state=AGENT["state"] | {"mapping": TAKING | {"sources": []}}))

    assert "add nodes_from_service: true to the source plc in that file" in words(ada.get(page))
    assert "add nodes_from_service: true to a source in that file" in words(ada.get(f"{page}/choose"))


def test_an_agent_of_an_older_version_is_named_as_one(api, project, ada):
    page = home(project, report(api, project))
    ada.post(f"{page}/choose", chosen()).expect(303)

    assert "The agent runs version 1.1.0, which does not know mappings. Update the agent." in words(
        ada.get(page)
    )
