"""What an event type may be rolled up from, and what stays while it is."""

import pytest
from tests.given import collection as given
from tests.given.roll_ups import hours, minutes, minutes_of, read, roll_up, rolled_up

CO2 = given.number("co2", unit="kg")
AVERAGE = [("co2", "average", "co2")]


@pytest.fixture
def project(api):
    made = given.project(api)
    minutes(api, made)
    return made


def send(api, project, roll_up, **fields):
    shape = {
        "name": "Hour",
        "slug": "hour",
        "data_point_types": [CO2],
        "cadence_amount": 1,
        "cadence_unit": "hour",
    }
    body = {"event_type": shape | {"rolled_up_from": roll_up} | fields}
    return api.post(f"/projects/{project['id']}/event_types", body)


def fields_of(answer):
    return [one["field"].removeprefix("event_type.") for one in answer.expect(422).body["errors"]]


def path_of(project, kind):
    return f"/projects/{project['id']}/event_types/{kind['id']}"


def types_of(api, project):
    return {one["slug"]: one for one in api.get(f"/projects/{project['id']}/event_types").expect(200).data}


def test_it_is_told_with_every_source_written_out(api, project):
    roll_up = {"event_type": "stack-minute", "data_points": [{"data_point": "co2", "aggregate": "max"}]}

    made = send(api, project, roll_up).expect(201).body

    assert made["rolled_up_from"] == {
        "event_type": "stack-minute",
        "data_points": [{"data_point": "co2", "aggregate": "max", "source": "co2"}],
        "valid_share_min": None,
    }
    assert api.get(path_of(project, made)).body == made
    assert types_of(api, project)["hour"] == made


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ([("co2", "average", "quality")], "rolled_up_from.data_points[0].aggregate"),
        ([("co2", "count", "co2")], "rolled_up_from.data_points[0].aggregate"),
        ([("co2", "delta", "co2")], "rolled_up_from.data_points[0].aggregate"),
        ([("co2", "sum", "nox")], "rolled_up_from.data_points[0].source"),
        ([("co2", "sum", "co2"), ("nox", "sum", "co2")], "rolled_up_from.data_points[1].data_point"),
        ([("co2", "sum", "co2"), ("co2", "max", "co2")], "rolled_up_from.data_points"),
        ([], "rolled_up_from.data_points"),
    ],
)
def test_every_value_is_made_once_of_what_it_can_be_made_of(api, project, values, field):
    assert fields_of(send(api, project, rolled_up(values))) == [field]


@pytest.mark.parametrize("share", [0, -1, 1.01])
def test_a_share_is_above_nothing_and_at_most_all(api, project, share):
    assert fields_of(send(api, project, rolled_up(AVERAGE, valid_share_min=share))) == [
        "rolled_up_from.valid_share_min"
    ]


def test_a_share_needs_to_know_how_many_readings_there_should_be(api, project):
    given.event_type(api, project, slug="now-and-then", data_point_types=[CO2])
    sent = rolled_up(AVERAGE, source="now-and-then", valid_share_min=0.8)

    assert fields_of(send(api, project, sent)) == ["rolled_up_from.valid_share_min"]
    send(api, project, rolled_up(AVERAGE, source="now-and-then")).expect(201)


def test_slots_are_those_of_a_cadence_no_shorter_than_that_of_the_readings(api, project):
    without = {"cadence_amount": None, "cadence_unit": None}
    minutes(api, project, slug="ten-minutes", cadence_amount=10)

    assert fields_of(send(api, project, rolled_up(AVERAGE), **without)) == ["cadence_unit"]
    short = {"cadence_amount": 9, "cadence_unit": "minute"}
    assert fields_of(send(api, project, rolled_up(AVERAGE, source="ten-minutes"), **short)) == [
        "cadence_unit"
    ]


def test_the_readings_are_of_a_type_of_the_project(api, project):
    assert fields_of(send(api, project, rolled_up(AVERAGE, source="nowhere"))) == [
        "rolled_up_from.event_type"
    ]


def test_no_roll_up_leads_back_to_itself(api, project):
    hour = hours(api, project)
    day = hours(api, project, slug="stack-day", unit="day", source="stack-hour")

    for source in ("stack-hour", "stack-day"):
        body = {"event_type": {"rolled_up_from": rolled_up(AVERAGE, source=source)}}
        assert "rolled_up_from.event_type" in fields_of(api.patch(path_of(project, hour), body))
    assert types_of(api, project)["stack-day"] == day


def test_what_is_rolled_up_from_stays(api, project):
    hours(api, project)
    source = types_of(api, project)["stack-minute"]
    path = path_of(project, source)

    [deleting] = api.delete(path).expect(422).body["errors"]
    assert (deleting["code"], "stack-hour" in deleting["message"]) == ("in_use", True)
    without_co2 = {"event_type": {"data_point_types": [{"slug": "quality"}]}}
    assert fields_of(api.patch(path, without_co2)) == ["data_point_types"]
    in_tons = {"event_type": {"data_point_types": [{"slug": "co2", "unit": "t"}, {"slug": "quality"}]}}
    assert fields_of(api.patch(path, in_tons)) == ["data_point_types"]
    without_cadence = {"event_type": {"cadence_amount": None, "cadence_unit": None}}
    assert fields_of(api.patch(path, without_cadence)) == ["cadence_unit"]


def test_a_roll_up_without_events_is_taken_back_and_removed(api, project):
    kind = hours(api, project)

    changed = api.patch(path_of(project, kind), {"event_type": {"rolled_up_from": None}}).expect(200).body
    again = {"event_type": {"rolled_up_from": rolled_up(AVERAGE)}}
    api.patch(path_of(project, kind), again).expect(200)

    assert changed["rolled_up_from"] is None
    api.delete(path_of(project, kind)).expect(204)


def test_a_type_is_rolled_up_or_written_for_good_once_it_has_events(api, account, project):
    kind = hours(api, project)
    written = given.event_type(
        api, project, slug="written", data_point_types=[CO2], cadence_amount=1, cadence_unit="hour"
    )
    given.event(api, project, event_type="written", values={"co2": 1})
    read(api, project, minutes_of(10, [1]))
    roll_up(account)

    taken_back = api.patch(path_of(project, kind), {"event_type": {"rolled_up_from": None}})
    rolled = api.patch(path_of(project, written), {"event_type": {"rolled_up_from": rolled_up(AVERAGE)}})

    assert fields_of(taken_back) == fields_of(rolled) == ["rolled_up_from"]
