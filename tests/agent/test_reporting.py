"""What the agent tells the service of itself, and how a person browses a server from the service."""

import asyncio
import json

from tests.durability.processes import until

from weighbridge.agent.configuration_reading import read_configuration
from weighbridge.agent.mapping import MappingInForce
from weighbridge.agent.reporting import NOT_TAKEN, ServiceReporter
from weighbridge.agent.sending import AgentConnection
from weighbridge.agent.spool import opened_spool


def agents(site):
    return site.api.get(f"/projects/{site.project['id']}/agents").expect(200).data


def configuration(site, plant):
    service = site.service() | {"report_seconds": 5}
    return site.configuration(site.opcua(plant), service=service)


def test_the_service_has_the_state_of_the_agent_and_its_last_values(site, plant, agent):
    plant.measure("Kiln", 21.1, "2026-01-05T00:00:00+00:00")
    agent(configuration(site, plant)).start()

    until(lambda: any(one["state"]["last_values"] for one in agents(site)), what="a report has the value")

    [reported] = agents(site)
    assert (reported["name"], reported["is_quiet"]) == ("site", False)
    [value] = reported["state"]["last_values"]
    assert value == {
        "variable": f"plc/{plant.node('Kiln')}", "time": "2026-01-05T00:00:00Z",
        "value": "temperature 21.1, quality good, status Good 0x00000000",
    }  # fmt: skip
    [source] = reported["state"]["sources"]
    assert (source["name"], source["type"], source["error"]) == ("plc", "opcua", None)
    assert reported["state"]["spool_bytes_max"] == 1_024_000_000


def test_a_person_browses_the_server_by_way_of_the_agent(site, plant, agent):
    plant.measure("Kiln", 21.5, "2026-01-05T00:00:00+00:00")
    agent(configuration(site, plant)).start()
    [reported] = until(lambda: agents(site), what="the agent has registered")
    path = f"/projects/{site.project['id']}/agents/{reported['id']}"

    def answer(node):
        site.api.post(f"{path}/browse", {"browsing": {"source": "plc", "node": node}}).expect(201)
        return until(
            lambda: site.api.get(path).expect(200).body["browsing"]["answer"], what="the agent has answered"
        )

    found = answer("i=85")
    by_node = {child["node"]: child for child in found["children"]}
    assert by_node["i=2253"] == {
        "node": "i=2253", "name": "Server", "is_variable": False, "data_type": None, "value": None,
    }  # fmt: skip
    kiln = by_node[f"nsu=urn:plant;{plant.node('Kiln').partition(';')[2]}"]
    assert (kiln["is_variable"], kiln["data_type"], kiln["value"]) == (True, "Float", "21.5")

    assert answer(kiln["node"])["children"] == []
    assert answer("nsu=urn:other;i=1")["error"] == "the server has no namespace urn:other"
    assert "BadNodeIdUnknown" in answer("ns=2;i=4711")["error"]


def test_an_answer_that_the_service_does_not_take_keeps_no_later_report_from_it(site, plant):
    token_file = site.folder / "token"
    token_file.write_text(site.api.token)
    file = site.folder / "agent.json"
    stated = configuration(site, plant)
    stated["service"]["token_file"] = str(token_file)
    file.write_text(json.dumps(stated))
    told = read_configuration(file)

    async def browse(_server, node):
        return [{"node": f"{node};" + "x" * 2_000, "name": "Kiln", "is_variable": True}], False

    async def report_until_answered():
        async with AgentConnection(told.service) as connection, opened_spool(told.spool.path, 1) as spool:
            reporting = asyncio.create_task(
                ServiceReporter(
                    told, spool, connection, MappingInForce(told.sources, spool), lambda: None, browse
                ).run()
            )
            [agent] = await asyncio.to_thread(until, lambda: agents(site), what="the agent has registered")
            path = f"/projects/{site.project['id']}/agents/{agent['id']}"
            question = {"browsing": {"source": "plc", "node": "i=85"}}
            await asyncio.to_thread(lambda: site.api.post(f"{path}/browse", question).expect(201))
            answer = await asyncio.to_thread(
                until, lambda: site.api.get(path).expect(200).body["browsing"]["answer"], what="an answer"
            )
            reporting.cancel()
            return answer

    assert asyncio.run(report_until_answered())["error"] == NOT_TAKEN
