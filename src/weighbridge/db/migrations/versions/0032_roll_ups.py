"""Event types that are rolled up from the readings of another, and what batches saw of them."""

from weighbridge.db.migrations import apply

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    apply("0032_roll_ups.sql")
