"""Claims may be withdrawn, accepted in part, and restated to nothing or below."""

from weighbridge.db.migrations import apply

revision = "0066"
down_revision = "0065"


def upgrade() -> None:
    apply("0066_claims.sql")
