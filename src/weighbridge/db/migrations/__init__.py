"""The one migration history. Steps only go forward and their statements are SQL in a file beside each."""

from importlib.resources import files

from alembic import op

_LOCK_TIMEOUT = "10s"
"""A step that waits longer for a table gives up instead of queueing every other query behind it."""


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
    for name in sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql")):
        if after < name[: len(through)] <= through:
            _run(folder.joinpath(name).read_text())


def _run(statements: str) -> None:
    """Send the text as it is: a colon or a percent sign in it is SQL, not a parameter."""
    connection = op.get_bind().connection.driver_connection
    assert connection is not None  # noqa: S101 - alembic always runs on a live connection here
    connection.execute(statements)
