"""A generation that is at work, as long as a test needs it to be."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.given.accounting import Plant
from tests.server import Server

from weighbridge.db import locks


@contextmanager
def running(server: Server, plant: Plant) -> Iterator[None]:
    """Hold the lock of the plant's model, as a generation does from before its snapshot to its end."""
    project = plant.project["numeric_id"]
    [(family,)] = server.sql("SELECT DISTINCT family_id FROM ledgers WHERE project_id = %s", project)
    with server.transaction() as connection:
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (locks.generation(project, family),)
        )
        yield
