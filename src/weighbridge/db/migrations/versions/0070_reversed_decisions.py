"""Decisions on proposals may be reversed, and approvals may say why."""

from weighbridge.db.migrations import apply

revision = "0070"
down_revision = "0069"


def upgrade() -> None:
    apply("0070_reversed_decisions.sql")
