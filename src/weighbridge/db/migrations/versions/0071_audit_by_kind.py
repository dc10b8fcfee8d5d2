"""The writes of one kind of record are found in the audit log."""

from weighbridge.db.migrations import apply

revision = "0071"
down_revision = "0070"


def upgrade() -> None:
    apply("0071_audit_by_kind.sql")
