"""The migrations as a step of a start: a failure is a refusal that a person can act on."""

import psycopg

from weighbridge.errors import Refusal


def migrate_or_refuse(database_url: str) -> None:
    """Bring the database to the newest step of its history."""
    from alembic.util.exc import CommandError  # noqa: PLC0415 - alembic is slow to import

    from weighbridge.db.migrate import migrate  # noqa: PLC0415 - as above

    try:
        migrate(database_url)
    except (psycopg.Error, CommandError) as error:
        raise Refusal(f"The database cannot be migrated: {str(error).strip()}") from error
