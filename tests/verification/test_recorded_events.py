"""Events against the audit log: what was captured follows from the root that the write told."""

import asyncio
from decimal import Decimal

import pytest
from psycopg.conninfo import make_conninfo
from tests.given import collection as given
from tests.given.feeds import Feeding

from weighbridge.collection.measurements.event_records import stored_leaves
from weighbridge.core import identity
from weighbridge.core.proof import compute_root, list_inclusion_spans, verify_inclusion
from weighbridge.db.engine import Database
from weighbridge.verification.audit_tree import check_events

ODD = (
    Decimal("1.50"), Decimal("-0.0"), Decimal("1E+2"), Decimal("1E-20"), Decimal("-7.10"), 0, 12,
    Decimal("0E+3"), Decimal("123456789012345678901234.5678901234"),
)  # fmt: skip
TEXTS = ("plain", 'with "quotes"', "back\\slash", "tab\there", "two\nlines", "NULL", "{a,b}", "æøå 重さ")


@pytest.fixture(scope="module")
def server(lone_server):
    """A service whose database has the events of this file alone, for checking looks at all of them."""
    with lone_server() as server:
        yield server


@pytest.fixture
def books(server):
    """The URL of the database of the service."""
    return server.owner_url


@pytest.fixture
def plant(api):
    points = [given.number("mass"), given.text("driver"), given.boolean("is_dry")]
    return given.measuring(api, *points)


def told(sql, action):
    [(after,)] = sql("SELECT after FROM audit_log WHERE action = %s ORDER BY id DESC LIMIT 1", action)
    return after


def stored(api, project):
    bodies = [
        given.event_body(
            event_type="delivery",
            start_time=f"2025-01-01T{hour:02}:00:00.123456+0{hour % 3}:00",
            values={"mass": mass, "driver": TEXTS[hour % len(TEXTS)], "is_dry": bool(hour % 2)},
            notes=TEXTS[-1 - hour % len(TEXTS)], tracking_id=f"T {hour}",
        )
        for hour, mass in enumerate(ODD)
    ]  # fmt: skip
    return given.events(api, project, bodies)


def test_one_event_of_a_bulk_write_proves_itself_with_a_path(api, plant, server, sql):
    receipts = stored(api, plant)
    after = told(sql, "event.create_many")
    numbers = [number_of(one["id"]) for one in receipts]

    async def leaves():
        async with server.database.read() as tx:
            return await stored_leaves(tx, plant["numeric_id"], numbers)

    by_number = server.run(leaves())
    hashes = [bytes.fromhex(by_number[number]) for number in numbers]
    path = [compute_root(hashes[span.start : span.end]) for span in list_inclusion_spans(4, len(hashes))]

    assert compute_root(hashes).hex() == after["root"]
    verify_inclusion(hashes[4], 4, len(hashes), path, bytes.fromhex(after["root"]))


def number_of(friendly):
    return identity.parse("event", friendly).key


@pytest.mark.parametrize(
    "change",
    [
        "numbers = '{7}'", "start_time = '2020-01-01Z'", "notes = 'another'",
        "texts = '{NULL,other}'", "tracking_id = 'other'", "client_reference = 'R-1'",
    ],
)  # fmt: skip
def test_what_was_captured_and_nothing_used_is_found_when_it_changes(api, plant, books, change):
    [first, *_] = stored(api, plant)
    single = given.event(api, plant, event_type="delivery", values={"mass": 3})
    for event in (first["id"], single["id"]):
        said = changed_by(books, f"UPDATE events SET {change} WHERE id = {number_of(event)}")

        assert len(said) == 1, said
        assert "not what the log says was captured" in said[0]


def changed_by(url, statement):
    """What is found of the events after a change, which is undone."""

    async def check():
        owner = make_conninfo(url, user="postgres")
        async with Database(owner, connections_max=1) as database, database.trial() as tx:
            before = (await check_events(tx)).violations
            await tx.execute("SET LOCAL session_replication_role = replica")
            assert await tx.execute(statement)
            return [one for one in (await check_events(tx)).violations if one not in before]

    return asyncio.run(check())


def violations_of(project, url):
    """What is found of a project's events as they are; other tests of the run break theirs on purpose."""

    async def check():
        async with Database(url, connections_max=1) as database, database.read() as tx:
            found = (await check_events(tx)).violations
            stored = await tx.tuples("SELECT id FROM events WHERE project_id = %s", (project["numeric_id"],))
            return found, {identity.of("event", project["numeric_id"], number) for (number,) in stored}

    found, names = asyncio.run(check())
    assert names
    return [one for one in found if any(name in one for name in names)]


def test_completed_corrected_and_voided_events_are_what_the_log_says(api, plant, books):
    first, second, third, *_ = stored(api, plant)
    home = f"/projects/{plant['id']}"
    api.patch(f"{home}/events/{first['id']}", {"event": {"notes": "weighed by hand"}}).expect(200)
    later = {"start_time": "2025-02-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z", "reason": "slip"}
    api.patch(f"{home}/events/{second['id']}", {"event": later}).expect(200)
    api.delete(f"{home}/events/{third['id']}").expect(204)

    assert violations_of(plant, books) == []
    back = f"UPDATE events SET voided_at = NULL WHERE id = {number_of(third['id'])}"
    assert changed_by(books, back)[0].endswith("the log says that it was voided, and it counts")
    assert changed_by(books, f"DELETE FROM events WHERE id = {number_of(first['id'])}") != []


def test_events_of_a_file_prove_themselves_alike(account, books, sql):
    feeding = Feeding(account)
    feed = feeding.feed()
    rows = "".join(f"2025-01-{day:02}T00:00:00Z,{day}.50,Ann,true\n" for day in range(1, 20))
    feeding.upload(feed, f"start_time,mass,driver,is_dry\n{rows}")

    assert len(told(sql, "data_feed_upload.finish")["root"]) == 64
    [(last,)] = sql("SELECT max(id) FROM events WHERE project_id = %s", feeding.plant["numeric_id"])
    assert violations_of(feeding.plant, books) == []
    assert len(changed_by(books, f"UPDATE events SET numbers = '{{1}}' WHERE id = {last}")) == 1
