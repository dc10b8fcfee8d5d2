"""Every write leaves a row here in its own transaction. Rows are only ever added."""

from weighbridge.db.migrations import apply

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    apply("0006_audit_log.sql")
