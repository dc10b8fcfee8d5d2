"""Bring a database to the newest step of the migration history."""

from importlib.resources import files

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

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
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def newest_revision() -> str:
    """Name the last step of the history."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None  # noqa: S101 - the history has steps
    return head


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("weighbridge.db").joinpath("migrations")))
    config.set_main_option("path_separator", "os")
    return config
