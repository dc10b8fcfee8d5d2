"""Data rules."""

from weighbridge.db.migrations import apply

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    apply("0014_rules.sql")
