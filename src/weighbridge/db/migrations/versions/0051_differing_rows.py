"""Rows of files that differ from the events that the project has of them, and what becomes of those."""

from weighbridge.db.migrations import apply

revision = "0051"
down_revision = "0049"


def upgrade() -> None:
    apply("0051_differing_rows.sql")
