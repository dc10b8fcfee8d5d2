"""Events that wait for a generation, by ledger and slot."""

from weighbridge.db.migrations import apply

revision = "0054"
down_revision = "0053"


def upgrade() -> None:
    apply("0054_waiting_events.sql")
