"""A ledger says which events no generation has looked at, and no page says that it is up to date."""

import pytest
from tests.given import accounting, chain, reports
from tests.given import collection as given
from tests.given.people import visitor

from weighbridge.accounting.posting.waiting_events import lock_days, update_marked
from weighbridge.exchange.changes import number_all

GONE = 2**31 - 2
"""The number of a project that no cell has."""
FEBRUARY_3 = "2025-02-03T06:00:00Z"


@pytest.fixture
def look(server):
    """Has a worker look which events wait."""

    async def number_and_update():
        await number_all(server.database)
        await update_marked(server.database)

    return lambda: server.run(number_and_update())


@pytest.fixture
def plant(api, drain):
    """Five tonnes of January, generated."""
    plant = accounting.plant(api, drain)
    plant.deliver(5, 2)
    plant.generate()
    return plant


def waits(plant):
    return plant.api.get(f"/ledgers/{plant.ledger['id']}").body["not_counted_yet"]


def test_a_project_that_has_gone_to_another_cell_has_no_days_to_lock(server):
    async def lock():
        async with server.database.write() as tx:
            return await lock_days(tx, GONE)

    assert server.run(lock()) is None


def test_a_ledger_that_was_just_generated_waits_for_nothing(plant, look):
    look()

    assert waits(plant) is None
    assert [batch["waiting_event_count"] for batch in plant.batches()] == [0]


def test_events_that_came_after_the_generation_wait_in_their_slot_or_in_none(plant, look):
    plant.deliver(2, 20)
    plant.deliver(3, FEBRUARY_3)

    look()

    assert waits(plant) == {
        "event_count": 2,
        "is_more": False,
        "start_time": "2025-01-20T12:00:00.000Z",
        "end_time": "2025-02-03T06:00:00.000Z",
    }
    assert [batch["waiting_event_count"] for batch in plant.batches()] == [1]


def test_generating_their_slots_settles_what_waits(plant, look):
    plant.deliver(2, 20)
    plant.deliver(3, FEBRUARY_3)
    look()

    plant.generate()
    look()
    january_only = waits(plant)
    plant.generate(accounting.QUARTER)
    look()

    assert january_only["event_count"] == 1
    assert waits(plant) is None


def test_an_event_that_moves_to_another_slot_or_is_corrected_there_waits(plant, look):
    moved = plant.deliver(2, FEBRUARY_3)
    plant.generate(accounting.QUARTER)
    path = f"/projects/{plant.project['id']}/events/{moved}"
    plant.api.patch(
        path, {"event": {"start_time": "2025-01-09T00:00:00Z", "end_time": "2025-01-09T00:00:00Z"}}
    )

    look()

    by_month = {batch["tracking_id"]: batch for batch in plant.batches()}
    assert by_month["2025-02"]["is_stale"]
    assert not by_month["2025-01"]["is_stale"]


def test_what_is_voided_incomplete_or_of_another_type_does_not_wait(plant, look):
    gone = plant.deliver(2, 20)
    plant.bill(7, 20)
    plant.api.delete(f"/projects/{plant.project['id']}/events/{gone}")

    look()

    assert waits(plant) is None


def test_what_a_deleted_batch_counted_waits_again_in_its_slot_and_for_the_report_of_the_rest(plant, look):
    plant.deliver(3, FEBRUARY_3)
    plant.deliver(4, "2025-03-03T00:00:00Z")
    plant.generate(accounting.QUARTER)
    _, february, _ = plant.batches()
    draft = reports.Claims(plant).report(5, 0, 4)

    delete(plant, february)
    look()

    refusal = plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(422)
    assert "late_data" in {error["code"] for error in refusal.errors[1:]}
    assert waits(plant) == {
        "event_count": 1,
        "is_more": False,
        "start_time": "2025-02-03T06:00:00.000Z",
        "end_time": "2025-02-03T06:00:00.000Z",
    }
    assert [batch["waiting_event_count"] for batch in plant.batches()] == [0, 0]
    plant.generate(accounting.QUARTER)
    look()
    assert waits(plant) is None
    plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(202)


def test_what_a_deleted_batch_of_one_event_counted_waits_again(api, drain, look):
    plant = accounting.plant(api, drain, cadence="event")
    plant.deliver(5, 2)
    plant.deliver(2, 20)
    plant.generate()
    first, _ = plant.batches()

    delete(plant, first)
    look()

    assert waits(plant)["event_count"] == 1


def delete(plant, *batches):
    named = {"batch_ids": [batch["id"] for batch in batches]}
    task = plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", named).expect(202).body
    plant.drain()
    assert plant.api.get(f"/async_tasks/{task['id']}").body["state"] == "complete"


def test_an_upstream_ledger_waits_by_itself(api, drain, look):
    first = chain.inventory(api, drain)
    first.deliver(10, 2)
    first.generate()
    second = chain.link(first)
    chain.produce(second, 3, 10)
    second.generate()
    first.deliver(1, 12)

    look()

    assert waits(first)["event_count"] == 1
    assert waits(second) is None


def test_a_bulk_of_many_is_counted_to_a_thousand(plant, look):
    events = [
        given.event_body(start_time=f"2025-01-{1 + n % 28:02d}T00:00:00Z", values={"mass": 1})
        for n in range(1200)
    ]
    plant.api.post(f"/projects/{plant.project['id']}/events", {"events": events}).expect(201)

    look()

    assert (waits(plant)["event_count"], waits(plant)["is_more"]) == (1000, True)
    plant.generate()
    look()
    assert waits(plant) is None


def test_the_feed_tells_of_the_ledger_once_for_each_number(plant, look):
    look()
    start = plant.api.get("/changes?after=latest").body["cursor"]
    plant.deliver(2, 20)
    look()
    look()

    told = plant.api.get(f"/changes?after={start}&kind=ledger").data

    assert [(one["action"], one["id"]) for one in told] == [("update", plant.ledger["id"])]


def test_overview_ledger_batch_and_report_say_that_events_are_not_counted_yet(account, plant, look):
    draft = reports.Claims(plant).report(5)
    plant.deliver(2, 20)
    plant.deliver(3, FEBRUARY_3)
    look()
    reader = visitor(account)
    home = f"/projects/{plant.project['id']}"
    [batch] = plant.batches()

    overview = reader.get(home).expect(200).text
    ledgers = reader.get(f"{home}/ledgers").expect(200).text
    ledger = reader.get(f"{home}/ledgers/{plant.ledger['id']}").expect(200).text
    page = reader.get(f"{home}/batches/{batch['id']}").expect(200).text
    report = reader.get(f"{home}/reports/{draft['id']}").expect(200).text
    form = reader.get(f"{home}/ledgers/{plant.ledger['id']}/generations").expect(200).text

    assert "All batches are up to date" not in overview
    assert "2 events not counted yet for Deliveries" in overview
    assert "generations?from=2025-01-01T00%3A00&amp;until=2025-03-01T00%3A00" in overview
    for shown in (ledgers, ledger, page):
        assert "not counted yet" in shown
        assert "up to date" not in shown
    assert "The periods of 1 batch have events since the last generation" in report
    assert "2025-01: 1 event not counted yet" in form
    assert plant.api.get(f"/reports/{draft['id']}").body["waiting_batch_count"] == 1
