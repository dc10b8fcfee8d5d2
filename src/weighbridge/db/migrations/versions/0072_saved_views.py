"""People save views of lists: a query under a name."""

from weighbridge.db.migrations import apply

revision = "0072"
down_revision = "0071"


def upgrade() -> None:
    apply("0072_saved_views.sql")
