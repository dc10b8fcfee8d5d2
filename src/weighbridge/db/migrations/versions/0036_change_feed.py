"""The feed of changes: what was changed, in the order in which it is told."""

from weighbridge.db.migrations import apply

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    apply("0036_change_feed.sql")
