"""Statistics that the running role may have taken, and which token issued which."""

from weighbridge.db.migrations import apply

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    apply("0025_access.sql")
