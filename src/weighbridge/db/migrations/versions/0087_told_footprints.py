"""Footprints have a kind of their own in the feed of changes."""

from weighbridge.db.migrations import apply

revision = "0087"
down_revision = "0086"


def upgrade() -> None:
    apply("0087_told_footprints.sql")
