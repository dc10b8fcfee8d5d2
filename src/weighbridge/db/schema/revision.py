"""The newest step of the migration history, which a database must be at for this version.

It is read from the names of the steps: whoever only asks needs none of what migrates.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final

import psycopg

_STEP: Final = re.compile(r"(\d{4})_\w+\.py")


@cache
def newest_revision() -> str:
    """Name the last step of the history."""
    steps = files("weighbridge.db").joinpath("migrations", "versions").iterdir()
    return max(step[1] for entry in steps if (step := _STEP.fullmatch(entry.name)))


def revision_of(database_url: str) -> str | None:
    """The last step that was applied to a database; None where there was none. Raises psycopg.Error."""
    with psycopg.connect(database_url) as connection:
        if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return row[0] if row else None
