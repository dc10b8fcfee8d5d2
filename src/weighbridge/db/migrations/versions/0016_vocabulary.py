"""Revisions of what events name."""

from weighbridge.db.migrations import apply

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    apply("0016_vocabulary.sql")
