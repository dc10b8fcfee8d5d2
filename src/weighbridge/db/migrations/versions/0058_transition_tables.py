"""Triggers that read what a statement changed before they look at other tables."""

from weighbridge.db.migrations import apply

revision = "0058"
down_revision = "0057"


def upgrade() -> None:
    apply("0058_transition_tables.sql")
