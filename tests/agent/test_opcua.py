"""Readings of an OPC UA server: in the source's time, as they were meant, and as good as it says they are."""

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path

from tests.durability.processes import until

GOOD, UNCERTAIN, BAD = 0x00000000, 0x40000000, 0x80000000
OUT_OF_SERVICE, SUBSTITUTE, LAST_USABLE = 0x808D0000, 0x40910000, 0x40900000
LISTENING = "0A"
"""A state of /proc/net/tcp."""

PUBLISHED_SERIES = [
    ("12:00:02", 10, GOOD, "good"),
    ("12:00:25", 20, GOOD, "good"),
    ("12:00:28", 25, GOOD, "good"),
    ("12:00:39", 30, GOOD, "good"),
    ("12:00:42", None, BAD, "bad"),
    ("12:00:48", 40, GOOD, "good"),
    ("12:00:52", 50, GOOD, "good"),
    ("12:01:12", 60, GOOD, "good"),
    ("12:01:17", 70, UNCERTAIN, "uncertain"),
    ("12:01:23", 70, GOOD, "good"),
    ("12:01:26", 80, GOOD, "good"),
    ("12:01:30", 90, GOOD, "good"),
]
"""Historian 2 of OPC 10000-13, annex A."""


def test_values_come_in_the_time_of_the_source_with_the_digits_that_were_meant(site, plant, agent):
    plant.measure("Kiln", 21.1, "2026-01-05T00:00:00+00:00")
    agent(site.configuration(site.opcua(plant))).start()
    until(lambda: site.events("kiln"), what="the present value is there")

    plant.measure("Kiln", 21.25, "2026-01-05T00:01:00.5+00:00")

    until(lambda: len(site.events("kiln")) == 2, what="the next value is there")
    assert site.told("kiln", "temperature", "quality", "status") == [
        ("2026-01-05T00:00:00.000Z", Decimal("21.1"), "good", "Good 0x00000000"),
        ("2026-01-05T00:01:00.500Z", Decimal("21.25"), "good", "Good 0x00000000"),
    ]
    assert site.events("kiln")[0]["client_reference"] == f"plc/{plant.node('Kiln')}@2026-01-05T00:00:00Z"


def test_a_series_of_the_specification_arrives_as_good_as_it_was(site, plant, agent):
    for at, value, status, _ in PUBLISHED_SERIES[:6]:
        plant.measure("Kiln", value, f"2026-01-05T{at}+00:00", status=status)
    beginning = {"history_from": "2026-01-05T12:00:00Z"}
    agent(site.configuration(site.opcua(plant, **beginning))).start()
    until(lambda: len(site.events("kiln")) == 6, what="the history is there")
    for at, value, status, _ in PUBLISHED_SERIES[6:]:
        plant.measure("Kiln", value, f"2026-01-05T{at}+00:00", status=status)

    until(lambda: len(site.events("kiln")) == 12, what="all is there")

    assert site.told("kiln", "temperature", "quality") == [
        (f"2026-01-05T{at}.000Z", value, quality) for at, value, _, quality in PUBLISHED_SERIES
    ]


def test_a_bad_value_is_no_value_and_a_substituted_one_is_told_from_a_measured_one(site, plant, agent):
    given = [(1, LAST_USABLE), (2, SUBSTITUTE), (3, OUT_OF_SERVICE), (float("nan"), GOOD)]
    for minute, (value, status) in enumerate(given):
        plant.measure("Kiln", value, f"2026-01-05T00:0{minute}:00+00:00", status=status)

    agent(site.configuration(site.opcua(plant, history_from="2026-01-05T00:00:00Z"))).start()

    until(lambda: len(site.events("kiln")) == 4, what="all is there")
    assert [row[1:] for row in site.told("kiln", "temperature", "quality", "status")] == [
        (1, "uncertain", "UncertainLastUsableValue 0x40900000"),
        (2, "substituted", "UncertainSubstituteValue 0x40910000"),
        (None, "bad", "BadOutOfService 0x808D0000"),
        (None, "bad", "Good 0x00000000"),
    ]


def test_what_was_measured_while_the_agent_or_the_server_was_away_is_read_from_the_history(
    site, lone_plant, agent
):
    running = agent(site.configuration(site.opcua(lone_plant)))
    lone_plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running.start()
    until(lambda: site.events("kiln"), what="the present value is there")
    until(lambda: running.spooled().positions, what="the agent knows up to when it has read")

    running.kill()
    lone_plant.measure("Kiln", 2, "2026-01-05T00:01:00+00:00")
    lone_plant.measure("Kiln", 3, "2026-01-05T00:02:00+00:00")
    running.start()
    until(lambda: len(site.events("kiln")) == 3, what="what the agent missed is there")
    lone_plant.kill()
    lone_plant.start()
    lone_plant.measure("Kiln", 4, "2026-01-05T00:03:00+00:00", live=False)
    lone_plant.measure("Kiln", 5, "2026-01-05T00:04:00+00:00")

    until(lambda: len(site.events("kiln")) == 5, what="what the historian got meanwhile is there")
    assert [row[1] for row in site.told("kiln", "temperature")] == [1, 2, 3, 4, 5]
    assert running.spooled().refused == 0


def test_what_the_historian_writes_late_is_read_when_it_is_there(site, plant, agent):
    running = agent(site.configuration(site.opcua(plant, history_from="2026-01-05T00:00:00Z")))
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    plant.measure("Kiln", 3, "2026-01-05T00:02:00+00:00")
    running.start()
    until(lambda: len(site.events("kiln")) == 2, what="the history was read")

    running.kill()
    plant.measure("Kiln", 2, "2026-01-05T00:01:00+00:00", live=False)
    running.start()

    until(lambda: len(site.events("kiln")) == 3, what="the late value is there")
    assert [row[1] for row in site.told("kiln", "temperature")] == [1, 2, 3]


def test_another_value_at_the_same_moment_is_set_apart_and_shown(site, plant, agent):
    running = agent(site.configuration(site.opcua(plant)))
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running.start()
    until(lambda: site.events("kiln"), what="the present value is there")

    plant.measure("Kiln", 2, "2026-01-05T00:00:00+00:00")

    (apart,) = until(lambda: running.spooled().refused_newest, what="the second value is set apart")
    assert apart.reference == f"plc/{plant.node('Kiln')}@2026-01-05T00:00:00Z"
    assert apart.reason == "another reading of the same source has this time; the first one is kept."
    assert site.told("kiln", "temperature") == [("2026-01-05T00:00:00.000Z", 1)]


def test_a_variable_that_the_server_does_not_know_holds_up_no_other(site, plant, agent):
    source = site.opcua(plant)
    source["nodes"].append(source["nodes"][0] | {"node": "ns=2;i=4711"})
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running = agent(site.configuration(source))

    running.start()

    until(lambda: site.events("kiln"), what="the other variable is read")
    problems = until(lambda: running.spooled().facts.get("source/plc", {}).get("problems"), what="it is told")
    assert problems == {"ns=2;i=4711": "it cannot be subscribed to: BadNodeIdUnknown 0x80340000."}


def test_a_variable_whose_history_cannot_be_read_keeps_no_other_from_being_caught_up_with(
    site, lone_plant, agent
):
    for node in ("Meter", "Kiln"):
        lone_plant.measure(node, 7, "2026-01-05T00:00:00+00:00", live=False)
    table = lone_plant.node("Meter").replace("ns=", "").replace(";i=", "_")
    with closing(sqlite3.connect(lone_plant.history)) as history, history:
        history.execute(f"""UPDATE "{table}" SET SourceTimestamp = SourceTimestamp || ' or so'""")
    server = site.opcua(lone_plant, history_from="2026-01-04T00:00:00Z")
    [kiln] = server["nodes"]
    server["nodes"] = [kiln | {"node": lone_plant.node("Meter")}, kiln]
    running = agent(site.configuration(server))
    running.start()

    def problems():
        return running.spooled().facts.get("source/plc", {}).get("problems")

    until(lambda: len(site.told("kiln", "temperature")) == 1, what="the history of the other is there")
    until(problems, what="the status names the variable")
    assert "cannot be read" in problems()[lone_plant.node("Meter")]
    lone_plant.measure("Kiln", 8, "2026-01-05T00:01:00+00:00")
    until(lambda: len(site.events("kiln")) == 2, what="the session goes on")

    with closing(sqlite3.connect(lone_plant.history)) as history, history:
        history.execute(f"""UPDATE "{table}" SET SourceTimestamp = replace(SourceTimestamp, ' or so', '')""")
    until(lambda: len(site.events("kiln")) == 3, what="the history is read again")


def test_the_agent_reports_its_lag_and_when_it_had_each_reading(site, plant, agent):
    source = site.opcua(plant)
    source["nodes"][0]["arrived_at"] = "arrived-at"
    report = {
        "event_type": "agent-report", "every_seconds": 1, "lag_seconds": "lag", "waiting": "waiting",
        "refused": "refused", "clock_offset_seconds": "clock-offset",
    }  # fmt: skip
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")

    agent(site.configuration(source, report=report)).start()

    until(lambda: site.events("agent-report") and site.events("kiln"), what="a report is there")
    _, lag, waiting, refused, _ = site.told("agent-report", "lag", "waiting", "refused", "clock-offset")[0]
    assert 0 <= lag < 60
    assert (waiting, refused) == (0, 0) or waiting > 0
    ((time, arrived_at),) = site.told("kiln", "arrived-at")
    assert time == "2026-01-05T00:00:00.000Z"
    assert arrived_at > "2026-01-05T00:01"


def test_values_that_the_server_says_it_had_to_drop_are_read_from_its_history(site, plant, agent):
    running = agent(site.configuration(site.opcua(plant)))
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running.start()
    until(lambda: site.events("kiln"), what="the present value is there")

    plant.measure("Kiln", 2, "2026-01-05T00:01:00+00:00", live=False)
    plant.measure("Kiln", 3, "2026-01-05T00:02:00+00:00", status=GOOD | 0x480)

    until(lambda: len(site.events("kiln")) == 3, what="the dropped value is there")
    assert site.told("kiln", "temperature", "quality", "status") == [
        ("2026-01-05T00:00:00.000Z", 1, "good", "Good 0x00000000"),
        ("2026-01-05T00:01:00.000Z", 2, "good", "Good 0x00000000"),
        ("2026-01-05T00:02:00.000Z", 3, "good", "Good 0x00000000"),
    ]


def test_the_agent_listens_on_no_port(site, plant, agent):
    running = agent(site.configuration(site.opcua(plant)))
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running.start()
    until(lambda: site.events("kiln"), what="the agent is at work")

    process = Path(f"/proc/{running.program.pid}")
    held = {str(link.readlink()) for link in Path(process, "fd").iterdir()}
    lines = [line for name in ("tcp", "tcp6") for line in Path(process, "net", name).read_text().splitlines()]
    own = [row for row in map(str.split, lines) if f"socket:[{row[9]}]" in held]
    assert own
    assert [row for row in own if row[3] == LISTENING] == []


def test_a_source_whose_clock_is_ahead_does_not_hide_what_comes_after(site, plant, agent):
    running = agent(site.configuration(site.opcua(plant)))
    plant.measure("Kiln", 1, "2099-01-05T00:00:00+00:00")
    running.start()
    until(lambda: site.events("kiln"), what="the present value is there")

    position = until(lambda: running.spooled().positions, what="the position is known")

    assert position[f"plc/{plant.node('Kiln')}"] < "2099"


def test_a_namespace_is_found_by_its_address_whatever_number_the_server_gives_it(site, plant, agent):
    source = site.opcua(plant)
    identifier = plant.node("Kiln").partition(";")[2]
    named = f"nsu=urn:plant;{identifier}"
    source["nodes"][0]["node"] = named
    source["nodes"].append(source["nodes"][0] | {"node": "nsu=urn:plan%3Bt;i=1"})
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")
    running = agent(site.configuration(source))

    running.start()

    until(lambda: site.events("kiln"), what="the variable is read")
    assert site.events("kiln")[0]["client_reference"] == f"plc/{named}@2026-01-05T00:00:00Z"
    problems = until(lambda: running.spooled().facts.get("source/plc", {}).get("problems"), what="it is told")
    assert problems == {"nsu=urn:plan%3Bt;i=1": "the server has no namespace urn:plan;t."}


def test_each_variable_has_the_history_that_the_file_says_for_it(site, plant, agent):
    for node in ("Kiln", "Meter"):
        for minute in range(3):
            plant.measure(node, 10 + minute, f"2026-01-05T00:0{minute}:00+00:00")
    source = site.opcua(plant, history=False)
    [kiln] = source["nodes"]
    own = {"history": True, "history_from": "2026-01-05T00:01:00Z", "queue_size": 7, "sampling_ms": 20}
    source["nodes"].append(kiln | {"node": plant.node("Meter")} | own)

    agent(site.configuration(source)).start()

    until(lambda: len(site.events("kiln")) == 3, what="the present value of one, two values of the other")
    references = sorted(event["client_reference"] for event in site.events("kiln"))
    assert references == sorted(
        f"plc/{plant.node(node)}@2026-01-05T00:0{minute}:00Z"
        for node, minute in (("Kiln", 2), ("Meter", 1), ("Meter", 2))
    )
