"""Archives: months of events that lie elsewhere as files."""

from weighbridge.db.migrations import apply

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    apply("0049_archives.sql")
