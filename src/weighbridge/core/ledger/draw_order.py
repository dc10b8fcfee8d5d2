"""The order in which a draw takes from the batches of its source."""

from enum import StrEnum


class DrawOrder(StrEnum):
    """Which batches of the source are drawn first."""

    FIFO = "fifo"
    PRO_RATA = "pro_rata"
