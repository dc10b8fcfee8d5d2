"""Gaps of the periods that a bundle is about: both checkers find them in its parts, and none is stated."""

import pytest
from tests.given import accounting, bundles, gaps, rule_evaluation
from tests.given import collection as given
from tests.given.accounting import Plant

HOURS = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
DAY = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")


def reported(account, project, *, cadence="daily", period=DAY):
    """The bundle of all that a model makes of the hours of a project."""
    api = account.caller()
    model = accounting.model(
        api, project, accounting.document(HOURS, cadence=cadence, primary_output="emission")
    )
    ledger = accounting.ledger(api, project, model, name="Emissions")
    Plant(api, account.drain, project, model, ledger).generate(period)
    return bundles.bundle(account, bundles.report_of(api, ledger))


def found(bundle):
    """The gaps of a valid bundle, in words without their types."""
    checked = bundle.check()
    assert checked.faults.listed == []
    return [
        (gap.of_meter, gap.start.text[:16], gap.end.text[:16], gap.slots, gap.filled) for gap in checked.gaps
    ]


def hour(number):
    return f"2025-01-01T{number:02}:00"


def test_gaps_run_from_one_captured_slot_to_the_next(account):
    api = account.caller()
    project = gaps.stack(api)
    gaps.report(api, project, "10 - - 11 12 - 13")

    bundle = reported(account, project)

    assert found(bundle) == [
        ("", hour(1), hour(3), 2, 0),
        ("", hour(5), hour(6), 1, 0),
        ("", hour(7), "2025-01-02T00:00", 17, 0),
    ]
    page = bytes(bundle.check().contents.parts["report.html"]).decode()
    assert "<td>hour</td><td>2025-01-01T01:00:00.000Z</td><td>2025-01-01T03:00:00.000Z</td>" in page


def test_each_meter_has_its_own_gaps_and_nothing_is_expected_outside_of_service_and_in_outages(account):
    api = account.caller()
    project = gaps.stack(api)
    east = given.asset(api, project, name='East, "1"', in_service_from="2025-01-01T02:30:00Z")
    west = given.location(api, project, name="West")
    gaps.report(api, project, "10 - - - - - 11 - - - 12", first=4, asset_id=east["id"])
    gaps.report(api, project, "10 " * 20, locations=[west])
    given.outage(
        api, project, asset_id=east["id"],
        start_time="2025-01-01T05:00:00Z", end_time="2025-01-01T07:30:00Z",
    )  # fmt: skip
    given.outage(api, project, start_time="2025-01-01T15:30:00Z", end_time="2025-01-01T22:00:00Z")

    assert found(reported(account, project)) == [
        (" of location West", hour(22), "2025-01-02T00:00", 2, 0),
        (' of asset East, "1"', hour(4), hour(9), 3, 0),
        (' of asset East, "1"', hour(10), hour(13), 3, 0),
        (' of asset East, "1"', hour(14), "2025-01-02T00:00", 4, 0),
    ]


def test_what_a_rule_filled_is_a_gap_all_the_same(account):
    api = account.caller()
    project = gaps.stack(api)
    gaps.filling(api, project, {"method": "mean_before_after"}, purpose="impute")
    gaps.report(api, project, "10 - 14 " + "11 " * 21)
    rule_evaluation.work(account)

    assert found(reported(account, project)) == [("", hour(1), hour(2), 1, 1)]


@pytest.mark.parametrize(
    ("cadence", "missing", "gap"),
    [
        ((1, "day"), (30, 31), ("2025-03-29T23:00", "2025-03-31T22:00", 2)),
        ((2, "day"), (29, 30), ("2025-03-28T23:00", "2025-03-30T22:00", 1)),
        ((1, "week"), (24, 30), ("2025-03-23T23:00", "2025-03-30T22:00", 1)),
    ],
)
def test_slots_that_the_calendar_cuts_are_those_of_the_time_zone(account, cadence, missing, gap):
    api, (amount, unit), (first, last) = account.caller(), cadence, missing
    project = given.project(api, time_zone="Europe/Berlin")
    given.event_type(
        api, project, slug="hour", data_point_types=[given.number("so2")], cadence_amount=amount,
        cadence_unit=unit,
    )  # fmt: skip
    noons = [f"2025-03-{day:02}T12:00:00Z" for day in range(1, 32) if not first <= day <= last]
    bodies = [given.event_body(event_type="hour", start_time=one, values={"so2": 1}) for one in noons]
    given.events(api, project, bodies)

    period = ("2025-02-28T23:00:00Z", "2025-03-31T22:00:00Z")
    bundle = reported(account, project, cadence="monthly", period=period)

    assert found(bundle) == [("", *gap, 0)]


def test_types_without_a_cadence_have_no_gaps(account):
    assert found(bundles.mixed(account)) == []
