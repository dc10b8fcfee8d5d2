"""Minutes become hours: what a slot comes to, and that it follows its readings."""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.roll_ups import events_of, hours, minutes, minutes_of, read, roll_up

D = Decimal


@pytest.fixture
def plant(api):
    project = given.project(api)
    minutes(api, project)
    return project


def test_the_minutes_of_an_hour_become_its_average(api, account, plant):
    kind = hours(api, plant)
    read(api, plant, minutes_of(10, [10, 20, 40]))

    roll_up(account)

    [hour] = events_of(api, plant, kind)
    assert (hour["start_time"], hour["end_time"]) == ("2025-01-01T10:00:00.000Z", "2025-01-01T11:00:00.000Z")
    assert hour["data_points"][0]["value"] == D("23.33333333333333333333333333333333")
    assert hour["rolled_up_from"]["readings"] == 3
