"""Slots that rules fill: of rolled-up types too, and one outcome whichever of two writers comes first."""

from weighbridge.db.migrations import apply

revision = "0052"
down_revision = "0051"


def upgrade() -> None:
    apply("0052_filled_slots.sql")
