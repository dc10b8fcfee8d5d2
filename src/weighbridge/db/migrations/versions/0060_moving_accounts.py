"""What lets an account move from one cell to another while it is written to."""

from weighbridge.db.migrations import apply

revision = "0060"
down_revision = "0059"


def upgrade() -> None:
    apply("0060_moving_accounts.sql")
