"""More lists that cost the same however long they are: the audit log, model runs, rule results, batches."""

from weighbridge.db.migrations import apply

revision = "0031"
down_revision = "0027"


def upgrade() -> None:
    apply("0031_more_lists.sql")
