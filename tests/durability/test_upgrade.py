"""The upgrade of data that the first release stored: rehearsed on a copy, carried out, and verified."""

import asyncio
import json
import subprocess
import sys

import psycopg
import pytest
from tests.durability.processes import environment
from tools.stored_release.folders import DUMP, released

from weighbridge.db.embedded.instance import attach_server, server
from weighbridge.db.engine import Database
from weighbridge.db.migration import migrate, rehearse
from weighbridge.db.roles import newest_revision
from weighbridge.errors import Refusal
from weighbridge.verification import verify

STORED = released()[0] / DUMP
COUNTED = ("events", "batches", "ledger_entries", "audit_log")


def weighbridge(*arguments, **variables):
    command = [sys.executable, "-m", "weighbridge", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=environment(**variables)
    )


@pytest.fixture
def stored(data_dir):
    """A data directory of the first release."""
    with attach_server(data_dir) as running:
        done = running.location.run(
            "pg_restore", f"--dbname={running.url}", "--no-owner", "--exit-on-error", str(STORED)
        )
        assert done.returncode == 0, done.stdout
    return data_dir


def counts(connection):
    return [connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in COUNTED]


def revision(connection):
    [found] = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return found


async def violations(url):
    async with Database(url, connections_max=2, idle_timeout_seconds=60) as database:
        report = await verify(database)
    return [one for check in report.checks for one in check.violations], report.batches


def test_what_an_earlier_release_stored_holds_after_the_upgrade(stored):
    with server(stored) as url:
        with psycopg.connect(url) as connection:
            before = counts(connection)
            assert revision(connection) == "0051"

        migrate(url)

        with psycopg.connect(url) as connection:
            assert revision(connection) == newest_revision()
            assert counts(connection) == before
        broken, batches = asyncio.run(violations(url))
    assert broken == []
    assert batches > 0


def test_a_rehearsal_takes_every_step_on_a_copy_and_changes_nothing(data_dir):
    with server(data_dir) as url:
        migrate(url, "0055")
        with psycopg.connect(url, autocommit=True) as connection:
            done = weighbridge("migrate", "--dry-run", "--json", "--data-dir", data_dir)
            found = revision(connection)

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["before"], found) == ("0055", "0055")
    revisions = [step["revision"] for step in said["steps"]]
    assert (revisions[0], revisions[-1]) == ("0056", newest_revision())
    assert [one.name for one in data_dir.parent.iterdir()] == [data_dir.name]


def test_a_step_that_cannot_be_carried_out_is_named(empty_database):
    migrate(empty_database, "0053")
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE slot_waits (in_the_way integer)")

    found = rehearse(empty_database)

    assert (found.before, found.steps) == ("0053", [])
    assert found.failure.startswith('Step 0054 cannot be carried out: relation "slot_waits" already exists')


def test_a_database_without_a_step_whose_baseline_cannot_be_carried_out_is_named(empty_database):
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE feedstocks (in_the_way integer)")

    found = rehearse(empty_database)

    assert (found.before, found.steps) == (None, [])
    assert found.failure.startswith('Step 0051 cannot be carried out: relation "feedstocks" already exists')


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["in earnest", "rehearsed"])
def test_a_database_that_no_release_made_is_refused_in_one_sentence(empty_database, options):
    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num text)")
        connection.execute("INSERT INTO alembic_version VALUES ('0043')")

    done = weighbridge("migrate", *options, WEIGHBRIDGE_DATABASE_URL=empty_database)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "The database is at revision 0043, which no released version made; the first one that can be migrated"
        " is 0051, that of 1.0.0. Nothing was changed.\n"
    )


def test_an_external_database_is_rehearsed_in_place_and_left_as_it_was(empty_database):
    migrate(empty_database, "0051")

    done = weighbridge("migrate", "--dry-run", WEIGHBRIDGE_DATABASE_URL=empty_database)

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "The database is at revision 0051."
    assert lines[1].split()[0] == "0052"
    assert any("events" in line and ("closes" in line or "lets nobody write" in line) for line in lines)
    assert lines[-1].endswith("nothing was changed.")
    with psycopg.connect(empty_database) as connection:
        assert revision(connection) == "0051"


def test_data_of_another_major_version_of_postgresql_are_told_with_the_way_on(data_dir):
    (data_dir / "postgres" / "cluster" / "PG_VERSION").write_text("17\n")

    with (
        pytest.raises(Refusal, match="made by PostgreSQL 17, and this version has 18"),
        attach_server(data_dir),
    ):
        pass
