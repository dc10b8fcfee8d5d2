"""Which revision of the engine computed a batch."""

from weighbridge.db.migrations import apply

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    apply("0022_engine_revision.sql")
