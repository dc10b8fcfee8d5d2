"""What computes runs in a process of its own, which may be killed or grow: callers hear what became of it."""

import asyncio
import http.client
import json
import os
import shutil
import signal
import sys
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.durability.conftest import private_folder
from tests.durability.processes import Program, children, lives, until
from tests.durability.remote import Site

from weighbridge.core import identity
from weighbridge.supervisor.child import ChildProgram, Phases, keep_running

MODEL = """
name: Deliveries
cadence: monthly
partition_type: time
primary_output: mass
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
JANUARY = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
LONG_EVENTS = 300
NOTES = "n" * 4_000
"""So many events with such notes make a body of more than a megabyte."""


class Caller:
    """Somebody with a project, who sends requests one by one."""

    def __init__(self, site):
        self.site = site
        self.service = site._opened[0]
        self.said = len(site.log.read_text())
        self.project = self.made("/projects", {"project": {"name": "Plant"}})
        mass = {"name": "Mass", "slug": "mass", "value_type": "number", "unit": "t"}
        kind = {"name": "Delivery", "slug": "delivery", "expected_locations": "none"}
        body = {"event_type": kind | {"data_point_types": [mass]}}
        self.made(f"/projects/{self.project}/event_types", body)

    def made(self, path, body, **headers):
        status, answer, _ = self.ask("POST", path, body, **headers)
        assert status == 201, answer
        return answer["id"]

    def ask(self, method, path, body=None, **headers):
        """Status, body and headers of an answer."""
        parts = urlsplit(self.service.address)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        try:
            sent = {"Authorization": f"Bearer {self.service.token}", "Content-Type": "application/json"}
            sent |= {name.replace("_", "-"): text for name, text in headers.items()}
            content = body if isinstance(body, bytes | None) else json.dumps(body)
            connection.request(method, f"/api/v1{path}", body=content, headers=sent)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        return response.status, json.loads(text) if text else None, dict(response.getheaders())

    def asking(self, *arguments, **headers):
        """Ask in a thread; gives what waits for the answer."""
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.ask(*arguments, **headers)))
        thread.start()

        def answer():
            thread.join()
            return answers[0]

        return answer

    def lines(self, event, since=0):
        said = self.site.log.read_text()[since:]
        found = [json.loads(one) for one in said.splitlines() if one.startswith("{")]
        return [line for line in found if line["event"] == event]

    def later(self, event):
        """What was said of an event since this caller came."""
        return self.lines(event, self.said)

    def computing(self):
        """The number of the computing process that was started last, when it has begun to listen."""

        def started():
            *_, line = (one for one in self.lines("process_started") if one["process"] == "computing-1")
            return line["pid"] if lives(line) and connections(line["pid"]) else None

        return until(started, what="the computing process listens")

    def lost_processes(self):
        """How many computing processes were lost since this caller came."""
        return len(self.later("computing_process_lost"))

    @contextmanager
    def holding(self):
        """The computing process stands still, and is killed at the end by when it has a request in hand."""
        number = self.computing()
        os.kill(number, signal.SIGSTOP)
        idle = connections(number)
        yield
        until(lambda: connections(number) > idle, what="the computing process has the request")
        os.kill(number, signal.SIGKILL)


def connections(number):
    """How many sockets there are at the place where a computing process listens."""
    place = Path(f"/proc/{number}/cmdline").read_bytes().rstrip(b"\0").rpartition(b"\0")[2].decode()
    return sum(line.endswith(place) for line in Path("/proc/net/unix").read_text().splitlines())


@pytest.fixture(scope="module")
def caller_of(migrated_once):
    """A caller of a service with so many computing processes; whoever ends it has the next one start anew."""
    with ExitStack() as ending:
        sites = {}

        def call(computing):
            if computing not in sites:
                folder = ending.enter_context(private_folder())
                data_dir = Path(shutil.copytree(migrated_once, folder / "data"))
                sites[computing] = Site(folder, data_dir)
                ending.callback(sites[computing].close)
            site = sites[computing]
            if not site.is_serving():
                site.stop_all()
                site.serve(WEIGHBRIDGE_COMPUTING_PROCESSES=str(computing))
            return Caller(site)

        yield call


@pytest.fixture
def caller(caller_of):
    return caller_of(1)


def validation(caller):
    model = caller.made("/models", {"model": {"project_id": caller.project, "yaml": MODEL}})
    return "POST", f"/models/{model}/yaml_validate", {"yaml": MODEL}


def events(number):
    point = {"slug": "mass", "value": 1.25}
    times = {"start_time": "2025-01-05T00:00:00Z", "end_time": "2025-01-05T00:00:00Z"}
    return {"events": [{"event_type": "delivery", "notes": NOTES, "data_points": [point]} | times] * number}


def count(caller, table):
    """How many rows the caller's project has."""
    [[rows]] = caller.site.sql(
        f"SELECT count(*) FROM {table} WHERE project_id = %s",
        identity.parse("project", caller.project).project,
    )
    return rows


@pytest.fixture(params=[0, 1, 2])
def anyone_computes(request, caller_of):
    """A caller of a service that has no computing process, one or two."""
    return caller_of(request.param)


def test_answers_and_refusals_are_the_same_whoever_computes(anyone_computes):
    caller = anyone_computes
    method, path, body = validation(caller)
    model = path.split("/")[2]

    asked = {
        "valid": caller.ask(method, path, body),
        "flawed": caller.ask(method, path, {"yaml": MODEL.replace("sum", "sun")}),
        "no body": caller.ask(method, path, b"{"),
        "another type": caller.ask(method, path, b"x", Content_Type="text/plain"),
        "not there": caller.ask(method, "/models/mdl_000000000000000000000000/yaml_validate", body),
        "schema": caller.ask("GET", f"/models/{model}/schema"),
        "head": caller.ask("HEAD", f"/models/{model}/schema"),
        "no parameter": caller.ask("GET", f"/models/{model}/schema?colour=red"),
        "no token": caller.ask(method, path, body, Authorization=""),
        "many": caller.ask("POST", f"/projects/{caller.project}/events", events(LONG_EVENTS)),
        "many, one wrong": caller.ask(
            "POST", f"/projects/{caller.project}/events", {"events": [*events(LONG_EVENTS)["events"], {}]}
        ),
        "long page": caller.ask("GET", f"/projects/{caller.project}/events?page_size=200"),
        "short page": caller.ask("GET", f"/projects/{caller.project}/events?page_size=50"),
        "no page": caller.ask("GET", f"/projects/{caller.project}/events?page_size=200&page=x"),
    }

    statuses = {name: answer[0] for name, answer in asked.items()}
    assert statuses == {
        "valid": 200, "flawed": 200, "no body": 400, "another type": 415, "not there": 404,
        "schema": 200, "head": 200, "no parameter": 400, "no token": 401, "many": 201, "many, one wrong": 400,
        "long page": 200, "short page": 200, "no page": 400,
    }  # fmt: skip
    assert all("X-Request-Id" in {name.title() for name in answer[2]} for answer in asked.values())
    assert asked["long page"][1]["data"][:50] == asked["short page"][1]["data"]
    assert count(caller, "events") == LONG_EVENTS
    assert len(caller.later("request_failed")) == 0


def test_the_computing_process_stands_back_behind_those_that_answer(caller):
    niceness = Path(f"/proc/{caller.computing()}/stat").read_text().rpartition(")")[2].split()[16]

    assert int(niceness) == 10


def test_a_question_whose_process_is_killed_is_asked_again(caller):
    question = validation(caller)
    with caller.holding():
        answer = caller.asking(*question)

    status, body, _ = answer()

    assert (status, body["valid"]) == (200, True)
    assert caller.lost_processes() == 1


def test_a_change_whose_process_is_killed_is_said_to_be_unknown_and_is_made_once_by_its_key(caller):
    change = "POST", "/models", {"model": {"project_id": caller.project, "yaml": MODEL}}
    with caller.holding():
        answer = caller.asking(*change, Idempotency_Key="one")

    status, body, headers = answer()
    again, made, _ = caller.ask(*change, Idempotency_Key="one")
    repeated, same, _ = caller.ask(*change, Idempotency_Key="one")

    assert (status, body["errors"][0]["code"]) == (503, "outcome_unknown")
    assert "Retry-After" in {name.title() for name in headers}
    assert (again, repeated) == (201, 201)
    assert made["id"] == same["id"]
    assert count(caller, "model_families") == 1


def test_a_long_body_whose_process_is_killed_is_stored_once_by_its_key(caller):
    sending = "POST", f"/projects/{caller.project}/events", events(LONG_EVENTS)
    with caller.holding():
        answer = caller.asking(*sending, Idempotency_Key="one")

    status, body, _ = answer()
    again, *_ = caller.ask(*sending, Idempotency_Key="one")

    assert (status, body["errors"][0]["code"]) == (503, "outcome_unknown")
    assert again == 201
    assert count(caller, "events") == LONG_EVENTS


def test_small_requests_are_answered_while_the_computing_process_stands_still(caller):
    number = caller.computing()
    os.kill(number, signal.SIGSTOP)
    try:
        status, *_ = caller.ask(
            "POST", f"/projects/{caller.project}/events", {"event": events(1)["events"][0]}
        )
    finally:
        os.kill(number, signal.SIGCONT)

    assert status == 201


def test_a_service_that_stops_answers_what_is_computed_first(caller):
    question = validation(caller)
    number = caller.computing()
    os.kill(number, signal.SIGSTOP)
    idle = connections(number)
    answer = caller.asking(*question)
    until(lambda: connections(number) > idle, what="the computing process has the request")

    caller.service.program.signal(signal.SIGTERM)
    until(lambda: caller.later("service_stopping"), what="the service is told to stop")
    os.kill(number, signal.SIGCONT)

    assert answer()[0] == 200
    assert caller.service.program.exit_code() == 0
    assert not caller.later("process_killed")


def test_nothing_is_left_of_the_computing_process_after_a_kill_of_the_service(caller_of):
    caller = caller_of(2)
    family = children(caller.service.program.pid)
    assert caller.computing() in family

    caller.service.program.kill()

    until(lambda: not any(Path(f"/proc/{one}").exists() for one in family), what="all have ended")


def test_a_folder_for_temporary_files_that_is_too_deep_for_sockets_is_said_in_one_sentence(
    folder, migrated_dir
):
    deep = folder / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    program = Program(
        "-m", "weighbridge", "serve", "--data-dir", migrated_dir, "--port", 0,
        log=folder / "stderr", TMPDIR=str(deep),
    )  # fmt: skip
    try:
        assert program.exit_code() == 1
        assert "WEIGHBRIDGE_COMPUTING_PROCESSES=0" in program.log.read_text()
    finally:
        program.close()


def test_a_process_that_takes_more_memory_than_it_may_is_started_again(tmp_path):
    born = tmp_path / "born"
    grows = f"""
import pathlib, time
held = bytearray(80_000_000)
with pathlib.Path({str(born)!r}).open("a") as file: file.write("x")
time.sleep(600)
"""
    program = ChildProgram("greedy", (sys.executable, "-c", grows), {}, bytes_max=40_000_000)

    async def run():
        phases = Phases(asyncio.Event(), asyncio.Event(), asyncio.Event(), 1, 60)
        running = asyncio.create_task(keep_running(program, phases))
        async with asyncio.timeout(60):
            while not born.exists() or len(born.read_text()) < 2:  # noqa: ASYNC110 - a file tells no event
                await asyncio.sleep(0.02)
        phases.stopping.set()
        await running

    asyncio.run(run())
