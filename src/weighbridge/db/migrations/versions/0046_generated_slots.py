"""Up to which moment each slot of a ledger has seen its data."""

from weighbridge.db.migrations import apply

revision = "0046"
down_revision = "0043"


def upgrade() -> None:
    apply("0046_generated_slots.sql")
