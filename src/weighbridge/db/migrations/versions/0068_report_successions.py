"""Accepted reports may be merged into one, or split into several."""

from weighbridge.db.migrations import apply

revision = "0068"
down_revision = "0067"


def upgrade() -> None:
    apply("0068_report_successions.sql")
