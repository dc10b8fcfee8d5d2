"""People save views of lists: a query under a name."""

from weighbridge.db.migrations import apply

revision = "0073"
down_revision = "0072"


def upgrade() -> None:
    apply("0073_saved_views.sql")
