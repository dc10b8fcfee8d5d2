"""A server that follows another one, both on private sockets, as the embedded database runs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from weighbridge.db.embedded import instance
from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.db.embedded.location import find_location


@dataclass(slots=True)
class Standby:
    """A primary, and the server that follows it."""

    primary_url: str
    folder: Path
    url: str = ""
    _running: ExitStack = field(default_factory=ExitStack)

    def start(self) -> None:
        """Start the server that follows, as the running role comes to it."""
        owner_url = self._running.enter_context(instance.server(self.folder))
        self.url = make_conninfo(owner_url, user=instance.RUNNING_ROLE)

    def stop(self) -> None:
        """Stop it."""
        self._running.close()

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement there with all power."""
        with psycopg.connect(make_conninfo(self.url, user=SUPERUSER), autocommit=True) as connection:
            return connection.execute(statement).fetchall()  # type: ignore[arg-type] # of tests


@contextmanager
def standby_of(folder: Path) -> Iterator[Standby]:
    """A primary in a folder and its copy beside it, which follows it."""
    with instance.server(folder / "primary") as url:
        standby = Standby(url, folder / "standby")
        copy(url, standby.folder)
        standby.start()
        try:
            yield standby
        finally:
            standby.stop()


def copy(url: str, folder: Path) -> None:
    """Copy the cluster of a running server into a folder, for a server that follows it."""
    folder.mkdir()
    location = find_location(folder)
    location.make_folders()
    done = location.run(
        "pg_basebackup",
        f"--pgdata={location.cluster}",
        f"--host={conninfo_to_dict(url)['host']}",
        f"--username={SUPERUSER}",
        "--checkpoint=fast",
        "--write-recovery-conf",
    )
    assert done.returncode == 0, done.stdout
