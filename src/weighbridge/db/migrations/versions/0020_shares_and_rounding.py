"""The place at which a model cuts shares, and how a ledger rounds."""

from weighbridge.db.migrations import apply

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    apply("0020_shares_and_rounding.sql")
