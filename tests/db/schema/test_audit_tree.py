"""What the tables of the audit tree refuse, and rows that have a link to the row before beside their leaf.

Such rows are in databases whose log was a chain before it was a tree.
"""

import asyncio

import psycopg
import pytest
from psycopg.errors import CheckViolation, RestrictViolation, UniqueViolation
from tests import databases

from weighbridge.core.platform.audit import ANCHOR, link
from weighbridge.core.proof import Edge
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database
from weighbridge.db.statements import canonical
from weighbridge.platform.audit_tree import leaf_of, seal
from weighbridge.platform.records import SealedRow
from weighbridge.verification.audit_tree import check_trees

GIVEN = """
    INSERT INTO audit_log (account_id, project_id, user_id, request_id, action, object, after)
    SELECT 1, 1, 1, 'r', 'given.row', number, jsonb_build_object('value', number / 4.0, '€', 1e-7)
      FROM generate_series(1, 300) AS number
"""
ROWS = """
    SELECT account_id, row_number() OVER (ORDER BY id DESC), id, project_id, at::text, user_id, token_id,
           request_id, action, object, before, after
      FROM audit_log ORDER BY id DESC
"""
HASH = "sha256('x')"


@pytest.fixture(scope="module")
def chained(postgres, stored):
    """The URL of a database to copy whose rows are chained and in the tree, the last written first."""
    with databases.database(postgres, stored) as url:
        with psycopg.connect(url) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute(GIVEN)
            previous, edge = ANCHOR, Edge()
            for account, number, audit_id, project, at, *rest in connection.execute(ROWS).fetchall():
                row = SealedRow(account, number, audit_id, project, Instant.read(at), *rest)
                previous = link(previous, canonical(row))
                leaf = leaf_of(row)
                connection.execute(
                    "INSERT INTO audit_seals (account_id, number, audit_id, chain, hash)"
                    " VALUES (1, %s, %s, %s, %s)",
                    (number, audit_id, previous, leaf),
                )
                for node in edge.add(leaf):
                    connection.execute("INSERT INTO audit_nodes VALUES (1, %s, %s, %s)", node)
            connection.execute("DELETE FROM audit_unsealed")
        yield url


@pytest.fixture
def sealed(postgres, chained):
    """A copy of it."""
    with databases.database(postgres, chained) as url:
        yield url


def on(url, work):
    async def run():
        async with Database(url, connections_max=2) as database:
            return await work(database)

    return asyncio.run(run())


async def checked(database):
    async with database.read() as tx:
        return await check_trees(tx)


def test_the_tree_over_chained_rows_holds(sealed):
    with psycopg.connect(sealed) as connection:
        placed = connection.execute("SELECT audit_id FROM audit_seals ORDER BY number").fetchall()
        nodes = connection.execute("SELECT level, position FROM audit_nodes").fetchall()

    [head], violations = on(sealed, checked)

    assert placed == sorted(placed, reverse=True)
    assert (head.number, len(placed), nodes) == (301, 301, [(1, 0)])
    assert violations == []


def test_rows_that_are_written_later_follow_them(sealed):
    with psycopg.connect(sealed) as connection:
        connection.execute(GIVEN)

    assert on(sealed, seal) == 300
    [head], violations = on(sealed, checked)
    assert (head.number, violations) == (601, [])


def test_a_row_whose_leaf_was_forged_with_it_is_named_by_its_link(sealed):
    with psycopg.connect(sealed) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in ("audit_log", "audit_seals", "audit_nodes"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        connection.execute("UPDATE audit_log SET object = 'forged' WHERE object = '7'")
        [(account, _, audit_id, project, at, *rest)] = [
            row for row in connection.execute(ROWS).fetchall() if row[9] == "forged"
        ]
        [(number,)] = connection.execute(
            "SELECT number FROM audit_seals WHERE audit_id = %s", (audit_id,)
        ).fetchall()
        row = SealedRow(account, number, audit_id, project, Instant.read(at), *rest)
        connection.execute("UPDATE audit_seals SET hash = %s WHERE number = %s", (leaf_of(row), number))

    _, [violation] = on(sealed, checked)

    assert f"row {number} of the audit log is not what was sealed" in violation


NODE = f"INSERT INTO audit_nodes VALUES (1, {{}}, {{}}, {HASH})"
REFUSED = {
    "a second node at a place": (NODE.format(1, 0) + ";" + NODE.format(1, 0), UniqueViolation),
    "a node of the leaves": (NODE.format(0, 0), CheckViolation),
    "a changed node": ("UPDATE audit_nodes SET position = 1", RestrictViolation),
    "a removed node": ("DELETE FROM audit_nodes", RestrictViolation),
    "a key that is none": ("INSERT INTO audit_keys (public_key) VALUES ('x')", CheckViolation),
    "a removed key": ("DELETE FROM audit_keys", RestrictViolation),
}


@pytest.mark.parametrize(("statements", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_the_database_refuses(migrated_database, statements, error):
    with psycopg.connect(migrated_database, autocommit=True) as connection:
        connection.execute("INSERT INTO accounts (name) VALUES ('acme')")
        with pytest.raises(error):
            connection.execute(statements)
