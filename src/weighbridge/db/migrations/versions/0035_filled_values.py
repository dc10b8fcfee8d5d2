"""An index by which the values are found that rules have filled."""

from weighbridge.db.migrations import apply

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    apply("0035_filled_values.sql")
