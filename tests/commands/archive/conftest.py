"""A plant with deliveries, a place for its archive, and the commands of archives."""

import json

import psycopg
import pytest
from tests.commands.archive.given import DIGITS_34
from tests.given import accounting
from tests.given.on_purpose import broken_on_purpose


@pytest.fixture
def place(tmp_path):
    return tmp_path / "archive"


@pytest.fixture
def plant(api, drain):
    """A plant that delivered in January and February of 2025."""
    return accounting.plant(api, drain, accounting.MASS, scale=12)


@pytest.fixture
def deliveries(plant):
    return [
        plant.deliver(DIGITS_34, "2025-01-10T00:00:00Z"),
        plant.deliver("2.5", "2025-01-31T23:59:59.999Z"),
        plant.deliver("3", "2025-02-01T00:00:00Z"),
    ]


@pytest.fixture
def archive(weighbridge, plant, place):
    """Runs a command of archives on the plant and the place; gives how it ended."""

    def run(verb, *words, code=0, to=None):
        target = {"write": ("--to", to or place), "list": ()}.get(verb, (to or place,))
        return weighbridge("archive", verb, *target, "--project", plant.project["id"], *words).expect(code)

    return run


@pytest.fixture
def write(archive):
    """Writes the months, and gives each with what became of it and its version."""

    def run(through="2025-12", **options):
        lines = archive("write", "--through", through, "--json", **options).out.splitlines()
        return [(one["month"], one["state"], one["version"]) for one in map(json.loads, lines)]

    return run


@pytest.fixture
def check(archive):
    """Compares the months, and gives what was found of each."""

    def run(code=0, **options):
        return [
            json.loads(line) for line in archive("check", "--json", code=code, **options).out.splitlines()
        ]

    return run


@pytest.fixture
def verify(archive):
    def run(code=0):
        return archive("verify", "--json", code=code).json

    return run


@pytest.fixture
def behind(postgres, plant):
    """Runs a statement as the owner of the tables could, past every trigger."""

    def run(statement, *values):
        broken_on_purpose(plant.project["numeric_id"])
        with psycopg.connect(postgres) as connection:
            connection.execute("ALTER TABLE events DISABLE TRIGGER USER")
            assert connection.execute(statement, values).rowcount == 1
            connection.execute("ALTER TABLE events ENABLE TRIGGER USER")

    return run
