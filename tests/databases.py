"""Databases of single tests."""

from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier


def drop(connection: psycopg.Connection[Any], name: str) -> None:
    """Drop a database, whoever of us is still connected.

    WITH (FORCE) is refused while the server itself vacuums there; a plain DROP ends that.
    """
    connection.execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = %s AND usename = current_user
        """,
        (name,),
    )
    connection.execute(SQL("DROP DATABASE {}").format(Identifier(name)))
