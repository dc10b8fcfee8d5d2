"""A command loads what it needs: the list of all next to nothing, and only the service the web framework."""

import os
import re
import subprocess
import sys

import pytest

IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)
OF_THE_SERVICE = {"alembic", "granian", "jinja2", "litestar", "procrastinate", "pyarrow", "uvicorn"}
OF_COMMANDS = {
    "asyncio",
    "cryptography",
    "cyclopts",
    "lark",
    "msgspec",
    "psycopg",
    "rich",
    "structlog",
    "yaml",
}
MODULES_OF_THE_LIST_MAX = 100


def imported_by(*words, **variables):
    """The modules that a command has imported when it ends; all but those of Python's own start."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "weighbridge", *words],
        capture_output=True, text=True, check=False, env=os.environ | variables,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    return set(IMPORTED.findall(done.stderr))


def packages(modules):
    return {module.partition(".")[0] for module in modules}


def test_the_list_of_commands_loads_no_command_and_nothing_that_commands_need():
    modules = imported_by("--help")

    assert packages(modules) & (OF_THE_SERVICE | OF_COMMANDS) == set()
    assert {name for name in modules if name.startswith("weighbridge.")} == {
        "weighbridge.cli", "weighbridge.commands", "weighbridge.commands.contents", "weighbridge.garbage",
    }  # fmt: skip
    assert len(modules) < MODULES_OF_THE_LIST_MAX


@pytest.mark.parametrize(
    "words",
    [
        ("account", "create", "--name", "North"),
        ("cells", "list"),
        ("token", "create", "--name", "ci", "--permission", "data_collection:read"),
        ("verify",),
    ],
    ids=" ".join,
)
def test_a_command_on_the_database_loads_nothing_that_serves(words, migrated_database):
    modules = imported_by(*words, WEIGHBRIDGE_DATABASE_URL=migrated_database)

    assert packages(modules) & OF_THE_SERVICE == set()
