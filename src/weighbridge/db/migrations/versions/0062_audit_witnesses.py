"""Keys of the audit log that were revoked, and what witnesses say of its heads."""

from weighbridge.db.migrations import apply

revision = "0062"
down_revision = "0061"


def upgrade() -> None:
    apply("0062_audit_witnesses.sql")
