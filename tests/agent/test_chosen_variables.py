"""Variables that are chosen in the web app: from the mapping to the events, whatever ends on the way."""

import asyncio
import json
import sqlite3
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.durability.processes import until

from weighbridge.agent.configuration_reading import read_configuration
from weighbridge.agent.mapping import MappingInForce
from weighbridge.agent.reporting import ServiceReporter
from weighbridge.agent.sending import AgentConnection
from weighbridge.agent.spool import opened_spool


def configuration(site, plant, *nodes, **more):
    """An agent with a server whose variables are chosen in the web app, beside those of its file."""
    source = site.opcua(plant, nodes_from_service=True, **more) | {"nodes": [*nodes]}
    return site.configuration(source, service=site.service() | {"report_seconds": 1})


def node(plant, name, **fields):
    named = {"event_type": "kiln", "data_point": "temperature", "quality": "quality"}
    return named | {"node": plant.node(name)} | fields


def of_plc(plant, name, **fields):
    return node(plant, name, **fields) | {"source": "plc"}


def agent_of(site):
    """The agent, once it has said how it deals with mappings."""

    def said():
        found = site.api.get(f"/projects/{site.project['id']}/agents").expect(200).data
        return next((one for one in found if one["state"]["mapping"]), None)

    return until(said, what="the agent says how it deals with mappings")


def choose(site, *variables):
    """Save the next version of the mapping; gives its number."""
    agent = agent_of(site)
    replaces = agent["mapping"]["version"] if agent["mapping"] else 0
    body = {"mapping": {"replaces": replaces, "variables": [*variables]}}
    path = f"/projects/{site.project['id']}/agents/{agent['id']}/mappings"
    return site.api.post(path, body).expect(201).body["version"]


def in_force(site, version):
    def state():
        found = agent_of(site)
        return found if found["state"]["mapping"]["version"] == version else None

    return until(state, what=f"version {version} is in force")


def values(site):
    return [row[1] for row in site.told("kiln", "temperature")]


def test_a_variable_that_is_chosen_becomes_events_and_one_that_is_taken_away_none(site, plant, agent):
    plant.measure("Kiln", 21.1, "2026-01-05T00:00:00+00:00")
    running = agent(configuration(site, plant))
    running.start()

    choose(site, of_plc(plant, "Kiln", status="status"))

    until(lambda: site.events("kiln"), what="the present value is there")
    state = in_force(site, 1)["state"]
    assert (state["mapping"]["sources"], state["mapping"]["problems"]) == (["plc"], [])
    assert site.events("kiln")[0]["client_reference"] == f"plc/{plant.node('Kiln')}@2026-01-05T00:00:00Z"
    plant.measure("Kiln", 21.25, "2026-01-05T00:01:00+00:00")
    until(lambda: len(values(site)) == 2, what="the next value is there")

    choose(site)
    in_force(site, 2)
    until(lambda: "0 variables are read" in running.log.read_text(), what="nothing is read")
    plant.measure("Kiln", 22, "2026-01-05T00:02:00+00:00")
    choose(site, of_plc(plant, "Meter"))
    plant.measure("Meter", 7, "2026-01-05T00:03:00+00:00")

    until(lambda: values(site)[-1] == 7, what="another variable is read")
    assert [str(value) for value in values(site)] == ["21.1", "21.25", "7"]
    assert running.spooled().refused == 0


def test_a_variable_of_the_file_is_read_without_a_break_while_others_are_chosen(site, plant, agent):
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running = agent(configuration(site, plant, node(plant, "Kiln")))
    running.start()
    until(lambda: site.events("kiln"), what="the file's variable is read")
    plant.measure("Meter", 100, "2026-01-05T00:00:30+00:00")

    version = choose(site, of_plc(plant, "Meter"))
    for minute in range(1, 6):
        plant.measure("Kiln", minute + 1, f"2026-01-05T00:0{minute}:00+00:00", history=False)
    in_force(site, version)

    until(lambda: len(values(site)) == 7, what="all is there")
    assert values(site) == [1, 100, 2, 3, 4, 5, 6]
    assert running.log.read_text().count("connected to") == 1
    assert running.spooled().refused == 0


def test_what_was_read_before_stays_where_it_belonged_when_a_variable_is_given_another_place(
    site, plant, agent
):
    mass = {"event_type": "scale", "data_point": "mass", "quality": "quality"}
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running = agent(configuration(site, plant))
    running.start()
    choose(site, of_plc(plant, "Kiln"))
    until(lambda: site.events("kiln"), what="the first value is there")
    until(lambda: running.spooled().positions, what="the agent knows up to when it has read")

    choose(site, of_plc(plant, "Kiln") | mass)
    in_force(site, 2)
    plant.measure("Kiln", 2, "2026-01-05T00:01:00+00:00")
    until(lambda: site.events("scale"), what="the next value belongs elsewhere")
    running.kill()
    plant.measure("Kiln", 3, "2026-01-05T00:02:00+00:00")
    running.start()  # which reads ten minutes of the history again

    until(lambda: len(site.events("scale")) == 2, what="what was missed is there")
    until(lambda: running.spooled().waiting == 0, what="nothing waits")
    assert values(site) == [1]
    assert [row[1] for row in site.told("scale", "mass")] == [2, 3]
    assert running.spooled().refused == 0


def test_a_variable_that_the_server_does_not_have_is_named_and_holds_up_no_other(site, plant, agent):
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running = agent(configuration(site, plant, node(plant, "Meter")))
    running.start()

    choose(
        site,
        of_plc(plant, "Kiln") | {"node": "ns=2;i=4711"},
        of_plc(plant, "Kiln") | {"node": f"nsu=urn:plant;{plant.node('Meter').partition(';')[2]}"},
        of_plc(plant, "Kiln"),
    )

    until(lambda: values(site) == [1], what="the other variable is read")

    def problems():
        [source] = in_force(site, 1)["state"]["sources"]
        return source["problems"]

    assert until(problems, what="the problems are reported") == {
        "ns=2;i=4711": "it cannot be subscribed to: BadNodeIdUnknown 0x80340000.",
        f"nsu=urn:plant;{plant.node('Meter').partition(';')[2]}": (
            f"it is {plant.node('Meter')}, which is read already."
        ),
    }


def test_an_agent_that_is_killed_once_it_has_a_mapping_goes_on_by_it_without_the_service(site, plant, agent):
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running = agent(configuration(site, plant))
    running.start()
    agent_of(site)
    choose(site, of_plc(plant, "Kiln"))

    def is_stored():
        with closing(sqlite3.connect(f"file:{running.spool}?mode=ro", uri=True)) as spool:
            return spool.execute("SELECT 1 FROM mapping").fetchone()

    until(is_stored, what="the mapping is on the disk")
    running.kill()
    plant.measure("Kiln", 2, "2026-01-05T00:01:00+00:00")
    away = configuration(site, plant, history_from="2026-01-05T00:00:00Z")
    away["service"]["url"] = "http://127.0.0.1:1"
    running.configure(away)
    running.start()
    until(lambda: running.spooled().waiting == 2, what="readings wait for the service")
    running.kill()
    running.configure(configuration(site, plant))
    running.start()

    until(lambda: values(site) == [1, 2], what="the readings are there, once")
    in_force(site, 1)
    assert running.spooled().refused == 0


def test_a_mapping_waits_for_an_agent_that_is_away(site, plant, agent):
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running = agent(configuration(site, plant))
    running.start()
    agent_of(site)
    running.kill()
    choose(site, of_plc(plant, "Kiln"))

    running.start()

    until(lambda: values(site) == [1], what="the variable is read")


def test_a_file_that_forbids_it_is_stronger_than_a_mapping_of_before(site, plant, agent):
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    plant.measure("Meter", 5, "2026-01-05T00:00:00+00:00")
    running = agent(configuration(site, plant, node(plant, "Meter")))
    running.start()
    choose(site, of_plc(plant, "Kiln"))
    until(lambda: sorted(values(site)) == [1, 5], what="both are read")
    running.kill()
    closed = configuration(site, plant, node(plant, "Meter"))
    del closed["sources"][0]["nodes_from_service"]
    running.configure(closed)

    plant.measure("Kiln", 2, "2026-01-05T00:01:00+00:00")
    plant.measure("Meter", 6, "2026-01-05T00:01:00+00:00")
    running.start()

    until(lambda: 6 in values(site), what="the file's variable is read")

    def refused():
        state = agent_of(site)["state"]["mapping"]
        return state if state["problems"] else None

    state = until(refused, what="the agent says what it leaves out")
    assert state["sources"] == []
    assert "whose variables the file keeps to itself" in state["problems"][0]
    assert sorted(values(site)) == [1, 5, 6]
    assert "mapping: version 1 is in force" in running.call("status")


class OlderService(BaseHTTPRequestHandler):
    """A service from before mappings: it knows no such field of a report, and says nothing of it."""

    reports: list[dict[str, object]] = []  # noqa: RUF012 - each test has a class of its own

    def do_POST(self):
        report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["agent"]
        self.reports.append(report)
        is_known = "mapping" not in report["state"]
        answer = json.dumps({"id": 7, "browsing": None} if is_known else {"errors": []}).encode()
        self.send_response(201 if is_known else 400)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def test_a_service_of_an_older_version_is_told_nothing_of_mappings(site, plant):
    class Service(OlderService):
        reports = []  # noqa: RUF012 - as above

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as listening:
        serving = Thread(target=listening.serve_forever)
        serving.start()
        token_file = site.folder / "token"
        token_file.write_text("t")
        stated = configuration(site, plant)
        stated["service"] |= {
            "url": f"http://127.0.0.1:{listening.server_address[1]}", "token_file": str(token_file),
        }  # fmt: skip
        file = site.folder / "agent.json"
        file.write_text(json.dumps(stated))
        told = read_configuration(file)

        async def report_twice():
            async with AgentConnection(told.service) as connection, opened_spool(told.spool.path, 1) as spool:
                mapping = MappingInForce(told.sources, spool)
                reporter = ServiceReporter(told, spool, connection, mapping, lambda: None, None)
                reporting = asyncio.create_task(reporter.run())
                await asyncio.to_thread(until, lambda: len(Service.reports) >= 2, what="two reports came")
                reporting.cancel()

        asyncio.run(report_twice())
        listening.shutdown()
        serving.join()

    assert ["mapping" in report["state"] for report in Service.reports] == [False] * len(Service.reports)
