"""Gaps of event types without a cadence, such as samples of deliveries: each event is a slot."""

from datetime import timedelta

import pytest
from tests.given import collection as given
from tests.given.gaps import BEGIN, filling, report, stack
from tests.given.rule_evaluation import work

FUEL = {"method": "mean_before_after", "without_after": "before", "without_before": "first_after"}
"""40 CFR 98.35(b)(1): the heating value of a fuel sample that failed."""


@pytest.fixture
def project(api):
    return stack(api, cadence_amount=None, cadence_unit=None)


def values(api, project, **query):
    """The value of each sample, in the order of time."""
    asked = {"page_size": "200", "sort": "start_time", "filter[slug][eq]": "so2"} | query
    points = api.get(f"/projects/{project['id']}/data_points", asked).expect(200).data
    return [point["value"] for point in points]


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ("10 !1 14", [10, 12, 14]),
        ("10 - - !1 - 14", [10, 12, 14]),
        ("10 !1 !2", [10, 10, 10]),
        ("!1 14 10", [14, 14, 10]),
    ],
)
def test_a_sample_that_failed_takes_the_mean_of_the_samples_before_and_after(
    api, account, project, samples, expected
):
    filling(api, project, FUEL)
    report(api, project, samples)
    work(account)

    assert values(api, project) == expected


def test_a_sample_that_comes_late_fills_its_gap_anew(api, account, project):
    filling(api, project, FUEL)
    report(api, project, "10 !1 - !2 20")
    work(account)
    assert values(api, project) == [10, 15, 15, 20]

    report(api, project, "40", first=3)
    work(account)

    assert values(api, project) == [10, 25, 40, 30, 20]


def test_samples_of_an_outage_are_no_part_of_a_gap(api, account, project):
    filling(api, project, FUEL)
    report(api, project, "10 !1 !2 14")
    start, end = ((BEGIN + timedelta(hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ") for hour in (2, 3))
    given.outage(api, project, start_time=start, end_time=end)
    work(account)

    assert values(api, project) == [10, 12, 2, 14]


def test_each_meter_has_its_own_samples(api, account, project):
    filling(api, project, FUEL)
    for name, words in (("East", "10 !1 14"), ("West", "30 !1 34")):
        report(api, project, words, asset_id=given.asset(api, project, name=name)["id"])
    work(account)

    assert sorted(values(api, project)) == [10, 12, 14, 30, 32, 34]


def test_no_event_is_made_where_there_are_no_slots(api, project):
    rule = {
        "name": "Impute", "expression": "{{so2}} < 0", "effective_from": "2020-01-01T00:00:00Z",
        "purpose": "impute", "correction": FUEL,
    }  # fmt: skip

    [problem] = api.post(f"/projects/{project['id']}/rules", {"rule": rule}).expect(422).errors

    assert "A rule that imputes needs slots of a cadence" in problem["message"]
