"""How long a slot is: in days by the project's calendar, in hours as the clock ran."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given.accounting import MASS
from tests.given.inputs import recomputed

LENGTHS = (
    MASS
    + """
  - slug: days
    formula: period_days()
    unit: d
    output: true
  - slug: hours
    formula: period_hours()
    unit: h
    output: true
"""
)


def lengths(plant, cadence, moment):
    """The days and the hours of the slot that holds a moment."""
    plant.deliver(1, moment)
    plant.generate(("2024-12-31T00:00:00Z", "2026-01-02T00:00:00Z") if cadence != "hourly" else hour(moment))
    (batch,) = plant.batches()
    nodes = {
        one["slug"]: one["value"] for one in plant.api.get(f"/batches/{batch['id']}/lineage").body["nodes"]
    }
    return [nodes["days"], nodes["hours"]]


def hour(moment):
    return moment, moment.replace("00:00Z", "59:59Z")


@pytest.mark.parametrize(
    ("cadence", "time_zone", "moment", "expected"),
    [
        ("monthly", "Europe/Berlin", "2025-03-15T00:00:00Z", "31 743"),
        ("monthly", "Europe/Berlin", "2025-10-15T00:00:00Z", "31 745"),
        ("monthly", "UTC", "2025-03-15T00:00:00Z", "31 744"),
        ("daily", "Europe/Berlin", "2025-03-30T12:00:00Z", "1 23"),
        ("weekly", "Europe/Berlin", "2025-03-30T12:00:00Z", "7 167"),
        ("quarterly", "Europe/Berlin", "2025-03-30T12:00:00Z", "90 2159"),
        ("annual", "Europe/Berlin", "2025-03-30T12:00:00Z", "365 8760"),
        ("hourly", "Europe/Berlin", "2025-03-30T12:00:00Z", "0.04347826086956521739130434782608696 1"),
        ("hourly", "UTC", "2025-03-30T12:00:00Z", "0.04166666666666666666666666666666667 1"),
    ],
)
def test_days_are_counted_by_the_calendar_and_hours_by_the_clock(
    api, drain, cadence, time_zone, *, moment, expected
):
    plant = accounting.plant(api, drain, LENGTHS, cadence=cadence, time_zone=time_zone)

    assert lengths(plant, cadence, moment) == [Decimal(length) for length in expected.split()]


def test_a_batch_is_computed_anew_by_the_calendar_of_its_project(api, drain, server):
    plant = accounting.plant(api, drain, LENGTHS, time_zone="Europe/Berlin")

    assert lengths(plant, "monthly", "2025-03-15T00:00:00Z") == [31, 743]
    assert recomputed(server, plant) == []
