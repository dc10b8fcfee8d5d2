"""A trace: something that a write changed, from which follows what it leaves behind beside its audit row.

Invariants: what it leaves is one or more statements whose answers nobody needs, so it costs no round trip.
"""

from collections.abc import Iterator
from typing import Protocol

from weighbridge.db.engine import Command


class Trace(Protocol):
    """One kind of things that writes change."""

    def statements(self, project: int) -> Iterator[Command]:
        """What to run in the write's transaction, in this order."""
        ...
