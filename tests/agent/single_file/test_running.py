"""The agent out of its file, beside the real service and an OPC UA server, and an update while it runs."""

import json
from contextlib import contextmanager
from decimal import Decimal

import pytest
import yaml
from tests.agent.single_file.conftest import NEWER, VERSION
from tests.durability.processes import until

WAIT_SECONDS = 60


class Installation:
    """An agent of a site whose file is on a machine where nothing else of the product is."""

    def __init__(self, machine, configuration, token):
        self.machine = machine
        self.log = machine.folder / "agent.log"
        self.file = machine.folder / "agent.yaml"
        self.file.write_text(yaml.safe_dump(json.loads(json.dumps(configuration))))
        self.variables = {"WEIGHBRIDGE_TOKEN": token}

    def call(self, *words):
        done = self.machine.run(*words, **self.variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def running(self):
        with (
            self.log.open("a") as log,
            self.machine.start("run", self.file, log=log, **self.variables) as process,
        ):
            try:
                yield process
            finally:
                process.kill()


@pytest.fixture
def installation(site, plant, machine):
    service = site.service() | {"report_seconds": 5}
    source = site.opcua(plant, history_from="2026-01-05T00:00:00Z")
    return Installation(machine, site.configuration(source, service=service), site.api.token)


def agents(site):
    found = site.api.get(f"/projects/{site.project['id']}/agents").expect(200).data
    return [one["version"] for one in found]


def test_the_file_reads_a_plant_and_goes_on_where_it_was_after_an_update(site, plant, installation, newer):
    plant.measure("Kiln", 21.1, "2026-01-05T00:00:00+00:00")
    assert installation.call("check", installation.file, "--connect").endswith(
        "agent.yaml: all of it works.\n"
    )

    with installation.running() as first:
        until(lambda: len(site.events("kiln")) == 1, what="the first value is there")
        until(lambda: agents(site) == [VERSION], what="the agent has reported its version")
        told = installation.call(
            "update", newer, "--configuration", installation.file, "--restart", f"kill {first.pid}"
        )
        assert first.wait(WAIT_SECONDS) == 0
    assert told.startswith(f"weighbridge-agent {NEWER} for ")
    assert told.endswith(f"The agent was restarted (kill {first.pid}).\n")
    plant.measure("Kiln", 22.5, "2026-01-05T00:01:00+00:00")

    with installation.running():
        until(lambda: agents(site) == [NEWER], what="the new version has reported")
        plant.measure("Kiln", 23.5, "2026-01-05T00:02:00+00:00")
        until(lambda: len(site.events("kiln")) == 3, what="all values are there")

    assert [row[1] for row in site.told("kiln", "temperature")] == [
        Decimal("21.1"),
        Decimal("22.5"),
        Decimal("23.5"),
    ]
    assert "0 readings wait" in installation.call("status", installation.file)
    assert len(installation.machine.codes) == 1


def test_an_update_that_is_refused_says_so_and_restarts_nothing(installation, newer):
    beside = newer.with_name(f"{newer.name}.sig")
    copy = installation.machine.folder / newer.name
    copy.write_bytes(newer.read_bytes()[:-1])
    copy.with_name(beside.name).write_text(beside.read_text())

    done = installation.machine.run("update", copy, "--restart", "touch restarted")

    assert done.returncode == 1
    assert done.stderr == f"{copy} is not installed: the signature of weighbridge-release does not hold.\n"
    assert not (installation.machine.folder / "restarted").exists()
    assert installation.call("--version").strip() == VERSION


def test_a_restart_that_fails_is_told_after_the_update(installation, newer):
    done = installation.machine.run("update", newer, "--restart", "false")

    assert done.returncode == 1
    assert done.stderr == "The agent is not restarted: false exits with 1.\n"
    assert installation.call("--version").strip() == NEWER
