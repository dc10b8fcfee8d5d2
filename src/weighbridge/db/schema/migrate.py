"""Bring a database to the newest step of the migration history."""

from importlib.resources import files

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config

from weighbridge.db import locks
from weighbridge.db.schema.revision import read_revision, refuse_unreleased


def migrate(database_url: str, revision: str = "head") -> None:
    """Apply the steps that the database lacks, each in its own transaction.

    A database that a released version made is at one of these steps, and goes on from there. One that is at
    a step before the first release is refused. Raises Refusal, psycopg.Error or alembic's CommandError. What
    earlier steps did remains, so running it again continues from there.
    """
    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(database_url), poolclass=sqlalchemy.NullPool
    )
    with psycopg.connect(database_url, autocommit=True) as guard, engine.connect() as connection:
        guard.execute(locks.SESSION_HOLD_KEY, (locks.MIGRATION,))
        refuse_unreleased(read_revision(guard))
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
