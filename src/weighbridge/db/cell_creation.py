"""A new cell: its schema, its tables, its range of keys, and its line in the directory.

The first time, the directory is made with it. Processes that run meanwhile see a directory within
`LOOK_SECONDS`; until all of them have, they write accounts and addresses to the first cell without it. So a
cell is opened for accounts only after twice that time, and what the first cell holds is copied then.

Invariant: a step that failed leaves a cell that takes no account, and the same command goes on with it.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier, Literal

from weighbridge.core.platform.cell import (
    BIGINT_BITS,
    CELLS_MAX,
    FIRST,
    INTEGER_BITS,
    Cell,
    key_range,
    problem_of_cell_name,
)
from weighbridge.db import locks
from weighbridge.db.cells import COPY_FIRST_CELL, DIRECTORY, LOOK_SECONDS, SCHEMA
from weighbridge.db.engine import url_on_node
from weighbridge.db.local_tables import hide_local_tables, show_local_tables
from weighbridge.db.nodes import SEQUENCES, check_node, complete, distribute
from weighbridge.db.roles import DatabaseUrls, grant_running_role, role_of
from weighbridge.db.transaction import BLOCK_SIZE
from weighbridge.errors import Conflict, Refusal

_MINIMUMS: Final = "SELECT sequencename, min_value FROM pg_sequences WHERE schemaname = current_schema()"
_BITS: Final = {"smallint": 15, "integer": INTEGER_BITS, "bigint": BIGINT_BITS}
_BLOCKS: Final = "event_key_blocks"
"""The sequence whose values are blocks of keys of events."""

# The first cell goes on where it is; only where its range ends is new.
_END_RANGE: Final = SQL("ALTER SEQUENCE {name} MAXVALUE {last}")
_BEGIN_RANGE: Final = SQL(
    "ALTER SEQUENCE {name} MINVALUE {first} MAXVALUE {last} START {first} RESTART {first}"
)
_GO_ON: Final = SQL("ALTER SEQUENCE {name} MINVALUE {first} MAXVALUE {last} START {first} RESTART {next}")
ROOM: Final = 256
"""Which part of its keys a cell keeps free between two nodes while it moves from one to the other."""


def url_in_schema(url: str, schema: str) -> str:
    """How a schema is connected to by a program that uses it alone, without a pooler between."""
    given = str(conninfo_to_dict(url).get("options") or "")
    return make_conninfo(url, options=f"{given} -csearch_path={schema}".strip())


def url_in_cell(url: str, cell: Cell) -> str:
    """How a cell is connected to by a program that uses it alone, where its tables lie."""
    if cell.schema is None:
        return url
    return url_in_schema(url if cell.node is None else url_on_node(url, cell.node), cell.schema)


def urls_in_cell(urls: DatabaseUrls, cell: Cell) -> DatabaseUrls:
    """How a cell is reached by both roles of the database; who migrates goes through the coordinator."""
    if cell.schema is None:
        return urls
    return DatabaseUrls(url_in_cell(urls.running, cell), url_in_schema(urls.migrating, cell.schema))


def add_cell(
    urls: DatabaseUrls,
    name: str,
    migrate: Callable[[DatabaseUrls], None],
    wait: Callable[[float], None] = time.sleep,
    *,
    node: str | None = None,
) -> Cell:
    """Make a cell, on a node of a cluster if one is named, and open it for accounts.

    Raises Refusal for a name or a node that is none, Conflict where there is such a cell or no room for one.
    """
    if problem := problem_of_cell_name(name):
        raise Refusal(problem)
    with psycopg.connect(urls.migrating, autocommit=True) as connection:
        if node is not None:
            check_node(connection, node)
        connection.execute(locks.LOCK.format(Literal(locks.CELL_CREATION)))
        _make_directory(connection, urls)
        with connection.transaction():  # a line without a schema would keep the service from starting
            cell = _register(connection, name, node)
            connection.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(str(cell.schema))))
        inner = urls_in_cell(urls, cell)
        migrate(inner)
        if cell.node is not None:
            distribute(inner.migrating, cell)
        finish_steps(urls, cell)
        _copy_audit_keys(urls, cell)
        wait(2 * LOOK_SECONDS)
        with connection.transaction():
            for statement in COPY_FIRST_CELL:
                connection.execute(SQL(statement))
            connection.execute(
                SQL(f"UPDATE {SCHEMA}.cells SET opened_at = now() WHERE number = %s"), (cell.number,)
            )
    return cell


def _make_directory(connection: psycopg.Connection[Any], urls: DatabaseUrls) -> None:
    with connection.transaction():
        connection.execute(SQL(DIRECTORY))
        connection.execute(
            SQL(
                f"INSERT INTO {SCHEMA}.cells (number, name, opened_at) VALUES (%s, %s, now())"
                " ON CONFLICT DO NOTHING"
            ),
            (FIRST.number, FIRST.name),
        )
        _set_key_ranges(connection, FIRST)
    grant_running_role(DatabaseUrls(urls.running, url_in_schema(urls.migrating, SCHEMA)))


def _register(connection: psycopg.Connection[Any], name: str, node: str | None) -> Cell:
    """The line of a cell in the directory, which one that was not finished has already."""
    rows = connection.execute(SQL(f"SELECT number, name, node, opened_at FROM {SCHEMA}.cells")).fetchall()
    for number, known, place, opened_at in rows:
        if known == name and opened_at is None and place == node:
            return Cell(number, name, node)
        if known == name:
            raise Conflict(f"There is a cell {name!r} already{'' if place is None else f', on {place}'}.")
    free = sorted({*range(CELLS_MAX)} - {number for number, *_ in rows})
    if not free:
        raise Conflict(f"There are {CELLS_MAX} cells, which is all there can be.")
    cell = Cell(free[0], name, node)
    connection.execute(
        SQL(f"INSERT INTO {SCHEMA}.cells (number, name, node) VALUES (%s, %s, %s)"),
        (cell.number, cell.name, cell.node),
    )
    return cell


def finish_steps(urls: DatabaseUrls, cell: Cell) -> None:
    """Have a cell give out keys of its range where its tables lie, those of newly made tables, too.

    On a node, what a step made that no table needs is made there, and views of the tables as they are now.
    """
    if cell.schema is None:
        return
    with psycopg.connect(url_in_cell(urls.migrating, cell)) as within:
        if cell.node is not None:
            with psycopg.connect(urls_in_cell(urls, cell).migrating) as coordinator:
                complete(coordinator, within, role_of(urls.running))
        _set_key_ranges(within, cell)
    if cell.node is not None:
        with psycopg.connect(url_in_cell(urls.migrating, cell), autocommit=True) as within:
            show_local_tables(within, cell.schema, role_of(urls.running))


def begin_steps(urls: DatabaseUrls, cell: Cell) -> None:
    """Let later steps change the tables of a cell: until they are finished, nothing depends on their form."""
    if cell.schema is not None and cell.node is not None:
        with psycopg.connect(url_in_cell(urls.migrating, cell), autocommit=True) as within:
            hide_local_tables(within, cell.schema)


def _copy_audit_keys(urls: DatabaseUrls, cell: Cell) -> None:
    """Have a new cell know all keys of audit logs in their order, by the first of which logs are named."""
    with psycopg.connect(urls.migrating) as first, psycopg.connect(url_in_cell(urls.migrating, cell)) as own:
        known = first.execute("SELECT public_key, created_at FROM audit_keys ORDER BY id").fetchall()
        if own.execute("SELECT FROM audit_keys LIMIT 1").fetchone() is None:
            own.cursor().executemany("INSERT INTO audit_keys (public_key, created_at) VALUES (%s, %s)", known)
            revoked = first.execute("SELECT public_key, revoked_at FROM audit_key_revocations").fetchall()
            own.cursor().executemany(
                "INSERT INTO audit_key_revocations (public_key, revoked_at) VALUES (%s, %s)", revoked
            )


def go_on_with_keys(
    node: psycopg.Connection[Any], cell: Cell, *given_out: Mapping[str, int], is_ahead: bool = False
) -> None:
    """Have the sequences of a node go on in the cell's range after what others, or they, have given out.

    Those that are ahead leave room for what the others give out meanwhile.
    """
    for name, kind, _ in node.execute(SEQUENCES).fetchall():
        keys = _keys_of(name, kind, cell)
        last = max((numbers[name] for numbers in given_out if numbers[name] in keys), default=keys.start - 1)
        after = last + 1 + (len(keys) // ROOM if is_ahead else 0)
        if after not in keys:
            raise Conflict(f"The sequence {name} of the cell {cell.name} has no room for a move.")
        parts = {"name": Identifier(name), "first": Literal(keys.start), "last": Literal(keys.stop - 1)}
        node.execute(_GO_ON.format(**parts, next=Literal(after)))


def _keys_of(name: str, kind: str, cell: Cell) -> range:
    bits = BIGINT_BITS - (BLOCK_SIZE.bit_length() - 1) if name == _BLOCKS else _BITS[kind]
    return key_range(cell.number, bits)


def _set_key_ranges(connection: psycopg.Connection[Any], cell: Cell) -> None:
    """Have each sequence of a cell give out the cell's keys and no others."""
    begin_at = dict(connection.execute(_MINIMUMS).fetchall())
    for name, kind, last in connection.execute(SEQUENCES).fetchall():
        keys = _keys_of(name, kind, cell)
        sequence = {"name": Identifier(name), "first": Literal(keys.start), "last": Literal(keys.stop - 1)}
        if cell != FIRST:
            if begin_at[name] != keys.start:
                connection.execute(_BEGIN_RANGE.format(**sequence))
        elif last < keys.stop:
            connection.execute(_END_RANGE.format(**sequence))
        else:
            raise Conflict(
                f"The sequence {name} has given out {last:,}, and a cell has keys up to {keys.stop - 1:,}: "
                "this installation cannot have a second cell."
            )
