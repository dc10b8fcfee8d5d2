"""Work that outlives its request: our task table, and the queue that carries tasks out."""

from weighbridge.db.migrations import apply, apply_procrastinate

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    apply_procrastinate(through="03.04.00_50")
    apply("0004_tasks.sql")
