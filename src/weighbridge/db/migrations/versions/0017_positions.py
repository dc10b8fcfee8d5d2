"""Positions that are never given out twice."""

from weighbridge.db.migrations import apply

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    apply("0017_positions.sql")
