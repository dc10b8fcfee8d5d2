"""What stands behind an event."""

from weighbridge.db.migrations import apply

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    apply("0007_evidence.sql")
