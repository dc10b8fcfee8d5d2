"""GET …/event_types/{event_type_id}/capture_rate, by figures that were worked out by hand."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.on_purpose import broken_on_purpose

FLOW = given.number("flow", unit="kg", required=False)
QUALITY = given.text("quality")


def at(text):
    """A moment of January 2025, such as `05T08:00`."""
    return f"2025-01-{text}:00Z"


def hourly(api, project, *, amount=1, unit="hour", **fields):
    return given.event_type(
        api, project, slug="flow", data_point_types=[FLOW, QUALITY], cadence_amount=amount, cadence_unit=unit,
        **fields,
    )  # fmt: skip


def measure(api, project, times, *, step=timedelta(0), **fields):
    """An event at each of the times, each as long as the step."""
    bodies = [
        given.event_body(
            event_type="flow",
            start_time=time.isoformat(),
            end_time=(time + step).isoformat(),
            values={"flow": 1, "quality": "good"},
            **fields,
        )
        for time in times
    ]
    given.events(api, project, bodies)


def moments(start, count, step):
    first = datetime.fromisoformat(start)
    return [first + number * step for number in range(count)]


def asked(api, project, kind, start, end, *, period="day"):
    path = f"/projects/{project['id']}/event_types/{kind['id']}/capture_rate"
    return api.get(path, {"start_time": start, "end_time": end, "period": period})


def rates(api, project, kind, start, end, *, period="day"):
    return asked(api, project, kind, start, end, period=period).expect(200).body


HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
COUNTS = ("expected", "received", "valid", "substituted", "missing", "imputed")


def counts(figures):
    return tuple(figures[name] for name in COUNTS)


@pytest.fixture
def project(api):
    return given.project(api)


def test_a_rate_is_valid_of_expected_by_period_and_in_total(api, project):
    kind = hourly(api, project)
    measure(api, project, moments(at("05T00:00"), 18, HOUR))
    measure(api, project, moments(at("06T00:00"), 24, HOUR))

    found = rates(api, project, kind, at("05T00:00"), at("07T00:00"))

    assert [(one["slot"], counts(one["total"]), one["total"]["capture_rate"]) for one in found["data"]] == [
        ("2025-01-05", (24, 18, 18, 0, 6, 0), Decimal("0.75")),
        ("2025-01-06", (24, 24, 24, 0, 0, 0), 1),
    ]
    assert counts(found["total"]) == (48, 42, 42, 0, 6, 0)
    assert found["total"]["capture_rate"] == Decimal("0.875")
    assert [one["name"] for one in found["meters"]] == [None]
    assert found["total"]["capture_rate_by_time"] is None


def test_an_event_is_valid_when_the_event_type_says_so_and_nothing_is_missing(api, project):
    kind = hourly(api, project, valid_when="quality = 'good'")
    measure(api, project, moments(at("05T00:00"), 20, HOUR))
    for hour, values in (("20", {"flow": 1, "quality": "bad"}), ("21", {"flow": 1})):
        given.event(api, project, event_type="flow", start_time=at(f"05T{hour}:00"), values=values)
    given.event(api, project, event_type="flow", start_time=at("05T20:30"), values={"quality": "bad"})

    found = rates(api, project, kind, at("05T00:00"), at("06T00:00"))

    assert counts(found["total"]) == (24, 22, 20, 0, 2, 0)


def test_a_person_s_value_counts_and_an_incomplete_event_does_not(api, project):
    kind = given.event_type(
        api, project, slug="flow", data_point_types=[given.number("flow"), QUALITY],
        cadence_amount=1, cadence_unit="hour", valid_when="quality = 'good'",
    )  # fmt: skip
    seen = given.event(
        api, project, event_type="flow", start_time=at("05T00:00"), values={"flow": 1, "quality": "bad"}
    )
    given.event(api, project, event_type="flow", start_time=at("05T01:00"), values={"quality": "good"})
    quality = next(one for one in seen["data_points"] if one["slug"] == "quality")
    path = f"/projects/{project['id']}/data_points/{quality['id']}"
    before = counts(rates(api, project, kind, at("05T00:00"), at("05T02:00"))["total"])

    api.patch(path, {"data_point": {"value": "good", "reason": "Read again"}}).expect(200)

    assert before == (2, 2, 0, 0, 0, 0)
    assert counts(rates(api, project, kind, at("05T00:00"), at("05T02:00"))["total"]) == (2, 2, 1, 0, 0, 0)


def test_meters_are_told_apart_and_together(api, project):
    kind = hourly(api, project)
    east, west = (given.asset(api, project, name=name) for name in ("East", "West"))
    yard = given.location(api, project, name="Yard")
    measure(api, project, moments(at("05T00:00"), 24, HOUR), asset_id=east["id"], locations=[yard])
    measure(api, project, moments(at("05T00:00"), 12, HOUR), asset_id=west["id"])
    measure(api, project, moments(at("05T00:00"), 6, HOUR), locations=[yard])

    found = rates(api, project, kind, at("05T00:00"), at("06T00:00"))

    by_meter = [(one["name"], one["asset_id"], one["location_id"]) for one in found["meters"]]
    assert by_meter == [("East", east["id"], None), ("West", west["id"], None), ("Yard", None, yard["id"])]
    assert [one["figures"]["capture_rate"] for one in found["meters"]] == [1, Decimal("0.5"), Decimal("0.25")]
    assert found["data"][0]["meters"] == found["meters"]
    assert counts(found["total"]) == (72, 42, 42, 0, 30, 0)


def test_slots_that_outages_cover_as_a_whole_are_not_expected(api, project):
    kind = hourly(api, project)
    east, west = (given.asset(api, project, name=name) for name in ("East", "West"))
    for asset in (east, west):
        measure(api, project, moments(at("05T00:00"), 8, HOUR), asset_id=asset["id"])
    of_east = {"asset_id": east["id"]}
    given.outage(api, project, start_time=at("05T08:00"), end_time=at("05T10:30"), **of_east)
    given.outage(api, project, start_time=at("05T09:00"), end_time=at("05T12:00"), **of_east)
    given.outage(api, project, start_time=at("05T14:05"), end_time=at("05T14:55"), **of_east)
    given.outage(api, project, start_time=at("05T20:00"), end_time=None, event_type_id=kind["id"])

    found = rates(api, project, kind, at("05T00:00"), at("06T00:00"))

    assert [counts(one["figures"]) for one in found["meters"]] == [(16, 8, 8, 0, 8, 0), (20, 8, 8, 0, 12, 0)]
    assert found["total"]["capture_rate"] == Decimal("0.4444444444444444444444444444444444")


def test_an_outage_of_a_meter_in_another_event_type_or_of_another_meter_excuses_nothing(api, project):
    kind, other = hourly(api, project), given.event_type(api, project, slug="other")
    east, yard = given.asset(api, project), given.location(api, project)
    measure(api, project, moments(at("05T00:00"), 1, HOUR), asset_id=east["id"], locations=[yard])
    for named in (
        {"asset_id": east["id"], "event_type_id": other["id"]},
        {"event_type_id": other["id"]},
        {"location_id": yard["id"]},
        {"asset_id": given.asset(api, project)["id"]},
    ):
        given.outage(api, project, start_time=at("01T00:00"), **named)

    assert counts(rates(api, project, kind, at("05T00:00"), at("06T00:00"))["total"]) == (24, 1, 1, 0, 23, 0)


def test_what_comes_while_nothing_is_expected_does_not_count(api, project):
    kind = hourly(api, project)
    measure(api, project, moments(at("05T00:00"), 24, HOUR))
    given.outage(api, project, start_time=at("05T06:00"), end_time=at("05T12:00"))

    assert counts(rates(api, project, kind, at("05T00:00"), at("06T00:00"))["total"]) == (18, 18, 18, 0, 0, 0)


def test_a_meter_is_expected_from_when_it_is_in_service(api, project):
    kind = hourly(api, project)
    east = given.asset(api, project, in_service_from=at("05T18:00"), in_service_until=at("06T06:00"))
    measure(api, project, moments(at("05T12:00"), 9, HOUR), asset_id=east["id"])

    found = rates(api, project, kind, at("05T00:00"), at("08T00:00"))

    assert [counts(one["total"])[:3] for one in found["data"]] == [(6, 3, 3), (6, 0, 0), (0, 0, 0)]
    assert [one["total"]["capture_rate"] for one in found["data"]] == [Decimal("0.5"), 0, None]


def test_days_on_which_clocks_change_have_as_many_hours_as_they_last(api):
    project = given.project(api, time_zone="Europe/Berlin")
    kind = hourly(api, project)
    measure(api, project, [datetime(2025, 3, 29, 23, tzinfo=UTC) + number * HOUR for number in range(23)])

    found = rates(api, project, kind, "2025-03-29T00:00:00+01:00", "2025-03-31T00:00:00+02:00")
    autumn = rates(api, project, kind, "2025-10-26T00:00:00+02:00", "2025-10-27T00:00:00+01:00")

    assert [(one["slot"], counts(one["total"])[:3]) for one in found["data"]] == [
        ("2025-03-29", (24, 0, 0)),
        ("2025-03-30", (23, 23, 23)),
    ]
    assert found["data"][1]["total"]["capture_rate"] == 1
    assert autumn["total"]["expected"] == 25


def test_days_weeks_and_months_begin_on_the_projects_wall(api):
    project = given.project(api, time_zone="Europe/Berlin")
    kind = hourly(api, project, unit="day")
    measure(api, project, [datetime(2025, 3, day, 22, 30, tzinfo=UTC) for day in (29, 30, 30)])

    found = rates(
        api, project, kind, "2025-03-29T00:00:00+01:00", "2025-04-01T00:00:00+02:00", period="month"
    )

    # 22:30Z is 23:30 on the 29th, and, with clocks advanced, 00:30 on the 31st.
    assert [(one["slot"], counts(one["total"])[:3]) for one in found["data"]] == [("2025-03", (3, 2, 2))]


def test_months_and_quarters_add_up_to_the_same(api, project):
    kind = hourly(api, project, unit="day")
    measure(api, project, moments(at("01T06:00"), 45, timedelta(days=1)))
    range_ = ("2025-01-01T00:00:00Z", "2025-07-01T00:00:00Z")

    by_month = rates(api, project, kind, *range_, period="month")
    by_quarter = rates(api, project, kind, *range_, period="quarter")

    assert [counts(one["total"])[:3] for one in by_month["data"]] == [
        (31, 31, 31), (28, 14, 14), (31, 0, 0), (30, 0, 0), (31, 0, 0), (30, 0, 0),
    ]  # fmt: skip
    assert [(one["slot"], counts(one["total"])[:3]) for one in by_quarter["data"]] == [
        ("2025-Q1", (90, 45, 45)),
        ("2025-Q2", (91, 0, 0)),
    ]
    assert by_month["total"] == by_quarter["total"]


def test_three_quarters_of_an_hour_are_what_ambient_air_needs_of_it(api, project):
    kind = hourly(api, project, unit="minute")
    measure(api, project, moments(at("05T08:00"), 45, MINUTE))
    measure(api, project, moments(at("05T09:00"), 44, MINUTE))

    eight = rates(api, project, kind, at("05T08:00"), at("05T09:00"))["total"]
    nine = rates(api, project, kind, at("05T09:00"), at("05T10:00"))["total"]

    assert (counts(eight)[:3], eight["capture_rate"]) == ((60, 45, 45), Decimal("0.75"))
    assert counts(nine)[:3] == (60, 44, 44)
    assert nine["capture_rate"] < Decimal("0.75")


def test_readings_with_a_length_have_a_rate_by_time_in_which_time_counts_once(api, project):
    kind = hourly(api, project, valid_when="quality = 'good'")
    for start, end, quality in (
        ("04T23:30", "05T00:15", "good"),
        ("05T00:30", "05T01:00", "good"),
        ("05T00:45", "05T01:15", "good"),
        ("05T01:15", "05T02:00", "bad"),
        ("05T05:30", "05T08:00", "good"),
    ):
        values = {"flow": 1, "quality": quality}
        given.event(api, project, event_type="flow", start_time=at(start), end_time=at(end), values=values)
    given.outage(api, project, start_time=at("05T07:30"), end_time=at("05T11:30"))

    found = rates(api, project, kind, at("05T00:00"), at("05T12:00"))["total"]

    # 15 minutes of the first, 45 of the next two together, 120 of the last before the outage: 3 hours of 8.
    assert (found["seconds_expected"], found["seconds_valid"]) == (28_800, 10_800)
    assert found["capture_rate_by_time"] == Decimal("0.375")


@pytest.mark.parametrize(
    ("start", "end", "rate"),
    [
        ("12:00:00", "12:00:16", "0.875"),
        ("12:00:16", "12:00:32", "1"),
        ("12:00:32", "12:00:48", "0.625"),
        ("12:00:48", "12:01:04", "1"),
        ("12:01:04", "12:01:20", "0.8125"),
        ("12:01:20", "12:01:30", "0.7"),
    ],
)
def test_the_rate_by_time_is_the_percent_good_of_the_published_series(api, project, start, end, rate):
    """OPC 10000-13, Annex A, Historian 2: good but for 2 s at first, 6 s from :42 and 6 s from 1:17."""
    kind = hourly(api, project, unit="minute")
    for good, until in (("12:00:02", "12:00:42"), ("12:00:48", "12:01:17"), ("12:01:23", "12:01:30")):
        times = {"start_time": f"2025-01-05T{good}Z", "end_time": f"2025-01-05T{until}Z"}
        given.event(api, project, event_type="flow", values={"flow": 1}, **times)

    found = rates(api, project, kind, f"2025-01-05T{start}Z", f"2025-01-05T{end}Z")["total"]

    assert found["capture_rate_by_time"] == Decimal(rate)


def test_time_is_cut_where_periods_end(api, project):
    kind = hourly(api, project)
    given.event(
        api,
        project,
        event_type="flow",
        start_time=at("05T18:00"),
        end_time=at("06T06:00"),
        values={"flow": 1},
    )

    found = rates(api, project, kind, at("05T00:00"), at("07T00:00"))

    assert [one["total"]["capture_rate_by_time"] for one in found["data"]] == [Decimal("0.25")] * 2


def test_a_stretch_that_began_long_before_the_range_covers_its_time(api, project):
    kind = hourly(api, project)
    given.event(
        api,
        project,
        event_type="flow",
        start_time=at("05T06:00"),
        end_time=at("05T15:00"),
        values={"flow": 1},
    )

    found = rates(api, project, kind, at("05T12:00"), at("05T18:00"))["total"]

    assert (counts(found)[:3], found["capture_rate_by_time"]) == ((6, 0, 0), Decimal("0.5"))


def test_a_range_from_one_end_of_the_calendar_to_the_other_is_too_long(api, project):
    kind = hourly(api, project, unit="month", amount=12)
    ends = "0001-01-01T00:00:00Z", "9999-12-30T00:00:00Z"

    assert asked(api, project, kind, *ends, period="quarter").expect(422).error["code"] == "too_long"


@pytest.mark.parametrize("unit", ["hour", "week", "month"])
@pytest.mark.parametrize("amount", [1, 1_000_000])
def test_ranges_at_the_ends_of_the_calendar_are_answered(api, project, unit, amount):
    kind = hourly(api, project, unit=unit, amount=amount)
    given.outage(api, project, start_time="0001-01-02T00:00:00Z")

    last = "9999-12-01T00:00:00Z", "9999-12-30T00:00:00Z"
    first = rates(api, project, kind, "0001-01-01T00:00:00Z", "0001-02-01T00:00:00Z", period="month")

    assert first["total"]["received"] == rates(api, project, kind, *last)["total"]["received"] == 0
    assert asked(api, project, kind, *last, period="month").expect(422).error["field"] == "end_time"


def test_an_event_type_that_never_had_an_event_is_missing_as_a_whole(api, project):
    kind = hourly(api, project)

    found = rates(api, project, kind, at("05T00:00"), at("06T00:00"))

    assert counts(found["total"]) == (24, 0, 0, 0, 24, 0)
    assert found["total"]["capture_rate"] == 0


def test_what_is_still_to_come_is_not_expected(api, project):
    kind = hourly(api, project)

    found = rates(api, project, kind, "2999-01-01T00:00:00Z", "2999-01-02T00:00:00Z")

    assert counts(found["total"]) == (0, 0, 0, 0, 0, 0)
    assert found["total"]["capture_rate"] is None


def test_voided_events_are_missing(api, project):
    kind = hourly(api, project)
    seen = given.event(api, project, event_type="flow", start_time=at("05T00:00"), values={"flow": 1})
    api.delete(f"/projects/{project['id']}/events/{seen['id']}").expect(204)

    assert counts(rates(api, project, kind, at("05T00:00"), at("05T02:00"))["total"]) == (2, 0, 0, 0, 2, 0)


def test_substituted_and_imputed_values_never_count_as_valid(api, project, sql):
    kind = hourly(api, project)
    replaced = given.event(api, project, event_type="flow", start_time=at("05T00:00"), values={"flow": 9})
    measure(api, project, moments(at("05T01:00"), 2, HOUR))
    number = broken_on_purpose(project["numeric_id"])
    [(event, user)] = sql(
        "SELECT e.id, (SELECT min(id) FROM users) FROM events e"
        " WHERE e.project_id = %s AND e.start_time = '2025-01-05Z'",
        number,
    )
    sql(
        "UPDATE events SET corrected_numbers = '{1}', is_revised = true WHERE project_id = %s AND id = %s"
        " RETURNING id",
        number, event,
    )  # fmt: skip
    sql(
        "INSERT INTO corrections"
        " (project_id, event_id, position, source, state, from_value, to_value, user_id)"
        " VALUES (%s, %s, 1, 'substitution', 'in_force', '9', '1', %s) RETURNING id",
        number, event, user,
    )  # fmt: skip
    sql(
        "INSERT INTO events"
        " (project_id, id, event_type_id, start_time, end_time, numbers, is_complete, is_imputed)"
        " SELECT project_id, nextval('event_key_blocks') * 4096, event_type_id,"
        "        start_time + interval '3 hours', start_time + interval '3 hours', '{2}', true, true"
        "   FROM events WHERE project_id = %s AND id = %s RETURNING id",
        number, event,
    )  # fmt: skip

    assert replaced["id"]
    found = rates(api, project, kind, at("05T00:00"), at("05T05:00"))
    assert counts(found["total"]) == (5, 3, 2, 1, 2, 1)
    assert found["total"]["capture_rate"] == Decimal("0.4")


def test_an_event_type_without_a_cadence_expects_nothing_that_could_be_captured(api, project):
    kind = given.event_type(api, project)

    refused = asked(api, project, kind, at("05T00:00"), at("06T00:00")).expect(422)

    assert (refused.error["field"], refused.error["code"]) == ("event_type_id", "conflict")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"start_time": "today", "end_time": at("06T00:00"), "period": "day"}, "start_time"),
        ({"end_time": at("06T00:00"), "period": "day"}, "start_time"),
        ({"start_time": at("06T00:00"), "end_time": at("06T00:00"), "period": "day"}, "end_time"),
        ({"start_time": at("05T00:00"), "end_time": at("06T00:00")}, "period"),
        ({"start_time": at("05T00:00"), "end_time": at("06T00:00"), "period": "week"}, "period"),
        ({"start_time": at("05T00:00"), "end_time": at("06T00:00"), "period": "day", "meter": "1"}, "meter"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(api, project, query, field):
    kind = hourly(api, project)

    refused = api.get(f"/projects/{project['id']}/event_types/{kind['id']}/capture_rate", query).expect(400)

    assert refused.error["field"] == field


@pytest.mark.parametrize(
    ("unit", "end", "period"),
    [("minute", "2028-01-01T00:00:00Z", "quarter"), ("month", "2035-01-01T00:00:00Z", "day")],
)
def test_a_range_that_is_too_long_is_refused_before_anything_is_counted(api, project, unit, end, period):
    kind = hourly(api, project, unit=unit)

    assert (
        asked(api, project, kind, at("01T00:00"), end, period=period).expect(422).error["code"] == "too_long"
    )


def test_an_account_without_the_feature_is_refused(api, account, sql, project):
    kind = hourly(api, project)
    sql(
        "INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'data_capture_rate', false)",
        account.id,
    )

    refused = asked(api, project, kind, at("05T00:00"), at("06T00:00")).expect(403)

    assert refused.error["code"] == "feature_off"
