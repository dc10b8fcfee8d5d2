"""Monte Carlo trials of batches and reports are kept with their results."""

from weighbridge.db.migrations import apply

revision = "0076"
down_revision = "0075"


def upgrade() -> None:
    apply("0076_uncertainty_runs.sql")
