"""The role that runs the service owns nothing, so it cannot switch off what keeps the books as they are."""

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege

from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.db.roles import DatabaseUrls, can_switch_triggers_off, grant_running_role
from weighbridge.supervisor.startup import migrate_or_refuse


@pytest.fixture
def urls(migrated_database):
    made = DatabaseUrls(make_conninfo(migrated_database, user=RUNNING_ROLE), migrated_database)
    grant_running_role(made)
    return made


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE audit_log DISABLE TRIGGER audit_log_stays",
        "ALTER TABLE ledger_entries DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
        "TRUNCATE audit_log",
        "TRUNCATE request_counts",
        "DELETE FROM audit_log",
        "DELETE FROM ledger_entries",
        "DELETE FROM events",
        "UPDATE audit_log SET action = ''",
        "UPDATE audit_seals SET hash = ''",
        "UPDATE ledger_entries SET amount = 0",
        "DROP TABLE audit_log",
        "DROP TRIGGER audit_log_stays ON audit_log",
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE sql RETURN NULL",
        "CREATE TABLE mine ()",
        "UPDATE alembic_version SET version_num = '0001'",
        "SELECT setval('audit_log_id_seq', 1)",
        f"ALTER ROLE {RUNNING_ROLE} SUPERUSER",
        "SET ROLE weighbridge",
    ],
)
def test_the_running_role_cannot_undo_what_is_only_added(urls, statement):
    with psycopg.connect(urls.running) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute(statement)


def test_what_a_trigger_refuses_of_every_row_is_not_granted_either(urls):
    with psycopg.connect(urls.migrating) as connection:
        refusals = connection.execute(
            """
            SELECT tgrelid::regclass::text, privilege
              FROM pg_trigger,
                   (VALUES (8, 'DELETE'), (16, 'UPDATE'), (32, 'TRUNCATE')) AS bit (value, privilege)
             WHERE tgfoid = 'refuse_change'::regproc AND tgqual IS NULL AND tgtype & value <> 0
               AND has_table_privilege(%s, tgrelid, privilege)
            """,
            (RUNNING_ROLE,),
        ).fetchall()

    assert refusals == []


def test_the_running_role_reads_and_fills_every_table(urls):
    with psycopg.connect(urls.migrating) as connection:
        lacking = connection.execute(
            """
            SELECT relname FROM pg_class
             WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
               AND NOT (has_table_privilege(%(role)s, oid, 'SELECT')
                        AND has_table_privilege(%(role)s, oid, 'INSERT'))
            """,
            {"role": RUNNING_ROLE},
        ).fetchall()

    assert lacking == []


def test_what_the_running_role_was_given_beyond_its_need_is_taken_back(urls):
    with psycopg.connect(urls.migrating) as connection:
        connection.execute(f"GRANT ALL ON audit_log TO {RUNNING_ROLE}")

    grant_running_role(urls)

    with psycopg.connect(urls.running) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute("DELETE FROM audit_log")


def test_the_running_role_has_the_statistics_of_tables_taken(urls):
    with psycopg.connect(urls.running) as connection:
        connection.execute("SELECT refresh_statistics('corrections', 'runs', 'batches')")


def test_it_is_told_which_role_could_switch_triggers_off(urls):
    assert can_switch_triggers_off(urls.migrating)
    assert not can_switch_triggers_off(urls.running)


def test_the_running_role_alone_finds_a_migrated_database_in_order(urls):
    migrate_or_refuse(DatabaseUrls(urls.running, urls.running))


def test_one_role_for_both_keeps_what_it_has(migrated_database):
    grant_running_role(DatabaseUrls(migrated_database, migrated_database))

    with psycopg.connect(migrated_database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = version_num")


def test_what_lies_in_the_schema_and_is_another_role_s_is_left_alone(urls):
    superuser = make_conninfo(urls.migrating, user="postgres")
    with psycopg.connect(superuser) as connection:
        connection.execute("CREATE TABLE another_program (number integer)")

    grant_running_role(urls)

    with psycopg.connect(urls.running) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute("SELECT FROM another_program")
