"""Links to reports that are handed over to another user."""

from weighbridge.db.migrations import apply

revision = "0055"
down_revision = "0054"


def upgrade() -> None:
    apply("0055_handed_over_links.sql")
