"""What of an event type's events is a valid measurement, and when nothing was expected of a meter."""

from weighbridge.db.migrations import apply

revision = "0031"
down_revision = "0025"


def upgrade() -> None:
    apply("0031_capture_rate.sql")
