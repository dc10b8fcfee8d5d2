"""Mass-balance accounts. Entries are only ever added; a batch's balance is kept beside them by a"""

from weighbridge.db.migrations import apply

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    apply("0005_ledgers.sql")
