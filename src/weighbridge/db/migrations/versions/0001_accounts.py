"""Who may use the service: accounts, their users, and the tokens that act for a user."""

from weighbridge.db.migrations import apply

revision = "0001"
down_revision = None


def upgrade() -> None:
    apply("0001_accounts.sql")
