"""The audit log as a tree of hashes; rows that were sealed before get their leaves here."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, LiteralString

import psycopg
from alembic import op

from weighbridge.core.identity import ids
from weighbridge.core.platform.audit_leaf import hash_of_row
from weighbridge.core.proof.edge import Edge
from weighbridge.db.migrations import apply

revision = "0034"
down_revision = "0033"

_AT_ONCE = 5000
_SEALED = """
    SELECT s.account_id, a.id, s.number, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           a.project_id, a.user_id, a.token_id, a.request_id, a.action, a.object, a.before::text,
           a.after::text
      FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
     ORDER BY s.account_id, s.number
"""


def upgrade() -> None:
    apply("0034_audit_tree.sql")
    connection: Any = op.get_bind().connection.driver_connection
    _seal_again(connection)
    connection.execute("ALTER TABLE audit_seals ALTER COLUMN hash SET NOT NULL")


def _seal_again(connection: psycopg.Connection[Any]) -> None:
    """Give each sealed row its leaf, in the place that it has, and keep the nodes above."""
    connection.execute("CREATE TEMPORARY TABLE leaves (audit_id bigint, hash bytea) ON COMMIT DROP")
    nodes: list[tuple[int, int, int, bytes]] = []
    edges: dict[int, Edge] = {}
    for portion in _portions(connection):
        leaves = []
        for account, audit_id, leaf in portion:
            leaves.append((audit_id, leaf))
            nodes += [(account, *node) for node in edges.setdefault(account, Edge()).add(leaf)]
        _store(connection, "COPY leaves (audit_id, hash) FROM STDIN", leaves)
    connection.execute("ALTER TABLE audit_seals DISABLE TRIGGER audit_seals_stay")
    connection.execute("UPDATE audit_seals s SET hash = l.hash FROM leaves l WHERE l.audit_id = s.audit_id")
    connection.execute("ALTER TABLE audit_seals ENABLE TRIGGER audit_seals_stay")
    _store(connection, "COPY audit_nodes (account_id, level, position, hash) FROM STDIN", nodes)


def _store(connection: psycopg.Connection[Any], statement: LiteralString, rows: list[Any]) -> None:
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _portions(connection: psycopg.Connection[Any]) -> Iterator[list[tuple[int, int, bytes]]]:
    """The accounts, ids and leaves of rows in the order of their numbers, some at a time."""
    with connection.cursor(name="sealed") as cursor:
        cursor.execute(_SEALED)
        while rows := cursor.fetchmany(_AT_ONCE):
            yield [(row[0], row[1], _leaf(*row[1:])) for row in rows]


def _leaf(*values: Any) -> bytes:
    audit_id, number, at, project, user_id, token_id, request_id, action, target, before, after = values
    return hash_of_row(
        {
            "id": audit_id,
            "number": number,
            "at": at,
            "project_id": None if project is None else ids.of("project", project),
            "user_id": user_id,
            "token_id": token_id,
            "request_id": request_id,
            "action": action,
            "object": target,
            "before": _read(before),
            "after": _read(after),
        }
    )


def _read(text: str | None) -> Any:
    return None if text is None else json.loads(text, parse_float=Decimal)
