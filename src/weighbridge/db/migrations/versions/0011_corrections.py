"""Corrections beside captured values, and stale runs."""

from weighbridge.db.migrations import apply

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    apply("0011_corrections.sql")
