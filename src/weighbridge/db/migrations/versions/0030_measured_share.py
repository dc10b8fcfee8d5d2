"""What the outputs of a batch rest on: how much the values of each source contribute to them."""

from weighbridge.db.migrations import apply

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    apply("0030_measured_share.sql")
