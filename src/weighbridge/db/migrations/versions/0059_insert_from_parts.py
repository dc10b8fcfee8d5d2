"""Functions that insert what a part before the statement has read."""

from weighbridge.db.migrations import apply

revision = "0059"
down_revision = "0058"


def upgrade() -> None:
    apply("0059_insert_from_parts.sql")
