"""What one person wrote is found in the audit log."""

from weighbridge.db.migrations import apply

revision = "0069"
down_revision = "0068"


def upgrade() -> None:
    apply("0069_audit_by_person.sql")
