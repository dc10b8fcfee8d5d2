"""Keys of the audit log that were revoked, and what witnesses say of its heads."""

from weighbridge.db.migrations import apply

revision = "0061"
down_revision = "0060"


def upgrade() -> None:
    apply("0061_audit_witnesses.sql")
