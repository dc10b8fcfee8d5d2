"""A service with more than a thousand open files and sockets still uses its connections."""

import asyncio
import os
import resource
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from weighbridge.db.engine import Database

SELECTABLE = 1024
"""File descriptors from here on are out of the reach of `select`."""


@pytest.fixture
def many_files() -> Iterator[None]:
    """So many open files that the next one has a number beyond those."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * SELECTABLE
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), max(hard, wanted)))
    with ExitStack() as open_files:
        number = 0
        while number < SELECTABLE:
            number = os.open(os.devnull, os.O_RDONLY)
            open_files.callback(os.close, number)
        yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_a_connection_is_used_again_and_again_beyond_a_thousand_open_files(migrated_database):
    async def work():
        async with Database(migrated_database, connections_max=1) as database:
            return [(await database.single("SELECT 7"))[0] for _ in range(3)]

    assert asyncio.run(asyncio.wait_for(work(), 20)) == [7, 7, 7]
