"""Rules, capture rates and gaps work on hours as on any event; whoever is stopped leaves nothing undone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.given import collection as given
from tests.given.roll_ups import events_of, hours, minutes, minutes_of, read, roll_up, shown
from tests.given.rule_evaluation import rule, statuses, work

from weighbridge.quality.slots.roll_up_refresh import roll_up_marked

DAY = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-02T00:00:00Z"}


@pytest.fixture
def project(api):
    made = given.project(api)
    minutes(api, made)
    return made


def test_a_rule_watches_hours(api, account, project):
    kind = hours(api, project, [("load", "sum", "co2")])
    made = rule(api, project, "{{load}} > 10", event_type_id=kind["id"])
    work(account)
    read(api, project, minutes_of(10, [5, 4]))
    work(account)
    before = statuses(api, made)

    read(api, project, {"10:30": 3})
    work(account)

    assert (before, statuses(api, made)) == ([], [("fail", "12")])


def test_the_capture_rate_of_hours_counts_those_with_enough_minutes(api, account, project):
    kind = hours(api, project, valid_share_min=0.8)
    read(api, project, minutes_of(10, [1] * 48))
    read(api, project, minutes_of(11, [1] * 47))
    roll_up(account)

    path = f"/projects/{project['id']}/event_types/{kind['id']}"
    total = api.get(f"{path}/capture_rate", DAY | {"period": "day"}).expect(200).body["total"]
    gaps = api.get(f"{path}/gaps", DAY).expect(200).data

    figures = [total[name] for name in ("expected", "received", "valid", "missing")]
    assert figures == [24, 2, 1, 22]
    assert [(one["slots"], one["missing"]) for one in gaps] == [(10, 10), (13, 12)]


def test_two_workers_do_not_work_at_once_and_nothing_is_left_undone(api, account, project, server):
    kind = hours(api, project, [("co2", "sum", "co2")])
    read(api, project, minutes_of(10, [1, 2]))
    number = project["numeric_id"]

    with server.transaction() as other:
        name = f"rolling up:{number}"
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))
        is_done = account.server.run(roll_up_marked(server.database, number))
    during = events_of(api, project, kind)

    assert (is_done, during) == (False, [])
    assert account.server.run(roll_up_marked(server.database, number)) is True
    assert shown(api, project, kind) == [("2025-01-01T10:00", "complete", {"co2": 3})]


def test_a_worker_that_is_stopped_leaves_what_it_has_not_done(api, account, project, server, sql):
    kind = hours(api, project, [("co2", "sum", "co2")])
    read(api, project, minutes_of(10, [1, 2]))
    number = project["numeric_id"]

    async def stopped(blocked):
        work = asyncio.create_task(roll_up_marked(server.database, number))
        await asyncio.to_thread(blocked)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    with server.transaction() as type_change:
        type_change.execute("SELECT FROM event_types WHERE project_id = %s FOR UPDATE", (number,))
        account.server.run(stopped(server.await_blocked))
    left = sql("SELECT count(*) FROM roll_up_marks WHERE project_id = %s", number)
    roll_up(account)

    assert left[0][0] > 0
    assert shown(api, project, kind) == [("2025-01-01T10:00", "complete", {"co2": 3})]


def test_a_writer_that_could_not_see_the_roll_up_is_waited_for(api, account, project, server):
    read(api, project, minutes_of(10, [1]))
    number = project["numeric_id"]

    with ThreadPoolExecutor() as elsewhere:
        with server.transaction() as slower:
            slower.execute("SELECT pg_advisory_xact_lock_shared(rule_marks_lock(%s))", (number,))
            slower.execute(
                """
                WITH made AS MATERIALIZED (
                    SELECT project_id, 0, event_type_id, start_time, end_time, ARRAY[30], true
                      FROM events WHERE project_id = %s)
                INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
                SELECT * FROM made
                """,
                (number,),
            )
            kind = hours(api, project, [("co2", "sum", "co2")])
            rolling = elsewhere.submit(roll_up, account)
            server.await_blocked()
        rolling.result()

    assert shown(api, project, kind) == [("2025-01-01T10:00", "complete", {"co2": 31})]


def test_a_roll_up_that_fails_holds_up_no_rule_and_is_tried_again(api, account, project, sql):
    kind = hours(api, project, [("load", "sum", "co2")])
    made = rule(api, project, "{{co2}} > 10", event_type_id=minutes_type(api, project))
    work(account)
    number = project["numeric_id"]
    broken = "UPDATE event_types SET valid_when = %s WHERE project_id = %s AND slug = 'stack-minute'"

    sql(broken, "(((", number)
    read(api, project, minutes_of(10, [12]))
    work(account)
    found, during = statuses(api, made), events_of(api, project, kind)
    sql(broken, None, number)
    work(account)

    assert (found, during) == ([("fail", "12")], [])
    assert shown(api, project, kind) == [("2025-01-01T10:00", "complete", {"load": 12})]


def test_the_day_on_which_clocks_advance_expects_23_hours(api, account):
    project = given.project(api, time_zone="Europe/Berlin")
    minutes(api, project)
    hours(api, project, [("co2", "sum", "co2")])
    days = hours(api, project, [("co2", "sum", "co2")], slug="stack-day", unit="day", source="stack-hour")
    given.event(api, project, event_type="stack-minute", start_time="2025-03-30T10:00:00Z", values={"co2": 1})

    roll_up(account)

    [day] = events_of(api, project, days)
    assert (day["start_time"], day["end_time"]) == ("2025-03-29T23:00:00.000Z", "2025-03-30T22:00:00.000Z")
    assert day["rolled_up_from"]["expected_readings"] == 23


def minutes_type(api, project):
    types = api.get(f"/projects/{project['id']}/event_types").expect(200).data
    return next(one["id"] for one in types if one["slug"] == "stack-minute")
