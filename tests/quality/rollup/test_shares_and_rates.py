"""What a roll-up says of a slot's readings and what the capture rate says of that time are one share."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest
from tests.given import collection as given
from tests.given.roll_ups import events_of, hours, minutes, roll_up

START = datetime(2025, 1, 1, tzinfo=UTC)
DAYS = 3


@pytest.fixture
def plant(api):
    """A project of UTC, whose kilns are read every hour, and rolled up to days."""
    project = given.project(api, time_zone="UTC")
    source = minutes(
        api,
        project,
        cadence_unit="hour",
        valid_when="quality = 'good'",
    )
    return project, source


def reading(hour, minute=0, **fields):
    time = START + timedelta(hours=hour, minutes=minute)
    good = fields.pop("good", True)
    return given.event_body(
        event_type="stack-minute",
        start_time=time.isoformat(),
        values={"co2": 1, "quality": "good" if good else "bad"},
        **fields,
    )


def rates(api, project, source):
    """The capture rate of each meter on each day that has readings."""
    asked = {
        "start_time": START.isoformat(),
        "end_time": (START + timedelta(days=DAYS)).isoformat(),
        "period": "day",
    }
    path = f"/projects/{project['id']}/event_types/{source['id']}/capture_rate"
    return {
        (meter["asset_id"], meter["location_id"], one["start_time"]): meter["figures"]["capture_rate"]
        for one in api.get(path, asked).expect(200).body["data"]
        for meter in one["meters"]
        if meter["figures"]["received"]
    }


def shares(events: Iterable):
    """The share of valid readings that each rolled-up event says of its meter and day."""
    return {
        (
            None if one["asset"] is None else one["asset"]["id"],
            None if one["asset"] is not None else next((at["id"] for at in one["locations"]), None),
            one["start_time"],
        ): one["rolled_up_from"]["valid_share"]
        for one in events
    }


def test_half_a_day_of_hours_is_half_of_it_whatever_the_feedstock(api, account, plant):
    project, _ = plant
    days = hours(api, project, unit="day", valid_share_min=0.8)
    feedstocks = [given.feedstock(api, project, name=name)["id"] for name in ("Wood", "Straw")]
    given.events(
        api,
        project,
        [
            reading(hour, minute, feedstock_id=feedstock)
            for hour in range(12)
            for minute, feedstock in zip((0, 30), feedstocks, strict=True)
        ],
    )

    roll_up(account)

    made = events_of(api, project, days)
    assert [(one["status"], one["rolled_up_from"]["valid_share"]) for one in made] == [
        ("incomplete", Decimal("0.5")),
        ("incomplete", Decimal("0.5")),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_the_share_of_a_day_is_its_capture_rate_whatever_readings_are_tagged_with(api, account, plant, seed):
    project, source = plant
    random = Random(seed)  # noqa: S311 - made-up data
    days = hours(api, project, unit="day", valid_share_min=0.5)
    kilns = [given.asset(api, project, name=name)["id"] for name in ("East", "West")]
    yards = [given.location(api, project, name=name) for name in ("North", "South")]
    feedstocks = [None, *(given.feedstock(api, project, name=name)["id"] for name in ("Wood", "Straw"))]
    given.events(
        api,
        project,
        [
            reading(
                random.randrange(24 * DAYS),
                random.randrange(60),
                good=random.random() < 0.7,
                asset_id=random.choice([None, *kilns]),
                locations=[random.choice(yards)],
                feedstock_id=random.choice(feedstocks),
                tracking_id=random.choice([None, "A", "B"]),
            )
            for _ in range(300)
        ],
    )

    roll_up(account)

    assert shares(events_of(api, project, days)) == rates(api, project, source)
