"""Methodologies and reports, and what reports take from batches of a ledger."""

from weighbridge.db.migrations import apply

revision = "0033"
down_revision = "0035"


def upgrade() -> None:
    apply("0033_reports.sql")
