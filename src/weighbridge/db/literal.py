"""A literal is a value that stands in the text of a composed statement instead of beside it.

Invariant: whatever the value, the statement means the same with and without parameters. psycopg reads a
percent sign in any statement as the start of a placeholder, also inside a quoted text.
"""

from psycopg import sql
from psycopg.abc import AdaptContext


class Literal(sql.Literal):
    """A quoted value in which a percent sign is only a percent sign."""

    def as_bytes(self, context: AdaptContext | None = None) -> bytes:
        return super().as_bytes(context).replace(b"%", b"%%")
