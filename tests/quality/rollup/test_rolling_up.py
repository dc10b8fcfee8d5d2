"""Minutes become hours: what a slot comes to, and that it follows its readings."""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.roll_ups import (
    events_of,
    hours,
    minutes,
    minutes_of,
    read,
    roll_up,
    rolled_up,
    shown,
    values_of,
)

D = Decimal


@pytest.fixture
def plant(api):
    project = given.project(api)
    minutes(api, project)
    return project


def test_the_minutes_of_an_hour_become_its_average_to_34_digits(api, account, plant):
    kind = hours(api, plant)
    read(api, plant, minutes_of(10, [10, 20, 40]))

    roll_up(account)

    [hour] = events_of(api, plant, kind)
    assert (hour["start_time"], hour["end_time"]) == ("2025-01-01T10:00:00.000Z", "2025-01-01T11:00:00.000Z")
    assert values_of(hour) == {"co2": D("23.33333333333333333333333333333333")}
    source = hour["rolled_up_from"]
    assert (source["event_type"], source["readings"], source["valid_readings"]) == ("stack-minute", 3, 3)
    assert (source["expected_readings"], source["valid_share"]) == (60, D("0.05"))


def test_a_value_may_be_any_aggregate_of_the_readings(api, account, plant):
    made = ["sum", "average", "min", "max", "first", "last", "count", "median"]
    kind = hours(api, plant, [(how, how, "co2") for how in made])
    read(api, plant, minutes_of(10, [4, D("1.5"), 2, 8]))

    roll_up(account)

    [hour] = events_of(api, plant, kind)
    assert values_of(hour) == {
        "sum": D("15.5"),
        "average": D("3.875"),
        "min": D("1.5"),
        "max": 8,
        "first": 4,
        "last": 8,
        "count": 4,
        "median": 3,
    }


def test_texts_have_a_first_and_a_last(api, account, plant):
    kind = hours(
        api,
        plant,
        [("began", "first", "quality"), ("ended", "last", "quality")],
        points=[given.text("began"), given.text("ended")],
    )
    read(api, plant, minutes_of(10, [{"co2": 1, "quality": word} for word in ("good", "bad", "held")]))

    roll_up(account)

    assert shown(api, plant, kind) == [("2025-01-01T10:00", "complete", {"began": "good", "ended": "held"})]


@pytest.mark.parametrize(("valid", "status"), [(48, "complete"), (47, "incomplete")])
def test_an_hour_needs_four_fifths_of_its_minutes(api, account, plant, valid, status):
    """EU 2018/2066 Art. 44(2): 48 of 60 points are enough, 47 are not."""
    kind = hours(api, plant, valid_share_min=0.8)
    read(api, plant, minutes_of(10, [7] * valid))

    roll_up(account)

    [hour] = events_of(api, plant, kind)
    assert hour["status"] == status
    assert (values_of(hour), hour["missing"]) == (({"co2": 7}, []) if status == "complete" else ({}, ["co2"]))


def test_two_readings_of_one_minute_are_one_of_those_expected(api, account, plant):
    kind = hours(api, plant, valid_share_min=0.05)
    read(api, plant, minutes_of(10, [7, 7]))
    read(api, plant, {"10:01": 9})

    roll_up(account)

    [hour] = events_of(api, plant, kind)
    assert hour["status"] == "incomplete"
    assert hour["rolled_up_from"]["valid_share"] == D("0.03333333333333333333333333333333333")


def test_only_valid_readings_count(api, account):
    project = given.project(api)
    minutes(api, project, valid_when="quality = 'good'")
    kind = hours(api, project, [("co2", "average", "co2"), ("n", "count", "co2")], valid_share_min=0.05)
    read(api, project, minutes_of(10, [{"co2": value, "quality": "good"} for value in (1, 2, 3)]))
    read(api, project, {"10:30": {"co2": 1000, "quality": "bad"}})
    read(api, project, {"11:30": {"co2": 5, "quality": "good"}})

    roll_up(account)

    assert shown(api, project, kind) == [
        ("2025-01-01T10:00", "complete", {"co2": 2, "n": 3}),
        ("2025-01-01T11:00", "incomplete", {"n": 1}),
    ]


def test_each_meter_has_hours_of_its_own_and_each_tag_too(api, account, plant):
    east, west = given.asset(api, plant, name="East"), given.asset(api, plant, name="West")
    wood = given.feedstock(api, plant)
    kind = hours(api, plant, [("co2", "sum", "co2")])
    read(api, plant, minutes_of(10, [1, 2]), asset_id=east["id"])
    read(api, plant, minutes_of(10, [10]), asset_id=west["id"])
    read(api, plant, {"10:30": 100}, asset_id=west["id"], feedstock_id=wood["id"])

    roll_up(account)

    made = [
        (one["asset"]["name"], bool(one["feedstock"]), values_of(one)["co2"])
        for one in events_of(api, plant, kind)
    ]
    assert sorted(made) == [("East", False, 3), ("West", False, 10), ("West", True, 100)]


def test_the_share_is_that_of_the_meter_whatever_its_readings_are_tagged_with(api, account, plant):
    wood = given.feedstock(api, plant)
    kind = hours(api, plant, [("co2", "sum", "co2")], valid_share_min=0.8)
    read(api, plant, minutes_of(10, [1] * 30))
    read(api, plant, {f"10:{minute}": 1 for minute in range(30, 48)}, feedstock_id=wood["id"])

    roll_up(account)

    assert [one["status"] for one in events_of(api, plant, kind)] == ["complete", "complete"]


def test_a_correction_of_a_minute_reaches_its_hour(api, account, plant):
    kind = hours(api, plant, [("co2", "sum", "co2")])
    read(api, plant, minutes_of(10, [1, 2]))
    roll_up(account)
    [before] = events_of(api, plant, kind)
    minute = api.get(
        f"/projects/{plant['id']}/events", {"filter[start_time][eq]": "2025-01-01T10:01:00Z"}
    ).data[0]
    point = f"/projects/{plant['id']}/data_points/{minute['data_points'][0]['id']}"

    api.patch(point, {"data_point": {"value": 5}}).expect(200)
    roll_up(account)
    [corrected] = events_of(api, plant, kind)
    api.post(f"{point}/revert", {}).expect(200)
    roll_up(account)
    [reverted] = events_of(api, plant, kind)

    assert [values_of(one)["co2"] for one in (before, corrected, reverted)] == [3, 6, 3]
    assert before["id"] == corrected["id"] == reverted["id"]


def test_a_minute_that_moves_leaves_one_hour_and_comes_to_another(api, account, plant):
    kind = hours(api, plant, [("co2", "sum", "co2")])
    read(api, plant, minutes_of(10, [1]))
    roll_up(account)
    [minute] = api.get(f"/projects/{plant['id']}/events", {"filter[slug][eq]": "stack-minute"}).data

    moved = {"start_time": "2025-01-01T12:20:00Z", "end_time": "2025-01-01T12:20:00Z"}
    api.patch(f"/projects/{plant['id']}/events/{minute['id']}", {"event": moved}).expect(200)
    roll_up(account)

    assert shown(api, plant, kind) == [("2025-01-01T12:00", "complete", {"co2": 1})]


def test_an_hour_whose_readings_are_all_voided_is_gone_and_comes_back_as_it_was(api, account, plant):
    kind = hours(api, plant, [("co2", "sum", "co2")])
    [receipt] = read(api, plant, {"10:07": 1})
    roll_up(account)
    [before] = events_of(api, plant, kind)

    api.delete(f"/projects/{plant['id']}/events/{receipt['id']}").expect(204)
    roll_up(account)
    gone = events_of(api, plant, kind)
    read(api, plant, {"10:08": 4})
    roll_up(account)

    assert gone == []
    [after] = events_of(api, plant, kind)
    assert (after["id"], values_of(after)) == (before["id"], {"co2": 4})


def test_hours_become_days_in_the_same_go(api, account):
    project = given.project(api, time_zone="Europe/Berlin")
    minutes(api, project)
    hours(api, project, [("co2", "sum", "co2")])
    days = hours(
        api, project, [("co2", "sum", "co2")], slug="stack-day", unit="day", source="stack-hour",
        valid_share_min=0.04,
    )  # fmt: skip
    read(api, project, minutes_of(10, [1, 2]))
    read(api, project, {"22:59": 4, "23:00": 8})

    roll_up(account)

    assert shown(api, project, days) == [
        ("2024-12-31T23:00", "complete", {"co2": 7}),
        ("2025-01-01T23:00", "complete", {"co2": 8}),
    ]


def test_readings_that_were_there_before_are_rolled_up_too(api, account, plant):
    read(api, plant, minutes_of(10, [1, 2]))

    kind = hours(api, plant, [("co2", "sum", "co2")])
    roll_up(account)

    assert shown(api, plant, kind) == [("2025-01-01T10:00", "complete", {"co2": 3})]


def test_another_definition_rolls_all_of_it_up_anew(api, account, plant):
    kind = hours(api, plant, [("co2", "sum", "co2")])
    read(api, plant, minutes_of(10, [1, 2]))
    read(api, plant, minutes_of(11, [10]))
    roll_up(account)
    path = f"/projects/{plant['id']}/event_types/{kind['id']}"

    def change(**fields):
        api.patch(path, {"event_type": fields}).expect(200)
        roll_up(account)
        return [(start, values["co2"]) for start, _, values in shown(api, plant, kind)]

    assert change(rolled_up_from=rolled_up([("co2", "max", "co2")])) == [
        ("2025-01-01T10:00", 2),
        ("2025-01-01T11:00", 10),
    ]
    assert change(cadence_amount=2) == [("2025-01-01T10:00", 10)]
    assert change(cadence_amount=1, rolled_up_from=rolled_up([("co2", "first", "co2")])) == [
        ("2025-01-01T10:00", 1),
        ("2025-01-01T11:00", 10),
    ]


def test_what_is_valid_from_now_on_is_rolled_up_anew(api, account, plant):
    kind = hours(api, plant, [("co2", "sum", "co2")])
    read(api, plant, minutes_of(10, [1, 200]))
    roll_up(account)
    [source] = [
        one for one in api.get(f"/projects/{plant['id']}/event_types").data if one["slug"] == "stack-minute"
    ]

    changed = {"event_type": {"valid_when": "co2 < 100"}}
    api.patch(f"/projects/{plant['id']}/event_types/{source['id']}", changed).expect(200)
    roll_up(account)

    assert shown(api, plant, kind) == [("2025-01-01T10:00", "complete", {"co2": 1})]


def test_rolling_up_again_changes_nothing(api, account, plant, sql):
    kind = hours(api, plant, [("co2", "average", "co2")])
    read(api, plant, minutes_of(10, [1, 2, 4]))
    roll_up(account)
    before = events_of(api, plant, kind)

    sql(
        "SELECT mark_roll_ups(%s, %s)",
        plant["numeric_id"],
        kind["data_point_types"][0]["nexus_event_type_id"],
    )
    roll_up(account)

    assert events_of(api, plant, kind) == before
    assert sql("SELECT FROM roll_up_marks WHERE project_id = %s", plant["numeric_id"]) == []
