"""More lists that cost the same however long they are: the audit log, model runs, rule results, batches."""

from weighbridge.db.migrations import apply

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    apply("0028_more_lists.sql")
