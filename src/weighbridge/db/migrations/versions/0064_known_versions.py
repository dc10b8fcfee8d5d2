"""Versions of records, by which they are read as they were known at a row of the audit log."""

from weighbridge.db.migrations import apply

revision = "0064"
down_revision = "0063"


def upgrade() -> None:
    apply("0064_known_versions.sql")
