"""The one migration history. Steps only go forward and their statements are SQL in a file beside each."""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from alembic import op

_LOCK_TIMEOUT = "10s"
"""A step that waits longer for a table gives up instead of queueing every other query behind it."""

_CREATED_TYPE: Final = re.compile(r"CREATE TYPE (?P<type>\w+) AS ENUM \((?P<values>[^)]*)\);")
_ADDED_VALUE: Final = re.compile(
    r"ALTER TYPE (?P<type>\w+) ADD VALUE (?P<value>'\w+')(?: (?P<side>BEFORE|AFTER) (?P<neighbour>'\w+'))?;"
)
_COMMENT: Final = re.compile(r"--[^\n]*")


def apply(name: str) -> None:
    """Run the statements of one file of `versions/`."""
    op.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
    _run(files(__name__).joinpath("versions", name).read_text())


def apply_procrastinate(*, through: str, after: str = "") -> None:
    """Run the queue's own published migrations, in order, after one and through another.

    A new release of the queue gets a step of ours that names the files it adds, so that a database
    made today and one upgraded tomorrow are the same.
    """
    folder = files("procrastinate").joinpath("sql", "migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    texts = [folder.joinpath(name).read_text() for name in names if after < name[: len(through)] <= through]
    for text in with_values_from_creation(texts):
        _run(text)


def with_values_from_creation(texts: Sequence[str]) -> list[str]:
    """Give each enumerated type of these statements all the values that they add to it, when they create it.

    Before PostgreSQL 17 a transaction cannot use a value that it has added to a type, even to a type of its
    own; it can use each value that the type was created with. A step is one transaction, so that one that
    was interrupted leaves nothing behind. The types are the same in the end.
    """
    added: dict[str, list[re.Match[str]]] = {}
    for found in _ADDED_VALUE.finditer("\n".join(texts)):
        added.setdefault(found["type"], []).append(found)
    created = {found["type"] for text in texts for found in _CREATED_TYPE.finditer(text)}

    def create(found: re.Match[str]) -> str:
        values = [value.strip() for value in _COMMENT.sub("", found["values"]).split(",")]
        for one in added.get(found["type"], ()):
            values.insert(_position(values, one["side"], one["neighbour"]), one["value"])
        return f"CREATE TYPE {found['type']} AS ENUM ({', '.join(values)});"

    def leave_out(found: re.Match[str]) -> str:
        return "" if found["type"] in created else found[0]

    return [_ADDED_VALUE.sub(leave_out, _CREATED_TYPE.sub(create, text)) for text in texts]


def _position(values: list[str], side: str | None, neighbour: str | None) -> int:
    """Where an added value belongs: beside the one that is named, and else at the end."""
    if neighbour is None:
        return len(values)
    return values.index(neighbour) + (side == "AFTER")


def _run(statements: str) -> None:
    """Send the text as it is: a colon or a percent sign in it is SQL, not a parameter."""
    connection = op.get_bind().connection.driver_connection
    assert connection is not None  # noqa: S101 - alembic always runs on a live connection here
    connection.execute(statements)
