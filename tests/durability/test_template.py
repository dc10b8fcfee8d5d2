"""A process that is forked from the template is the same as one that is started anew."""

import asyncio
import json
import os
import signal
import sys

import pytest
from tests.durability.processes import environment, is_alive, until

from weighbridge.supervisor.forking import process_template, start_anew
from weighbridge.supervisor.process import PARENT_VARIABLE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

PATHS = {"PYTHONPATH": environment()["PYTHONPATH"]}
CODES = {"return": 0, "code": 3, "message": 1, "error": 1, "leave": 4, "signal": -signal.SIGTERM}


class Starts:
    """Starts the program of `ended.py` forked and anew, on a loop that lasts as long as the template."""

    def __init__(self, runner, template, folder):
        self._runner, self._template, self._folder = runner, template, folder
        self._number = 0

    def run(self, way, ending, **variables):
        """The exit code, and what the program wrote of itself."""
        return self._runner.run(self._run(way, ending, variables))

    def fork(self, ending="signal"):
        """What is forked; None where the template cannot."""
        return self._runner.run(self._template.fork(*self._program(ending, {})[1:]))

    def wait(self, process):
        return self._runner.run(process.wait())

    def template_pid(self):
        return self._template._process.pid

    async def _run(self, way, ending, variables):
        file, command, variables = self._program(ending, variables)
        start = self._template.fork if way == "forked" else start_anew
        process = await start(command, variables)
        while not file.exists():  # noqa: ASYNC110 - a file tells no event
            await asyncio.sleep(0.01)
        if ending == "signal":
            process.send_signal(signal.SIGTERM)
        return await process.wait(), json.loads(file.read_text())

    def _program(self, ending, variables):
        self._number += 1
        file = self._folder / f"written-{self._number}"
        command = (sys.executable, "-m", "ended", str(file), ending)
        return file, command, environment(**{PARENT_VARIABLE: str(os.getpid())}, **variables)


@pytest.fixture(scope="module")
def starts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template")
    with asyncio.Runner() as runner, process_template([], PATHS) as template:
        template.prepare(environment(OF_TEMPLATE="1"))
        yield Starts(runner, template, folder)


@pytest.mark.parametrize("ending", [*CODES])
def test_exit_codes_are_those_of_a_program(starts, ending):
    forked, _ = starts.run("forked", ending)
    anew, _ = starts.run("anew", ending)

    assert forked == anew == CODES[ending]


def test_a_forked_process_has_its_own_session_command_environment_and_signals(starts):
    _, forked = starts.run("forked", "return", OF_PROGRAM="1")
    _, anew = starts.run("anew", "return", OF_PROGRAM="1")

    parents = [one["environment"].pop(PARENT_VARIABLE) for one in (forked, anew)]
    assert parents == [str(starts.template_pid()), str(os.getpid())]
    for one in (forked, anew):
        one["arguments"].pop(0), one["command"].pop(3), one.pop("pid"), one.pop("random")
    assert forked == anew
    assert forked["leads"] == [True, True]


def test_forked_processes_draw_other_random_numbers_each(starts):
    """Python makes its generator anew in a child; nothing here may have one of its own."""
    first, second = (starts.run("forked", "return")[1] for _ in range(2))

    assert first["random"] != second["random"]


def test_a_signal_to_all_processes_leaves_the_template(starts):
    """As service managers stop a service: a template that ended would take requests under way with it."""
    template = starts.template_pid()

    for number in (signal.SIGTERM, signal.SIGINT):
        os.kill(template, number)

    assert starts.run("forked", "code")[0] == 3
    assert starts.template_pid() == template


def test_when_the_template_dies_its_children_do_and_the_next_is_forked_from_another(starts):
    child, template = starts.fork(), starts.template_pid()

    os.kill(template, signal.SIGKILL)

    assert starts.wait(child) == -signal.SIGKILL
    until(lambda: not is_alive(child.pid), what="the child has ended")
    assert starts.run("forked", "code")[0] == 3
    assert starts.template_pid() != template


def test_the_end_of_the_template_leaves_no_child(tmp_path):
    with asyncio.Runner() as runner, process_template([], PATHS) as template:
        template.prepare(environment())
        command = (sys.executable, "-m", "ended", str(tmp_path / "written"), "signal")
        child = runner.run(template.fork(command, environment()))
        assert is_alive(child.pid)

    until(lambda: not is_alive(child.pid), what="the child has ended")
