"""Lists of events that cost the same however long they are, and how many events there are of each type."""

from weighbridge.db.migrations import apply

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    apply("0023_lists.sql")
