"""Secrets of others are stored encrypted."""

from weighbridge.db.migrations import apply

revision = "0082"
down_revision = "0081"


def upgrade() -> None:
    apply("0082_encrypted_secrets.sql")
