"""What is measured."""

from weighbridge.db.migrations import apply

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    apply("0002_collection.sql")
