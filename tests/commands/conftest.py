"""The command line, called as a person calls it, on the database of the run."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from psycopg.conninfo import make_conninfo
from tests.given import collection as given
from tests.server import Account, Server

from weighbridge import cli
from weighbridge.db.embedded.instance import RUNNING_ROLE

ROOT = Path(__file__).parents[2]
DATA_VARIABLE = "WEIGHBRIDGE_SENSOR_DATA"
DATA_FILE = "gas-turbine-hourly.csv.gz"
COMMAND_SECONDS = 120
TIME_COLUMN = ("--map", "Time=start_time")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_float=Decimal)

    def expect(self, code: int) -> "Done":
        assert self.code == code, f"{self.code}\n{self.out}\n{self.err}"
        return self


Command = Callable[..., Done]


@pytest.fixture
def weighbridge(
    postgres: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """Runs a command in this process: `weighbridge("token", "create", …)`."""
    for name in [name for name in os.environ if name.startswith("WEIGHBRIDGE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WEIGHBRIDGE_DATABASE_URL", make_conninfo(postgres, user=RUNNING_ROLE))
    monkeypatch.setenv("WEIGHBRIDGE_MIGRATION_DATABASE_URL", postgres)
    monkeypatch.setenv("WEIGHBRIDGE_DATA_DIR", str(tmp_path / "data"))

    def run(*words: object, **variables: str) -> Done:
        if "WEIGHBRIDGE_DATABASE_URL" in variables:
            monkeypatch.delenv("WEIGHBRIDGE_MIGRATION_DATABASE_URL", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["weighbridge", *map(str, words)])
        monkeypatch.setattr("signal.signal", lambda *_: None)  # the run's own handlers stay
        capsys.readouterr()
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Cyclopts application invoked without tokens")
                cli.main()
            code = 0
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
        shown = capsys.readouterr()
        return Done(code, shown.out, shown.err)

    return run


@pytest.fixture
def program(postgres: str) -> Command:
    """Runs a command as a program of its own; on the database of the run unless told otherwise."""

    def run(*words: object, database: bool = True, code: str = "", **variables: str) -> Done:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIGHBRIDGE_")}
        chosen = {"WEIGHBRIDGE_DATABASE_URL": postgres} if database else {}
        start = ["-c", code] if code else ["-m", "weighbridge"]
        ended = subprocess.run(
            [sys.executable, *start, *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
            env=kept | chosen | variables,
        )
        return Done(ended.returncode, ended.stdout, ended.stderr)

    return run


@pytest.fixture
def account_name(account: Account, server: Server) -> str:
    """The name of this test's account, as commands take it."""
    ((name,),) = server.sql("SELECT name FROM accounts WHERE id = %s", account.id)
    return str(name)


@pytest.fixture(scope="session")
def sensor_data() -> Path:
    """A public data set of a gas turbine, which is too large to live in the repository."""
    folder = Path(os.environ.get(DATA_VARIABLE) or ROOT.parent / "shared" / "data")
    if not (folder / DATA_FILE).is_file():
        pytest.skip(f"{DATA_FILE} is not in {folder}; name its folder in {DATA_VARIABLE}")
    return folder / DATA_FILE


@pytest.fixture
def working(account: Account) -> Iterator[None]:
    """Has the tasks of the account carried out meanwhile, as workers do."""
    with account.working():
        yield


@pytest.fixture
def plant(api):
    """A project whose event type takes a mass, and a state that need not be there."""
    return given.measuring(api, given.number("steam-mass"), given.text("state"))


@pytest.fixture
def import_file(weighbridge, account_name, plant, tmp_path):
    """Imports a text as a file into the plant; a content of bytes is written as it is."""

    def run(content, *options, name="log.csv", event_type="delivery", times=TIME_COLUMN):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return weighbridge(
            "import", path, "--project", plant["id"], "--event-type", event_type,
            "--account", account_name, *times, *options, "--json",
        )  # fmt: skip

    return run


@pytest.fixture
def stored(sql, plant):
    """Reads the events of the plant past the service, in the order of their times."""

    def read(columns="start_time, numbers[1], texts[2]"):
        statement = (
            f"SELECT {columns} FROM events WHERE project_id = %s ORDER BY start_time, client_reference"
        )
        return sql(statement, plant["numeric_id"])

    return read
