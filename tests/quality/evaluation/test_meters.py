"""Windows look at one meter: what a rule finds of a kiln is what it would find if the kiln stood alone."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from tests.given import collection as given
from tests.given.rule_evaluation import change, evaluate, results, rule, work

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
SIX_HOURS = {"kind": "rolling", "duration": {"value": 6, "unit": "hour"}, "include_current": True}
LAST = {"kind": "rolling", "members": 1}

MISSING = ("missed_slots() > 0", {"data_point": "mass"})
FLAT = ("count({{mass}}) >= 6 and max({{mass}}) = min({{mass}})", {"window": SIX_HOURS})
BACKWARDS = ("{{mass}} < previous({{mass}})", {"window": LAST})
RULES = [
    MISSING,
    FLAT,
    BACKWARDS,
    ("{{mass}} > (2 * avg({{mass}}))", {"window": {"kind": "rolling", "members": 3}}),
    ("sum({{mass}}) > 20", {"window": {"kind": "calendar", "unit": "day"}}),
    ("sum({{mass}}) > 20", {"window": {"kind": "calendar", "unit": "day", "extent": "whole_period"}}),
    ("count_same({{mass}}) > 1", {"window": {"kind": "rolling", "members": 5, "where": "{{mass}} > 2"}}),
]


def plant(api, *, locations="none"):
    project = given.project(api, time_zone="UTC")
    given.event_type(
        api,
        project,
        slug="delivery",
        cadence_amount=1,
        cadence_unit="hour",
        expected_locations=locations,
        data_point_types=[given.number("mass")],
    )
    return project


def read(api, project, hours, **tags):
    """Store masses by their hours."""
    bodies = [
        given.event_body(
            start_time=(BEGIN + timedelta(hours=hour)).isoformat(), values={"mass": mass}, **tags
        )
        for hour, mass in hours.items()
    ]
    return given.events(api, project, bodies) if bodies else []


def hours_of(api, project, made):
    """The hours of what a rule alerts on now, in order."""
    events = {
        one["id"]: one["start_time"]
        for one in api.get(f"/projects/{project['id']}/events", {"page_size": "200"}).data
    }
    return sorted(
        int((datetime.fromisoformat(events[one["event_id"]]) - BEGIN) / timedelta(hours=1))
        for one in results(api, made, status="fail")
    )


@pytest.fixture
def project(api):
    return plant(api)


@pytest.fixture
def kilns(api, project):
    return [given.asset(api, project, name=name)["id"] for name in ("East", "West")]


@pytest.mark.parametrize(
    ("words", "readings", "wanted"),
    [
        (MISSING, ({0: 1, 1: 2, 3: 3}, {hour: hour for hour in range(4)}), [3]),
        (FLAT, (dict.fromkeys(range(8), 5), {hour: hour for hour in range(8)}), [5, 6, 7]),
        (BACKWARDS, ({hour: 100 + hour for hour in range(8)}, {hour: hour for hour in range(8)}), []),
    ],
)
def test_what_one_kiln_reads_says_nothing_of_another(api, account, words, readings, wanted):
    project = plant(api)
    made = rule(api, project, words[0], **words[1])
    for hours in readings:
        read(api, project, hours, asset_id=given.asset(api, project)["id"])
    work(account)

    assert hours_of(api, project, made) == wanted


@pytest.mark.parametrize("seed", range(3))
def test_a_meter_beside_others_has_the_alerts_that_it_has_alone(api, account, seed):
    random = Random(seed)  # noqa: S311 - made-up data
    masses = [
        {hour: random.randrange(6) for hour in random.sample(range(60), 25)} for _ in range(3)
    ]  # of two assets, and of one location
    together = plant(api, locations="one")
    places = [given.location(api, together, name=name) for name in ("North", "South")]
    kilns = [given.asset(api, together, name=name)["id"] for name in ("East", "West")]
    tags = [*({"asset_id": kiln} for kiln in kilns), {}]
    for hours, tag in zip(masses, tags, strict=True):
        for first, place in enumerate(places if tag else places[:1]):
            some = {hour: mass for hour, mass in hours.items() if not tag or hour % 2 == first}
            read(api, together, some, locations=[place], **tag)
    apart = [plant(api) for _ in masses]
    for one, hours in zip(apart, masses, strict=True):
        read(api, one, hours)
    made = [
        [rule(api, one, words, name=f"{number}", **fields) for number, (words, fields) in enumerate(RULES)]
        for one in (together, *apart)
    ]
    work(account)

    for number, words in enumerate(RULES):
        alone = [
            hour
            for place, one in enumerate(apart, start=1)
            for hour in hours_of(api, one, made[place][number])
        ]
        assert hours_of(api, together, made[0][number]) == sorted(alone), words


def test_a_rule_may_look_at_all_meters_together(api, account, project, kilns):
    made = rule(api, project, "sum({{mass}}) > 5", window=SIX_HOURS, window_meters="all")
    for hour, kiln in enumerate(kilns):
        read(api, project, {hour: 4}, asset_id=kiln)
    work(account)
    assert hours_of(api, project, made) == [1]

    change(api, made, window_meters="own")
    work(account)

    assert hours_of(api, project, made) == []


def test_a_window_of_the_whole_project_looks_at_all_meters_unless_it_is_said(api, project):
    made = rule(api, project, "sum({{mass}}) > 5", window=SIX_HOURS, window_member_scope="project")

    assert made["window_meters"] == "all"
    assert change(api, made, window_meters="own")["window_meters"] == "own"


@pytest.mark.parametrize("expression", ["{{mass}} > 3", "({{mass}} / 2) > 1.5"])
def test_a_rule_of_one_asset_looks_at_no_other(api, account, project, kilns, expression):
    made = rule(api, project, expression, asset_id=kilns[0])
    for hour, kiln in enumerate([*kilns, None]):
        read(api, project, {hour: 4}, asset_id=kiln)
    work(account)
    assert hours_of(api, project, made) == [0]
    assert (made["asset"], made["asset_id"]) == ("East", kilns[0])

    change(api, made, asset_id=kilns[1])
    work(account)
    assert hours_of(api, project, made) == [1]

    change(api, made, asset_id=None)
    work(account)
    assert hours_of(api, project, made) == [0, 1, 2]


def test_an_event_that_goes_to_another_asset_takes_its_alert_along(api, account, project, kilns):
    made = rule(api, project, "{{mass}} > 3", asset_id=kilns[0])
    [event] = read(api, project, {0: 4}, asset_id=kilns[0])
    work(account)
    assert hours_of(api, project, made) == [0]

    path = f"/projects/{project['id']}/events/{event['id']}"
    api.patch(path, {"event": {"asset_id": kilns[1]}}).expect(200)
    work(account)

    assert hours_of(api, project, made) == []


def test_a_rule_of_one_asset_corrects_and_fills_no_other(api, account, project, kilns):
    for kiln in kilns:
        read(api, project, {0: 10, 1: -1, 3: 10}, asset_id=kiln)
    correction = {"method": "constant", "value": 7}
    fields = {"data_point": "mass", "asset_id": kilns[0], "correction": correction}
    rule(api, project, "{{mass}} < 0", name="Bad", purpose="substitute", **fields)
    rule(api, project, "{{mass}} is null", name="Missing", purpose="impute", **fields)
    work(account)

    events = api.get(f"/projects/{project['id']}/events", {"page_size": "50", "sort": "start_time"}).data
    found = {
        kiln: [one["data_points"][0]["value"] for one in events if one["asset"]["id"] == kiln]
        for kiln in kilns
    }

    assert found == {kilns[0]: [10, 7, 7, 10], kilns[1]: [10, -1, 10]}


def test_a_change_of_one_meter_reaches_the_next_reading_of_its_own(api, account, project, kilns):
    made = rule(api, project, *BACKWARDS[:1], **BACKWARDS[1])
    read(api, project, {0: 1, 40: 6}, asset_id=kilns[0])
    read(api, project, {hour: 100 + hour for hour in range(40)}, asset_id=kilns[1])
    work(account)
    assert hours_of(api, project, made) == []

    read(api, project, {1: 9}, asset_id=kilns[0])
    work(account)

    assert hours_of(api, project, made) == [40]


def test_what_a_rule_of_model_runs_or_of_nothing_is_not_asked(api, project, kilns):
    other = given.asset(api, given.project(api))["id"]
    body = {"name": "A", "expression": "{{mass}} > 3", "effective_from": "2025-01-01T00:00:00Z"}

    refused = api.post(f"/projects/{project['id']}/rules", {"rule": body | {"asset_id": other}}).expect(422)
    assert (refused.error["field"], refused.error["code"]) == ("asset_id", "unknown")

    runs = body | {"target": "model_run", "asset_id": kilns[0], "window_meters": "own"}
    problems = api.post(f"/projects/{project['id']}/rules", {"rule": runs}).expect(422).body["errors"]
    assert {"asset_id", "window_meters"} <= {one["field"] for one in problems}


def test_evaluating_again_finds_the_same(api, account, project, kilns):
    made = rule(api, project, FLAT[0], **FLAT[1])
    for kiln in kilns:
        read(api, project, dict.fromkeys(range(8), 5), asset_id=kiln)
    work(account)
    before = hours_of(api, project, made)

    evaluate(api, account, made)

    assert hours_of(api, project, made) == before == [5, 5, 6, 6, 7, 7]
