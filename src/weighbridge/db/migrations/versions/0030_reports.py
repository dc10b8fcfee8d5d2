"""Methodologies and reports, and what reports take from batches of a ledger."""

from weighbridge.db.migrations import apply

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    apply("0030_reports.sql")
