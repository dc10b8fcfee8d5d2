"""Pages round the amounts of a ledger to so many decimals."""

from weighbridge.db.migrations import apply

revision = "0072"
down_revision = "0071"


def upgrade() -> None:
    apply("0072_display_places.sql")
