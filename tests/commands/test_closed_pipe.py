"""A command whose output nobody reads any more ends quietly, as programs do that SIGPIPE ends."""

import os
import signal
import subprocess
import sys

import pytest

from weighbridge.commands.app import app

ENDED_BY_SIGPIPE = 128 + signal.SIGPIPE
NAMES = [name for name in app if not name.startswith("-")]
TRIED = NAMES[:: max(1, len(NAMES) // 12)]
"""Some of all; each takes the start of a process."""


def unread(*words):
    """Run a command whose reader has gone; gives its code and what it said besides."""
    reading, writing = os.pipe()
    program = subprocess.Popen(
        [sys.executable, "-m", "weighbridge", *words], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    os.close(reading)
    _, said = program.communicate(timeout=60)
    return program.returncode, said.decode()


@pytest.mark.parametrize("name", TRIED)
def test_a_command_says_nothing_of_a_reader_that_is_gone(name):
    assert unread(name, "--help") == (ENDED_BY_SIGPIPE, "")


def test_a_long_output_ends_quietly_too():
    assert unread("openapi") == (ENDED_BY_SIGPIPE, "")


def test_a_broken_pipe_that_is_no_output_of_ours_is_told(tmp_path):
    """A service that closes a connection is another matter than a reader that has gone."""
    file = tmp_path / "out"
    with file.open("wb") as output:
        done = subprocess.run(
            [sys.executable, "-c", BROKEN_ELSEWHERE], stdout=output, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"BrokenPipeError" in done.stderr


BROKEN_ELSEWHERE = """
import sys
from weighbridge import cli
from weighbridge.commands.app import app

@app.command
def break_elsewhere():
    raise BrokenPipeError("the service went away")

sys.argv = ["weighbridge", "break-elsewhere"]
cli.main()
"""
