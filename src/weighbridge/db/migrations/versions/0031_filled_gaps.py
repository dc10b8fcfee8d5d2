"""Rules fill gaps: they substitute values that are not to count, and impute those that never came."""

from weighbridge.db.migrations import apply

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    apply("0031_filled_gaps.sql")
