"""Proposals of rules that impute: they stand for slots that have no event yet."""

from weighbridge.db.migrations import apply

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    apply("0037_proposed_events.sql")
