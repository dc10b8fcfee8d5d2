"""Proof bundles of reports, kept with them."""

from weighbridge.db.migrations import apply

revision = "0038"
down_revision = "0036"


def upgrade() -> None:
    apply("0038_report_bundles.sql")
