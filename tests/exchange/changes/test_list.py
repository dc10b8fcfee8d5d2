"""The feed of changes: `list_changes`."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from prometheus_client import REGISTRY
from tests.given import collection as given

from weighbridge.exchange.changes import forget_changes, number_all


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


def latest(api):
    return api.get("/changes", {"after": "latest"}).expect(200).body["cursor"]


def told(api, after=None, **query):
    """The changes behind a cursor, page by page."""
    found = []
    query = {**query, **({"after": after} if after else {})}
    while True:
        page = api.get("/changes", query).expect(200).body
        found += page["data"]
        query["after"] = page["cursor"]
        if not page["has_more"]:
            return found


def said(changes):
    return [(one["kind"], one["action"], one["id"]) for one in changes]


def test_an_event_that_was_stored_is_told_once(api, plant):
    cursor = latest(api)

    event = given.event(api, plant, values={"mass": 1})

    page = api.get("/changes", {"after": cursor}).expect(200).body
    assert said(page["data"]) == [("event", "create", event["id"])]
    assert page["data"][0]["project_id"] == plant["id"]
    assert page["data"][0]["cursor"] == page["cursor"]
    assert not page["has_more"]
    assert api.get("/changes", {"after": page["cursor"]}).body["data"] == []


def test_many_events_of_one_request_are_one_entry_and_are_read_in_pages(api, plant, sql, account):
    cursor = latest(api)

    events = given.events(api, plant, [given.event_body(values={"mass": mass}) for mass in range(25)])

    changes = told(api, cursor, page_size=7)
    assert [one["id"] for one in changes] == [event["id"] for event in events]
    assert sql("SELECT count(*) FROM changes WHERE account_id = %s AND kind = 'event'", account.id) == [(1,)]
    for index, change in enumerate(changes):
        assert told(api, change["cursor"]) == changes[index + 1 :]


def test_what_one_transaction_did_to_a_record_is_told_once(api, plant):
    event = given.event(api, plant, values={"mass": 1})
    point = event["data_points"][0]["id"]
    cursor = latest(api)

    path = f"/projects/{plant['id']}/data_points/{point}"
    api.patch(path, {"data_point": {"value": 2}}).expect(200)

    assert sorted(said(told(api, cursor))) == [
        ("correction", "create", point),
        ("event", "update", event["id"]),
    ]


def test_a_correction_that_is_taken_back_and_an_event_that_is_voided_are_told_so(api, plant):
    event = given.event(api, plant, values={"mass": 1})
    point = event["data_points"][0]["id"]
    path = f"/projects/{plant['id']}/data_points/{point}"
    api.patch(path, {"data_point": {"value": 2}}).expect(200)
    cursor = latest(api)

    api.post(f"{path}/revert", {}).expect(200)
    api.delete(f"/projects/{plant['id']}/events/{event['id']}").expect(204)

    changes = said(told(api, cursor))
    assert ("correction", "revert", point) in changes
    assert changes[-1] == ("event", "void", event["id"])


def test_a_correction_of_an_events_times_is_told_by_the_event(api, plant):
    event = given.event(api, plant, values={"mass": 1})
    cursor = latest(api)

    moved = {"event": {"start_time": "2025-02-01T00:00:00Z"}}
    api.patch(f"/projects/{plant['id']}/events/{event['id']}", moved).expect(200)

    assert sorted(said(told(api, cursor))) == [
        ("correction", "create", event["id"]),
        ("event", "update", event["id"]),
    ]


def test_only_changes_of_the_kinds_and_the_project_asked_for_are_told(api, plant):
    other = given.measuring(api, given.number("mass"))
    cursor = latest(api)
    event = given.event(api, plant, values={"mass": 1})
    elsewhere = given.event(api, other, values={"mass": 1})

    assert said(told(api, cursor, project_id=plant["id"])) == [("event", "create", event["id"])]
    assert said(told(api, cursor, project_id=str(other["numeric_id"]))) == [
        ("event", "create", elsewhere["id"])
    ]
    assert told(api, cursor, kind="batch,report") == []
    assert len(told(api, cursor, kind="report,event")) == 2


def test_a_token_is_told_of_the_kinds_that_it_may_read(account, api, plant):
    cursor = latest(api)
    event = given.event(api, plant, values={"mass": 1})
    batches = account.caller("production_accounting:read")
    events = account.caller("data_collection:write")

    assert said(told(events, cursor)) == [("event", "create", event["id"])]
    assert told(batches, cursor) == []
    assert told(batches, cursor, kind="event") == []


def test_a_task_is_told_to_whoever_may_read_tasks_of_its_type(account, api, plant):
    cursor = latest(api)
    query = {"response_mode": "summary_with_export"}
    export = api.get(f"/projects/{plant['id']}/events", query).expect(200).body["export"]["id"]
    account.drain()

    task = str(api.get(f"/exports/{export}").body["async_task_id"])
    steps = [("async_task", action, task) for action in ("create", "start", "complete")]
    assert said(told(api, cursor)) == steps
    assert said(told(account.caller("data_rules:read"), cursor)) == steps


def test_an_account_is_told_of_its_own_changes_only(server, api, plant):
    stranger = server.account().caller()
    cursor = latest(stranger)

    given.event(api, plant, values={"mass": 1})

    assert told(stranger, cursor) == []
    assert told(stranger, project_id=plant["id"]) == []


def test_a_transaction_that_takes_long_comes_later_and_holds_up_nobody(server, api, plant):
    cursor = latest(api)
    early = given.event(api, plant, values={"mass": 1})
    with server.transaction() as late:
        late.execute("UPDATE events SET notes = 'late' WHERE project_id = %s", (plant["numeric_id"],))
        between = given.event(api, plant, values={"mass": 2})
        seen = told(api, cursor)
        assert said(seen) == [("event", "create", early["id"]), ("event", "create", between["id"])]
    after = seen[-1]["cursor"]

    assert said(told(api, after)) == [("event", "update", early["id"])]
    assert said(told(api, cursor))[-1] == ("event", "update", early["id"])


def test_what_is_undone_is_not_told(server, api, plant):
    given.event(api, plant, values={"mass": 1})
    cursor = latest(api)

    with server.transaction() as undone:
        undone.execute("UPDATE events SET notes = 'never'")
        undone.rollback()

    assert told(api, cursor) == []


def test_a_reader_that_waits_hears_of_the_next_change(api, plant):
    cursor = latest(api)
    before = waits()
    with ThreadPoolExecutor(1) as reader:
        waiting = reader.submit(api.get, "/changes", {"after": cursor, "wait": "30"})
        await_waits(before + 1)
        event = given.event(api, plant, values={"mass": 1})
        page = waiting.result().expect(200).body

    assert said(page["data"]) == [("event", "create", event["id"])]


def waits():
    return REGISTRY.get_sample_value("weighbridge_waits_total")


def await_waits(count):
    """Wait until so many requests have begun to wait."""
    deadline = time.monotonic() + 30
    while waits() < count:
        assert time.monotonic() < deadline, "nobody waits"
        time.sleep(0.005)


def test_a_reader_whose_time_is_over_is_told_that_there_is_nothing(api):
    cursor = latest(api)

    page = api.get("/changes", {"after": cursor, "wait": "1"}).expect(200).body

    assert page == {"data": [], "cursor": cursor, "has_more": False}


def test_changes_that_a_reader_does_not_ask_for_do_not_end_its_wait(api, plant):
    other = given.measuring(api, given.number("mass"))
    cursor = latest(api)
    before = waits()
    with ThreadPoolExecutor(1) as reader:
        query = {"after": cursor, "wait": "30", "project_id": plant["id"]}
        waiting = reader.submit(api.get, "/changes", query)
        await_waits(before + 1)
        given.event(api, other, values={"mass": 1})
        event = given.event(api, plant, values={"mass": 1})
        page = waiting.result().expect(200).body

    assert said(page["data"]) == [("event", "create", event["id"])]


def test_readers_that_wait_take_neither_connections_nor_a_share(api, plant):
    cursor = latest(api)
    before = waits()
    with ThreadPoolExecutor(50) as readers:
        waiting = [readers.submit(api.get, "/changes", {"after": cursor, "wait": "30"}) for _ in range(50)]
        await_waits(before + 50)
        for _ in range(20):
            api.get("/projects").expect(200)
        event = given.event(api, plant, values={"mass": 1})
        pages = [one.result().expect(200).body for one in waiting]

    assert {said(page["data"])[0] for page in pages} == {("event", "create", event["id"])}


def test_a_token_that_is_revoked_while_it_waits_is_told_nothing(account, api, plant, sql):
    reader = account.caller()
    cursor = latest(reader)
    before = waits()
    with ThreadPoolExecutor(1) as readers:
        waiting = readers.submit(reader.get, "/changes", {"after": cursor, "wait": "30"})
        await_waits(before + 1)
        sql(
            "UPDATE api_tokens SET revoked_at = now() WHERE id = "
            "(SELECT max(id) FROM api_tokens WHERE account_id = %s)",
            account.id,
        )
        given.event(api, plant, values={"mass": 1})
        waiting.result().expect(401)


def test_each_change_of_many_writers_is_told_once_and_in_order_to_a_reader_that_starts_anew(
    account, api, plant
):
    cursor = latest(api)
    stored, done = {}, threading.Event()

    def write(writer):
        caller = account.caller()
        for index in range(20):
            if index % 5 == 4:
                bodies = [given.event_body(values={"mass": writer}) for _ in range(7)]
                stored.setdefault(writer, []).append(
                    [one["id"] for one in given.events(caller, plant, bodies)]
                )
            else:
                event = given.event(caller, plant, values={"mass": writer})
                stored.setdefault(writer, []).append([event["id"]])

    def read():
        found, after, size = [], cursor, 0
        while True:
            is_last = done.is_set()
            reader, size = account.caller(), size % 11 + 1
            query = {"after": after, "page_size": str(size), "wait": "0" if is_last else "1"}
            page = reader.get("/changes", query).expect(200).body
            # A reader that was killed goes on behind the change that it handled last, wherever that stands.
            handled = page["data"][: max(1, size // 2)]
            found += handled
            after = handled[-1]["cursor"] if handled else page["cursor"]
            if is_last and not page["data"] and not page["has_more"]:
                return found

    with ThreadPoolExecutor(5) as people:
        reading = people.submit(read)
        for writing in [people.submit(write, writer) for writer in range(4)]:
            writing.result()
        done.set()
        changes = reading.result()

    place = {change["id"]: index for index, change in enumerate(changes)}
    written = [one for of_writer in stored.values() for one in of_writer]
    assert len(changes) == len(place) == sum(map(len, written))
    for of_writer in stored.values():
        starts = [min(place[one] for one in each) for each in of_writer]
        assert starts == sorted(starts)
    assert changes == told(api, cursor)


def test_what_is_behind_a_cursor_is_refused_once_it_was_removed(server, api, plant):
    given.event(api, plant, values={"mass": 1})
    old = told(api)
    first, last = old[0]["cursor"], latest(api)
    server.run(forgotten(server, 0))

    kept = api.get("/changes", {"after": last}).expect(200).body
    assert kept == {"data": [], "cursor": last, "has_more": False}
    event = given.event(api, plant, values={"mass": 1})
    assert said(told(api, last)) == said(told(api)) == [("event", "create", event["id"])]
    given.event(api, plant, values={"mass": 1})
    assert api.get("/changes", {"after": last}).expect(200).data
    server.run(forgotten(server, 0))
    for gone in {first, "1.0"}:
        refused = api.get("/changes", {"after": gone}).expect(410).error
        assert refused["code"] == "cursor_expired"
        assert refused["field"] == "after"


async def forgotten(server, days):
    await number_all(server.database)
    async with server.database.write() as tx:
        return await forget_changes(tx, days)


def test_changes_are_kept_for_their_days(server, api, plant):
    cursor = latest(api)
    given.event(api, plant, values={"mass": 1})

    server.run(forgotten(server, 1))

    assert len(told(api, cursor)) == 1


def test_a_cursor_that_the_feed_has_not_come_to_is_refused(api):
    assert api.get("/changes", {"after": "999999.0"}).expect(410).error["code"] == "cursor_expired"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("after", ""), ("after", "x"), ("after", "0.0"), ("after", "1"), ("after", "1.-1"), ("after", "01.0"),
        ("after", "9" * 19 + ".0"), ("kind", ""), ("kind", "events"), ("kind", "event,"), ("wait", "31"),
        ("wait", "-1"), ("wait", "0.5"), ("page_size", "0"), ("page_size", "1001"), ("page_size", "x"),
        ("project_id", "x"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(api, name, text):
    refused = api.get("/changes", {name: text}).expect(400).error

    assert refused["field"] == name
    assert refused["code"] == "invalid"
    assert f"{name} is {text[:10]!r}"[:12] in refused["message"]


def test_a_parameter_that_is_given_twice_is_refused(api):
    assert api.get("/changes", [("kind", "event"), ("kind", "batch")]).expect(400).error["code"] == "conflict"


def test_a_parameter_that_there_is_not_is_refused(api):
    assert api.get("/changes", {"befor": "1.0"}).expect(400).error["code"] == "unknown"
