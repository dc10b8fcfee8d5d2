"""The one migration history: from nothing to the newest step, from every step with data, and by many at
once.
"""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from tests import databases

from weighbridge.db.schema.migrate import config, migrate
from weighbridge.db.schema.revision import newest_revision

REVISIONS = [step.revision for step in reversed([*ScriptDirectory.from_config(config()).walk_revisions()])]

ROWS = {
    "0001": """
        INSERT INTO accounts (name) VALUES ('acme');
        INSERT INTO users (account_id, email, name) VALUES (1, 'ada@acme.test', 'ada');
        INSERT INTO api_tokens (account_id, user_id, name, secret_hash, permissions)
          VALUES (1, 1, 'meter', sha256('secret'), '{data_collection:write}');
        INSERT INTO projects (account_id, name, time_zone) VALUES (1, 'Plant', 'Europe/Berlin');
    """,
    "0002": """
        INSERT INTO event_types (project_id, slug, name) VALUES (1, 'delivery', 'Delivery');
        INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit)
          VALUES (1, 1, 1, 'mass', 'Mass', 'number', 't');
        INSERT INTO locations (project_id, name, lat) VALUES (1, 'Yard', 52.12345678901234567890);
        INSERT INTO feedstocks (project_id, name) VALUES (1, 'Wood');
        INSERT INTO events (project_id, id, event_type_id, start_time, end_time, feedstock_id, location_ids,
                            numbers, is_complete)
          VALUES (1, 4096, 1, '2025-01-01Z', '2025-01-01Z', 1, '{1}', '{1234567890123.123456789012}', true);
    """,
    "0003": """
        INSERT INTO model_families (account_id, project_id) VALUES (1, 1);
        INSERT INTO models (family_id, version, name, cadence, partition_type, document, sha256)
          VALUES (1, 1, 'Carbon', 'monthly', 'time', 'cadence: monthly', sha256('cadence: monthly'));
        UPDATE model_families SET active_model_id = 1;
    """,
    "0004": """
        INSERT INTO async_tasks (account_id, project_id, type, args, user_id, token_id, request_id)
          VALUES (1, 1, 'batch_generation', '{"project_id": 1}', 1, 1, 'req_1');
        INSERT INTO async_task_progress (task_id) VALUES (1);
    """,
    "0005": """
        INSERT INTO ledgers (project_id, name, unit, family_id) VALUES (1, 'Stored', 't', 1);
        INSERT INTO runs (project_id, family_id, start_time, end_time)
          VALUES (1, 1, '2025-01-01Z', '2025-02-01Z');
        INSERT INTO batches (project_id, ledger_id, run_id, model_id, model_sha256, tracking_id, start_time,
                             end_time, total, credited, share_scale, fingerprint, async_task_id)
          VALUES (1, 1, 1, 1, sha256('cadence: monthly'), '2025-01', '2025-01-01Z', '2025-02-01Z', 10, 10, 6,
                  sha256(''), 1);
        INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at,
                                    async_task_id)
          VALUES (1, 1, 1, 'credit', 10.000001, '2025-02-01Z', 1);
    """,
    "0006": """
        INSERT INTO audit_log (account_id, project_id, user_id, token_id, request_id, action, object, after)
          VALUES (1, 1, 1, 1, 'req_1', 'project.create', 'prj_1', '{"name": "Plant"}');
    """,
    "0007": """
        INSERT INTO evidence (project_id, event_id, type, name, url, created_by)
          VALUES (1, 4096, 'url', 'Ticket', 'https://acme.test/ticket', 1);
        INSERT INTO evidence (project_id, event_id, type, name, storage_key, size, content_type, sha256,
                              created_by)
          VALUES (1, 4096, 'file', 'a.pdf', repeat('0f', 16), 9, 'application/pdf', sha256('%PDF-1.7'), 1);
    """,
}
"""What a service of each step would have stored in the tables that the step brought."""

KEPT = {"accounts", "users", "api_tokens", "projects", "event_types", "events", "models", "ledger_entries"}
"""Tables whose rows no step changes, but for new columns behind the others."""


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
    assert sorted(REVISIONS) == REVISIONS


def test_every_step_of_this_test_has_rows():
    assert set(ROWS) <= set(REVISIONS)
    assert REVISIONS[: len(ROWS)] == list(ROWS)


@pytest.fixture(scope="module")
def walk(postgres, stages):
    """A walk step by step: where it ends, and by step without rows of its own what was stored there."""
    with databases.database(postgres, stages[max(ROWS)]) as url:
        stored = {}
        for step in REVISIONS[len(ROWS) :]:
            migrate(url, step)
            stored[step] = rows_of(url, sorted(KEPT & tables_of(url)))
        yield url, stored


def assert_kept(url, stored):
    """What was stored is there, in columns before those that came later."""
    kept = rows_of(url, stored)
    for table, rows in stored.items():
        assert len(kept[table]) == len(rows) > 0, table
        for (row,), (before,) in zip(kept[table], rows, strict=True):
            assert row.startswith(before.rstrip(")")), table


@pytest.mark.parametrize("revision", ROWS)
def test_what_was_stored_at_a_step_is_there_at_the_newest(postgres, stages, revision):
    with databases.database(postgres, stages[revision]) as url:
        stored = rows_of(url, sorted(KEPT & tables_of(url)))

        migrate(url)

        assert_kept(url, stored)


@pytest.mark.parametrize("revision", REVISIONS[len(ROWS) :])
def test_what_was_stored_before_a_step_is_there_at_the_newest(walk, revision):
    url, stored = walk

    assert stored[revision].keys() == KEPT
    assert_kept(url, stored[revision])


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


def test_a_step_that_fails_leaves_nothing_behind_and_can_be_run_again(empty_database):
    migrate(empty_database, "0001")
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE feedstocks (in_the_way integer)")

    with pytest.raises(psycopg.Error, match="feedstocks"):
        migrate(empty_database)

    assert revision_of(empty_database) == [("0001",)]
    assert "event_types" not in tables_of(empty_database)
    with psycopg.connect(empty_database) as connection:
        connection.execute("DROP TABLE feedstocks")
    migrate(empty_database)
    assert revision_of(empty_database) == [(newest_revision(),)]
