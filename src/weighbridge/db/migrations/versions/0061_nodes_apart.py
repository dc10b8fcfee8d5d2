"""What lets a cell on a node go on while others are lost."""

from weighbridge.db.migrations import apply

revision = "0061"
down_revision = "0060"


def upgrade() -> None:
    apply("0061_nodes_apart.sql")
