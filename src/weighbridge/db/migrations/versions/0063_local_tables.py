"""What keeps a cell on its node while statements name the node's own tables."""

from weighbridge.db.migrations import apply

revision = "0063"
down_revision = "0062"


def upgrade() -> None:
    apply("0063_local_tables.sql")
