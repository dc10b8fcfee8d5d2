"""A mistake of the service's own: a table that refuses what is stored for a project."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.server import Server

OWN_TEXT = "column secret_plans of relation is full"
"""What the database says, and nobody outside may read."""


@contextmanager
def broken_table(server: Server, table: str, project: int) -> Iterator[None]:
    """Have the database fail every new row of a project with the secret text."""
    name = f"broken_{table}_{project}"
    server.change_form(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$BEGIN RAISE EXCEPTION '{OWN_TEXT}'; END$$"
    )
    server.change_form(
        f"CREATE TRIGGER {name} BEFORE INSERT ON {table} FOR EACH ROW "
        f"WHEN (NEW.project_id = {project}) EXECUTE FUNCTION {name}()"
    )
    try:
        yield
    finally:
        server.change_form(f"DROP FUNCTION {name} CASCADE")
