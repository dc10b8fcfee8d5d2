"""What the page on backups prints for pgBackRest is run, on a server of PostgreSQL 18 in folders of the test.

Put in are the folders that its packages make, the user who is `postgres` already, and the server's start.
"""

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.docs.database_host import Host
from tests.durability.processes import until

from weighbridge.db.embedded.cluster import SUPERUSER

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "back-up-and-restore.md"
SET_UP, RETURN = (
    block
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    if "sudo -u postgres pgbackrest" in block
)
PROGRAM = shutil.which("pgbackrest")
NEEDED = (2, 57)
"""The first version that knows PostgreSQL 18."""


def version():
    """The version of pgBackRest on this machine; nothing comes before all."""
    if PROGRAM is None:
        return ()
    said = subprocess.run([PROGRAM, "version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.findall(r"\d+", said)[:2]))


@pytest.fixture
def host(tmp_path):
    password_file = tmp_path / "pgpass"
    password_file.touch(0o600)
    host = Host("db", tmp_path / "db", password_file)
    host.run(f"initdb --pgdata=/srv/postgres --username={SUPERUSER} --encoding=UTF8 --locale=C --auth=trust")
    host.start()
    yield host
    host.stop("immediate")


def put_in(block, host, folder):
    """The printed lines with this host's server and folders in place of those of a package."""
    server = f"PGHOST=127.0.0.1 PGPORT={host.port} PGUSER={SUPERUSER}"
    started, stopped = host.command_of_start(), "pg_ctl stop --wait --pgdata=/srv/postgres"
    paths = "".join(f"{name}-path={folder}/{name}\n" for name in ("log", "lock", "spool"))
    reach = f"pg1-port={host.port}\npg1-socket-path={host.sockets}"
    for old, new in {
        "apt-get install pgbackrest\n": "",
        "/etc/pgbackrest.conf": f"{folder}/pgbackrest.conf",
        "repo1-path=/var/lib/pgbackrest\n": f"repo1-path={folder}/repo\n{paths}",
        "pg1-path=/var/lib/postgresql/17/main": f"pg1-path=/srv/postgres\n{reach}",
        "systemctl restart postgresql": f"{stopped}\n{started}",
        "systemctl stop postgresql": stopped,
        "systemctl start postgresql": started,
        "sudo -u postgres pgbackrest": f"{PROGRAM} --config={folder}/pgbackrest.conf",
        "'pgbackrest --stanza": f"'{PROGRAM} --config={folder}/pgbackrest.conf --stanza",
        "sudo -u postgres psql": f"{server} psql",
    }.items():
        block = block.replace(old, new)
    assert not re.search(r"sudo|systemctl|apt-get|/var/lib|/etc/", block.replace(str(folder), "")), block
    return block


@pytest.mark.skipif(
    version() < NEEDED, reason="this machine has no pgBackRest of 2.57 or newer, which PostgreSQL 18 needs"
)
def test_pgbackrest_backs_up_and_returns_to_a_moment(host):
    folder = host.folder.parent / "pgbackrest"
    host.run(f"mkdir {folder}")
    told = host.run(put_in(SET_UP, host, folder))
    assert re.search(r"full backup: \d+-\d+F", told)
    assert "status: ok" in told

    host.sql("CREATE TABLE written (number integer); INSERT INTO written VALUES (1)")
    [(moment,)] = host.sql("SELECT clock_timestamp()")
    host.sql("SELECT pg_sleep(0.1); INSERT INTO written VALUES (2); SELECT pg_switch_wal()")
    archived = "SELECT failed_count, archived_count > 3 FROM pg_stat_archiver"
    until(lambda: host.sql(archived) == [(0, True)], what="the log is archived")
    block = RETURN.replace("2026-11-20 12:00:00+00", moment.astimezone(UTC).strftime("%F %T.%f+00"))
    host.run(put_in(block, host, folder))

    assert host.sql("SELECT number FROM written") == [(1,)]
    assert moment < datetime.now(UTC)
