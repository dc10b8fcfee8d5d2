"""Roles by project: a permission may be limited to one project."""

from weighbridge.db.migrations import apply

revision = "0091"
down_revision = "0090"


def upgrade() -> None:
    apply("0091_project_roles.sql")
