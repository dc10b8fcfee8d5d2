"""What requests leave behind: answers that can be repeated, and how often each token has called."""

from weighbridge.db.migrations import apply

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    apply("0008_requests.sql")
