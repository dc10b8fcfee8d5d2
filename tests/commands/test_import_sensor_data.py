"""A real log of the hours of a gas turbine, from the file to an exact sum.

The suite takes the first of them; `make sensor` takes all 36,733.
"""

import csv
import gzip
import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice

import pytest
from tests.given import collection as given

ROWS = int(os.environ.get("HOURS", "3000"))
ALL = 36_733
ALL_ENERGY = Decimal("443019.2702")
START = datetime(2011, 1, 1, tzinfo=UTC)
POINTS = {
    "ambient-temperature": "degC",
    "ambient-pressure": "mbar",
    "ambient-humidity": "%",
    "air-filter-difference-pressure": "mbar",
    "gas-turbine-exhaust-pressure": "mbar",
    "turbine-inlet-temperature": "degC",
    "turbine-after-temperature": "degC",
    "compressor-discharge-pressure": "mbar",
    "turbine-energy-yield": "MWh",
    "carbon-monoxide": "mg/m**3",
    "nitrogen-oxides": "mg/m**3",
}
ENERGY = list(POINTS).index("turbine-energy-yield") + 1
PEAK_MEMORY_BYTES = 300_000_000

# Linux's own high-water mark of this program; ru_maxrss would count what the test run held when it forked.
WITH_PEAK_MEMORY = """
import atexit, pathlib, re, sys
from weighbridge.cli import main
status = pathlib.Path('/proc/self/status')
atexit.register(
    lambda: print(int(re.search(r'VmHWM:\\s+(\\d+) kB', status.read_text())[1]) * 1024, file=sys.stderr)
)
main()
"""


@pytest.fixture
def hours(sensor_data, tmp_path):
    """The first rows of the log, and the energy that they say."""
    with gzip.open(sensor_data, "rt", newline="") as file:
        lines = list(islice(file, ROWS + 1))
    path = tmp_path / "hours.csv"
    path.write_text("".join(lines))
    energy = sum((Decimal(row["Turbine energy yield"]) for row in csv.DictReader(lines)), Decimal(0))
    assert ROWS < ALL or energy == ALL_ENERGY
    return path, energy


@pytest.fixture
def turbine(api):
    """A project whose event type takes the eleven sensors, and its location."""
    plant = given.measuring(
        api, *(given.number(slug, unit=unit) for slug, unit in POINTS.items()), expected_locations="one"
    )
    return plant, given.location(api, plant)


def test_every_row_becomes_an_event_of_one_hour_and_the_energy_sums_exactly(
    program, hours, turbine, account_name, sql
):
    plant, location = turbine
    file, energy = hours
    end = START + timedelta(hours=ROWS)
    command = (
        "import", file, "--project", plant["id"], "--event-type", "delivery",
        "--location", location["id"], "--start", "2011-01-01T00:00:00Z", "--every", "1h",
        "--account", account_name, "--json",
    )  # fmt: skip

    done = program(*command, code=WITH_PEAK_MEMORY).expect(0)

    assert (done.json["rows"], done.json["stored"], done.json["incomplete"]) == (ROWS, ROWS, 0)
    assert (done.json["first_start"], done.json["last_end"]) == (
        "2011-01-01T00:00:00.000Z",
        f"{end:%Y-%m-%dT%H:%M:%S}.000Z",
    )
    assert int(done.err.splitlines()[-1]) < PEAK_MEMORY_BYTES
    assert sql(
        """
        SELECT count(*), count(DISTINCT start_time), count(DISTINCT client_reference),
               bool_and(end_time - start_time = interval '1 hour'), bool_and(is_complete), sum(numbers[%s])
          FROM events WHERE project_id = %s
        """,
        ENERGY,
        plant["numeric_id"],
    ) == [(ROWS, ROWS, ROWS, True, True, energy)]
    again = program(*command).expect(0)
    assert (again.json["stored"], again.json["already_there"]) == (0, ROWS)
