"""Footprints of products, who may read them, and partners with whom they are exchanged."""

from weighbridge.db.migrations import apply

revision = "0081"
down_revision = "0080"


def upgrade() -> None:
    apply("0081_footprints.sql")
