"""A cell goes from one node of a cluster to another while it is written to.

`move_cell`. The cluster copies the tables, and then changes over: it waits for the transactions that are in
the cell on the old node, and from then on `enter_on_node` refuses new ones there, which their callers repeat.
Statements that enter nothing are passed on to the new node until the old one is closed. Then the sequences of
the new node go on from the old ones, and the directory names the new node. Whoever is refused looks there at
once, everybody else within seconds. At last the new node gets its views (`local_tables.py`).

Invariants: never do two nodes give out keys of a cell at a time; a move that failed is gone on with by the
same command, and until the directory names the new node the old one can be closed and not used.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Final

import psycopg
from psycopg.errors import LockNotAvailable
from psycopg.sql import SQL, Identifier, Literal

from weighbridge.core.platform.cell import FIRST, Cell
from weighbridge.db import locks
from weighbridge.db.account_move import WITHOUT_TRIGGERS, without_moves
from weighbridge.db.account_rows import SETTLED, read_tables
from weighbridge.db.cell_creation import go_on_with_keys, url_in_cell, url_in_schema
from weighbridge.db.cells import SCHEMA, read_cells
from weighbridge.db.engine import ENTER_ON_NODE
from weighbridge.db.local_tables import show_local_tables
from weighbridge.db.nodes import (
    LOCAL,
    SEQUENCES,
    check_node,
    complete,
    lies_on,
    make_movable,
    move_tables,
)
from weighbridge.db.roles import DatabaseUrls, role_of
from weighbridge.errors import Conflict, Refusal

LEAVE_SECONDS: Final = 5
"""How long transactions in a cell may go on when it leaves their node; then they are ended."""

_CLOSED: Final = SQL(
    """
    CREATE OR REPLACE FUNCTION {}(cell text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the cell % has moved to another node', cell USING ERRCODE = 'cannot_connect_now';
    END $$
    """
).format(Identifier(ENTER_ON_NODE))


_END_BLOCKERS: Final = SQL(
    """
    SELECT pg_terminate_backend(blocking.pid)
      FROM pg_stat_activity waiting
     CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid)
     WHERE waiting.datname = current_database()
       AND (waiting.application_name LIKE 'citus%' OR waiting.backend_type = 'walsender')
       AND waiting.query_start < clock_timestamp() - make_interval(secs => {seconds})
       AND blocking.pid IN ({holders})
    """
)


_SETTLE: Final = SQL("UPDATE {table} SET {name} = {settled} WHERE {name} > {next}::text::xid8")


def move_cell(urls: DatabaseUrls, name: str, node: str) -> Cell:
    """Bring a cell from its node to another one, while the service works.

    Raises Refusal for a node that is none, or a cell that lies on no node; Conflict for one that is there.
    """
    with (
        psycopg.connect(urls.migrating, autocommit=True) as connection,
        without_moves(urls.migrating),
    ):
        check_node(connection, node)
        connection.execute(locks.LOCK.format(Literal(locks.CELL_CREATION)))
        cell = _find(urls.migrating, name, node)
        moved = replace(cell, node=node)
        with ExitStack() as connections:
            schema = str(cell.schema)
            coordinator, old, new = (
                connections.enter_context(psycopg.connect(url, autocommit=True))
                for url in (
                    url_in_schema(urls.migrating, schema),
                    url_in_cell(urls.migrating, cell),
                    url_in_cell(urls.migrating, moved),
                )
            )
            new.execute(LOCAL)
            complete(coordinator, new, role_of(urls.running))
            if not lies_on(coordinator, node):
                # Triggers give out keys on the new node before the old one is closed: far from the old keys.
                go_on_with_keys(new, cell, _last_keys(old), is_ahead=True)
                make_movable(coordinator)
                with _end_blockers(url_in_cell(urls.migrating, cell), cell):
                    move_tables(coordinator, node)
            _close(old, cell)
            go_on_with_keys(new, cell, _last_keys(old), _last_keys(new))
            _settle_transactions(new)
            connection.execute(
                SQL(f"UPDATE {SCHEMA}.cells SET node = %s WHERE number = %s"), (node, cell.number)
            )
            show_local_tables(new, schema, role_of(urls.running))  # until then the cluster passes on
    return moved


def _find(url: str, name: str, node: str) -> Cell:
    """The cell that is to be moved."""
    by_name = {cell.name: cell for cell in read_cells(url, only_open=True)}
    cell = by_name.get(name)
    if cell is None:
        raise Refusal(f"There is no cell {name!r} to move; there are {', '.join(by_name)}.")
    if cell.node is None:
        where = "stays where it is" if cell == FIRST else "lies on no node, and cannot be moved to one"
        raise Refusal(f"The cell {name} {where}; cells that were added with --node can be moved.")
    if cell.node == node:
        raise Conflict(f"The cell {name} lies on {node} already.")
    return cell


@contextmanager
def _end_blockers(url: str, cell: Cell) -> Iterator[None]:
    """Within, transactions in the cell are ended for which the cluster has waited too long to move it.

    Whoever writes waits behind the cluster as long as it waits for them.
    """
    is_done = threading.Event()

    def watch() -> None:
        holders = locks.HOLDERS.format(Literal(locks.on_node(cell.schema)))
        blockers = _END_BLOCKERS.format(seconds=Literal(LEAVE_SECONDS), holders=holders)
        with psycopg.connect(url, autocommit=True) as connection:
            while not is_done.wait(1):
                connection.execute(blockers)

    watching = threading.Thread(target=watch, name="blockers", daemon=True)
    watching.start()
    try:
        yield
    finally:
        is_done.set()
        watching.join()


def _last_keys(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """What each sequence of the node has given out last; 0 where it has given out nothing."""
    return {name: last for name, _, last in connection.execute(SEQUENCES).fetchall()}


def _settle_transactions(new: psycopg.Connection[Any]) -> None:
    """Have no row say that a transaction wrote it which is still to come on the new node."""
    with new.transaction():
        new.execute(WITHOUT_TRIGGERS)
        [next_one] = new.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").fetchone() or ("",)
        for rows in read_tables(new):
            for name in rows.transaction_columns:
                parts = {"table": Identifier(rows.table), "name": Identifier(name), "next": Literal(next_one)}
                new.execute(_SETTLE.format(**parts, settled=SETTLED))


def _close(old: psycopg.Connection[Any], cell: Cell) -> None:
    """Let no transaction enter the cell on its old node, and wait for those that are in it."""
    name = Literal(locks.on_node(cell.schema))
    old.execute(LOCAL)
    old.execute(_CLOSED)
    old.execute(SQL("SET lock_timeout = {}").format(Literal(f"{LEAVE_SECONDS}s")))
    try:
        old.execute(locks.LOCK.format(name))
    except LockNotAvailable:
        old.execute(locks.END_HOLDERS.format(name))
        old.execute(locks.LOCK.format(name))
