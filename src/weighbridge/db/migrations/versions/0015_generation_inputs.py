"""What batches were computed from beside events."""

from weighbridge.db.migrations import apply

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    apply("0015_generation_inputs.sql")
