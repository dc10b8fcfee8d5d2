"""Calculation models. A row of models is one version and never changes what it computes; versions of"""

from weighbridge.db.migrations import apply

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    apply("0003_models.sql")
