"""What the outputs of a batch rest on: how much the values of each source contribute to them."""

from weighbridge.db.migrations import apply

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    apply("0033_measured_share.sql")
