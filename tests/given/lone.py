"""A service on a database of its own, where rows are made past it beside those of a hundred other projects.

The planner decides by what the database knows of its tables: nothing when they have just been loaded, all of
it later, or, when one project loads much beside others that have little, what was so before.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier, Literal
from tests.databases import database
from tests.server import Server

from weighbridge.db.embedded.cluster import SUPERUSER

KNOWN = ("nothing", "everything", "what was before")
"""What the database knows of its tables."""

FIRST_ROWS = 2
"""Rows of a list that are there before the others are made; the other projects have so many each."""

OTHERS = range(900_001, 900_101)
"""The numbers of the other projects or accounts."""

Connection = psycopg.Connection[tuple[Any, ...]]
Load = Callable[[Connection, int, int], None]
"""Makes the rows of a list from one number to another, without the last."""

_COPY = """
    INSERT INTO {table} OVERRIDING SYSTEM VALUE
    SELECT (jsonb_populate_record(o, jsonb_build_object('project_id', other) {numbered})).*
      FROM (SELECT o FROM {table} AS o WHERE project_id = {project}) AS mine
     CROSS JOIN generate_series({first}, {last}) AS other
"""
_NUMBERED = "|| jsonb_build_object('id', nextval(pg_get_serial_sequence({table}, 'id')))"
_KEYS = """
    SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
     WHERE indisprimary AND indrelid = %s::regclass
"""


@dataclass(frozen=True, slots=True)
class Lone:
    """A service of which nobody else knows, and what its database is to know of its tables."""

    server: Server
    known: str

    def fill(self, rows: int, load: Load, others: Callable[[Connection], None], *tables: str) -> None:
        """Make so many rows in tables, the first few before and the others after others have theirs."""
        for table in tables:
            self.server.sql(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
        superuser = make_conninfo(self.server.owner_url, user=SUPERUSER)
        with psycopg.connect(superuser) as connection:
            load(connection, 0, FIRST_ROWS)
            others(connection)
        if self.known == "what was before":
            self.server.sql("ANALYZE")
        with self.server.transaction() as connection:
            load(connection, FIRST_ROWS, rows)
        if self.known == "everything":
            self.server.sql("ANALYZE")


def copied(project: int, *tables: str) -> Callable[[Connection], None]:
    """Gives other projects the rows of one, without asking whether what they refer to is there."""

    def copy(connection: Connection) -> None:
        connection.execute("SET LOCAL session_replication_role = replica")
        for table in tables:
            keys = connection.execute(_KEYS, (table,)).fetchall()
            numbered = SQL(_NUMBERED).format(table=Literal(table)) if keys == [("id",)] else SQL("")
            connection.execute(
                SQL(_COPY).format(
                    table=Identifier(table), project=project, numbered=numbered,
                    first=OTHERS[0], last=OTHERS[-1],
                )
            )  # fmt: skip

    return copy


@contextmanager
def lone_service(postgres: str, newest: str, known: str, **cells: str) -> Iterator[Lone]:
    """A service on a copy of a database with nothing stored, with cells if they are named."""
    with database(postgres, newest) as url, Server(url, api_connections=6, **cells) as server:
        yield Lone(server, known)
