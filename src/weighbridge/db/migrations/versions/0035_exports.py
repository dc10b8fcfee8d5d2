"""Lists as files: what was asked for, and the file that came of it."""

from weighbridge.db.migrations import apply

revision = "0035"
down_revision = "0031"


def upgrade() -> None:
    apply("0035_exports.sql")
