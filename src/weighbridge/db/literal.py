"""A literal is a value that stands in the text of a composed statement instead of beside it.

Long arrays of moments stand beside a statement, ready made: psycopg takes so long over each moment that an
event loop would be held up by twenty thousand.

Invariant: whatever the value, the statement means the same with and without parameters. psycopg reads a
percent sign in any statement as the start of a placeholder, also inside a quoted text.
"""

from collections.abc import Iterable
from datetime import datetime

from psycopg import sql
from psycopg.abc import AdaptContext


class Literal(sql.Literal):
    """A quoted value in which a percent sign is only a percent sign."""

    def as_bytes(self, context: AdaptContext | None = None) -> bytes:
        return super().as_bytes(context).replace(b"%", b"%%")


def moments(times: Iterable[datetime]) -> str:
    """Moments with their offsets, as the text of an array; the statement says `::timestamptz[]` behind it."""
    return f"{{{','.join(map(datetime.isoformat, times))}}}"


def nothings(count: int) -> str:
    """So many times NULL, as the text of an array; the statement says of which type behind it."""
    return f"{{{','.join(['NULL'] * count)}}}"
