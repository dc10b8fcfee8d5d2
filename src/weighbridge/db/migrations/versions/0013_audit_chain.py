"""The sealed chain of the audit log."""

from weighbridge.db.migrations import apply

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    apply("0013_audit_chain.sql")
