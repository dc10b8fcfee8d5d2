"""The command line of the service, as a person at a terminal meets it."""

import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

import pytest
from tests.durability.processes import Program, environment, postmaster

COMMANDS = ("serve", "worker", "migrate", "user")
PASSWORD = "a password of the tests"  # noqa: S105 - of no real person


def weighbridge(*arguments, **variables):
    command = [sys.executable, "-m", "weighbridge", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=30, env=environment(**variables)
    )


def test_help_names_every_command():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = weighbridge("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert shown.returncode == 0
    assert [name for name in COMMANDS if name not in shown.stdout] == []
    # Processor time is the command's own, however busy the machine is.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


@pytest.mark.parametrize("name", COMMANDS[:-1])
def test_each_command_explains_itself_with_an_example(name):
    shown = weighbridge(name, "--help")

    assert shown.returncode == 0
    assert "Example:" in shown.stdout


def test_migrate_brings_a_new_database_to_the_newest_revision_and_says_which(fresh_dir):
    done = weighbridge("migrate", "--data-dir", fresh_dir, "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["revision"]
    assert postmaster(fresh_dir) is None


def test_a_port_in_use_is_said_in_one_sentence_without_a_trace(fresh_dir):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = weighbridge("serve", "--data-dir", fresh_dir, "--port", port)

    assert done.returncode == 1
    assert done.stderr == f"The service cannot listen on 127.0.0.1 port {port}: Address already in use.\n"
    assert not fresh_dir.exists()


def test_a_data_directory_that_cannot_be_made_is_said_in_one_sentence(folder):
    (folder / "file").write_text("not a folder")

    done = weighbridge("migrate", "--data-dir", folder / "file" / "data")

    assert done.returncode == 1
    assert done.stderr == f"The folder {folder}/file/data/postgres cannot be made: Not a directory.\n"


def test_every_wrong_setting_is_named_at_once():
    done = weighbridge("migrate", WEIGHBRIDGE_PORT="tcp://10.0.0.1:80", WEIGHBRIDGE_LOG_FORMAT="xml")

    assert done.returncode == 1
    assert done.stderr == (
        "WEIGHBRIDGE_PORT is 'tcp://10.0.0.1:80', and must be a whole number from 0 to 65535.\n"
        "WEIGHBRIDGE_LOG_FORMAT is 'xml', and must be one of auto, console, json.\n"
    )


def test_the_data_directory_comes_from_its_variable_and_the_option_stands_before_it(folder, data_dir):
    done = weighbridge("migrate", "--data-dir", data_dir, WEIGHBRIDGE_DATA_DIR=str(folder / "unused"))

    assert done.returncode == 0, done.stderr
    assert not (folder / "unused").exists()


def test_an_interrupted_command_leaves_no_server_running(data_dir):
    command = [sys.executable, "-m", "weighbridge", "serve", "--data-dir", str(data_dir), "--port", "0"]
    with subprocess.Popen(
        command, env=environment(), stderr=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 20
        while postmaster(data_dir) is None and time.monotonic() < deadline:
            time.sleep(0.02)

        process.send_signal(signal.SIGINT)
        exit_code = process.wait(20)

    assert exit_code == 0
    assert postmaster(data_dir) is None


def test_each_start_offers_a_link_for_the_first_person_until_somebody_has_joined(migrated_dir, folder):
    typed = {"email": "ada@plant.example", "password": PASSWORD, "again": PASSWORD}
    first, second = served(migrated_dir, folder), served(migrated_dir, folder)

    with first as (address, program):
        said, _, link = program.line().rpartition(" ")
        assert said == "No user can sign in to the pages yet. The first person joins here, once:"
        assert link.startswith(f"{address}/join?key=")
        body = urlencode(typed | {"key": link.partition("key=")[2]})
        site = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
        site.request("POST", "/join", body, {"origin": address})
        assert site.getresponse().status == 303
        site.close()
    with second as (_, program):
        program.signal(signal.SIGTERM)
        assert program.exit_code() == 0
        assert program.process.stdout.read() == ""


@contextmanager
def served(data_dir, folder):
    """The real service on a data directory, until the block ends: its address, and the program."""
    arguments = ("serve", "--data-dir", data_dir, "--port", 0, "--api-processes", 1)
    variables = {"WEIGHBRIDGE_COMPUTING_PROCESSES": "0"}
    program = Program("-m", "weighbridge", *arguments, log=folder / "stderr", **variables)
    try:
        word, address = program.line().split()
        assert word == "ready"
        yield address, program
    finally:
        program.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root cannot be refused as root")
@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("worker",)])
def test_root_is_refused_where_the_setting_says_so(fresh_dir, command):
    done = weighbridge(*command, "--data-dir", fresh_dir, WEIGHBRIDGE_ROOT="refuse")

    assert done.returncode == 1
    assert done.stderr.startswith(
        "The service was started as root, which WEIGHBRIDGE_ROOT=refuse does not allow"
    )
    assert not fresh_dir.exists()
