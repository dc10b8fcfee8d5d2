"""The agent beside an OPC UA server that nobody here wrote: node-opcua."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from tests.agent.programs import ForeignServer, is_installed
from tests.durability.processes import until

START = datetime(2026, 1, 5, tzinfo=UTC)
NODE = "nsu=urn:foreign-plant;s=House.Temperature"
CODES = {0: "good", 0x40000000: "uncertain", 0x808D0000: "bad", 0x40910000: "substituted"}


@pytest.fixture
def foreign(tmp_path):
    if not is_installed("node-opcua-server"):
        pytest.skip("node-opcua of npm is not installed; make packages does so")
    foreign = ForeignServer(tmp_path)
    yield foreign
    foreign.close()


def source(foreign):
    node = {"node": NODE, "event_type": "kiln", "data_point": "temperature", "quality": "quality"}
    plant = {"type": "opcua", "name": "plc", "url": foreign.url, "publishing_ms": 50, "nodes": [node]}
    return plant | {
        "history_from": START.isoformat(),
        "history_overlap_seconds": 600,
        "history_delay_seconds": 1,
    }


def measure(foreign, begin, end):
    """A value each second; gives the rows that are to come of them."""
    rows = []
    for number in range(begin, end):
        code = [*CODES][number % len(CODES)]
        value, time = 20 + number / 8, START + timedelta(seconds=number)
        foreign.measure(value, time.isoformat(), code)
        rows.append(
            (
                f"{time:%Y-%m-%dT%H:%M:%S}.000Z",
                None if CODES[code] == "bad" else Decimal(str(value)),
                CODES[code],
            )
        )
    return rows


def test_every_value_is_there_once_through_history_subscription_and_a_kill(site, foreign, agent):
    rows = measure(foreign, 0, 60)
    running = agent(site.configuration(source(foreign)))
    running.start()
    until(lambda: len(site.events("kiln")) == 60, what="the history is there")
    rows += measure(foreign, 60, 90)
    running.kill()
    rows += measure(foreign, 90, 150)
    running.start()
    rows += measure(foreign, 150, 180)

    until(lambda: len(site.events("kiln")) == 180, what="all is there")
    assert site.told("kiln", "temperature", "quality") == rows
    assert site.events("kiln")[0]["client_reference"] == f"plc/{NODE}@2026-01-05T00:00:00Z"
    assert running.spooled().refused == 0


def test_its_address_space_is_browsed(site, foreign, agent):
    measure(foreign, 0, 1)
    service = site.service() | {"report_seconds": 5}
    agent(site.configuration(source(foreign), service=service)).start()
    agents = f"/projects/{site.project['id']}/agents"
    [reported] = until(lambda: site.api.get(agents).expect(200).data, what="the agent has registered")

    def below(node):
        one = f"{agents}/{reported['id']}"
        site.api.post(f"{one}/browse", {"browsing": {"source": "plc", "node": node}}).expect(201)
        answer = until(lambda: site.api.get(one).expect(200).body["browsing"]["answer"], what="an answer")
        return {child["name"]: child for child in answer["children"]}

    house = below("i=85")["House"]
    [temperature] = below(house["node"]).values()
    assert (temperature["node"], temperature["data_type"], temperature["value"]) == (NODE, "Float", "20.0")
