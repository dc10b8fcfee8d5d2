"""A fall upon a later batch is a deficit in between, so that books can be read at every moment."""

from weighbridge.db.migrations import apply

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    apply("0019_moments.sql")
