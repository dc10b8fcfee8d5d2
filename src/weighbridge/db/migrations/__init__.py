"""The one history of the schema: a baseline, and the steps after it.

The baseline is the schema of version 1.0.0, in one SQL file for each area. Every later step is a file of SQL
and a short file of Python that names it. Steps only go forward, and none names a schema of PostgreSQL: the
tables are in the first schema of the search path.
"""

import re
from importlib.resources import files
from typing import Final

from alembic import op

_LOCK_TIMEOUT = "10s"
"""A step that waits longer for a table gives up instead of queueing every other query behind it."""

_STATEMENT: Final = re.compile(
    r"""
    (?> BEGIN\ ATOMIC\b .*? ^END(?=;)
      | '[^']*'
      | "[^"]*"
      | \$(?P<tag>\w*)\$ .*? \$(?P=tag)\$
      | --[^\n]*
      | [^;]
    )+ ;
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
"""A statement, with the semicolon that ends it and with what is said before it."""

_COMMENT: Final = re.compile(r"^COMMENT ON TABLE \w+ IS(?:\s+'(?:[^']|'')*')+;$", re.MULTILINE)


def apply(name: str) -> None:
    """Run the statements of one file of `versions/`."""
    op.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
    _run(files(__name__).joinpath("versions", name).read_text())


def apply_comments(folder: str) -> None:
    """Run those statements of a folder of `versions/` that give a table its sentence, and no others."""
    op.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
    texts = [path.read_text() for path in files(__name__).joinpath("versions", folder).iterdir()]
    _run("\n".join(comment for text in texts for comment in _COMMENT.findall(text)))


def _run(statements: str) -> None:
    """Send each statement as it is: a colon or a percent sign in it is SQL, not a parameter.

    They are sent one by one, because a cluster hands the whole text on that a statement came with.
    """
    connection = op.get_bind().connection.driver_connection
    assert connection is not None  # noqa: S101 - alembic always runs on a live connection here
    for statement in _STATEMENT.finditer(statements):
        connection.execute(statement.group())
