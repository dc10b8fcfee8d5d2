"""Proof bundles of reports, kept with them."""

from weighbridge.db.migrations import apply

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    apply("0043_report_bundles.sql")
