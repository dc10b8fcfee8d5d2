"""Rates, gaps, fillings and rules agree on which slots are expected of a meter, whatever is out."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from tests.given import collection as given
from tests.given.rule_evaluation import rule, work

BEGIN = datetime(2025, 3, 29, tzinfo=UTC)
"""The day before clocks go forward in Berlin."""
HOURS = 48
RANGE = {"start_time": BEGIN.isoformat(), "end_time": (BEGIN + timedelta(hours=HOURS)).isoformat()}
LENGTHS = (5, 30, 60, 90, 240)


def at(minute):
    return (BEGIN + timedelta(minutes=minute)).isoformat()


def plant(api, amount, unit):
    project = given.project(api, time_zone="Europe/Berlin")
    kind = given.event_type(
        api,
        project,
        slug="delivery",
        cadence_amount=amount,
        cadence_unit=unit,
        data_point_types=[given.number("mass")],
    )
    return project, kind


def read(api, project, minutes, **tags):
    bodies = [
        given.event_body(start_time=at(minute), values={"mass": -1}, **tags) for minute in sorted(minutes)
    ]
    given.events(api, project, bodies)


def missed_by_rate(api, project, kind):
    """How many expected slots of each meter lack a reading, by its capture rate."""
    path = f"/projects/{project['id']}/event_types/{kind['id']}/capture_rate"
    meters = api.get(path, RANGE | {"period": "day"}).expect(200).body["meters"]
    return {one["asset_id"]: one["figures"]["missing"] for one in meters}


def missed_by_gaps(api, project, kind):
    """The same, by the gaps that are listed."""
    path = f"/projects/{project['id']}/event_types/{kind['id']}/gaps"
    missed = {}
    for gap in api.get(path, RANGE).expect(200).body["data"]:
        missed[gap["asset_id"]] = missed.get(gap["asset_id"], 0) + gap["missing"]
    return missed


def missed_by_rule(api, project):
    """The same, by what a rule counts at each reading."""
    path = f"/projects/{project['id']}/rules/preview"
    counting = {
        "name": "Counting",
        "expression": "missed_slots() > 0",
        "data_point": "mass",
        "purpose": "adjust",
        "correction": {"method": "expression", "expression": "missed_slots()"},
        "effective_from": "2020-01-01T00:00:00Z",
    }
    found = api.post(path, {"rule": counting, **RANGE}).expect(200).body["data"]
    assets = {
        one["id"]: one["asset"]["id"]
        for one in api.get(f"/projects/{project['id']}/events", {"page_size": "200"}).data
    }
    missed = {}
    for alert in found:
        asset = assets[alert["event_id"]]
        missed[asset] = missed.get(asset, 0) + int(alert["to_value"])
    return missed


def missed_by_filling(api, account, project):
    """The same, by the events that a rule makes for empty slots."""
    rule(
        api,
        project,
        "{{mass}} is null",
        purpose="impute",
        data_point="mass",
        correction={"method": "constant", "value": 2},
    )
    work(account)
    missed = {}
    for event in api.get(f"/projects/{project['id']}/events", {"page_size": "200"}).data:
        if event["data_points"][0]["value_source"] == "imputed":
            missed[event["asset"]["id"]] = missed.get(event["asset"]["id"], 0) + 1
    return missed


def present(missed):
    return {meter: count for meter, count in missed.items() if count}


@pytest.mark.parametrize("minute", [0, 5, 55])
def test_five_minutes_of_outage_take_no_hour_out_wherever_they_begin(api, account, minute):
    project, kind = plant(api, 1, "hour")
    kiln = given.asset(api, project)["id"]
    read(api, project, [0, 60, 240], asset_id=kiln)
    given.outage(api, project, start_time=at(120 + minute), end_time=at(125 + minute))
    ends = {"start_time": at(0), "end_time": at(241)}

    path = f"/projects/{project['id']}/event_types/{kind['id']}"
    rate = api.get(f"{path}/capture_rate", ends | {"period": "day"}).expect(200).body["total"]
    assert (rate["expected"], rate["missing"]) == (5, 2)
    assert sum(gap["missing"] for gap in api.get(f"{path}/gaps", ends).body["data"]) == 2
    assert missed_by_rule(api, project) == {kiln: 2}
    assert missed_by_filling(api, account, project) == {kiln: 2}


@pytest.mark.parametrize("seed", range(6))
def test_rates_gaps_rules_and_fillings_agree_whatever_is_out(api, account, seed):
    random = Random(seed)  # noqa: S311 - made-up data
    amount, unit, step = random.choice([(1, "hour", 60), (30, "minute", 30), (2, "hour", 120)])
    project, kind = plant(api, amount, unit)
    kilns = [given.asset(api, project, name=name)["id"] for name in ("East", "West")]
    last = HOURS * 60 - step
    for kiln in kilns:
        some = {minute for minute in range(step, last, step) if random.random() < 0.6}
        read(api, project, {0, last} | {minute + random.randrange(step) for minute in some}, asset_id=kiln)
    for _ in range(8):
        start = random.randrange(12, HOURS * 12 - 60) * 5
        named = random.choice([{}, {"asset_id": random.choice(kilns)}, {"event_type_id": kind["id"]}])
        lasting = random.choice(LENGTHS)
        given.outage(api, project, start_time=at(start), end_time=at(start + lasting), **named)
    service = {"in_service_from": at(-90), "in_service_until": at(last + 7)}
    api.patch(f"/projects/{project['id']}/assets/{kilns[0]}", {"asset": service}).expect(200)

    by_rate = present(missed_by_rate(api, project, kind))

    assert present(missed_by_gaps(api, project, kind)) == by_rate
    assert missed_by_rule(api, project) == by_rate
    assert missed_by_filling(api, account, project) == by_rate
