"""A permission to approve, apart from writing rules, and what an account says of approving one's own."""

from weighbridge.db.migrations import apply

revision = "0053"
down_revision = "0052"


def upgrade() -> None:
    apply("0053_approving.sql")
