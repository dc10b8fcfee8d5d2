"""The page on a replica is followed to the letter: two servers on this machine stand for `db1` and `db2`.

Ports are put in for host names, folders for `/srv/postgres`, and this machine's address for a network.
"""

import re
import secrets
import signal
from pathlib import Path

import httpx2
import pytest
from tests.docs.database_host import Host
from tests.durability.processes import Program, until

from weighbridge.db.embedded.cluster import SUPERUSER

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
PAGE = (HOWTO / "run-with-a-replica.md").read_text()
ROLES = re.search(r"```sql\n(.*?)```", (HOWTO / "run-on-several-hosts.md").read_text(), re.DOTALL)[1]
COMMANDS = re.findall(r"^ *```bash\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
SETTINGS = re.search(r"^ *```\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)[1]
STATEMENTS = re.search(r"^ *```sql\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)[1]
NETWORK = "10.0.0.0/24"


@pytest.fixture
def hosts(tmp_path):
    """Both machines, the first with a new cluster and the second with none, and the password of all roles."""
    password = secrets.token_hex(8)
    password_file = tmp_path / "pgpass"
    password_file.write_text(f"*:*:*:*:{password}\n")
    password_file.chmod(0o600)
    first, second = (Host(name, tmp_path / name, password_file) for name in ("db1", "db2"))
    first.run(
        f"initdb --pgdata=/srv/postgres --username={SUPERUSER} --encoding=UTF8 --locale=C"
        f" --auth=scram-sha-256 --pwfile=<(echo {password})"
    )
    yield first, second, password
    for host in (first, second):
        if (host.folder / "postmaster.pid").exists():
            host.stop("immediate")


def lines_of_access():
    """The lines that the page has put into pg_hba.conf."""
    return re.findall(r"`(host \S+ \S+ 10\.0\.0\.0/24 scram-sha-256)`", PAGE.replace("\n   ", " "))


def state_of_replica(address):
    return httpx2.get(f"{address}/healthz", timeout=60).json()["replica"]["state"]


def test_a_replica_is_set_up_promoted_and_the_old_primary_brought_back(hosts, tmp_path):
    db1, db2, password = hosts
    here = {f"host={host.name} user": f"host=127.0.0.1 port={host.port} user" for host in (db1, db2)}
    assert len(lines_of_access()) == 2
    db1.append("postgresql.conf", SETTINGS)
    db1.append("pg_hba.conf", "\n".join(lines_of_access()).replace(NETWORK, "127.0.0.1/32") + "\n")
    db1.start()
    db1.sql(f"CREATE ROLE replicator LOGIN REPLICATION PASSWORD '{password}'")
    db1.sql(ROLES.replace("…", password))

    copied, settings, rewound = COMMANDS
    db2.run(copied, **here)
    db2.append("postgresql.conf", "hot_standby_feedback = on\n")
    db2.start()
    until(lambda: db1.sql(STATEMENTS) == [("db2", "streaming", "sync")], what="the standby is synchronous")

    both = f"127.0.0.1:{db1.port},127.0.0.1:{db2.port}"
    given = dict(line.strip().split("=", 1) for line in settings.replace("db1,db2", both).splitlines())
    assert set(given) == {"WEIGHBRIDGE_DATABASE_URL", "WEIGHBRIDGE_REPLICA_URL"}
    owner = given["WEIGHBRIDGE_DATABASE_URL"].replace("weighbridge_app@", "weighbridge@")
    variables = given | {
        "PGPASSFILE": str(db1.password_file),
        "WEIGHBRIDGE_MIGRATION_DATABASE_URL": owner,
        "WEIGHBRIDGE_API_PROCESSES": "1",
        "WEIGHBRIDGE_COMPUTING_PROCESSES": "0",
    }
    arguments = ("serve", "--data-dir", tmp_path / "data", "--port", "0")
    service = Program("-m", "weighbridge", *arguments, log=tmp_path / "log", **variables)
    try:
        address = service.line().removeprefix("ready ").strip()
        until(lambda: state_of_replica(address) == "following", what="the service reads from the replica")

        db1.stop("immediate")
        db2.run("pg_ctl promote --pgdata=/srv/postgres")
        db2.sql("ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf();")
        until(lambda: httpx2.get(f"{address}/readyz", timeout=60).status_code == 200, what="writes go on")

        db1.run(rewound, **here)
        db1.start()
        followed = "SELECT application_name, state FROM pg_stat_replication"
        until(lambda: db2.sql(followed) == [("db1", "streaming")], what="the old primary follows")
        db2.sql("ALTER SYSTEM SET synchronous_standby_names = 'db1'; SELECT pg_reload_conf();")
        until(
            lambda: state_of_replica(address) == "following", what="the service reads from the replica again"
        )
    finally:
        service.signal(signal.SIGTERM)
        service.exit_code()
        service.close()
