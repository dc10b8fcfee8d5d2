"""The Python client as people use it, on a running service."""

import asyncio
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given import generation

from weighbridge.client import (
    AsyncClient,
    Client,
    Invalid,
    NotFound,
    TaskFailed,
    TaskTimeout,
    Unauthenticated,
)

MANY = "1.000000000000000000000000000000001"


@pytest.fixture
def client(server, api):
    with Client(server.address, token=api.token) as client:
        yield client


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"), given.text("grade"))


def delivery(minute, mass=1):
    start = datetime(2026, 1, 1, minute // 60, minute % 60, tzinfo=UTC)
    return {
        "event_type": "delivery",
        "start_time": start,
        "client_reference": f"d-{minute}",
        "data_points": [{"slug": "mass", "value": Decimal(mass)}],
    }


def test_records_are_typed_exact_and_aware_of_their_zone(client, plant):
    client.events.create(plant["id"], **delivery(5, MANY))

    [event] = client.events.list(plant["id"], client_reference="d-5")

    assert event.start_time == datetime(2026, 1, 1, 0, 5, tzinfo=UTC)
    assert event.data_points[0].value == Decimal(MANY)


def test_a_list_is_walked_whole(client, plant):
    receipts = list(client.store(plant["id"], (delivery(each) for each in range(450)), batch_size=100))

    walked = [event.id for event in client.events.list(plant["id"], sort="start_time", page_size=40)]

    assert walked == [receipt.id for receipt in receipts]


def test_one_page_says_where_it_stands(client, plant):
    list(client.store(plant["id"], [delivery(each) for each in range(7)]))

    page = client.events.list(plant["id"], page_size=3).page()

    assert (len(page.data), page.info.total_items, page.info.total_pages) == (3, 7, 3)


def test_what_is_left_out_stays_and_null_clears(client):
    project = client.projects.create(name="Plant", description="Nord")

    renamed = client.projects.update(project.id, name="Works")
    cleared = client.projects.update(project.id, description=None)

    assert (renamed.name, renamed.description) == ("Works", "Nord")
    assert cleared.description is None


def test_a_binary_float_is_not_sent(client, plant):
    event = delivery(1) | {"data_points": [{"slug": "mass", "value": 0.1}]}

    with pytest.raises(TypeError, match=r"0\.1 is a binary float; send Decimal\('0\.1'\)"):
        client.events.create(plant["id"], **event)


def test_rows_of_a_table_become_events(client, plant):
    rows = [
        {"start_time": "2026-01-01T00:00:00Z", "mass": 0.1, "grade": "A", "tracking_id": "LOT-1"},
        {"start_time": "2026-01-01T01:00:00Z", "mass": float("nan"), "grade": None, "tracking_id": None},
        {"start_time": "2026-01-01T02:00:00Z", "mass": Decimal("2.5"), "grade": "B", "tracking_id": "LOT-2"},
    ]

    stored = client.store_rows(plant["id"], "delivery", rows)

    found = [
        (event.tracking_id, {each.slug: each.value for each in event.data_points})
        for event in client.events.list(plant["id"], sort="start_time")
    ]
    assert stored == 3
    assert found == [
        ("LOT-1", {"mass": Decimal("0.1"), "grade": "A"}),
        (None, {}),
        ("LOT-2", {"mass": Decimal("2.5"), "grade": "B"}),
    ]


def test_a_file_is_attached(client, plant):
    event = client.events.create(plant["id"], **delivery(1))

    evidence = client.attach_file(event.id, 'weigh "1".txt', b"12.5 t")

    assert evidence.name == 'weigh "1".txt'
    assert client.evidence.download(plant["id"], event.id, evidence.id) == b"12.5 t"


def test_a_generation_is_started_and_waited_for(client, api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(5)
    start, end = given_accounting.JANUARY

    task = client.batch_generations.create(plant.ledger["id"], start_time=start, end_time=end)
    account.drain()
    seen = []
    result = task.wait(progress=seen.append)

    assert [each.state for each in seen] == ["complete"]
    assert result["created"] == 1
    [batch] = client.batches.list_of_ledger(plant.ledger["id"])
    assert batch.primary_output.value == 5


def test_a_task_that_fails_says_why(client, api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.bill(5)
    start, end = given_accounting.JANUARY
    task = client.batch_generations.create(plant.ledger["id"], start_time=start, end_time=end)
    client.async_tasks.cancel(task.id)

    with pytest.raises(TaskFailed, match=rf"Task {task.id} \(batch_generation\) failed: "):
        task.wait()


def test_nobody_waits_for_ever_unless_they_want_to(client, api, account, server):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(5)
    start, end = given_accounting.JANUARY
    with generation.running(server, plant):
        task = client.batch_generations.create(plant.ledger["id"], start_time=start, end_time=end)

        with pytest.raises(TaskTimeout, match="is still pending"):
            task.wait(timeout=0)


def test_refusals_are_errors_with_fields(client, plant, server):
    with pytest.raises(NotFound):
        client.events.get(plant["id"], "evt_000000000000000000000000")
    with pytest.raises(Invalid) as caught:
        client.events.create(
            plant["id"],
            event_type="delivery",
            start_time="2026-01-01T00:00:00Z",
            data_points=[{"slug": "weight", "value": 1}],
        )
    assert caught.value.errors[0].field == "data_points[0].slug"
    with Client(server.address, token=plant["id"]) as nobody, pytest.raises(Unauthenticated):
        nobody.projects.list().page()


def test_changes_are_followed_from_a_cursor_on(client, plant):
    client.events.create(plant["id"], **delivery(1))
    first = next(change for change in client.follow(kind="event"))
    client.events.create(plant["id"], **delivery(2))

    second = next(change for change in client.follow(kind="event", after=first.cursor))

    assert first.cursor != second.cursor


def test_a_change_is_tried_before_it_is_made(client, plant):
    event = client.events.create(plant["id"], **delivery(1))

    impact = client.data_points.correct_on_trial(plant["id"], event.data_points[0].id, value=Decimal(2))

    assert impact.batches == []
    assert client.data_points.get(plant["id"], event.data_points[0].id).value == 1


def test_the_same_is_awaited(server, api, plant):
    async def story():
        async with AsyncClient(server.address, token=api.token) as client:
            stored = [
                receipt.id
                async for receipt in client.store(plant["id"], map(delivery, range(5)), batch_size=2)
            ]
            walked = [each.id async for each in client.events.list(plant["id"], page_size=2)]
            with pytest.raises(NotFound):
                await client.events.get(plant["id"], "evt_000000000000000000000000")
            return stored, walked

    stored, walked = asyncio.run(story())

    assert len(stored) == 5
    assert stored == walked
