"""The service as an operator sees it: one command, whose parts are started again and end together.

Those tests that leave the service running ask one that all share; the others start and end their own.
"""

import http.client
import json
import os
import re
import signal
import threading
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import InsufficientPrivilege
from tests.durability.processes import HERE, Program, children, is_alive, kill_server, postmaster, until

from weighbridge.core.signing import SigningKey
from weighbridge.db.embedded.instance import OWNER, RUNNING_ROLE, server

PARTS = ("api-1", "api-2", "worker")


def get(address, path="/"):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def get_or_none(address):
    try:
        return get(address)
    except (OSError, http.client.HTTPException, ValueError):
        return None


def address_of(program):
    word, address = program.line().split()
    assert word == "ready"
    return address


def events(program):
    """Give what the service logged, each line as a dictionary."""
    lines = program.log.read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def names(program):
    return [line["event"] for line in events(program)]


def started(program, name):
    return [line["pid"] for line in events(program) if line.get("process") == name and "pid" in line]


@pytest.fixture(scope="module")
def started_once(shared_folder, shared_dir):
    """A running service that all share, and its address."""
    command = (HERE / "stub_service.py", shared_dir, 0, "create", "work")
    program = Program(
        *command, log=shared_folder / "stderr", WEIGHBRIDGE_DATABSE_URL="postgresql://somewhere"
    )
    yield program, address_of(program)
    program.close()


@pytest.fixture
def running(started_once):
    """The service that all share, once each of its parts is there again; its address; what it has said."""
    program, address = started_once
    until(lambda: get_or_none(address), what="the service answers")
    until(lambda: all(any(map(is_alive, started(program, part))) for part in PARTS), what="its parts live")
    return program, address, len(events(program))


def died(program, said):
    """Which parts have ended since so much was said, and how."""
    later = events(program)[said:]
    return [(one["process"], one["exit_code"]) for one in later if one["event"] == "process_died"]


def select_one(url):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT 1").fetchone()[0]


def test_the_service_says_ready_when_it_answers_and_its_parts_know_the_database(data_dir, serve):
    program = serve(data_dir)

    address = address_of(program)

    answer = get(address)
    assert address.startswith("http://127.0.0.1:")
    assert select_one(answer["database"]) == 1
    assert len(started(program, "worker")) == 1


def test_the_first_start_makes_the_key_of_the_audit_log_and_the_database_knows_it(data_dir, serve):
    address = address_of(serve(data_dir))

    with psycopg.connect(get(address)["database"]) as connection:
        known = connection.execute("SELECT public_key FROM audit_keys").fetchall()
    assert known == [(SigningKey.read((data_dir / "audit-key.pem").read_bytes()).public,)]


def test_a_signal_lets_requests_finish_then_stops_the_database_and_exits_with_0(migrated_dir, serve):
    program = serve(migrated_dir)
    address = address_of(program)
    answers = []
    request = threading.Thread(target=lambda: answers.append(get(address, "/slow")))
    request.start()
    until(lambda: "slow_request" in names(program), what="the slow request has arrived")

    program.signal(signal.SIGTERM)
    request.join()

    assert answers[0]["path"] == "/slow"
    assert program.exit_code() == 0
    assert postmaster(migrated_dir) is None
    assert get_or_none(address) is None
    assert "process_killed" not in names(program)


def test_a_task_that_does_not_end_is_abandoned_within_the_bound(migrated_dir, serve):
    program = serve(migrated_dir, worker="work_on")
    address_of(program)
    (worker,) = started(program, "worker")
    until(lambda: "working_on" in names(program), what="the worker has a task")

    program.signal(signal.SIGINT)

    assert program.exit_code() == 0
    assert not is_alive(worker)
    assert [line["process"] for line in events(program) if line["event"] == "process_killed"] == ["worker"]
    assert postmaster(migrated_dir) is None


def test_after_a_kill_nothing_but_the_database_is_left_and_the_same_port_serves_at_once(migrated_dir, serve):
    program = serve(migrated_dir, COMPUTING="1")
    address = address_of(program)
    family = children(program.pid)
    assert len(family) >= 4
    database = postmaster(migrated_dir)

    program.kill()

    again = serve(migrated_dir, port=urlsplit(address).port)
    assert address_of(again) == address
    assert not [number for number in family if is_alive(number)]
    assert postmaster(migrated_dir) == database
    again.signal(signal.SIGTERM)
    assert again.exit_code() == 0
    assert postmaster(migrated_dir) is None


def test_killed_parts_are_started_again_and_said_in_the_log(running):
    program, address, said = running
    worker, api = started(program, "worker"), started(program, "api-1")

    os.kill(worker[-1], signal.SIGKILL)
    until(lambda: len(started(program, "worker")) == len(worker) + 1, what="the worker is started again")
    os.kill(api[-1], signal.SIGKILL)
    until(
        lambda: len(started(program, "api-1")) == len(api) + 1,
        what="the first API process is started again",
    )
    until(lambda: get_or_none(address), what="the API answers")

    assert died(program, said) == [("worker", -9), ("api-1", -9)]


def test_a_killed_process_behind_the_api_is_replaced_too(running):
    program, address, said = running
    answering = get(address)["process"]

    os.kill(answering, signal.SIGKILL)
    until(lambda: died(program, said), what="the death is noticed")
    replaced = until(lambda: _others(address, answering), what="another process answers in its place")

    assert replaced != answering


def _others(address, number):
    answer = get_or_none(address)
    return answer is not None and answer["process"] != number and answer["process"]


def test_the_processes_come_to_the_database_as_a_role_that_owns_nothing(running):
    _, address, _ = running
    url = get(address)["database"]

    assert conninfo_to_dict(url)["user"] == RUNNING_ROLE
    with psycopg.connect(url) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute("ALTER TABLE audit_log DISABLE TRIGGER ALL")


def test_a_killed_database_is_started_again_on_the_same_socket_with_its_rows(running, shared_dir):
    program, address, said = running
    url = make_conninfo(get(address)["database"], user=OWNER)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 9 AS number")

    killed = kill_server(shared_dir)
    revived = until(lambda: postmaster(shared_dir), what="the database is started again")
    until(lambda: "database_started" in names(program)[said:], what="it says so")

    assert revived != killed
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (9,)


def test_a_second_service_on_the_same_port_is_refused_and_the_first_goes_on(running, shared_dir, serve):
    _, address, _ = running

    second = serve(shared_dir, port=urlsplit(address).port)

    assert second.exit_code() == 1
    assert f"port {urlsplit(address).port}: Address already in use." in second.log.read_text()
    assert get(address)["path"] == "/"


def test_a_service_with_an_external_database_starts_none_of_its_own(folder, migrated_dir, serve):
    with server(migrated_dir) as external:
        program = serve(folder / "unused", WEIGHBRIDGE_DATABASE_URL=external)

        assert get(address_of(program))["database"] == external
        assert not (folder / "unused" / "postgres").exists()

        program.signal(signal.SIGTERM)
        assert program.exit_code() == 0
        assert select_one(external) == 1


def test_a_second_service_of_the_same_folder_is_refused_and_told_who_serves_it(running, shared_dir, serve):
    program, address, _ = running

    second = serve(shared_dir)

    assert second.exit_code() == 1
    holder = f"process {program.process.pid} at {address}"
    assert f"The folder {shared_dir} is served already, by {holder}; stop" in second.log.read_text()
    assert get(address)["path"] == "/"


def test_an_application_that_cannot_start_ends_the_service_with_1_and_stops_the_database(data_dir, serve):
    program = serve(data_dir, application="create_broken")

    assert program.exit_code() == 1
    said = program.log.read_text()
    assert re.search(r"The api-[12] process ended with code 1 before it was ready\.", said)
    assert "this application cannot be made" in said
    assert postmaster(data_dir) is None


def test_a_signal_during_the_start_stops_what_was_started(fresh_dir, serve):
    program = serve(fresh_dir)
    until(lambda: postmaster(fresh_dir), what="the database has started")

    program.signal(signal.SIGTERM)

    assert program.exit_code() == 0
    assert postmaster(fresh_dir) is None


def test_an_unknown_setting_is_named_in_the_log(running):
    program, _, _ = running

    unknown = [line["variable"] for line in events(program) if line["event"] == "setting_unknown"]

    assert unknown == ["WEIGHBRIDGE_DATABSE_URL"]
