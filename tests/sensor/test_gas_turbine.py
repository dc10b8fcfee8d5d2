"""The hours of a real gas turbine, from the file to the ledger, to the last digit.

The data set is public (Gas Turbine CO and NOx Emission, UCI Machine Learning Repository) and too large to
live in the repository: its folder is named by WEIGHBRIDGE_SENSOR_DATA. The suite takes the first of its
hours; `make sensor` takes all 36,733, which are five years.
"""

import csv
import gzip
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import islice
from pathlib import Path

import pytest
from tests.given import accounting
from tests.given import collection as given

VARIABLE = "WEIGHBRIDGE_SENSOR_DATA"
FILE = "gas-turbine-hourly.csv.gz"
ROOT = Path(__file__).parents[2]
START = datetime(2011, 1, 1, tzinfo=UTC)
YEARS = ("2011-01-01T00:00:00Z", "2016-01-01T00:00:00Z")

HOURS = int(os.environ.get("HOURS", "3000"))
ALL = 36_733
ALL_MONTHS = 51
ALL_ENERGY = Decimal("443019.2702")
HOURS_OF_JANUARY = 744

COLUMNS = {
    "ambient-temperature": "degC",
    "ambient-pressure": "mbar",
    "ambient-humidity": "%",
    "air-filter-difference-pressure": "mbar",
    "gas-turbine-exhaust-pressure": "mbar",
    "turbine-inlet-temperature": "degC",
    "turbine-after-temperature": "degC",
    "compressor-discharge-pressure": "mbar",
    "turbine-energy-yield": "MWh",
    "carbon-monoxide": "mg/m3",
    "nitrogen-oxides": "mg/m3",
}
NODES = """
  - slug: energy
    input: {event_type: turbine-hour, data_point_type: turbine-energy-yield, aggregate: sum}
    unit: MWh
    output: true
  - slug: nitrogen_oxides
    input:
      event_type: turbine-hour
      data_point_type: nitrogen-oxides
      aggregate: average
      weight: turbine-energy-yield
    unit: mg/m3
    output: true
"""


@pytest.fixture
def readings(tmp_path):
    """A file of the first hours of the data set."""
    path = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared" / "data") / FILE
    if not path.is_file():
        pytest.skip(f"{FILE} is not in {path.parent}; name its folder in {VARIABLE}")
    first = tmp_path / "hours.csv"
    with gzip.open(path, "rt", newline="") as file:
        first.write_text("".join(islice(file, HOURS + 1)))
    return first


def import_into(account, postgres, project, path):
    """Import the file with the command, as an operator would."""
    ((name,),) = account.server.sql("SELECT name FROM accounts WHERE id = %s", account.id)
    command = [
        sys.executable, "-m", "weighbridge", "import", str(path), "--project", project["id"],
        "--event-type", "turbine-hour", "--account", name, "--start", "2011-01-01T00:00:00Z", "--every", "1h",
        "--json",
    ]  # fmt: skip
    kept = {key: value for key, value in os.environ.items() if not key.startswith("WEIGHBRIDGE_")}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=kept | {"WEIGHBRIDGE_DATABASE_URL": postgres},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def every_hour(path):
    """Energy and NOx of each hour, read from the file by nothing of the service."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    energy, oxides = (
        next(name for name in rows[0] if name.lower().startswith(word))
        for word in ("turbine energy", "nitrogen")
    )
    return [(Decimal(row[energy]), Decimal(row[oxides])) for row in rows]


def months(hours):
    """How many months so many hours from the first on touch."""
    return len({f"{START + timedelta(hours=number):%Y-%m}" for number in range(hours)})


def test_the_hours_of_a_turbine_come_to_the_exact_energy_and_the_weighted_oxides(
    account, api, drain, postgres, readings
):
    project = given.project(api)
    points = [given.number(slug, unit=unit) for slug, unit in COLUMNS.items()]
    given.event_type(api, project, slug="turbine-hour", data_point_types=points)
    model = accounting.model(api, project, accounting.document(NODES, primary_output="energy"))
    energy = accounting.ledger(api, project, model, name="Energy", unit="MWh")
    oxides = accounting.ledger(
        api, project, model, name="NOx", unit="mg/m3", output="nitrogen_oxides", scale=20
    )
    plant = accounting.Plant(api, drain, project, model, energy)

    import_into(account, postgres, project, readings)
    result = plant.generate(YEARS, generate_concurrent_ledgers=True)

    batches, every = plant.batches(), every_hour(readings)
    whole = sum(mwh for mwh, _ in every)
    assert HOURS < ALL or (months(HOURS), whole) == (ALL_MONTHS, ALL_ENERGY)
    assert (len(batches), result["created"]) == (months(HOURS), 2 * months(HOURS))
    assert result["not_counted"] == []
    assert sum(batch["primary_output"]["value"] for batch in batches) == plant.balance() == whole
    assert sum(batch["input_data_count"] for batch in batches) == 2 * HOURS
    hours = every[:HOURS_OF_JANUARY]
    assert batches[0]["primary_output"]["value"] == sum(mwh for mwh, _ in hours)
    mean = sum(mwh * nox for mwh, nox in hours) / sum(mwh for mwh, _ in hours)
    found = plant.batches(oxides)[0]["primary_output"]["value"]
    assert found == mean.quantize(Decimal("1e-20"), ROUND_HALF_EVEN)
    assert plant.count(YEARS) == 0
