"""Registries: where reports go, what is sent there, and a journal from which a lost answer is found again."""

from weighbridge.db.migrations import apply

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    apply("0039_registries.sql")
