"""Batches made of rolled-up events: when they are stale, what they saw, and what a generation awaits."""

import pytest
from tests.given import accounting, roll_ups
from tests.given import collection as given
from tests.given.approvals import approve, reject
from tests.given.roll_ups import events_of, hours, minutes, minutes_of, read, roll_up
from tests.given.rule_evaluation import calibration, results, work

from weighbridge.verification.invariants import check_roll_ups
from weighbridge.verification.recomputation import check_batches

NODES = """
  - slug: co2
    input: {event_type: stack-hour, data_point_type: co2, aggregate: sum, coverage: any}
    unit: kg
    output: true
"""


@pytest.fixture
def plant(api, drain):
    project = given.project(api)
    minutes(api, project)
    hours(api, project, [("co2", "sum", "co2")])
    text = accounting.document(NODES, primary_output="co2")
    made = accounting.model(api, project, text)
    return accounting.Plant(api, drain, project, made, accounting.ledger(api, project, made, unit="kg"))


def type_of(api, plant, slug):
    types = api.get(f"/projects/{plant.project['id']}/event_types").expect(200).data
    return next(one for one in types if one["slug"] == slug)


def hour_of(api, plant):
    return events_of(api, plant.project, type_of(api, plant, "stack-hour"))


def correct_minute(api, plant, time, value):
    asked = {"filter[start_time][eq]": f"2025-01-01T{time}:00Z", "filter[slug][eq]": "stack-minute"}
    [minute] = api.get(f"/projects/{plant.project['id']}/events", asked).data
    point = f"/projects/{plant.project['id']}/data_points/{minute['data_points'][0]['id']}"
    api.patch(point, {"data_point": {"value": value}}).expect(200)


def recomputed(account, plant):
    async def run():
        async with account.server.database.read() as tx:
            return (await check_batches(tx, plant.project["numeric_id"]))[1] + await check_roll_ups(tx)

    return account.server.run(run())


def test_a_generation_rolls_up_first_what_a_preview_names(api, plant):
    read(api, plant.project, minutes_of(10, [1, 2]))

    [entry] = plant.preview()
    result = plant.generate()

    pending = {name: entry["pending_roll_ups"][0][name] for name in ("event_type", "source", "start_time")}
    assert pending == {"event_type": "stack-hour", "source": "stack-minute", "start_time": None}
    assert (entry["count"], result["pending_roll_ups"]) == (0, [])
    assert [one["primary_output"]["value"] for one in plant.batches()] == [3]


def test_a_preview_names_the_stretch_in_which_readings_changed(api, account, plant):
    roll_up(account)
    read(api, plant.project, minutes_of(10, [1, 2]))

    assert plant.preview()[0]["pending_roll_ups"] == [
        {
            "event_type": "stack-hour",
            "source": "stack-minute",
            "start_time": "2025-01-01T10:00:00.000Z",
            "end_time": "2025-01-01T10:01:00.000Z",
        }
    ]
    february = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
    assert plant.preview(february)[0]["pending_roll_ups"] == []


def test_a_batch_is_stale_once_its_hour_is_another_and_keeps_what_it_saw(api, account, plant):
    read(api, plant.project, minutes_of(10, [1, 2]))
    plant.generate()
    [before] = hour_of(api, plant)

    correct_minute(api, plant, "10:01", 5)
    roll_up(account)

    [batch] = plant.batches()
    assert [one["reason"] for one in batch["stale_reasons"]] == ["data_point_corrected"]
    [hour] = hour_of(api, plant)
    assert (hour["id"], hour["data_points"][0]["value"]) == (before["id"], 6)
    [row] = api.get(f"/batches/{batch['id']}/input_data").data
    point = row["data_point"]
    assert (point["value"], point["raw_value"], row["event"]["id"]) == (3, 3, hour["id"])
    assert recomputed(account, plant) == []

    plant.generate()

    assert [one["primary_output"]["value"] for one in plant.batches()] == [3, 3]
    assert plant.balance() == 6
    assert recomputed(account, plant) == []
    assert plant.generate()["created"] == 0


def test_a_batch_whose_hour_lost_its_readings_is_stale_and_settled_by_the_next(api, account, plant):
    [receipt] = read(api, plant.project, {"10:00": 4})
    read(api, plant.project, {"11:00": 1})
    plant.generate()

    api.delete(f"/projects/{plant.project['id']}/events/{receipt['id']}").expect(204)
    roll_up(account)

    [batch] = plant.batches()
    assert [one["reason"] for one in batch["stale_reasons"]] == ["event_corrected"]
    plant.generate()
    assert plant.balance() == 1
    assert recomputed(account, plant) == []


def test_lineage_leads_to_the_hour_and_the_hour_to_its_minutes(api, plant):
    read(api, plant.project, minutes_of(10, [1, 2]))
    read(api, plant.project, minutes_of(11, [9]))
    plant.generate()

    [batch] = plant.batches()
    lineage = api.get(f"/batches/{batch['id']}/lineage").expect(200).body
    [row, _] = lineage["nodes"][0]["input"]["rows"]
    hour = api.get(f"/projects/{plant.project['id']}/events/{row['event_id']}").expect(200).body
    source = hour["rolled_up_from"]
    asked = {"filter[rolled_up_event_id][eq]": hour["id"], "sort": "start_time"}
    readings = api.get(f"/projects/{plant.project['id']}/events", asked).expect(200).data

    assert [roll_ups.values_of(one)["co2"] for one in readings] == [1, 2]
    assert source["readings"] == len(readings)


def test_what_a_person_corrects_of_an_hour_stays_while_its_readings_change_beneath(api, account, plant):
    read(api, plant.project, minutes_of(10, [1, 2]))
    roll_up(account)
    [hour] = hour_of(api, plant)
    point = f"/projects/{plant.project['id']}/data_points/{hour['data_points'][0]['id']}"

    api.patch(point, {"data_point": {"value": 100}}).expect(200)
    read(api, plant.project, {"10:30": 4})
    roll_up(account)
    corrected = api.get(point).expect(200).body
    api.post(f"{point}/revert", {}).expect(200)

    assert (corrected["value"], corrected["raw_value"], corrected["value_source"]) == (100, 7, "manual")
    assert api.get(point).expect(200).body["value"] == 7
    assert recomputed(account, plant) == []


def test_a_generation_at_work_is_not_disturbed(api, account, plant, server, sql):
    read(api, plant.project, minutes_of(10, [1, 2]))
    plant.generate()
    correct_minute(api, plant, "10:01", 5)
    number = plant.project["numeric_id"]
    [(family,)] = sql("SELECT family_id FROM ledgers WHERE project_id = %s", number)

    with server.transaction() as generation:
        name = f"generation:{number}:{family}"
        generation.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))
        roll_up(account)
        during = hour_of(api, plant)[0]["data_points"][0]["value"]
    roll_up(account)

    assert (during, hour_of(api, plant)[0]["data_points"][0]["value"]) == (3, 6)


def test_verification_names_an_hour_that_is_not_what_its_readings_come_to(api, account, plant, sql):
    read(api, plant.project, minutes_of(10, [1, 2]))
    roll_up(account)
    [hour] = hour_of(api, plant)
    key = accounting.key_of("event", hour["id"])

    sql("UPDATE events SET numbers = ARRAY[4] WHERE (project_id, id) = (%s, %s)", *key)
    broken = recomputed(account, plant)
    sql("SELECT mark_roll_ups(%s, event_type_id) FROM events WHERE (project_id, id) = (%s, %s)", key[0], *key)
    roll_up(account)

    assert broken == [f"event {hour['id']}: its readings come to something else"]
    assert recomputed(account, plant) == []


def test_what_a_proposal_on_a_minute_would_change_is_told_through_its_hour(api, account, plant):
    read(api, plant.project, minutes_of(10, [1, 2]))
    plant.generate()
    rule = calibration(api, plant.project, "{{co2}} > 1", "{{co2}} * 2", requires_approval=True,
                       event_type_id=type_of(api, plant, "stack-minute")["id"])  # fmt: skip
    work(account)
    [result] = results(api, rule)

    path = f"/projects/{plant.project['id']}/rule_results/{result['id']}"
    impact = api.get(f"{path}/impact").expect(200).body
    before = hour_of(api, plant)
    api.post(f"{path}/approve", {}).expect(200)
    plant.generate()

    [change] = impact["batches"]
    assert (change["primary_output_before"], change["primary_output_after"]) == (3, 5)
    assert before[0]["data_points"][0]["value"] == 3
    assert plant.balance() == 5


def test_an_approval_on_a_minute_stays_once_a_batch_was_made_of_its_hour(api, account, plant):
    read(api, plant.project, minutes_of(10, [1, 2]))
    plant.generate()
    rule = calibration(api, plant.project, "{{co2}} > 1", "{{co2}} * 2", requires_approval=True,
                       event_type_id=type_of(api, plant, "stack-minute")["id"])  # fmt: skip
    work(account)
    [result] = results(api, rule)
    for decide in (approve, reject, approve):
        decide(api, plant.project, result["id"]).expect(200)
    [batch] = plant.generate()["batches"]

    error = reject(api, plant.project, result["id"]).expect(422).error

    assert (error["code"], error["records"]) == ("decision_used", [batch])
