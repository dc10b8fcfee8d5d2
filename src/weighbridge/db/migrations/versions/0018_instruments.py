"""Instruments of system ledgers, and the task that last gave a batch other inputs."""

from weighbridge.db.migrations import apply

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    apply("0018_instruments.sql")
