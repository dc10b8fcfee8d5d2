"""People sign in by identity providers of their account (OpenID Connect)."""

from weighbridge.db.migrations import apply

revision = "0089"
down_revision = "0087"


def upgrade() -> None:
    apply("0089_identity_providers.sql")
