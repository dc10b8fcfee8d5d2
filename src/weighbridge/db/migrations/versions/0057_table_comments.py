"""A sentence for each table, in databases that were made before tables had one as well."""

from weighbridge.db.migrations import apply, apply_comments

revision = "0057"
down_revision = "0056"


def upgrade() -> None:
    apply_comments("0051_baseline")
    apply("0057_table_comments.sql")
