"""The embedded server as the processes that use it see it: started once, found again, never losing a row."""

import os
import shutil
import signal
import threading
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.durability.processes import is_alive, kill_server, postmaster, postmasters_of, until

from weighbridge.db.embedded.instance import attach_server, database, server
from weighbridge.db.roles import DatabaseUrls
from weighbridge.errors import Refusal
from weighbridge.settings import Settings
from weighbridge.supervisor.startup import migrate_or_refuse


def execute(url, statement):
    with psycopg.connect(url) as connection:
        return connection.execute(statement)


def value(url, statement):
    with psycopg.connect(url) as connection:
        return connection.execute(statement).fetchone()[0]


def test_the_first_start_gives_an_empty_database_that_keeps_every_commit(fresh_dir):
    with server(fresh_dir) as url:
        shown = {
            name: value(url, f"SHOW {name}")
            for name in (
                "fsync",
                "synchronous_commit",
                "full_page_writes",
                "data_checksums",
                "TimeZone",
                "server_encoding",
                "listen_addresses",
            )
        }
        version = value(url, "SHOW server_version_num")
        name = value(url, "SELECT current_database()")

    assert shown == {
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "data_checksums": "on",
        "TimeZone": "UTC",
        "server_encoding": "UTF8",
        "listen_addresses": "",
    }
    assert version.startswith("18")
    assert name == "weighbridge"


def test_a_second_process_finds_the_server_and_the_last_to_leave_stops_it(data_dir, hold):
    first = hold(data_dir)
    url = first.line()
    server_of_the_first = postmaster(data_dir)
    second = hold(data_dir)

    assert second.line() == url
    assert postmaster(data_dir) == server_of_the_first

    assert first.finish() == 0
    assert value(url, "SELECT 1") == 1

    assert second.finish() == 0
    assert postmaster(data_dir) is None
    assert not is_alive(server_of_the_first)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def test_two_processes_that_come_at_once_start_one_server(fresh_dir, hold):
    both = [hold(fresh_dir), hold(fresh_dir)]

    urls = {program.line() for program in both}

    assert len(urls) == 1
    assert len(postmasters_of(fresh_dir / "postgres" / "cluster")) == 1
    assert [program.finish() for program in both] == [0, 0]
    assert postmaster(fresh_dir) is None


def test_the_server_of_a_killed_process_is_used_and_then_stopped_by_the_next(data_dir, hold):
    killed = hold(data_dir)
    execute(killed.line(), "CREATE TABLE kept AS SELECT 1 AS number")
    killed.kill()
    left_behind = postmaster(data_dir)
    assert left_behind is not None

    with server(data_dir) as url:
        assert postmaster(data_dir) == left_behind
        assert value(url, "SELECT number FROM kept") == 1

    assert postmaster(data_dir) is None


def test_committed_rows_outlive_a_killed_server_and_a_busy_orphan_of_it(data_dir, hold):
    killed = hold(data_dir)
    url = killed.line()
    execute(url, "CREATE TABLE kept AS SELECT 7 AS number")
    busy = psycopg.connect(url)
    backend = busy.info.backend_pid
    endless = threading.Thread(
        target=_run_until_it_breaks,
        args=(busy, "SELECT count(*) FROM (SELECT generate_series(1, 1e12::numeric)) AS streamed"),
        daemon=True,
    )
    endless.start()
    # Within one transaction PostgreSQL would show the same snapshot of its activity for ever.
    with psycopg.connect(url, autocommit=True) as watcher:
        until(lambda: _is_active(watcher, backend), what="the endless statement runs")

    killed.kill()
    kill_server(data_dir)
    with server(data_dir) as again:
        assert again == url
        assert value(again, "SELECT number FROM kept") == 7
        assert not is_alive(backend)
    endless.join()
    busy.close()


def _run_until_it_breaks(connection, statement):
    with suppress(psycopg.OperationalError):
        connection.execute(statement)


def _is_active(watcher, backend):
    statement = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
    return watcher.execute(statement, (backend,)).fetchone()


def test_a_killed_server_is_revived_on_the_same_socket_by_a_process_that_watches_it(data_dir):
    with attach_server(data_dir) as running:
        execute(running.url, "CREATE TABLE kept AS SELECT 3 AS number")
        kill_server(data_dir)
        assert not running.is_alive()

        running.revive()

        assert running.is_alive()
        assert value(running.url, "SELECT number FROM kept") == 3


def test_a_pid_file_that_names_a_stranger_does_not_keep_the_server_from_starting(data_dir):
    with server(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 5 AS number")
        pid_file = data_dir / "postgres" / "cluster" / "postmaster.pid"
        lines = pid_file.read_text().splitlines()
    stranger = os.getpid()
    pid_file.write_text("\n".join([str(stranger), *lines[1:]]) + "\n")

    with server(data_dir) as url:
        assert value(url, "SELECT number FROM kept") == 5


def test_a_start_that_was_killed_before_the_cluster_was_complete_is_made_good(fresh_dir, hold):
    killed = hold(fresh_dir)
    until(lambda: [*fresh_dir.glob("postgres/cluster-unfinished-*")], what="the cluster is being made")
    killed.kill()

    with server(fresh_dir) as url:
        assert value(url, "SELECT 1") == 1


def test_the_log_keeps_its_newest_files_only(data_dir):
    logs = data_dir / "postgres" / "log"
    with server(data_dir):
        pass
    for day in range(10, 30):
        (logs / f"postgresql-202001{day}-000000.log").write_text("old\n")

    with server(data_dir):
        pass

    assert len([*logs.glob("postgresql-*.log")]) <= 11
    assert not (logs / "postgresql-20200110-000000.log").exists()


def test_a_server_that_cannot_start_is_refused_with_the_end_of_its_log(data_dir):
    with server(data_dir):
        pass
    (data_dir / "postgres" / "cluster" / "global" / "pg_control").unlink()

    with pytest.raises(Refusal, match=r"cannot start[\s\S]*pg_control"), server(data_dir):
        pass


def test_a_data_directory_that_cannot_be_made_is_refused(folder):
    (folder / "file").write_text("not a folder")

    with pytest.raises(Refusal, match="Not a directory"), server(folder / "file" / "data"):
        pass


def test_an_external_server_is_used_as_it_is(folder, data_dir):
    with server(data_dir) as external:
        settings = Settings(data_dir=folder / "unused", database_url=external)

        with database(settings) as urls:
            assert urls == DatabaseUrls(external, external)
            assert value(urls.running, "SELECT current_database()") == "weighbridge"

        assert value(external, "SELECT 1") == 1
        assert not (folder / "unused").exists()


def test_a_data_directory_from_before_there_were_two_roles_gets_the_second(data_dir):
    with attach_server(data_dir) as running:
        before = make_conninfo(running.url, user="postgres")
        execute(before, "DROP OWNED BY weighbridge_app")
        execute(before, "DROP ROLE weighbridge_app")

    with attach_server(data_dir) as running:
        migrate_or_refuse(running.urls)

        assert value(running.urls.running, "SELECT count(*) FROM events") == 0


def test_an_external_server_is_migrated_by_one_role_and_used_by_another(data_dir):
    with attach_server(data_dir) as running:
        settings = Settings(database_url=running.urls.running, migration_database_url=running.urls.migrating)
        with database(settings) as urls:
            migrate_or_refuse(urls)

            assert value(urls.running, "SELECT count(*) FROM events") == 0


def test_a_role_that_may_not_migrate_is_told_who_could(data_dir):
    with attach_server(data_dir) as running:
        execute(running.url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        execute(running.url, "GRANT USAGE ON SCHEMA public TO PUBLIC")
        alone = DatabaseUrls(running.urls.running, running.urls.running)

        with pytest.raises(Refusal, match="WEIGHBRIDGE_MIGRATION_DATABASE_URL naming the role that owns"):
            migrate_or_refuse(alone)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql//operator:se3cret@db/weighbridge",
        "postgresql://operator:se3%cret@db/weighbridge",
        "postgresql://operator:x@se3cret@db/weighbridge",
        "postgresql://operator:se3cret/x@db/weighbridge",
        "postgresql://operator:12/se3cret@db/weighbridge",
        "mysql://operator:se3cret@db/weighbridge",
        "host=db password=x se3cret",
    ],
)
def test_a_database_url_that_is_none_is_refused_without_a_word_of_it(url):
    settings = Settings(database_url=url)

    with (
        pytest.raises(Refusal, match="WEIGHBRIDGE_DATABASE_URL is no database URL") as refused,
        database(settings),
    ):
        pass

    assert "se3" not in str(refused.value)


def test_an_external_server_that_cannot_be_reached_is_refused(folder):
    settings = Settings(database_url=f"postgresql://nobody@/none?host={folder}")

    with pytest.raises(Refusal, match="WEIGHBRIDGE_DATABASE_URL cannot be used"), database(settings):
        pass


def test_a_copied_data_directory_has_a_server_of_its_own(folder, data_dir):
    with server(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 1 AS number")
    shutil.copytree(data_dir, folder / "second")

    with server(data_dir) as first, server(folder / "second") as second:
        execute(first, "UPDATE kept SET number = 2")

        assert first != second
        assert value(second, "SELECT number FROM kept") == 1


def test_a_terminal_interrupt_does_not_reach_the_server(data_dir, hold):
    interrupted = hold(data_dir)
    url = interrupted.line()
    other = hold(data_dir)
    other.line()

    interrupted.signal(signal.SIGINT)

    assert interrupted.exit_code() != 0
    assert value(url, "SELECT 1") == 1
    assert Path(data_dir / "postgres" / "cluster" / "postmaster.pid").exists()
    assert other.finish() == 0
    assert postmaster(data_dir) is None


def test_two_urls_of_two_databases_are_refused(data_dir):
    with attach_server(data_dir) as running:
        elsewhere = make_conninfo(running.url, dbname="postgres")
        settings = Settings(database_url=running.urls.running, migration_database_url=elsewhere)

        with pytest.raises(Refusal, match="names the database postgres, and must"), database(settings):
            pass


def test_a_database_that_is_named_for_migrations_alone_is_refused(fresh_dir):
    settings = Settings(data_dir=fresh_dir, migration_database_url="postgresql://owner@db/weighbridge")

    with pytest.raises(Refusal, match="WEIGHBRIDGE_DATABASE_URL must name the same"), database(settings):
        pass
