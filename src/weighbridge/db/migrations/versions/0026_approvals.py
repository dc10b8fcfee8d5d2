"""What people decide on proposals: superseded ones, and approvals whose correction is taken back."""

from weighbridge.db.migrations import apply

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    apply("0026_approvals.sql")
