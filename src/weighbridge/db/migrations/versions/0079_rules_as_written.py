"""The severity of what rules find, and values filled in that received events lacked."""

from weighbridge.db.migrations import apply

revision = "0079"
down_revision = "0077"


def upgrade() -> None:
    apply("0079_rules_as_written.sql")
