"""Engagements of verifiers on reports: samples, findings, opinions; links that may act as the verifier."""

from weighbridge.db.migrations import apply

revision = "0065"
down_revision = "0064"


def upgrade() -> None:
    apply("0065_engagements.sql")
