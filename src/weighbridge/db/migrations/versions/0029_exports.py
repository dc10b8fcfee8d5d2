"""Lists as files: what was asked for, and the file that came of it."""

from weighbridge.db.migrations import apply

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    apply("0029_exports.sql")
