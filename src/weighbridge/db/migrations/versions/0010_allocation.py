"""Draws, falls and deficits; deletion; instruments; what stays with a slot."""

from weighbridge.db.migrations import apply

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    apply("0010_allocation.sql")
