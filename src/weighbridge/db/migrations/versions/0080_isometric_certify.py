"""Isometric Certify: mappings of projects, what a registry has, and the calls and records of submissions."""

from weighbridge.db.migrations import apply

revision = "0080"
down_revision = "0079"


def upgrade() -> None:
    apply("0080_isometric_certify.sql")
