"""A machine of a page of the guide that has a server of PostgreSQL: a folder and a port of this machine."""

import os
import re
import socket
import subprocess

import psycopg

from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.db.embedded.location import find_location

SECONDS_MAX = 120


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Host:
    """A machine of the page: its server has an address, a port and a folder of its own."""

    def __init__(self, name, folder, password_file):
        folder.mkdir()
        self.name, self.port = name, free_port()
        self.password_file = password_file
        self._location = find_location(folder)
        self._location.make_folders()
        if self._location.user is not None:
            os.chown(password_file, self._location.user, -1)
        self.folder, self.sockets = self._location.cluster, self._location.sockets
        self._environment = os.environ | {
            "PATH": f"{self._location.binaries / 'bin'}:{os.environ['PATH']}",
            "PGPASSFILE": str(password_file),
        }

    def run(self, block, **replaced):
        """Run what is printed, as the user of the server."""
        block = block.replace("/srv/postgres", str(self.folder))
        for old, new in replaced.items():
            block = block.replace(old, new)
        done = subprocess.run(
            [*self._location.prefix, "bash", "-ec", block],
            user=self._location.user, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=SECONDS_MAX,
        )  # fmt: skip
        assert done.returncode == 0, block + done.stdout
        return done.stdout

    def append(self, file, text):
        with (self.folder / file).open("a") as opened:
            opened.write(text)

    def command_of_start(self):
        """What the shell of this host starts its server by."""
        options = (
            f"-c port={self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.sockets}"
        )
        log = self._location.logs / "log"
        return f"pg_ctl start --wait --pgdata=/srv/postgres --log={log} --options='{options}'"

    def start(self):
        self.run(self.command_of_start())

    def stop(self, how):
        self.run(f"pg_ctl stop --wait --mode={how} --pgdata=/srv/postgres")

    def sql(self, statements):
        """Carry out statements as they are printed; gives the rows of the last one."""
        address = f"host=127.0.0.1 port={self.port} user={SUPERUSER} dbname=postgres"
        rows = []
        with psycopg.connect(address, passfile=self.password_file, autocommit=True) as connection:
            for statement in re.sub(r"--.*", "", statements).split(";"):
                if statement.strip():
                    cursor = connection.execute(statement)
                    rows = cursor.fetchall() if cursor.description else []
        return rows
