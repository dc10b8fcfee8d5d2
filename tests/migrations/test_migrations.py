"""The one migration history: from nothing to the newest step, step by step with data, and by many at once."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from tests import databases
from tests.given.stored_rows import STORED_ROWS

from weighbridge.db.migration import config, migrate
from weighbridge.db.roles import newest_revision, revisions

REVISIONS = [step.revision for step in reversed([*ScriptDirectory.from_config(config()).walk_revisions()])]

KEPT = {"accounts", "users", "api_tokens", "projects", "event_types", "events", "models", "ledger_entries"}
"""Tables whose rows no step changes, but for new columns after the others."""


def rows_of(url, tables):
    with psycopg.connect(url) as connection:
        return {
            table: connection.execute(f"SELECT t::text FROM {table} AS t ORDER BY 1").fetchall()
            for table in tables
        }


def tables_of(url):
    with psycopg.connect(url) as connection:
        found = connection.execute("""
            SELECT table_name FROM information_schema.tables
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'alembic_version'
        """).fetchall()
    return {name for (name,) in found}


def schema_of(url):
    """Everything that the migrations define, as text that does not depend on how it came about."""
    with psycopg.connect(url) as connection:
        return connection.execute("""
            SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default)
              FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid))
              FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
            UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
              WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
            UNION ALL SELECT format('%s: %s', relname, obj_description(oid, 'pg_class')) FROM pg_class
              WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
            ORDER BY 1
        """).fetchall()


def revision_of(url):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT version_num FROM alembic_version").fetchall()


def test_an_empty_database_comes_to_the_newest_step(empty_database):
    migrate(empty_database)

    assert revision_of(empty_database) == [(newest_revision(),)]
    assert {"accounts", "events", "models", "async_tasks", "ledger_entries", "audit_log"} <= tables_of(
        empty_database
    )


def test_there_is_one_history_without_branches():
    history = ScriptDirectory.from_config(config())

    assert history.get_heads() == [REVISIONS[-1]] == [newest_revision()]
    assert sorted(REVISIONS) == REVISIONS == [*revisions()]


@pytest.fixture(scope="module")
def walk(postgres):
    """A walk step by step: where it ends, and by step what was stored there."""
    with databases.database(postgres) as url:
        stored = {}
        for step in REVISIONS:
            migrate(url, step)
            if not stored:
                with psycopg.connect(url) as connection:
                    connection.execute(STORED_ROWS)
            stored[step] = rows_of(url, sorted(KEPT & tables_of(url)))
        yield url, stored


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_was_stored_before_a_step_is_there_at_the_newest(walk, revision):
    url, stored = walk

    assert stored[revision].keys() == KEPT
    kept = rows_of(url, KEPT)
    for table, rows in stored[revision].items():
        assert len(kept[table]) == len(rows) > 0, table
        for (row,), (before,) in zip(kept[table], rows, strict=True):
            assert row.startswith(before.rstrip(")")), table


def test_a_database_that_went_step_by_step_is_the_same_as_one_made_at_once(walk, migrated_database):
    url, _ = walk

    assert schema_of(url) == schema_of(migrated_database)


def test_running_it_again_changes_nothing(walk):
    url, _ = walk
    schema, stored = schema_of(url), rows_of(url, tables_of(url))

    migrate(url)

    assert schema_of(url) == schema
    assert rows_of(url, tables_of(url)) == stored


def test_processes_that_migrate_at_once_do_it_once(empty_database):
    with ThreadPoolExecutor(4) as processes:
        for future in [processes.submit(migrate, empty_database) for _ in range(4)]:
            future.result()

    assert revision_of(empty_database) == [(newest_revision(),)]


def test_a_database_that_a_newer_version_made_is_left_alone(empty_database):
    migrate(empty_database)
    with psycopg.connect(empty_database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(CommandError, match="9999"):
        migrate(empty_database)

    assert revision_of(empty_database) == [("9999",)]


def test_a_baseline_that_fails_leaves_nothing_behind_and_can_be_run_again(empty_database):
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE feedstocks (in_the_way integer)")

    with pytest.raises(psycopg.Error, match="feedstocks"):
        migrate(empty_database)

    assert tables_of(empty_database) == {"feedstocks"}
    with psycopg.connect(empty_database) as connection:
        connection.execute("DROP TABLE feedstocks")
    migrate(empty_database)
    assert revision_of(empty_database) == [(newest_revision(),)]


def test_a_step_that_fails_leaves_nothing_behind_and_can_be_run_again(empty_database):
    migrate(empty_database, "0053")
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE slot_waits (in_the_way integer)")

    with pytest.raises(psycopg.Error, match="slot_waits"):
        migrate(empty_database)

    assert revision_of(empty_database) == [("0053",)]
    assert "event_days" not in tables_of(empty_database)
    with psycopg.connect(empty_database) as connection:
        connection.execute("DROP TABLE slot_waits")
    migrate(empty_database)
    assert revision_of(empty_database) == [(newest_revision(),)]
