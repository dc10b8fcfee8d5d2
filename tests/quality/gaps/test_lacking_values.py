"""An event that came without a value: its slot is in the gap, and no rule fills it."""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.gaps import filling, hours, report, stack
from tests.given.rule_evaluation import work

MEAN = {"method": "mean_before_after"}
RANGE = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-01T05:00:00Z"}
THIRD = "2025-01-01T02:00:00Z"


@pytest.fixture
def project(api, account):
    """Hours of 10, 99 that is bad, one that lacks its value, none, and 20; one rule for each kind of gap."""
    project = stack(api)
    filling(api, project, MEAN, name="Substitute")
    filling(api, project, MEAN, purpose="impute", name="Impute")
    report(api, project, "10 !99 - - 20")
    given.event(api, project, event_type="hour", start_time=THIRD, values={"load": 50})
    work(account)
    return project


def shown(api, project):
    """Each event: its hour, status, and the points of its concentration, of which there may be none."""
    events = api.get(f"/projects/{project['id']}/events", {"sort": "start_time"}).expect(200).data
    return [
        (one, one["start_time"][11:13], [point for point in one["data_points"] if point["slug"] == "so2"])
        for one in events
    ]


def path(api, project, more):
    [kind] = api.get(f"/projects/{project['id']}/event_types").expect(200).data
    return f"/projects/{project['id']}/event_types/{kind['id']}/{more}"


def counts(record):
    return tuple(record[name] for name in ("missing", "imputed", "substituted"))


def test_a_rule_counts_it_in_the_gap_and_leaves_it_as_it_is(api, project):
    found = shown(api, project)

    assert [
        (hour, event["status"], [(point["value"], point["value_source"]) for point in points])
        for event, hour, points in found
    ] == [
        ("00", "complete", [(10, "captured")]),
        ("01", "complete", [(15, "substituted")]),
        ("02", "incomplete", []),
        ("03", "complete", [(15, "imputed")]),
        ("04", "complete", [(20, "captured")]),
    ]
    assert [found[place][2][0]["substitution"]["gap_slots"] for place in (1, 3)] == [3, 3]


def test_the_gap_and_the_capture_rate_have_it_and_do_not_say_that_it_was_filled(api, project):
    [gap] = api.get(path(api, project, "gaps"), RANGE).expect(200).body["data"]
    total = api.get(path(api, project, "capture_rate"), {**RANGE, "period": "day"}).expect(200).body["total"]
    listed = api.get(path(api, project, "capture_rate/substitutions"), RANGE).expect(200).data

    assert (gap["slots"], counts(gap)) == (3, (1, 1, 1))
    assert [one["start_time"][11:13] for one in gap["filled"]] == ["01", "03"]
    assert [one["slot_start_time"][11:13] for one in listed] == ["01", "03"]
    assert (total["expected"], total["received"], total["valid"], counts(total)) == (5, 4, 2, (1, 1, 1))
    assert total["capture_rate"] == Decimal("0.4")


def test_completing_the_event_closes_the_gap_there(api, account, project):
    event = shown(api, project)[2][0]
    completed = {"event": {"data_points": [{"slug": "so2", "value": 12}]}}
    api.patch(f"/projects/{project['id']}/events/{event['id']}", completed).expect(200)
    work(account)

    found = hours(api, project)
    assert [found[number]["value"] for number in (2, 3, 4)] == [11, 12, 16]
    gaps = api.get(path(api, project, "gaps"), RANGE).expect(200).body["data"]
    assert [(one["slots"], counts(one)) for one in gaps] == [(1, (0, 0, 1)), (1, (1, 1, 0))]


def test_an_optional_value_that_an_event_lacks_is_in_the_gap_of_its_own_rule_alone(api, account):
    project = stack(api)
    filling(api, project, MEAN, purpose="impute", data_point="load", name="Load")
    report(api, project, "10 - - 20")
    second = "2025-01-01T01:00:00Z"
    given.event(api, project, event_type="hour", start_time=second, values={"so2": 11})
    work(account)

    query = RANGE | {"end_time": "2025-01-01T04:00:00Z"}
    [gap] = api.get(path(api, project, "gaps"), query).expect(200).body["data"]
    [filled] = api.get(path(api, project, "capture_rate/substitutions"), query).expect(200).data

    assert (gap["slots"], counts(gap)) == (1, (1, 1, 0))
    assert (filled["slug"], filled["value"], filled["gap_slots"]) == ("load", 50, 2)
