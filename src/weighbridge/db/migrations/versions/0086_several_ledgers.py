"""Reports that take of several ledgers, each with its sign."""

from weighbridge.db.migrations import apply

revision = "0086"
down_revision = "0084"


def upgrade() -> None:
    apply("0086_several_ledgers.sql")
