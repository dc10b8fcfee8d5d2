"""Agent, OPC UA server, broker and service are killed and cut off at random, the disk of the spool is filled,
and the agent's clock moves by 11 minutes and by 2 hours: every reading is there once, in its time.

A minute of the plant passes in a few milliseconds, so a run tells days of readings. While the server is away
its device measures on, and the historian has it when the server is back. What a killed broker had
acknowledged and not yet written, the device publishes again. Each run prints the seed of its moments.
AGENT_KILLS is how many of these there are: `make chaos` asks for two hundred.
"""

import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.agent.conftest import Site as PlantSite
from tests.agent.programs import BROKER, Agent, Broker, Device, Plant, free_port
from tests.durability.processes import children, until
from tests.durability.real_service import Service
from tests.durability.remote import Remote, Site

KILLS = int(os.environ.get("AGENT_KILLS", "10"))
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

    def pids(self):
        """The processes of the service itself, without its database."""
        return [self._service.program.pid]

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
def world(folder, migrated_dir, tiny_disk):
    """The four parts, the agent's clock and disk, and what ends them."""
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
        clock = None if MovedClock.LIBRARY is None else MovedClock(folder)
        own = {} if clock is None else clock.environment
        parts["agent"] = Agent(folder, _configuration(given, parts), site.token, **own)
        parts["agent"].spool = folder / "spool" / "spool.db"
        parts |= {name: part for name, part in (("clock", clock), ("disk", tiny_disk)) if part}
        ending.callback(parts["agent"].close)
        parts["agent"].start()
        until(lambda: _is_reading(parts["agent"]), what="the agent reads both sources")
        yield given, parts


@pytest.fixture
def tiny_disk(folder):
    """A disk of a few megabytes for the spool, where this machine lets us have one."""
    place = folder / "spool"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(place)], check=False, capture_output=True
    )
    yield TinyDisk(place) if done.returncode == 0 else None
    if done.returncode == 0:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


class TinyDisk:
    """The disk of the spool, which another program fills."""

    def __init__(self, place):
        self._filler = place / "filler"

    def fill(self):
        with self._filler.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4_096)):
                pass

    def clear(self):
        self._filler.unlink(missing_ok=True)


class MovedClock:
    """The clock of the agent, by libfaketime: what it reads is moved while it runs."""

    LIBRARY = next(iter([*Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")]), None)
    OFFSETS = ("+11m", "-11m", "+2h", "-2h")

    def __init__(self, folder):
        self._file = folder / "clock"
        self.set("+0")

    @property
    def environment(self):
        """What a program is started with whose clock this is."""
        return {
            "LD_PRELOAD": str(self.LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "0",
        }  # fmt: skip

    def set(self, offset):
        other = self._file.with_suffix(".new")
        other.write_text(f"{offset}\n")
        other.rename(self._file)


def _configuration(given, parts):
    entry = {
        "topic": "scale/+", "event_type": "scale", "time": "ts", "data_points": {"mass": "kg"},
        "quality": "quality", "quality_from": "q", "quality_words": {"ok": "good"},
    }  # fmt: skip
    return given.configuration(
        given.opcua(parts["server"], history_overlap_seconds=7200, history_from=START.isoformat()),
        given.mqtt(parts["broker"], entry),
        service={"url": parts["service"].address, "project": given.project["id"], "batch_size": 200},
        spool={"path": str(given.folder / "spool" / "spool.db")},
    )


def test_after_harm_at_random_moments_every_reading_is_there_once(world):
    given, parts = world
    print(f"seed {SEED}, {KILLS} kills")  # noqa: T201 - what repeats the run
    ending = threading.Event()
    kiln, scale = Kiln(parts["server"], ending), Scale(parts["broker"], ending)
    kiln.start()
    scale.start()
    try:
        done = harm_at_random(parts, kiln, random.Random(SEED))  # noqa: S311 - the moments are to be repeated
    finally:
        ending.set()
        kiln.join()
        scale.join()
    last = kiln.told[-1][1]
    until(lambda: _has_sent_all(parts["agent"], last), what="the service has everything")

    days = (last - START) / timedelta(days=1)
    print(f"{dict(done)}, {days:.1f} days, {len(kiln.told)} and {scale.published} readings")  # noqa: T201
    assert told(given, "kiln", "temperature", "quality") == kiln.rows()
    assert told(given, "scale", "mass", "quality") == scale.rows()
    assert parts["agent"].spooled().refused_newest == []


def harm_at_random(parts, kiln, dice):
    """Do so much harm, each mended after a while; gives how often each was done."""
    harms = [f"{part} killed" for part in PROGRAMS] + [f"{part} cut off" for part in PROGRAMS]
    harms += [f"{part} {what}" for part, what in (("clock", "moved"), ("disk", "filled")) if part in parts]
    dice.shuffle(harms)
    order = [*harms, *(dice.choice(harms) for _ in range(KILLS))][:KILLS]
    done = Counter()
    for harm in order:
        time.sleep(dice.uniform(0.05, PAUSE_SECONDS_MAX))
        name, _, what = harm.partition(" ")
        HARMS[what](parts, name, kiln, dice)
        done[harm] += 1
    return done


PROGRAMS = ("agent", "server", "broker", "service")


def kill(parts, name, kiln, dice):
    parts[name].kill()
    time.sleep(dice.uniform(0.0, PAUSE_SECONDS_MAX))
    if name == "server":
        with kiln.lock:
            parts[name].close()
            parts[name].start()
    else:
        parts[name].start()


def cut_off(parts, name, _kiln, dice):
    """Let a part be silent on open connections, as behind a network that is gone."""
    stopped = processes(parts[name], name)
    for one in stopped:
        os.kill(one, signal.SIGSTOP)
    try:
        time.sleep(dice.uniform(0.1, 2 * PAUSE_SECONDS_MAX))
    finally:
        for one in stopped:
            os.kill(one, signal.SIGCONT)


def processes(part, name):
    if name == "broker":
        return [part.process.pid]
    if name == "service":
        return part.pids()
    return [part.program.pid]


def move_clock(parts, name, _kiln, dice):
    parts[name].set(dice.choice(MovedClock.OFFSETS))


def fill_disk(parts, name, _kiln, dice):
    parts[name].fill()
    time.sleep(dice.uniform(0.2, 2 * PAUSE_SECONDS_MAX))
    parts[name].clear()


HARMS = {"killed": kill, "cut off": cut_off, "moved": move_clock, "filled": fill_disk}


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
