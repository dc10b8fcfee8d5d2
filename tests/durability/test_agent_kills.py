"""Agent, OPC UA server, broker and service are killed at random: every reading is there once, in its time.

A minute of the plant passes in a few milliseconds, so a run tells days of readings. While the server is away
its device measures on, and the historian has it when the server is back. What a killed broker had
acknowledged and not yet written, the device publishes again. Each run prints the seed of its moments.
AGENT_KILLS is how many there are: `make durability` asks for two hundred.
"""

import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from tests.agent.conftest import Site as PlantSite
from tests.agent.programs import BROKER, Agent, Broker, Device, Plant, free_port
from tests.durability.processes import children, until
from tests.durability.real_service import Service
from tests.durability.remote import Remote, Site

KILLS = int(os.environ.get("AGENT_KILLS", "4"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
PAUSE_SECONDS_MAX = 1.2 if "AGENT_KILLS" in os.environ else 0.4
START = datetime(2026, 1, 5, tzinfo=UTC)
MINUTE_SECONDS = 0.015
PUBLISHED_AGAIN = 60
CODES = (0, 0, 0, 0x40000000, 0x80000000, 0x808D0000, 0x40910000)
QUALITIES = {
    0: "good",
    0x40000000: "uncertain",
    0x80000000: "bad",
    0x808D0000: "bad",
    0x40910000: "substituted",
}


class ServiceAtPort:
    """The real service, which is always at the same address."""

    def __init__(self, site):
        self._site, self._port, self._service = site, free_port(), None
        self.address = f"http://127.0.0.1:{self._port}"

    def start(self):
        self._service = Service(
            self._site.data_dir,
            self._site.token,
            log=self._site.log,
            options=("--no-worker",),
            port=self._port,
        )

    def kill(self):
        program = self._service.program
        every = children(program.pid)
        program.close()
        for one in every:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def close(self):
        if self._service is not None:
            self._service.close()


class Kiln(threading.Thread):
    """Measures minute after minute; while the server is away, only its history gets what was measured."""

    def __init__(self, plant, ending):
        super().__init__(name="kiln")
        self.plant, self.ending, self.told = plant, ending, []
        self.lock = threading.Lock()

    def run(self):
        buffered = []
        minute = 0
        while not self.ending.is_set() or buffered:
            time.sleep(MINUTE_SECONDS)
            if not self.ending.is_set():
                reading = (
                    20 + minute % 500 / 4,
                    START + minute * timedelta(minutes=1),
                    CODES[minute % len(CODES)],
                )
                self.told.append(reading)
                buffered.append(reading)
                minute += 1
            with self.lock:
                while buffered:
                    value, at, status = buffered[0]
                    is_last = len(buffered) == 1
                    if not self.plant.measure("Kiln", value, at.isoformat(), status=status, live=is_last):
                        break
                    buffered.pop(0)

    def rows(self):
        return [
            (_text(at), None if QUALITIES[status] == "bad" else Decimal(str(value)), QUALITIES[status])
            for value, at, status in self.told
        ]


class Scale(threading.Thread):
    """Publishes minute after minute, and again what a broker may have lost when it ended."""

    def __init__(self, broker, ending):
        super().__init__(name="scale")
        self.device, self.ending, self.published = Device(broker), ending, 0

    def run(self):
        number = 0
        while not self.ending.is_set() or number < self.published:
            if self.device.publish(
                "scale/1", {"ts": _text(_at(number)), "kg": number % 900 + 0.25, "q": "ok"}
            ):
                number += 1
                self.published = max(self.published, number)
                time.sleep(MINUTE_SECONDS)
            else:
                number = max(0, number - PUBLISHED_AGAIN)
                time.sleep(0.05)
        self.device.close()

    def rows(self):
        return [
            (_text(_at(number)), Decimal(str(number % 900 + 0.25)), "good")
            for number in range(self.published)
        ]


@pytest.fixture
def world(folder, migrated_dir):
    """The four parts, and what ends them."""
    if BROKER is None:
        pytest.skip("there is no mosquitto here; install it with the system's packages")
    with ExitStack() as ending:
        site = Site(folder, migrated_dir)
        parts = {
            "service": ServiceAtPort(site),
            "server": Plant(folder, "Kiln:Float"),
            "broker": Broker(folder),
        }
        for part in parts.values():
            ending.callback(part.close)
            part.start()
        remote = Remote(parts["service"].address, site.token)
        given = PlantSite(remote, folder)
        parts["agent"] = Agent(folder, _configuration(given, parts), site.token)
        ending.callback(parts["agent"].close)
        parts["agent"].start()
        until(lambda: _is_reading(parts["agent"]), what="the agent reads both sources")
        yield given, parts


def _configuration(given, parts):
    entry = {
        "topic": "scale/+", "event_type": "scale", "time": "ts", "data_points": {"mass": "kg"},
        "quality": "quality", "quality_from": "q", "quality_words": {"ok": "good"},
    }  # fmt: skip
    return given.configuration(
        given.opcua(parts["server"], history_overlap_seconds=7200, history_from=START.isoformat()),
        given.mqtt(parts["broker"], entry),
        service={"url": parts["service"].address, "project": given.project["id"], "batch_size": 200},
    )


def test_after_kills_at_random_moments_every_reading_is_there_once(world):
    given, parts = world
    print(f"seed {SEED}, {KILLS} kills")  # noqa: T201 - what repeats the run
    ending = threading.Event()
    kiln, scale = Kiln(parts["server"], ending), Scale(parts["broker"], ending)
    kiln.start()
    scale.start()
    try:
        killed = kill_at_random(parts, kiln, random.Random(SEED))  # noqa: S311 - the moments are to be repeated
    finally:
        ending.set()
        kiln.join()
        scale.join()
    last = kiln.told[-1][1]
    until(lambda: _has_sent_all(parts["agent"], last), what="the service has everything")

    days = (last - START) / timedelta(days=1)
    print(f"killed {dict(killed)}, {days:.1f} days, {len(kiln.told)} and {scale.published} readings")  # noqa: T201
    assert told(given, "kiln", "temperature", "quality") == kiln.rows()
    assert told(given, "scale", "mass", "quality") == scale.rows()
    assert parts["agent"].spooled().refused_newest == []


def kill_at_random(parts, kiln, dice):
    """Kill so many parts, each started again after a while; gives how often each was."""
    killed = Counter()
    while killed.total() < KILLS:
        time.sleep(dice.uniform(0.05, PAUSE_SECONDS_MAX))
        name = dice.choice(("agent", "server", "broker", "service"))
        parts[name].kill()
        time.sleep(dice.uniform(0.0, PAUSE_SECONDS_MAX))
        if name == "server":
            with kiln.lock:
                parts[name].close()
                parts[name].start()
        else:
            parts[name].start()
        killed[name] += 1
    return killed


def told(given, slug, *slugs):
    """All events of a type as rows, page by page."""
    rows, page = [], 1
    while page is not None:
        query = {"filter[slug]": slug, "sort": "start_time", "page_size": "200", "page": str(page)}
        answer = given.api.get(f"/projects/{given.project['id']}/events", query).expect(200)
        for event in answer.data:
            values = {point["slug"]: point["value"] for point in event["data_points"]}
            rows.append((event["start_time"], *(values.get(one) for one in slugs)))
        page = answer.info["next_page"]
    return rows


def _is_reading(agent):
    facts = agent.spooled().facts
    return all("reading" in facts.get(f"source/{name}", {}).get("state", "") for name in ("plc", "gateway"))


def _has_sent_all(agent, last):
    """Nothing waits, and the server's history was read up to the end."""
    status = agent.spooled()
    position = status.positions.get("plc/ns=2;i=1001")
    return status.waiting == 0 and position == _text(last).replace(".000Z", "Z") and _is_reading(agent)


def _at(number):
    return START + number * timedelta(minutes=1)


def _text(moment):
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"
