"""A worker is at work in the first cell always, and in another one while something there is due.

`Shifts`, `find_due`.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.given import collection as given
from tests.server import DEADLINE_SECONDS, Account, Server

from weighbridge.core.platform.cell import FIRST, Cell
from weighbridge.exchange.changes import number_all
from weighbridge.platform.async_tasks import queue_task
from weighbridge.platform.audit_tree import seal
from weighbridge.shifts import QUIET_SECONDS, TURN_EVERY_SECONDS, TURN_SECONDS, Shifts, find_due

NOBODY_LISTENS = "127.0.0.1:1"

WAITS = (
    "waiting_marks", "unnumbered_changes", "audit_unsealed", "unplaced_moments", "audit_refusals",
    "rule_dirty_ranges", "roll_up_marks",
)  # fmt: skip
"""What other tests of this service left to be done."""


@pytest.fixture
def quiet(northern: Account) -> Account:
    """An account in a cell in which nothing is due."""
    northern.drain()
    forget(northern, *WAITS)
    end_tasks(northern)
    northern.sql("DELETE FROM webhook_lanes RETURNING true")
    assert not is_due(northern)
    return northern


def forget(account: Account, *tables: str) -> None:
    """Take away what is due in the cell of an account."""
    for table in tables:
        account.sql(f"DELETE FROM {table} RETURNING true")


def end_tasks(account: Account) -> None:
    account.sql(
        "UPDATE async_tasks SET state = 'failed', started_at = now(), finished_at = now(),"
        " error_message = 'Ended.' WHERE state IN ('pending', 'running') RETURNING true"
    )
    account.sql("DELETE FROM unnumbered_changes RETURNING true")


def is_due(account: Account) -> bool:
    connections = account.server.connections
    return account.cell.number in account.server.run(find_due(connections, [account.cell]))


def test_what_is_written_is_due_until_it_has_its_number_and_its_seal(quiet: Account):
    api = quiet.caller()
    given.project(api)

    assert is_due(quiet)
    quiet.server.run(number_all(quiet.database))
    assert is_due(quiet)
    quiet.server.run(seal(quiet.database))
    assert not is_due(quiet)


def test_what_has_no_audit_row_is_due_until_it_has_its_place_in_the_log(quiet: Account):
    quiet.sql(
        "INSERT INTO unplaced_moments (account_id, moment)"
        " SELECT min(id), nextval('moments') FROM accounts RETURNING true"
    )
    assert is_due(quiet)

    quiet.server.run(seal(quiet.database))

    assert not is_due(quiet)


def test_a_task_is_due_until_it_has_ended(quiet: Account):
    async def queue() -> None:
        async with quiet.database.write() as tx:
            await queue_task(tx, quiet.actor, kind="rule_run", project_id=None, args={}, lock="any")

    quiet.server.run(queue())
    for change in ("state = 'pending'", "state = 'running', started_at = now(), attempt = 1"):
        quiet.sql(f"UPDATE async_tasks SET {change} WHERE account_id = %s RETURNING true", quiet.id)
        quiet.sql("DELETE FROM unnumbered_changes RETURNING true")
        assert is_due(quiet)
    end_tasks(quiet)
    assert not is_due(quiet)


@pytest.mark.parametrize(
    ("lane", "expected"),
    [
        ("due_at = now() - interval '1 second'", True),
        ("due_at = now() + interval '1 hour'", False),
        ("holder = gen_random_uuid(), held_until = now() - interval '1 day'", True),
        ("due_at = NULL", False),
    ],
)
def test_a_delivery_is_due_at_its_time_and_while_it_is_sent(quiet: Account, lane: str, *, expected: bool):
    hook = {"url": "https://receiver.example/hook", "change_types": ["event"]}
    quiet.caller().post("/webhooks", {"webhook": hook}).expect(201)
    forget(quiet, *WAITS)

    quiet.sql(f"UPDATE webhook_lanes SET {lane} RETURNING true")

    assert is_due(quiet) is expected


@pytest.mark.parametrize(("age", "expected"), [("1 hour", True), ("0 seconds", False)])
def test_refused_writes_are_due_when_their_minute_is_over(quiet: Account, age: str, *, expected: bool):
    quiet.caller("data_collection:read").post("/projects", {"project": {"name": "No"}}).expect(403)

    forget(quiet, "unnumbered_changes", "audit_unsealed")

    later = "UPDATE audit_refusals SET minute = minute + interval '1 minute' - %s::interval RETURNING true"
    quiet.sql(later, age)

    assert is_due(quiet) is expected


@pytest.mark.parametrize(
    ("size", "failure", "expected"), [(0, None, True), (10**9, None, False), (10**9, "It is away.", True)]
)
def test_a_head_that_a_witness_has_not_seen_is_due_where_there_are_witnesses(
    quiet: Account, size: int, failure: str | None, *, expected: bool
):
    given.project(quiet.caller())
    quiet.server.run(seal(quiet.database))
    quiet.sql("DELETE FROM audit_witnesses RETURNING true")
    quiet.sql(
        "INSERT INTO audit_witnesses (account_id, witness, size, asked_at, failure, failing_since)"
        " SELECT %s, 'w', %s, now() - interval '1 hour', m.text, CASE WHEN m.text IS NOT NULL THEN now() END"
        "   FROM (SELECT %s::text) AS m (text) RETURNING true",
        quiet.id, size, failure,
    )  # fmt: skip
    forget(quiet, *WAITS)
    connections = quiet.server.connections

    assert not is_due(quiet)
    due = quiet.server.run(find_due(connections, [quiet.cell], 600))
    assert due == ({quiet.cell.number} if expected else set())
    assert not quiet.server.run(find_due(connections, [quiet.cell], 7200))


class Story:
    """The shifts of a worker by a clock that the test sets, and what began and ended."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.seconds = 0.0
        self.told: list[str] = []
        self.shifts = Shifts(server.connections, self.work, lambda: self.seconds)

    async def work(self, cell: Cell, ending: asyncio.Event) -> None:
        self.told.append(f"begins in {cell.name}")
        try:
            await ending.wait()
        finally:
            self.told.append(f"ends in {cell.name}")

    async def until(self, known: list[Cell], condition: Callable[[], bool]) -> None:
        """The worker looks again and again, until a condition holds."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, self.told
            await self.shifts.update(known)
            await asyncio.sleep(0.005)

    async def looks(self, known: list[Cell]) -> None:
        """The worker asks every place and acts on the answers; twice, so that a shift that ends is over."""
        for _ in range(2):
            await self.shifts.update(known)
            await self.shifts.answered()
            await self.shifts.update(known)


@pytest.fixture
def story(two_cells: Server) -> Callable[[Callable[[Story], Coroutine[Any, Any, None]]], Story]:
    def tell(plot: Callable[[Story], Coroutine[Any, Any, None]]) -> Story:
        async def run() -> Story:
            told = Story(two_cells)
            try:
                await plot(told)
            finally:
                await told.shifts.end()
            return told

        return two_cells.run(run())

    return tell


def test_a_quiet_cell_has_a_short_shift_once_an_hour(story, quiet: Account):
    async def plot(told: Story) -> None:
        known = [FIRST, quiet.cell]
        await told.looks(known)
        assert told.shifts.at_work == [0, quiet.cell.number]
        told.seconds += TURN_SECONDS
        await told.looks(known)
        assert told.shifts.at_work == [0]
        told.seconds += TURN_EVERY_SECONDS - 1
        await told.looks(known)
        assert told.shifts.at_work == [0]
        told.seconds += 1
        await told.looks(known)
        assert told.shifts.at_work == [0, quiet.cell.number]

    told = story(plot)

    assert told.told[:4] == ["begins in first", "begins in north", "ends in north", "begins in north"]


def test_a_worker_comes_when_something_is_due_and_stays_a_while_after(story, quiet: Account):
    api = quiet.caller()
    forget(quiet, *WAITS)

    async def plot(told: Story) -> None:
        known = [FIRST, quiet.cell]
        await told.looks(known)
        told.seconds += TURN_SECONDS
        await told.looks(known)
        assert told.shifts.at_work == [0]
        await asyncio.to_thread(given.project, api)
        await told.looks(known)
        assert told.shifts.at_work == [0, quiet.cell.number]
        told.seconds += 10 * QUIET_SECONDS
        await told.looks(known)
        assert told.shifts.at_work == [0, quiet.cell.number], "what is due is not done yet"
        await number_all(quiet.database)
        await seal(quiet.database)
        told.seconds += QUIET_SECONDS - 1
        await told.looks(known)
        assert told.shifts.at_work == [0, quiet.cell.number]
        told.seconds += QUIET_SECONDS
        await told.looks(known)
        assert told.shifts.at_work == [0]

    story(plot)


@pytest.mark.usefixtures("quiet")
def test_cells_take_their_turns_one_after_the_other(story):
    async def plot(told: Story) -> None:
        known = [FIRST, *(Cell(number, "north") for number in (1, 2, 3))]
        for _ in range(3):
            await told.looks(known)
            told.seconds += TURN_SECONDS
        assert told.told.count("begins in north") == 3

    told = story(plot)

    begins, ends = "begins in north", "ends in north"
    assert told.told[1:6] == [begins, ends, begins, ends, begins]


def test_a_lost_node_holds_up_no_other_cell(story, quiet: Account):
    given.project(quiet.caller())

    async def plot(told: Story) -> None:
        known = [FIRST, Cell(2, "lost", NOBODY_LISTENS), quiet.cell]
        await told.until(known, lambda: quiet.cell.number in told.shifts.at_work)

    story(plot)


def test_a_cell_that_has_moved_is_worked_in_where_it_is_now(story, quiet: Account):
    async def plot(told: Story) -> None:
        await told.looks([FIRST, quiet.cell])
        elsewhere = Cell(quiet.cell.number, quiet.cell.name, NOBODY_LISTENS)
        await told.shifts.update([FIRST, elsewhere])
        assert told.told[-1] == "ends in north"
        await asyncio.sleep(0)
        assert told.told[-1] == "begins in north"

    story(plot)
