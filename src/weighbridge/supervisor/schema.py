"""The migrations as a step of a start: a failure is a refusal that a person can act on."""

from typing import TYPE_CHECKING

import psycopg
import structlog
from psycopg.errors import InsufficientPrivilege

from weighbridge.db.schema.revision import newest_revision, revision_of
from weighbridge.db.schema.roles import DatabaseUrls, can_switch_triggers_off, let_run
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.db.schema.rehearsal import Rehearsal

log = structlog.get_logger("weighbridge.supervisor")


def migrate_or_refuse(urls: DatabaseUrls) -> None:
    """Bring the database to the newest step of its history, and let the running role use it.

    A running role that has the power of the owner leaves a line of warning: it can switch off what
    keeps books and audit rows as they are.
    """
    try:
        if revision_of(urls.migrating) != newest_revision():
            _migrate(urls.migrating)
        let_run(urls)
        if can_switch_triggers_off(urls.running):
            log.warning(
                "database_role_owns_tables",
                remedy="let WEIGHBRIDGE_MIGRATION_DATABASE_URL name the role that owns the tables, and"
                " WEIGHBRIDGE_DATABASE_URL another",
            )
    except psycopg.Error as error:
        remedy = (
            " Run `weighbridge migrate` with WEIGHBRIDGE_MIGRATION_DATABASE_URL naming the role that owns"
            " the tables."
        )
        raise Refusal(
            f"The database cannot be migrated: {str(error).strip()}"
            + (remedy if isinstance(error, InsufficientPrivilege) else "")
        ) from error


def _migrate(url: str) -> None:
    from alembic.util.exc import CommandError  # noqa: PLC0415 - alembic is slow to import

    from weighbridge.db.schema.migrate import migrate  # noqa: PLC0415 - as above

    try:
        migrate(url)
    except CommandError as error:
        raise Refusal(f"The database cannot be migrated: {str(error).strip()}") from error


def rehearse_or_refuse(url: str) -> "Rehearsal":
    """Carry out the steps that a database lacks, and undo them."""
    from alembic.util.exc import CommandError  # noqa: PLC0415 - alembic is slow to import

    from weighbridge.db.schema.rehearsal import rehearse  # noqa: PLC0415 - as above

    try:
        return rehearse(url)
    except (psycopg.Error, CommandError) as error:
        raise Refusal(f"The migrations cannot be rehearsed: {str(error).strip()}") from error
