"""Mappings of agents: the variables of a plant's servers that people chose in the web app."""

from weighbridge.db.migrations import apply

revision = "0092"
down_revision = "0091"


def upgrade() -> None:
    apply("0092_agent_mappings.sql")
