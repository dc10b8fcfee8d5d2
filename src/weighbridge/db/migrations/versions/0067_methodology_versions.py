"""Versions of models that a methodology names, and what becomes of batches of others."""

from weighbridge.db.migrations import apply

revision = "0067"
down_revision = "0066"


def upgrade() -> None:
    apply("0067_methodology_versions.sql")
