"""What a cell on a node needs: how it is entered, and functions that read before they insert."""

from weighbridge.db.migrations import apply

revision = "0059"
down_revision = "0058"


def upgrade() -> None:
    apply("0059_cells_on_nodes.sql")
