"""When assets and locations are in service."""

from weighbridge.db.migrations import apply

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    apply("0021_meters.sql")
