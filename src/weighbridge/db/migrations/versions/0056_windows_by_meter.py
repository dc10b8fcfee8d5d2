"""Windows of rules by meter, rules of one asset, and shares of roll-ups that count a slot once."""

from weighbridge.db.migrations import apply

revision = "0056"
down_revision = "0055"


def upgrade() -> None:
    apply("0056_windows_by_meter.sql")
