"""Whose turn it is among the accounts that have tasks waiting, and what an account has stored today."""

from weighbridge.db.migrations import apply

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    apply("0024_shares.sql")
