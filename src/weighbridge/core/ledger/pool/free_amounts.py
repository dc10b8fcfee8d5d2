"""Free amounts: what each source has left while a generation draws.

What is given back to a run that took of others' batches in its place becomes free there instead, which may be
of a run that took of others itself; so it goes on until no run has something free that owes to others.

Invariant: what is put back and reclaimed again leaves everything as it was, if nobody took of it meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

from weighbridge.core.ledger.drawing import Released, SourceBatch
from weighbridge.core.ledger.partition import Account
from weighbridge.core.ledger.pool.releases import Releases
from weighbridge.core.quantity.number import EXACT, ZERO


class FreeAmounts:
    """What each source has left, by its number."""

    def __init__(
        self,
        sources: Mapping[int, SourceBatch],
        releases: Releases,
        changed: Callable[[int, Decimal], None],
    ) -> None:
        """Tell `changed` by how much the amount of a source changed."""
        self._sources, self._releases, self._changed = sources, releases, changed
        self.amounts = {number: batch.balance for number, batch in sources.items()}
        """By source; it changes."""

    def settle(self) -> None:
        """Release what runs owe to others for what they have: a deletion gave back to them."""
        for number, batch in self._sources.items():
            if self._releases.owes(batch.run):
                there, self.amounts[number] = self.amounts[number], ZERO
                self.put_back(number, there)

    def of(self, source: int) -> Decimal:
        """What a source has left."""
        return self.amounts[source]

    def change(self, source: int, amount: Decimal) -> None:
        """Let a source have more, or less."""
        self.amounts[source] = EXACT.add(self.amounts[source], amount)
        self._changed(source, amount)

    def put_back(self, source: int, amount: Decimal) -> None:
        """Let an amount be free again: where the source's run took from others instead, of those."""
        for batch, repaid in self._releases.repay(self._sources[source].run, amount):
            amount = EXACT.subtract(amount, repaid)
            if batch is not None:
                self.put_back(batch, repaid)
        self.change(source, amount)

    def reclaim(self, source: int, needed: Decimal, waiting: Iterable[int] = ()) -> None:
        """Let so much be free of a source, as far as its run can take of others again what it repaid them."""
        run, waiting = self._sources[source].run, {*waiting, source}
        for batch, repaid in self._releases.repaid(run):
            part = min(repaid, max(ZERO, EXACT.subtract(needed, self.amounts[source])))
            if batch is not None:
                if part and batch not in waiting:
                    self.reclaim(batch, part, waiting)
                part = min(part, self.amounts[batch])
                self.change(batch, EXACT.minus(part))
            self._releases.owe_again(run, batch, part)
            self.change(source, part)

    @property
    def released(self) -> Mapping[Account, Released]:
        """By account and run that took of others' batches, what became free of these instead of its own."""
        released: dict[Account, dict[int, Mapping[int, Decimal]]] = {}
        for (_, run), batches in self._releases.released.items():
            account = self._sources[next(iter(batches))].account
            released.setdefault(account, {})[run] = batches
        return released
