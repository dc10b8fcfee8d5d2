"""Agents of plants: what each reported last, and what it is asked for."""

from weighbridge.db.migrations import apply

revision = "0090"
down_revision = "0089"


def upgrade() -> None:
    apply("0090_agents.sql")
