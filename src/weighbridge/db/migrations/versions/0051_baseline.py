"""The schema of version 1.0.0, area by area."""

from weighbridge.db.migrations import apply

revision = "0051"
down_revision = None

AREAS = (
    *("queue", "platform", "audit", "changes", "collection", "modelling", "accounting"),
    *("quality", "corrections", "roll_ups", "reporting", "exchange"),
)
"""The files of the folder of the same name, each after those whose tables it names."""


def upgrade() -> None:
    for area in AREAS:
        apply(f"0051_baseline/{area}.sql")
