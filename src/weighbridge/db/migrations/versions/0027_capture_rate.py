"""What of an event type's events is a valid measurement, and when nothing was expected of a meter."""

from weighbridge.db.migrations import apply

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    apply("0027_capture_rate.sql")
