"""Histories of the database: which server has the log that positions are compared in."""

from weighbridge.db.migrations import apply

revision = "0048"
down_revision = "0046"


def upgrade() -> None:
    apply("0048_database_histories.sql")
