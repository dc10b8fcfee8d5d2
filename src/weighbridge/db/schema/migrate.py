"""Bring a database to the newest step of the migration history."""

from importlib.resources import files

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config

from weighbridge.db import locks


def migrate(database_url: str, revision: str = "head") -> None:
    """Apply the steps that the database lacks, each in its own transaction.

    Raises psycopg.Error or alembic's CommandError; what earlier steps did stays, so running it
    again goes on from there.
    """
    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(database_url), poolclass=sqlalchemy.NullPool
    )
    with psycopg.connect(database_url, autocommit=True) as guard, engine.connect() as connection:
        guard.execute(locks.SESSION_HOLD_KEY, (locks.MIGRATION,))
        known = config()
        known.attributes["connection"] = connection
        try:
            command.upgrade(known, revision)
        except sqlalchemy.exc.DBAPIError as error:
            raise (error.orig or error) from error


def config() -> Config:
    """Alembic, told where the steps are."""
    made = Config()
    made.set_main_option("script_location", str(files("weighbridge.db").joinpath("migrations")))
    made.set_main_option("path_separator", "os")
    return made
