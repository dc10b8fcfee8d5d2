"""Methodology packages of accounts, and what was installed of them in projects."""

from weighbridge.db.migrations import apply

revision = "0077"
down_revision = "0076"


def upgrade() -> None:
    apply("0077_methodology_packages.sql")
