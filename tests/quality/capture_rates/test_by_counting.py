"""Rates and gaps come to what counting slot by slot comes to, whatever came, was out, or out of service."""

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest
from tests.given import collection as given

from weighbridge.core.time.calendar import CadenceSlots

START = datetime(2025, 3, 28, 23, tzinfo=UTC)
DAYS = 4
"""Around the night in which clocks advance in Berlin."""

QUARTER = timedelta(minutes=15)


def moment(quarters):
    return START + quarters * QUARTER


def times(random, longest):
    start = random.randrange(-20, DAYS * 96)
    return moment(start), moment(start + random.randrange(1, longest))


def made_up(api, project, random):
    """Two meters with readings, some of them bad, with outages and times in service."""
    meters = []
    for name in ("East", "West"):
        from_on, until = times(random, 400)
        service = {"in_service_from": from_on, "in_service_until": until} if random.random() < 0.5 else {}
        asset = given.asset(
            api, project, name=name, **{key: value.isoformat() for key, value in service.items()}
        )
        outages = [times(random, 40) for _ in range(random.randrange(5))]
        for start, end in outages:
            given.outage(
                api, project, start_time=start.isoformat(), end_time=end.isoformat(), asset_id=asset["id"]
            )
        readings = [(times(random, 2)[0], random.random() < 0.8) for _ in range(60)]
        given.events(
            api,
            project,
            [
                given.event_body(
                    event_type="flow",
                    start_time=time.isoformat(),
                    values={"good": good},
                    asset_id=asset["id"],
                )
                for time, good in readings
            ],
        )
        meters.append((service, outages, readings))
    return meters


def counted(meter, slots, start, end):
    """Expected, received and valid, slot by slot and quarter of an hour by quarter of an hour."""
    service, outages, readings = meter
    begun = {slots.holding(start + index * QUARTER) for index in range((end - start) // QUARTER)}
    found = [0, 0, 0]
    for number in begun:
        opens, closes = slots.start(number), slots.start(number + 1)
        out = all(
            any(one <= opens + index * QUARTER < other for one, other in outages)
            for index in range((closes - opens) // QUARTER)
        )
        is_in_service = not service or service["in_service_from"] <= opens < service["in_service_until"]
        if out or not is_in_service or not start <= opens < end:
            continue
        came = [good for time, good in readings if opens <= time < closes]
        found = [found[0] + 1, found[1] + bool(came), found[2] + any(came)]
    return tuple(found)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_told_is_what_counting_finds(api, seed):
    random = Random(seed)  # noqa: S311 - made-up data
    amount, unit = random.choice([(15, "minute"), (1, "hour"), (4, "hour"), (7, "hour"), (1, "day")])
    project = given.project(api, time_zone="Europe/Berlin")
    kind = given.event_type(
        api, project, slug="flow", data_point_types=[given.boolean("good")],
        cadence_amount=amount, cadence_unit=unit, valid_when="good",
    )  # fmt: skip
    meters = made_up(api, project, random)
    slots = CadenceSlots(amount, unit, ZoneInfo("Europe/Berlin"))
    path = f"/projects/{project['id']}/event_types/{kind['id']}"
    # The third of the days has 23 hours.
    cuts = [START, START + timedelta(hours=24), START + timedelta(hours=47), START + timedelta(hours=71)]
    query = {"start_time": cuts[0].isoformat(), "end_time": cuts[-1].isoformat()}

    told = api.get(f"{path}/capture_rate", query | {"period": "day"}).expect(200).body
    gaps = api.get(f"{path}/gaps", query).expect(200).body["data"]

    assert len(told["data"]) == 3
    for day, start, end in zip(told["data"], cuts, cuts[1:], strict=False):
        figures = [
            tuple(one["figures"][name] for name in ("expected", "received", "valid")) for one in day["meters"]
        ]
        assert figures == [counted(meter, slots, start, end) for meter in meters]
    total = told["total"]
    assert sum(gap["missing"] for gap in gaps) == total["missing"]
    assert sum(gap["slots"] for gap in gaps) == total["expected"] - total["valid"]
