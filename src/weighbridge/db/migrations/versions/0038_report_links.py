"""Links to reports: addresses that open one to whoever has them, and what is told of their uses."""

from weighbridge.db.migrations import apply

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    apply("0038_report_links.sql")
