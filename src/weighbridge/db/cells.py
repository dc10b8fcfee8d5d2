"""The cells of an installation: the directory that says where each account lives, and what a process knows.

The directory stands in a schema of its own, in the database that the service is connected to, and is made
with the second cell (`cell_creation.py`); an installation of one cell has none, and asks for none. `Cells`
is what a process remembers of it, so that a request costs no question.

What the directory says of an account or of an address is written in a transaction of its own, before the
cell's, so that two cells never promise the same; a cell that then fails leaves a promise which the same
caller takes up when it tries again. `verify` compares the directory with the cells.

Invariants: a name of an account and an address that people sign in with are in one cell at most; an account
has one cell. A process that does not know of the directory yet routes to the first cell only what lives
there, because a cell takes accounts only when every process has had time to see the directory.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, LiteralString, TypeVar

import psycopg
from psycopg import Error
from psycopg.sql import SQL, Identifier

from weighbridge.core.number import shorten
from weighbridge.core.platform.cell import FIRST, Cell
from weighbridge.db.engine import Database, url_on_node
from weighbridge.db.nodes import SHOW_SHARDS
from weighbridge.errors import NotFound

SCHEMA: Final = "weighbridge_directory"
"""The schema of the directory."""

DIRECTORY: Final = f"""
    CREATE SCHEMA IF NOT EXISTS {SCHEMA};
    CREATE TABLE IF NOT EXISTS {SCHEMA}.cells (
        number     smallint PRIMARY KEY CHECK (number >= 0),
        name       text NOT NULL UNIQUE,
        opened_at  timestamptz(3),
        node       text
    );
    COMMENT ON TABLE {SCHEMA}.cells IS
        'Cells of the installation; one that is not open yet is being made, and takes no account.';
    CREATE TABLE IF NOT EXISTS {SCHEMA}.accounts (
        id    integer PRIMARY KEY,
        cell  smallint NOT NULL REFERENCES {SCHEMA}.cells,
        name  text NOT NULL UNIQUE,
        moved_at  timestamptz(3)
    );
    COMMENT ON TABLE {SCHEMA}.accounts IS
        'The cell in which each account lives, and since when if it has moved.';
    CREATE TABLE IF NOT EXISTS {SCHEMA}.addresses (
        address     text PRIMARY KEY CHECK (address = lower(address)),
        account_id  integer NOT NULL REFERENCES {SCHEMA}.accounts,
        claimed_at  timestamptz(3) NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE {SCHEMA}.addresses IS 'The addresses that people sign in with, in small letters.';
    CREATE INDEX IF NOT EXISTS addresses_of_account ON {SCHEMA}.addresses (account_id);
    CREATE TABLE IF NOT EXISTS {SCHEMA}.secrets (
        hash        bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
        account_id  integer NOT NULL REFERENCES {SCHEMA}.accounts
    );
    COMMENT ON TABLE {SCHEMA}.secrets IS
        'Tokens and links of accounts that have left the first cell: older ones do not name their account.';
    CREATE INDEX IF NOT EXISTS secrets_of_account ON {SCHEMA}.secrets (account_id);
"""
"""What makes the directory where there is none."""

_log: Final = logging.getLogger(__name__)

_IS_THERE: Final = f"SELECT to_regclass('{SCHEMA}.addresses') IS NOT NULL"
_CELLS: Final = f"SELECT number, name, node FROM {SCHEMA}.cells WHERE opened_at IS NOT NULL ORDER BY number"
_ALL_CELLS: Final = f"SELECT number, name, node FROM {SCHEMA}.cells ORDER BY number"
_ACCOUNT: Final = f"SELECT cell FROM {SCHEMA}.accounts WHERE id = %s::bigint"
_NEWEST_ACCOUNTS: Final = f"SELECT id, cell FROM {SCHEMA}.accounts ORDER BY id DESC LIMIT %s"
_MOVED: Final = f"""
    SELECT id, cell FROM {SCHEMA}.accounts WHERE moved_at > now() - make_interval(secs => %s)
"""
_NAMED: Final = f"""
    SELECT id, cell FROM {SCHEMA}.accounts
     WHERE id::text = %(text)s OR name = %(text)s ORDER BY name = %(text)s LIMIT 1
"""
_SECRET: Final = f"SELECT account_id FROM {SCHEMA}.secrets WHERE hash = %s"
_ADDRESS: Final = f"""
    SELECT a.cell FROM {SCHEMA}.addresses d JOIN {SCHEMA}.accounts a ON a.id = d.account_id
     WHERE d.address = lower(%s)
"""
# The row that is there keeps its account, and is the answer in both cases.
_CLAIM_ADDRESS: Final = f"""
    INSERT INTO {SCHEMA}.addresses AS d (address, account_id) VALUES (lower(%s), %s)
    ON CONFLICT (address) DO UPDATE
       SET claimed_at = CASE d.account_id WHEN excluded.account_id THEN now() ELSE d.claimed_at END
    RETURNING d.account_id
"""
# Whoever has claimed an address writes it to their cell soon after, or not at all.
_MOVE_ADDRESS: Final = f"""
    UPDATE {SCHEMA}.addresses SET account_id = %s, claimed_at = now()
     WHERE address = lower(%s) AND account_id = %s AND claimed_at < now() - interval '5 minutes'
    RETURNING true
"""
_COPY_ACCOUNTS: Final = f"""
    INSERT INTO {SCHEMA}.accounts (id, cell, name) SELECT id, 0, name FROM accounts ON CONFLICT DO NOTHING
"""
_COPY_ADDRESSES: Final = f"""
    INSERT INTO {SCHEMA}.addresses (address, account_id)
    SELECT lower(email), account_id FROM users WHERE password_hash IS NOT NULL ON CONFLICT DO NOTHING
"""
COPY_FIRST_CELL: Final = (_COPY_ACCOUNTS, _COPY_ADDRESSES)
"""What writes down where the accounts of the first cell live, and who signs in there."""

_RELEASE_ADDRESS: Final = f"""
    DELETE FROM {SCHEMA}.addresses WHERE address = lower(%s) AND account_id = %s RETURNING true
"""
_CLAIM_NAME: Final = f"""
    INSERT INTO {SCHEMA}.accounts AS a (id, cell, name) VALUES (%s, %s, %s)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING a.id
"""


SIZE_OF_CELL: Final = """
    SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint,
           coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = coalesce(%s, current_schema()) AND c.relkind = 'r'
"""
"""Rows of a schema as far as the planner knows, and bytes with indexes; NULL is the first cell's."""


class Directory:
    """The directory of the installation that a database belongs to."""

    def __init__(self, database: Database) -> None:
        self._database = database.in_cell(FIRST)

    async def is_there(self) -> bool:
        """Whether there is a directory, and so more than one cell, or soon."""
        row = await self._database.single(_IS_THERE)
        return row is not None and bool(row[0])

    async def list_cells(self) -> list[Cell]:
        """The cells that accounts live in, by number."""
        async with self._database.read() as tx:
            return await tx.rows(Cell, _CELLS)

    async def cell_of_account(self, account: int) -> int | None:
        """The number of the cell in which an account lives."""
        row = await self._database.single(_ACCOUNT, (account,))
        return None if row is None else int(row[0])

    async def list_moved(self, seconds: float) -> dict[int, int]:
        """The number of the cell of each account that has moved within so many seconds."""
        async with self._database.read() as tx:
            return dict(await tx.tuples(_MOVED, (seconds,)))

    async def list_newest(self, count: int) -> dict[int, int]:
        """The number of the cell of each of so many accounts, the oldest of them first."""
        async with self._database.read() as tx:
            return dict(reversed(await tx.tuples(_NEWEST_ACCOUNTS, (count,))))

    async def account_of_secret(self, secret_hash: bytes) -> int | None:
        """The account of a token or link that does not name it, and whose account has left the first cell."""
        row = await self._database.single(_SECRET, (secret_hash,))
        return None if row is None else int(row[0])

    async def cell_of_address(self, address: str) -> int | None:
        """The number of the cell in which somebody signs in with an address."""
        row = await self._database.single(_ADDRESS, (address.strip(),))
        return None if row is None else int(row[0])

    async def claim_name(self, account: int, cell: Cell, name: str) -> int:
        """Promise a name to a new account in a cell; the account that has it, which may be another."""
        row = await self._database.single(_CLAIM_NAME, (account, cell.number, name))
        assert row is not None, "the statement gives the row in both cases"  # noqa: S101
        return int(row[0])

    async def claim_address(self, address: str, account: int) -> int:
        """Promise an address to people of an account; the account that has it, which may be another."""
        row = await self._database.single(_CLAIM_ADDRESS, (address.strip(), account))
        assert row is not None, "the statement gives the row in both cases"  # noqa: S101
        return int(row[0])

    async def move_address(self, address: str, holder: int, account: int) -> bool:
        """Promise to an account what another was promised and has not used; False when that has changed."""
        return await self._database.single(_MOVE_ADDRESS, (account, address.strip(), holder)) is not None

    async def release_address(self, address: str, account: int) -> None:
        """Take a promise back, where nobody of the account signs in with the address any more."""
        await self._database.single(_RELEASE_ADDRESS, (address.strip(), account))


# What a process knows: in which cell each account lives, remembered from the directory. Whether there is
# a directory by now is asked every few seconds, while requests come.


Value = TypeVar("Value")

LOOK_SECONDS: Final = 5.0
"""How often a process asks whether cells have been added."""

ANSWER_SECONDS: Final = 1.0
"""How long a process that knows of the directory waits for it, before it goes on with what it knows."""

_OVERLAP_SECONDS: Final = 60.0
"""How much longer ago than the last look a process asks for moves: transactions may commit late."""

ACCOUNTS_MAX: Final = 20_000
"""Accounts whose cell a process remembers, at most."""


class Cells:
    """The cells of an installation, as one process knows them."""

    def __init__(self, database: Database, clock: Callable[[], float] = monotonic) -> None:
        self.directory = Directory(database)
        self._database = database
        self._clock = clock
        self._cells: dict[int, Cell] = {FIRST.number: FIRST}
        self._accounts: OrderedDict[int, int] = OrderedDict()
        self._has_directory = False
        self._looked = float("-inf")
        self._read_at = float("-inf")
        self._is_due = False

    def recall(self, account: int | None) -> Cell | None:
        """The cell of an account, if that is known without a question."""
        if account is None or not self._has_directory:
            return FIRST
        number = self._accounts.get(account)
        return None if number is None else self._cells.get(number)

    async def find(self, account: int | None) -> Cell:
        """The cell of an account; the first one for what names no account that there is."""
        await self._look()
        cell = self.recall(account)
        if cell is None and account is not None:
            number = await self.directory.cell_of_account(account)
            if number is None:
                return FIRST
            cell = await self._numbered(number)
            self._accounts[account] = number
            if len(self._accounts) > ACCOUNTS_MAX:
                self._accounts.popitem(last=False)
        return cell or FIRST

    async def find_of_secret(self, secret_hash: bytes) -> int | None:
        """The account of a token or link that does not name it, if that account has left the first cell."""
        await self._look()
        return await self.directory.account_of_secret(secret_hash) if self._has_directory else None

    def forget(self, account: int) -> None:
        """Ask the directory for the cell of an account when it is needed again: it has moved."""
        self._accounts.pop(account, None)

    @property
    def are_several(self) -> bool:
        """Whether accounts may live elsewhere than in the first cell, as far as this process knows."""
        return self._has_directory

    async def find_address(self, address: str) -> Cell:
        """The cell in which somebody signs in with an address; the first one when nobody does."""
        await self._look()
        number = await self.directory.cell_of_address(address) if self._has_directory else None
        return FIRST if number is None else await self._numbered(number)

    async def has_directory(self) -> bool:
        """Whether there is a directory, as far as this process knows."""
        await self._look()
        return self._has_directory

    async def group(
        self, values: Iterable[Value], account_of: Callable[[Value], int]
    ) -> dict[Cell, list[Value]]:
        """Values by the cell of the account that each belongs to."""
        grouped: dict[Cell, list[Value]] = {}
        for value in values:
            grouped.setdefault(await self.find(account_of(value)), []).append(value)
        return grouped

    def look_anew(self) -> None:
        """Look at the directory before the next question: a node has said that a cell is not there."""
        self._is_due = True

    async def list(self) -> Sequence[Cell]:
        """All cells; those that were added some seconds ago included."""
        await self._look()
        return self.known

    @property
    def known(self) -> Sequence[Cell]:
        """All cells that the process knows without a question."""
        return [self._cells[number] for number in sorted(self._cells)]

    async def _numbered(self, number: int) -> Cell:
        if number not in self._cells:
            await self._read()
        return self._cells[number]

    async def _look(self) -> None:
        if not self._is_due and self._clock() - self._looked < LOOK_SECONDS:
            return
        if not self._has_directory:
            await self._read()  # nothing may go on as if there were none
            return
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._read()
        except (Error, TimeoutError) as error:
            # Where a cell or an account has left, whoever enters it is refused.
            _log.warning("The directory of cells is not there, and what is known of it goes on: %r", error)

    async def _read(self) -> None:
        self._is_due = False
        self._looked = now = self._clock()
        if not self._has_directory and not await self.directory.is_there():
            self._read_at = now
            return
        cells = await self.directory.list_cells()
        if self._has_directory:
            moved = await self.directory.list_moved(now - self._read_at + _OVERLAP_SECONDS)
            self._accounts.update((account, moved[account]) for account in moved.keys() & self._accounts)
        else:  # what is known from the first look on goes on when the directory is lost
            self._accounts.update(await self.directory.list_newest(ACCOUNTS_MAX))
        self._cells = {FIRST.number: FIRST} | {cell.number: cell for cell in cells}
        self._has_directory = True
        self._read_at = now
        for cell in cells:
            self._database.follow(cell)


# For commands, which look once: the same questions on a connection of their own.


@dataclass(frozen=True, slots=True)
class CellSize:
    """What a cell holds: accounts, rows as far as the planner knows, and bytes with indexes."""

    cell: Cell
    is_open: bool
    accounts: int
    rows: int
    octets: int


def read_sizes(url: str) -> list[CellSize]:
    """What each cell holds, those that are being made included. For commands."""
    sizes = []
    with psycopg.connect(url) as connection:
        known = {FIRST: True}
        if connection.execute(_IS_THERE).fetchone() == (True,):
            rows = connection.execute(
                f"SELECT number, name, node, opened_at IS NOT NULL FROM {SCHEMA}.cells ORDER BY number"
            )
            known = {Cell(number, name, node): is_open for number, name, node, is_open in rows}
        for cell, is_open in known.items():
            sizes.append(_size(connection, url, cell, is_open=is_open))
    return sizes


def _size(connection: psycopg.Connection[Any], url: str, cell: Cell, *, is_open: bool) -> CellSize:
    schema = cell.schema or _first(connection.execute("SELECT current_schema()"))
    table = SQL("SELECT count(*) FROM {}").format(Identifier(schema, "accounts"))
    accounts = _first(connection.execute(table)) if is_open else 0
    if cell.node is None:
        return CellSize(cell, is_open, accounts, *_measure(connection, cell))
    with psycopg.connect(url_on_node(url, cell.node)) as there:
        there.execute(SHOW_SHARDS)
        return CellSize(cell, is_open, accounts, *_measure(there, cell))


def _measure(connection: psycopg.Connection[Any], cell: Cell) -> tuple[int, int]:
    return connection.execute(SIZE_OF_CELL, (cell.schema,)).fetchone() or (0, 0)


def _first(cursor: psycopg.Cursor[Any]) -> Any:
    return (cursor.fetchone() or (None,))[0]


def find_cell_of_account(url: str, name: str) -> Cell:
    """The cell of the account with a name; the first one where there is none. For commands."""
    return _find_cell(url, f"SELECT cell FROM {SCHEMA}.accounts WHERE name = %s", name)


def find_cell_of_number(url: str, account: int) -> Cell:
    """The cell of the account with a number; the first one where there is none. For commands."""
    return _find_cell(url, _ACCOUNT, account)


def find_account(url: str, text: str) -> tuple[int, Cell]:
    """The number and the cell of the account that a text names, by number or name. For commands.

    Raises NotFound where the directory has none, and where there is no directory.
    """
    by_number = {cell.number: cell for cell in read_cells(url)}
    if len(by_number) > 1:
        with psycopg.connect(url) as connection:
            found = connection.execute(_NAMED, {"text": text}).fetchall()
        if found:
            number, cell = found[0]
            return number, by_number[cell]
    raise NotFound(message=f"The directory of cells names no account {shorten(text)!r}, by number or name.")


def find_cell_of_project(url: str, project: int) -> Cell:
    """The cell that has a project; the first one where none has. For commands, which look in each."""
    found = read_cells(url, only_open=True)
    with psycopg.connect(url) as connection:
        for cell in found[1:]:
            table = SQL("SELECT FROM {} WHERE id = %s").format(Identifier(str(cell.schema), "projects"))
            if connection.execute(table, (project,)).fetchone() is not None:
                return cell
    return FIRST


def _find_cell(url: str, statement: LiteralString, value: object) -> Cell:
    by_number = {cell.number: cell for cell in read_cells(url)}
    if len(by_number) == 1:
        return FIRST
    with psycopg.connect(url) as connection:
        row = connection.execute(statement, (value,)).fetchone()
    return FIRST if row is None else by_number[row[0]]


def read_cells(url: str, *, only_open: bool = False) -> Sequence[Cell]:
    """The cells of a database, those that are being made unless only open ones are wanted. For commands."""
    with psycopg.connect(url) as connection:
        return list_cells(connection, only_open=only_open)


def list_cells(connection: psycopg.Connection[Any], *, only_open: bool) -> Sequence[Cell]:
    """The cells that the directory on a connection names; the first one where there is no directory."""
    if not _first(connection.execute(_IS_THERE)):
        return (FIRST,)
    rows = connection.execute(_CELLS if only_open else _ALL_CELLS).fetchall()
    return [Cell(*row) for row in rows]
