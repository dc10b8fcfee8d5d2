"""Values state how well they are known, and meters have calibrations."""

from weighbridge.db.migrations import apply

revision = "0074"
down_revision = "0073"


def upgrade() -> None:
    apply("0074_stated_uncertainty.sql")
