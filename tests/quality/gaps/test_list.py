"""GET …/event_types/{event_type_id}/gaps: where a meter lacks valid values, and what stands around."""

import pytest
from tests.given import collection as given
from tests.given.on_purpose import broken_on_purpose
from tests.given.rule_evaluation import rule, work

FLOW = given.number("flow", unit="kg", required=False)
QUALITY = given.text("quality")


def at(text):
    """A moment of January 2025, such as `05T08:00`."""
    return f"2025-01-{text}:00Z"


def shown(text):
    return f"2025-01-{text}:00.000Z"


@pytest.fixture
def project(api):
    return given.project(api)


@pytest.fixture
def hourly(api, project):
    return given.event_type(
        api, project, slug="flow", data_point_types=[FLOW, QUALITY], cadence_amount=1, cadence_unit="hour",
        valid_when="quality = 'good'",
    )  # fmt: skip


def measure(api, project, times, *, quality="good", **fields):
    """An event at each of the times of 5 January, whose flow is the hour; gives the first one's id."""
    bodies = [
        given.event_body(
            event_type="flow", start_time=at(f"05T{time}"),
            values={"flow": int(time[:2]), "quality": quality}, **fields,
        )
        for time in times
    ]  # fmt: skip
    return given.events(api, project, bodies)[0]["id"]


def asked(api, project, kind, start, end, **more):
    path = f"/projects/{project['id']}/event_types/{kind['id']}/gaps"
    return api.get(path, {"start_time": start, "end_time": end, **more})


def gaps(api, project, kind, start="05T00:00", end="05T12:00"):
    return asked(api, project, kind, at(start), at(end)).expect(200).body["data"]


def summary(gap):
    return gap["start_time"][11:16], gap["end_time"][11:16], gap["slots"], gap["missing"]


def test_a_gap_says_what_stands_before_and_after_it(api, project, hourly):
    measure(api, project, ["00:00", "01:00"])
    before = measure(api, project, ["02:10"])
    after = measure(api, project, ["05:20"])
    measure(api, project, ["06:00", "07:00", "08:00", "09:00", "10:00", "11:00"])

    [gap] = gaps(api, project, hourly)

    assert (gap["start_time"], gap["end_time"]) == (shown("05T03:00"), shown("05T05:00"))
    assert (gap["slots"], gap["missing"], gap["imputed"], gap["substituted"]) == (2, 2, 0, 0)
    assert gap["before"] == {
        "event_id": before, "start_time": shown("05T02:10"), "values": {"flow": 2, "quality": "good"},
    }  # fmt: skip
    assert gap["after"]["event_id"] == after
    assert gap["filled"] == []


def test_what_is_not_valid_belongs_to_the_gap_and_is_not_missing(api, project, hourly):
    measure(api, project, ["00:00", "04:00"])
    measure(api, project, ["02:00"], quality="bad")

    first, _ = gaps(api, project, hourly)

    assert summary(first) == ("01:00", "04:00", 3, 2)


def test_what_outages_cover_neither_counts_in_a_gap_nor_ends_it(api, project, hourly):
    measure(api, project, ["00:00", "07:00", "08:00", "09:00", "10:00", "11:00"])
    given.outage(api, project, start_time=at("05T02:00"), end_time=at("05T05:00"))

    [gap] = gaps(api, project, hourly)

    assert summary(gap) == ("01:00", "07:00", 3, 3)


def test_a_gap_at_the_end_of_the_range_has_nothing_beside_it_there(api, project, hourly):
    measure(api, project, ["01:00", "02:00"])

    first, last = gaps(api, project, hourly)

    assert (summary(first), first["before"], first["after"]["values"]["flow"]) == (
        ("00:00", "01:00", 1, 1), None, 1,
    )  # fmt: skip
    assert (summary(last), last["before"]["values"]["flow"], last["after"]) == (
        ("03:00", "12:00", 9, 9), 2, None,
    )  # fmt: skip


def test_gaps_are_those_of_each_meter(api, project, hourly):
    east, west = (given.asset(api, project, name=name) for name in ("East", "West"))
    for asset, times in ((east, ["00:00", "02:00"]), (west, ["01:00", "02:00"])):
        measure(api, project, times, asset_id=asset["id"])

    found = gaps(api, project, hourly, end="05T03:00")

    assert [(one["name"], one["asset_id"], summary(one)[:2]) for one in found] == [
        ("West", west["id"], ("00:00", "01:00")),
        ("East", east["id"], ("01:00", "02:00")),
    ]


def test_of_several_readings_in_one_slot_those_next_to_the_gap_stand_beside_it(api, project, hourly):
    measure(api, project, ["00:10", "00:50", "00:30"])
    measure(api, project, ["02:40", "02:05"])

    [gap] = gaps(api, project, hourly, end="05T03:00")

    assert gap["before"]["start_time"] == shown("05T00:50")
    assert gap["after"]["start_time"] == shown("05T02:05")


def test_gaps_of_days_follow_the_projects_calendar(api):
    project = given.project(api, time_zone="Europe/Berlin")
    daily = given.event_type(
        api, project, slug="flow", data_point_types=[FLOW], cadence_amount=1, cadence_unit="day"
    )
    for moment in ("2025-03-29T12:00:00Z", "2025-03-31T12:00:00Z"):
        given.event(api, project, event_type="flow", start_time=moment, values={"flow": 1})

    range_ = "2025-03-29T00:00:00+01:00", "2025-04-01T00:00:00+02:00"
    [gap] = asked(api, project, daily, *range_).expect(200).body["data"]

    assert (gap["start_time"], gap["end_time"]) == ("2025-03-29T23:00:00.000Z", "2025-03-30T22:00:00.000Z")


def test_values_that_rules_have_written_stand_in_the_gap(api, project, hourly, sql):
    number = broken_on_purpose(project["numeric_id"])
    measure(api, project, ["00:00", "03:00"])
    replaced = measure(api, project, ["01:00"])
    sql(
        "UPDATE events SET corrected_numbers = '{7}', is_revised = true"
        " WHERE project_id = %s AND start_time = %s RETURNING id",
        number, at("05T01:00"),
    )  # fmt: skip
    sql(
        "INSERT INTO corrections"
        " (project_id, event_id, position, source, state, from_value, to_value, user_id)"
        " SELECT project_id, id, 1, 'substitution', 'in_force', '1', '7', (SELECT min(id) FROM users)"
        "   FROM events WHERE project_id = %s AND start_time = %s RETURNING id",
        number, at("05T01:00"),
    )  # fmt: skip
    sql(
        "INSERT INTO events"
        " (project_id, id, event_type_id, start_time, end_time, numbers, is_complete, is_imputed)"
        " SELECT project_id, nextval('event_key_blocks') * 4096, event_type_id,"
        "        start_time + interval '2 hours', start_time + interval '2 hours', '{8}', true, true"
        "   FROM events WHERE project_id = %s AND start_time = %s RETURNING id",
        number, at("05T00:00"),
    )  # fmt: skip

    [gap] = gaps(api, project, hourly, end="05T04:00")

    assert (gap["slots"], gap["missing"], gap["imputed"], gap["substituted"]) == (2, 1, 1, 1)
    first, second = gap["filled"]
    assert (first["event_id"], first["value_source"]) == (replaced, "substituted")
    assert first["values"] == {"flow": 7, "quality": "good"}
    assert (second["start_time"], second["value_source"]) == (shown("05T02:00"), "imputed")
    assert second["values"] == {"flow": 8}


def test_gaps_of_a_quarter_are_listed_and_of_no_longer_range(api):
    project = given.project(api, time_zone="Europe/Berlin")
    daily = given.event_type(api, project, cadence_amount=1, cadence_unit="day")
    start = "2025-10-01T00:00:00+02:00"

    [gap] = asked(api, project, daily, start, "2026-01-01T00:00:00+01:00").expect(200).body["data"]
    refused = asked(api, project, daily, start, "2026-01-01T00:00:01+01:00").expect(422)

    assert gap["slots"] == 92
    assert (refused.error["field"], refused.error["code"]) == ("end_time", "too_long")


def test_more_gaps_than_an_answer_has_are_refused(api, project):
    kind = given.event_type(api, project, slug="flow", cadence_amount=1, cadence_unit="minute")
    bodies = [
        given.event_body(event_type="flow", start_time=at(f"05T{number // 60:02}:{number % 60:02}"))
        for number in range(0, 1001, 2)
    ]
    given.events(api, project, bodies)

    assert len(gaps(api, project, kind, end="05T16:40")) == 500
    refused = asked(api, project, kind, at("05T00:00"), at("06T00:00")).expect(422)
    assert refused.error["code"] == "too_many"


def test_more_slots_than_are_looked_at_are_refused_before_they_are(api, project):
    kind = given.event_type(api, project, slug="flow", cadence_amount=1, cadence_unit="minute")
    given.events(
        api,
        project,
        [
            given.event_body(
                event_type="flow",
                start_time=at("05T00:00"),
                asset_id=given.asset(api, project)["id"],
            )
            for _ in range(8)
        ],
    )

    refused = asked(api, project, kind, at("01T00:00"), "2025-04-01T00:00:00Z").expect(422)

    assert refused.error["code"] == "too_long"


def test_an_event_type_without_a_cadence_has_no_gaps_and_gaps_have_no_other_parameters(api, project, hourly):
    plain = given.event_type(api, project)

    refused = asked(api, project, plain, at("05T00:00"), at("06T00:00")).expect(422)
    unknown = asked(api, project, hourly, at("05T00:00"), at("06T00:00"), period="day").expect(400)

    assert refused.error["code"] == "conflict"
    assert unknown.error["field"] == "period"


def test_an_account_without_the_feature_is_refused(api, account, sql, project, hourly):
    sql(
        "INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'data_capture_rate', false)",
        account.id,
    )

    assert (
        asked(api, project, hourly, at("05T00:00"), at("06T00:00")).expect(403).error["code"] == "feature_off"
    )


def test_a_gap_and_the_capture_rate_tell_what_rules_have_filled_and_by_which_tier(
    api, account, project, hourly
):
    measure(api, project, ["00:00", "01:00", "05:00"])
    measure(api, project, ["02:00"], quality="bad")
    tiers = {"tiers": [{"code": "06", "method": "mean_before_after"}]}
    for purpose in ("substitute", "impute"):
        rule(
            api, project, "{{quality}} = 'bad'", name=purpose, purpose=purpose, data_point="flow",
            correction=tiers,
        )  # fmt: skip
    work(account)

    [gap, _] = gaps(api, project, hourly)

    assert (gap["slots"], gap["missing"], gap["imputed"], gap["substituted"]) == (3, 2, 2, 1)
    assert [one["value_source"] for one in gap["filled"]] == ["substituted", "imputed", "imputed"]
    assert [one["values"]["flow"] for one in gap["filled"]] == [3, 3, 3]
    how = [one["substitutions"]["flow"] for one in gap["filled"]]
    assert {(one["tier"], one["code"], one["gap_slots"]) for one in how} == {(1, "06", 3)}
    path = f"/projects/{project['id']}/event_types/{hourly['id']}/capture_rate"
    query = {"start_time": at("05T00:00"), "end_time": at("05T06:00"), "period": "day"}
    total = api.get(path, query).expect(200).body["total"]
    assert (total["expected"], total["received"], total["valid"], total["missing"]) == (6, 4, 3, 2)
    assert (total["substituted"], total["imputed"]) == (1, 2)
