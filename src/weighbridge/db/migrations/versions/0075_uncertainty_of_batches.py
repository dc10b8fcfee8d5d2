"""Batches keep how uncertain their outputs are."""

from weighbridge.db.migrations import apply

revision = "0075"
down_revision = "0074"


def upgrade() -> None:
    apply("0075_uncertainty_of_batches.sql")
