"""How grave it is what a rule finds: an alert or a warning."""

from weighbridge.db.migrations import apply

revision = "0079"
down_revision = "0077"


def upgrade() -> None:
    apply("0079_severity_of_rules.sql")
