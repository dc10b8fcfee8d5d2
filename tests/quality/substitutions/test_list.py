"""GET …/capture_rate/substitutions: every value that rules put into the gaps of an event type, and how."""

import csv
import io
from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.gaps import body, filling, hours, report, stack
from tests.given.rule_evaluation import calibration, change, correct, work

MEAN = {"method": "mean_before_after"}
TIERS = {
    "tiers": [
        {"when": "gap_slots() = 1", "code": "06", **MEAN},
        {"code": "08", "method": "maximum", "window": {"kind": "rolling", "members": 4}},
    ]
}


def day(number):
    return f"2025-01-{number:02}T00:00:00Z"


@pytest.fixture
def project(api):
    return stack(api)


@pytest.fixture
def kind(api, project):
    return api.get(f"/projects/{project['id']}/event_types").expect(200).data[0]


def asked(api, project, kind, start=None, end=None, **query):
    path = f"/projects/{project['id']}/event_types/{kind['id']}/capture_rate/substitutions"
    return api.get(path, {"start_time": start or day(1), "end_time": end or day(2), **query})


def listed(api, project, kind, *range_, **query):
    return asked(api, project, kind, *range_, **query).expect(200).data


def brief(rows):
    """Hour, value source, value and captured value of each."""
    return [
        (int(one["slot_start_time"][11:13]) + 1, one["value_source"], one["value"], one["captured_value"])
        for one in rows
    ]


def test_every_filled_value_says_where_it_stands_and_how_it_was_found(api, account, project, kind):
    rule = filling(api, project, TIERS | {"availability_slots": 10})
    report(api, project, "10 !99 14")
    work(account)

    [found] = listed(api, project, kind)

    point = hours(api, project)[2]
    assert found == {
        "id": point["substitution"]["id"],
        "event_id": point["event"]["id"],
        "data_point_id": point["id"],
        "slug": "so2",
        "asset_id": None,
        "location_id": None,
        "name": None,
        "start_time": "2025-01-01T01:00:00.000Z",
        "slot_start_time": "2025-01-01T01:00:00.000Z",
        "slot_end_time": "2025-01-01T02:00:00.000Z",
        "value_source": "substituted",
        "value": 12,
        "captured_value": 99,
        "rule_id": rule["id"],
        "rule_version": 1,
        "rule_run_id": point["substitution"]["rule_run_id"],
        "method": "mean_before_after",
        "found_by": "mean_before_after",
        "tier": 1,
        "code": "06",
        "window": None,
        "members_used": 2,
        "availability": None,
        "gap_slots": 1,
        "created_at": point["substitution"]["created_at"],
    }


def test_substituted_and_imputed_values_stand_in_the_order_of_their_slots(api, account, project, kind):
    filling(api, project, TIERS, purpose="impute")
    report(api, project, "10 !99 14 - 16 !98 - 20")
    work(account)
    change_to_both = filling(api, project, TIERS, name="Substitute")
    work(account)

    rows = listed(api, project, kind)

    assert change_to_both["id"] in {one["rule_id"] for one in rows}
    assert brief(rows) == [
        (2, "substituted", 12, 99),
        (4, "imputed", 15, None),
        (6, "substituted", 16, 98),
        (7, "imputed", 16, None),
    ]
    assert [(one["code"], one["gap_slots"], one["found_by"]) for one in rows] == [
        ("06", 1, "mean_before_after"),
        ("06", 1, "mean_before_after"),
        ("08", 2, "maximum"),
        ("08", 2, "maximum"),
    ]
    assert rows[2]["window"]["members"] == 4


def test_availability_is_that_which_the_tier_asked_for(api, account, project, kind):
    tiers = {"tiers": [{"when": "availability() >= 0.5", "code": "A", **MEAN}], "availability_slots": 4}
    filling(api, project, tiers)
    report(api, project, "10 11 12 !99 14")
    work(account)

    [found] = listed(api, project, kind)

    assert found["availability"] == hours(api, project)[4]["substitution"]["availability"]
    assert found["availability"] == Decimal("0.75")


def test_the_meter_is_named(api, account, project, kind):
    east, yard = given.asset(api, project, name="East"), given.location(api, project, name="Yard")
    for tags in ({"asset_id": east["id"], "locations": [yard]}, {"locations": [yard]}):
        bodies = [body(number, word, **tags) for number, word in enumerate(["10", "!99", "14"], start=1)]
        given.events(api, project, bodies)
    filling(api, project, MEAN)
    work(account)

    rows = listed(api, project, kind)

    assert {(one["name"], one["asset_id"], one["location_id"]) for one in rows} == {
        ("East", east["id"], None),
        ("Yard", None, yard["id"]),
    }
    of_yard = {"filter[location_id]": yard["id"]}
    assert [one["name"] for one in listed(api, project, kind, **of_yard)] == ["Yard"]


def test_what_another_value_has_taken_the_place_of_is_not_listed(api, account, project, kind):
    filling(api, project, MEAN)
    filling(api, project, MEAN, purpose="impute", name="Impute")
    calibration(api, project, "{{so2}} > 1000", "{{so2}} / 1000", data_point="so2", name="Milligrams")
    report(api, project, "10 !99 14 - 16 !98 18 5000 20 - 22")
    work(account)
    assert [one["value"] for one in listed(api, project, kind)] == [12, 15, 17, 21]

    correct(api, project, hours(api, project)[2]["event"], 11)
    correct(api, project, hours(api, project)[4]["event"], 13)
    report(api, project, "21", first=10)
    work(account)

    assert brief(listed(api, project, kind)) == [(6, "substituted", 17, 98)]


def test_a_value_that_an_event_lacks_is_neither_substituted_nor_imputed(api, account, project, kind):
    filling(api, project, MEAN)
    report(api, project, "10 - 14")
    without = given.event(
        api, project, event_type="hour", start_time="2025-01-01T01:00:00Z", values={"load": 50}
    )
    work(account)

    assert without["status"] == "incomplete"
    assert listed(api, project, kind) == []


def test_a_list_is_paged_filtered_and_cut_by_its_range(api, account, project, kind):
    made = filling(api, project, TIERS, purpose="impute")
    filling(api, project, TIERS, name="Substitute")
    report(api, project, "10 !99 14 - 16 !98 - 20")
    work(account)

    first = asked(api, project, kind, page_size=3).expect(200)
    rest = asked(api, project, kind, page_size=3, cursor=first.info["next_cursor"]).expect(200)
    assert (first.info["total_items"], first.info["total_is_estimate"]) == (4, False)
    assert [hour for hour, *_ in brief([*first.data, *rest.data])] == [2, 4, 6, 7]
    for name, value, found in (
        ("value_source", "imputed", [4, 7]),
        ("code", "08", [6, 7]),
        ("tier", "1", [2, 4]),
        ("rule_id", made["id"], [4, 7]),
        ("slug", "load", []),
    ):
        rows = listed(api, project, kind, **{f"filter[{name}]": value})
        assert [hour for hour, *_ in brief(rows)] == found, name
    range_ = "2025-01-01T03:00:00Z", "2025-01-01T06:00:00Z"
    assert [hour for hour, *_ in brief(listed(api, project, kind, *range_))] == [4, 6]


def test_as_many_slots_are_listed_as_the_capture_rate_counts(api, account, project, kind):
    filling(api, project, MEAN)
    filling(api, project, MEAN, purpose="impute", name="Impute")
    report(api, project, "10 !99 14 - 16 !98 - 20")
    work(account)

    path = f"/projects/{project['id']}/event_types/{kind['id']}/capture_rate"
    query = {"start_time": day(1), "end_time": day(2), "period": "day"}
    total = api.get(path, query).expect(200).body["total"]

    sources = [one["value_source"] for one in listed(api, project, kind)]
    assert (total["substituted"], total["imputed"]) == (2, 2)
    assert (sources.count("substituted"), sources.count("imputed")) == (2, 2)


def test_a_rule_that_says_otherwise_shows_its_newer_version(api, account, project, kind):
    rule = filling(api, project, MEAN)
    report(api, project, "10 !99 14")
    work(account)

    change(api, rule, correction={"method": "previous"})
    work(account)

    assert [(one["value"], one["rule_version"]) for one in listed(api, project, kind)] == [(10, 2)]


@pytest.mark.parametrize(
    ("end", "status"), [("2025-04-03T00:00:00Z", 200), ("2025-04-03T00:00:00.001Z", 422)]
)
def test_a_quarter_is_listed_at_once_and_not_more(api, project, kind, end, status):
    answer = asked(api, project, kind, day(1), end).expect(status)

    if status == 422:
        assert (answer.error["field"], answer.error["code"]) == ("end_time", "too_long")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"end_time": day(2)}, "start_time"),
        ({"start_time": day(2), "end_time": day(1)}, "end_time"),
        ({"start_time": day(1), "end_time": day(2), "period": "day"}, "period"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(api, project, kind, query, field):
    path = f"/projects/{project['id']}/event_types/{kind['id']}/capture_rate/substitutions"

    assert api.get(path, query).expect(400).error["field"] == field


def test_an_event_type_without_a_cadence_has_no_gaps(api):
    project = given.measuring(api, given.number("mass"))
    kind = api.get(f"/projects/{project['id']}/event_types").expect(200).data[0]

    assert asked(api, project, kind).expect(422).error["field"] == "event_type_id"


def test_an_account_without_the_feature_is_refused(api, account, sql, project, kind):
    sql(
        "INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'data_capture_rate', false)",
        account.id,
    )

    assert asked(api, project, kind).expect(403).error["code"] == "feature_off"


def test_a_list_is_written_to_a_file_for_the_report(server, api, account, project, kind):
    filling(api, project, TIERS)
    report(api, project, "10 !99 14 !98 !97 20")
    work(account)

    asking = {"response_mode": "summary_with_export", "filter[code]": "08"}
    summary = asked(api, project, kind, **asking).expect(200).body
    account.drain()

    assert summary["count"] == 2
    made = api.get(f"/exports/{summary['export']['id']}").expect(200).body
    content = server.anyone.get(made["download_url"].removeprefix(f"{server.address}/api/v1")).content
    rows = [*csv.DictReader(io.StringIO(content.decode()))]
    told = [(row["slot_start_time"][11:13], row["value"], row["captured_value"], row["code"]) for row in rows]
    assert told == [("03", "14", "98", "08"), ("04", "14", "97", "08")]
