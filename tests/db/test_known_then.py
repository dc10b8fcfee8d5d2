"""Tables of former versions: they have the columns and the indexes of their tables, in the same order."""

import psycopg
import pytest

from weighbridge.db.known_then import ADDED, VERSIONED

COLUMNS = """
    SELECT array_agg((a.attname, format_type(a.atttypid, a.atttypmod))::text ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped
"""
INDEXES = "SELECT count(*) FROM pg_index i WHERE i.indrelid = %s::regclass AND NOT i.indisexclusion"
TRIGGERS = (
    "SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = %s::regclass AND t.tgfoid = 'keep_version'::regproc"
)
NAMING = """
    SELECT c.relname::text
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'known_from'
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
       AND NOT starts_with(c.relname, 'former_')
"""


@pytest.fixture
def connection(migrated_database):
    with psycopg.connect(migrated_database) as connection:
        yield connection


def ask(connection, statement, *values):
    return connection.execute(statement, values).fetchall()


@pytest.mark.parametrize("table", VERSIONED)
def test_former_versions_have_the_columns_and_indexes_of_their_table(connection, table):
    [(columns,)] = ask(connection, COLUMNS, table)
    [(former,)] = ask(connection, COLUMNS, f"former_{table}")

    assert former[1:] == columns
    assert ask(connection, INDEXES, f"former_{table}") == ask(connection, INDEXES, table)
    assert ask(connection, TRIGGERS, table) == [(2,)]


def test_every_table_that_names_moments_is_read_by_them(connection):
    assert {name for (name,) in ask(connection, NAMING)} == {*VERSIONED, *ADDED}
