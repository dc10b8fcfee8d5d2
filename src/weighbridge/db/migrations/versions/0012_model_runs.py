"""Model runs."""

from weighbridge.db.migrations import apply

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    apply("0012_model_runs.sql")
