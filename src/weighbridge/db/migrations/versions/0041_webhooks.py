"""Webhooks: addresses that are told of changes, and what became of each delivery."""

from weighbridge.db.migrations import apply

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    apply("0041_webhooks.sql")
