"""The newest step of the migration history, which a database must be at for this version, and the first one.

They are read from the names of the steps, so that a program that only compares imports nothing that migrates.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any, Final

import psycopg

from weighbridge.errors import Refusal

_STEP: Final = re.compile(r"(\d{4})_\w+\.py")


@cache
def revisions() -> tuple[str, ...]:
    """List the steps of the history, the first of which is the baseline."""
    entries = files("weighbridge.db").joinpath("migrations", "versions").iterdir()
    return tuple(sorted(step[1] for entry in entries if (step := _STEP.fullmatch(entry.name))))


def newest_revision() -> str:
    """Name the last step of the history."""
    return revisions()[-1]


def revision_of(database_url: str) -> str | None:
    """Read the last step that was applied to a database; None where there was none. Raises psycopg.Error."""
    with psycopg.connect(database_url) as connection:
        return read_revision(connection)


def read_revision(connection: psycopg.Connection[Any]) -> str | None:
    """Do the same on a connection."""
    if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
        return None
    found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found[0]) if found else None


def refuse_unreleased(revision: str | None) -> None:
    """Refuse a database at a step before the baseline, which the history does not have any more."""
    baseline = revisions()[0]
    if revision is not None and revision < baseline:
        raise Refusal(
            f"The database is at revision {revision}, which no released version made; the first one that can"
            f" be migrated is {baseline}, that of 1.0.0. Nothing was changed."
        )
