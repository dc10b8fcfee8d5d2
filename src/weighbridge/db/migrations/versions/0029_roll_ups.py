"""Event types that are rolled up from the readings of another, and what batches saw of them."""

from weighbridge.db.migrations import apply

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    apply("0029_roll_ups.sql")
