"""Data feeds, the files that were uploaded to them, and the places that they watch."""

from weighbridge.db.migrations import apply

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    apply("0040_data_feeds.sql")
