"""Rules fill gaps: they substitute values that are not to count, and impute those that never came."""

from weighbridge.db.migrations import apply

revision = "0028"
down_revision = "0033"


def upgrade() -> None:
    apply("0028_filled_gaps.sql")
