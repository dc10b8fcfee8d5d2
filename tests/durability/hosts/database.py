"""PostgreSQL on two hosts: one takes writes, the other follows it, and an acknowledged write is on both."""

import os
import shlex
import shutil
import signal
import subprocess
from contextlib import suppress

import psycopg
from tests.durability.processes import children, is_alive, until

from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.db.embedded.location import find_location

PORT = 5432
TUNING = {
    "max_connections": "150",
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    "wal_retrieve_retry_interval": "500ms",
    "hot_standby_feedback": "on",
    "wal_keep_size": "1GB",
    "tcp_user_timeout": "5s",
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
}
LOG_IS_GONE = "could not find previous WAL record"
FOLLOWED = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"


class DatabaseHost:
    """One server of the two."""

    def __init__(self, network, name, folder):
        self.name = name
        self.address = network.add(name)
        self._prefix = network.on(name)
        self._subnet = network.subnet
        folder.mkdir(exist_ok=True)
        self._location = find_location(folder)

    @property
    def cluster(self):
        return self._location.cluster

    def url(self, user=SUPERUSER, database="weighbridge"):
        return f"host={self.address} port={PORT} user={user} dbname={database} connect_timeout=3"

    def settle(self):
        """Write down what both servers run with; every host of the network is let in."""
        with (self.cluster / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in TUNING.items())
        lines = [f"host {what} all {self._subnet} trust\n" for what in ("all", "replication")]
        with (self.cluster / "pg_hba.conf").open("r+") as file:
            rest = file.read()
            file.seek(0)
            file.writelines([*lines, rest])

    def start(self):
        self._location.make_folders()
        options = {
            "listen_addresses": self.address,
            "port": str(PORT),
            "unix_socket_directories": "",
            "cluster_name": self.name,
        }
        words = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in options.items())
        log = self._location.logs / "log"
        given = (f"--pgdata={self.cluster}", f"--log={log}", f"--options={words}")
        self._run("pg_ctl", "start", "--wait", *given)

    def kill(self):
        """Let the server die as its machine would: at once, every process of it."""
        number = int((self.cluster / "postmaster.pid").read_text().splitlines()[0])
        found = [number, *children(number)]
        for one in found:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        until(lambda: not any(map(is_alive, found)), what="the server is dead")
        # After its machine has started again, no process has the number that stands there.
        (self.cluster / "postmaster.pid").unlink()

    def stop(self):
        with suppress(FileNotFoundError, AssertionError):
            self.kill()

    def promote(self):
        self._run("pg_ctl", "promote", "--wait", f"--pgdata={self.cluster}")

    def copy_from(self, other):
        """Copy the cluster of a running server, and follow that server from now on."""
        words = (f"--pgdata={self.cluster}", "--checkpoint=fast", "--write-recovery-conf")
        self._run("pg_basebackup", *words, f"--dbname={other.url(database='postgres')}")

    def rewind_to(self, other):
        """Undo what this server wrote and the other one never had, and follow that one from now on.

        Where the log that shows what to undo is gone, the other one is copied anew, as the guide says.
        """
        source = other.url(database="postgres")
        words = (f"--target-pgdata={self.cluster}", f"--source-server={source}", "--write-recovery-conf")
        try:
            self._run("pg_rewind", *words)
        except AssertionError as refused:
            if LOG_IS_GONE not in str(refused):
                raise
            shutil.rmtree(self.cluster)
            self.copy_from(other)

    def sql(self, statement):
        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def wait_for_other(self, *, is_so=True):
        """Acknowledge what the other server has as well, and nothing else; or what is here."""
        name = "*" if is_so else ""
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        self.sql("SELECT pg_reload_conf()")

    def await_follower(self, *states):
        until(lambda: self.sql(FOLLOWED) in [[(state,)] for state in states], what=f"{self.name} is followed")

    def _run(self, program, *arguments):
        path = self._location.binaries / "bin" / program
        command = [*self._prefix, *self._location.prefix, str(path), *arguments]
        output = self._location.home / "output"
        # A file takes the output: the server inherits it, and a pipe would stay open as long as it runs.
        with output.open("w") as file:
            done = subprocess.run(
                command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False, cwd="/"
            )
        assert done.returncode == 0, f"{program}: {output.read_text()}"
