"""An account moves to another cell: with every row, while it is used, and everybody finds it there.

`move_account`, `remove_leftovers`, `read_tables`, `enter_account`, `capture_changes`.
"""

import asyncio
import itertools
import threading
from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from tests.collection.evidence import files
from tests.given import accounting, footprints
from tests.given import collection as given
from tests.given.people import Visitor, email_of
from tests.server import Account, Caller, Server

from weighbridge.collection.evidence_files import open_store, sweep
from weighbridge.core.platform.cell import FIRST, Cell
from weighbridge.db.account_move import AccountMove, move_account, remove_leftovers
from weighbridge.db.account_rows import OF_NO_ACCOUNT, read_tables
from weighbridge.db.cell_creation import url_in_cell
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound
from weighbridge.reporting.submission.sending import read_called_registry

CALLERS = 20
"""Tokens that a move is written and read with, however long it takes on a busy machine."""

MARKS = "waiting_marks"
"""Marks of projects that are to be looked at, to which a move adds some."""

LEGACY_TOKEN = "wb_live_OfBeforeTokensNamedTheirAccount14BM1ly"  # noqa: S105 - of a test
"""A token from before tokens named their account."""


def move(account: Account, to: Cell) -> AccountMove:
    moved = move_account(account.server.urls, account.id, account.cell, to)
    account.cell = to
    return moved


def plant_of(account: Account) -> accounting.Plant:
    return accounting.plant(account.caller(), account.drain)


def rows_in(server: Server, cell: Cell, account: int) -> dict[str, list[str]]:
    """All rows of an account in a cell, as text, by table."""
    with psycopg.connect(url_in_cell(server.urls.migrating, cell)) as connection:
        found = {}
        for rows in read_tables(connection):
            columns = rows.columns(is_elsewhere=server.cell.node is not None)
            each = SQL("SELECT ROW ({})::text FROM {} WHERE {} ORDER BY 1").format(
                columns, Identifier(rows.table), rows.condition(account)
            )
            found[rows.table] = [text for (text,) in connection.execute(each).fetchall()]
    return found


def test_each_table_says_of_which_account_a_row_is_or_why_of_none(two_cells: Server):
    with psycopg.connect(two_cells.owner_url) as connection:
        said = {rows.table for rows in read_tables(connection)}
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        ).fetchall()

    assert said | OF_NO_ACCOUNT.keys() == {table for (table,) in tables}
    assert not said & OF_NO_ACCOUNT.keys()


def test_every_row_moves_and_none_stays(two_cells: Server, northern: Account):
    plant = plant_of(northern)
    plant.deliver(12)
    plant.deliver(30, 2)
    plant.generate()
    before = rows_in(two_cells, northern.cell, northern.id)

    moved = move(northern, FIRST)

    after = rows_in(two_cells, FIRST, northern.id)
    assert {**after, MARKS: []} == {**before, MARKS: []}
    assert moved.rows == sum(map(len, before.values()))
    assert not any(rows_in(two_cells, two_cells.cell, northern.id).values())


def test_the_books_go_on_after_a_move_and_a_move_back(two_cells: Server, northern: Account):
    plant = plant_of(northern)
    plant.deliver(12)
    plant.generate()

    move(northern, FIRST)
    plant.deliver(30, 2)
    plant.generate()
    move(northern, two_cells.cell)
    plant.deliver(5, 3)
    plant.generate()

    assert sorted(batch["ledger_balance"] for batch in plant.batches()) == [5, 12, 30]


def test_footprints_and_secrets_arrive_and_partners_are_called_from_there(northern: Account):
    host = footprints.host(northern)
    client = host.client()
    with footprints.listening() as partner:
        host.partner(partner.address)
        first = host.make(host.product())
        content = {"requestEventId": "r", "pfs": [first["content"] | {"id": "theirs"}]}
        host.pact(client).send(footprints.event("RequestFulfilled", content)).expect(200)
        header = {"Authorization": "Bearer secret-word"}
        registry = {"name": "R", "adapter": "http", "address": "https://r.example/a", "headers": header}
        number = host.api.post("/registries", {"registry": registry}).expect(201).body["id"]

        move(northern, FIRST)

        assert headers_of(northern, number) == header
        assert host.api.get("/received_footprints").data[0]["content"]["id"] == "theirs"
        assert host.pact(client).get(f"/3/footprints/{first['id']}").body == {"data": first["content"]}
        second = host.make({"id": first["product_id"]})
        assert second["preceding_ids"] == [first["id"]]
        host.exchange()

    told = [one["data"]["pfIds"] for one in partner.events]
    assert sorted(told, key=len) == [[first["id"]], [second["id"], first["id"]]]
    assert b64decode(partner.authorizations[0].removeprefix("Basic ")) == b"plant-one:word-nobody-shows"


def headers_of(account: Account, registry: int) -> dict[str, str]:
    """The headers of a registry, as they are sent from the cell of its account."""

    async def read() -> dict[str, str]:
        async with account.database.read() as tx:
            return (await read_called_registry(tx, registry)).headers

    return account.server.run(read())


def test_other_accounts_of_both_cells_keep_their_rows(two_cells: Server, northern: Account, first: Account):
    neighbour = two_cells.account()
    others = [(neighbour, two_cells.cell), (first, FIRST)]
    for account, _ in others:
        plant_of(account).deliver(7)
    before = [rows_in(two_cells, cell, account.id) for account, cell in others]
    plant_of(northern).deliver(12)

    move(northern, FIRST)

    assert [rows_in(two_cells, cell, account.id) for account, cell in others] == before


def test_what_is_stored_while_an_account_moves_is_there_once(two_cells: Server, northern: Account):
    plant = plant_of(northern)
    plant.deliver(1)

    with storing(northern, plant) as stored:
        move(northern, FIRST)
        move(northern, two_cells.cell)

    readers, events = callers_of(northern), f"/projects/{plant.project['id']}/events"
    assert {next(readers).get(f"{events}/{event}").status for event in stored} == {200}
    count = "SELECT count(*), count(DISTINCT id) FROM events WHERE project_id = %s"
    assert northern.sql(count, plant.project["numeric_id"]) == [(len(stored) + 1, len({*stored}) + 1)]


def callers_of(account: Account) -> Iterator[Caller]:
    """Callers of an account one after another, because a token is good for 1,000 requests a minute."""
    return itertools.cycle([account.caller() for _ in range(CALLERS)])


@contextmanager
def storing(account: Account, plant: accounting.Plant) -> Iterator[list[str]]:
    """Store events one after the other until the block ends; those that were acknowledged, by their ids."""
    callers, stored, ended = callers_of(account), [], threading.Event()
    path = f"/projects/{plant.project['id']}/events"
    body = {"event": given.event_body(event_type="delivery", values={"mass": 1})}

    def store() -> None:
        while not ended.is_set():
            answer = next(callers).post(path, body)
            if answer.status == 201:
                stored.append(answer.body["id"])
            else:
                assert answer.status == 503, answer.text

    writer = threading.Thread(target=store)
    writer.start()
    try:
        yield stored
    finally:
        ended.set()
        writer.join()


def test_people_stay_signed_in(northern: Account):
    email = email_of(northern)
    visitor = Visitor(northern.server).sign_in(email)

    move(northern, FIRST)

    assert email in visitor.get("/me").text


def test_a_token_that_does_not_name_its_account_leads_there(two_cells: Server, first: Account):
    caller = first.caller()
    project = given.project(caller)
    first.sql(
        "UPDATE api_tokens SET secret_hash = %s WHERE account_id = %s RETURNING id",
        sha256(LEGACY_TOKEN.encode()).digest(), first.id,
    )  # fmt: skip
    caller.token = LEGACY_TOKEN

    move(first, two_cells.cell)

    assert [one["id"] for one in caller.get("/projects").data] == [project["id"]]


def test_a_transaction_for_an_account_that_has_left_is_refused(two_cells: Server, northern: Account):
    move(northern, FIRST)
    place = two_cells.connections.in_cell(two_cells.cell).of_account(northern.id)

    async def write() -> None:
        async with place.write() as tx:
            await tx.execute("SELECT 1")

    with pytest.raises(psycopg.OperationalError, match=f"account {northern.id} does not live in this cell"):
        two_cells.run(write())


def test_nothing_moves_that_is_not_there(two_cells: Server):
    with pytest.raises(NotFound, match="There is no account 7654321"):
        move_account(two_cells.urls, 7_654_321, FIRST, two_cells.cell)


def test_a_move_leaves_no_trigger_behind(two_cells: Server, northern: Account):
    move(northern, FIRST)
    plant_of(two_cells.account()).deliver(3)

    assert two_cells.sql("SELECT count(*) FROM captured_changes") == [(0,)]
    assert two_cells.sql("SELECT count(*) FROM pg_trigger WHERE tgfoid = 'capture_changes'::regproc") == [
        (0,)
    ]


def test_a_move_that_is_interrupted_leaves_everything_as_it_was(two_cells: Server, northern: Account):
    plant_of(northern).deliver(12)
    before = rows_in(two_cells, northern.cell, northern.id)

    def interrupt(_: str, done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move_account(two_cells.urls, northern.id, northern.cell, FIRST, interrupt)

    assert rows_in(two_cells, northern.cell, northern.id) == before
    assert not any(rows_in(two_cells, FIRST, northern.id).values())
    left = "SELECT count(*) FROM pg_trigger WHERE tgfoid = 'capture_changes'::regproc"
    assert two_cells.sql(left) == [(0,)]


def test_what_a_move_that_was_ended_has_left_is_removed(two_cells: Server, northern: Account):
    plant = plant_of(northern)
    plant.deliver(12)
    project = plant.project["numeric_id"]
    count = "SELECT count(*) FROM changes WHERE account_id = %s"
    move(northern, FIRST)
    two_cells.sql(
        "INSERT INTO changes (account_id, number, kind, action, keys)"
        " VALUES (%s, 1, 'event', 'create', '{[1,2)}') RETURNING number",
        northern.id,
    )

    remove_leftovers(two_cells.urls, northern.id, FIRST, [two_cells.cell])

    assert two_cells.sql(count, northern.id) == [(0,)]
    assert northern.sql("SELECT count(*) FROM events WHERE project_id = %s", project) == [(1,)]


class LeftBeforeRead:
    """The database of a cell that an account leaves before it is read."""

    def __init__(self, account: Account) -> None:
        self.account, self.database = account, account.database

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Read]:
        if self.account.cell != FIRST:
            await asyncio.to_thread(move, self.account, FIRST)
        async with self.database.read() as tx:
            yield tx


def test_no_file_of_an_account_is_removed_that_moves_while_cells_are_read(northern: Account, first: Account):
    server, api = northern.server, northern.caller()
    made = api.upload(f"/events/{plant_of(northern).deliver(1)}/evidence", "Ticket.pdf", files.PDF).body
    store = open_store(server.settings.evidence_url, server.settings.data_dir)
    later = datetime.now(UTC) + timedelta(days=2)
    cells: Any = [first.database, LeftBeforeRead(northern)]

    server.run(sweep(cells, store, later))

    kept = api.get(made["url"].removeprefix(f"{server.address}/api/v1")).expect(200)
    assert kept.content == files.PDF
