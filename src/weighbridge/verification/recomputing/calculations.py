"""What the nodes of a batch came to, as it is kept and as it is computed anew, and where the two differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from weighbridge.core.engine import NodeReading
from weighbridge.core.ledger.contributions import NO_CONTRIBUTIONS, Contributions, as_columns
from weighbridge.core.model import Model, Node
from weighbridge.core.quantity.digits import digits
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class Calculated:
    """What a node came to, as its digits or, of an array, their digest; of a shared input, also the whole."""

    amount: str
    whole: Decimal | None
    name: str
    unit: str
    is_output: bool
    is_primary: bool
    contributions: tuple[Decimal, ...] | None = None
    """What contributes to an output, source by source; None of other nodes, and where nobody knows."""

    @classmethod
    def of(
        cls,
        node: Node,
        reading: NodeReading,
        model: Model,
        primary: str,
        contributions: Mapping[str, Contributions | None],
    ) -> "Calculated":
        """A node as it is computed anew; `primary` is the output that the ledger keeps."""
        is_output = node in model.outputs
        rests_on = contributions.get(node.slug, NO_CONTRIBUTIONS)
        return cls(
            digits(reading.amount),
            reading.whole,
            node.label,
            str(node.unit),
            is_output,
            node.slug == primary,
            tuple(as_columns(rests_on)) if is_output and rests_on is not None else None,
        )

    @property
    def shown(self) -> str:
        """What it is called and serves for."""
        role = "the primary output" if self.is_primary else "an output" if self.is_output else "no output"
        return f"{self.name!r} in {self.unit}, {role}"


def differences(
    slug: str, kept: Calculated | None, anew: Calculated | None, *, is_told: bool
) -> Iterator[str]:
    """Where a node is not what it is computed to be anew; `is_told` when that says what it rests on.

    Batches of before contributions were kept have none.
    """
    if kept is None or anew is None or (kept.amount, kept.whole) != (anew.amount, anew.whole):
        if kept != anew:
            yield f"node {slug} is {_amount(kept)} in the batch and {_amount(anew)} computed anew"
        return
    if replace(kept, contributions=None) != replace(anew, contributions=None):
        yield f"node {slug} is {kept.shown} in the batch, and {anew.shown} in the model"
    if is_told and kept.contributions is not None and kept.contributions != anew.contributions:
        yield f"node {slug} rests on {_sources(kept)} in the batch and on {_sources(anew)} computed anew"


def _amount(calculated: Calculated | None) -> str:
    return "nothing" if calculated is None else calculated.amount


def _sources(calculated: Calculated) -> str:
    """What contributes to a node, source by source."""
    if calculated.contributions is None:
        return "what nobody knows"
    named = zip(ValueSource, calculated.contributions, strict=True)
    return ", ".join(f"{plain(amount)} {source}" for source, amount in named if amount) or "no value"


async def calculations(tx: Read, project: int, batches: Sequence[int]) -> dict[int, dict[str, Calculated]]:
    """What the nodes of batches came to, by batch and slug, as it is kept."""
    by_batch: dict[int, dict[str, Calculated]] = {}
    rows = await tx.tuples(
        """
        SELECT c.batch_id, c.slug, c.value, c.whole, c.element_count, encode(c.elements_sha256, 'hex'),
               c.elements, c.name, c.unit, c.is_output, c.is_primary, c.contributions
          FROM batch_calculations c WHERE c.project_id = %s AND c.batch_id = ANY (%s)
        """,
        (project, batches),
    )
    for batch, slug, value, whole, count, digest, elements, name, unit, is_output, is_primary, kept in rows:
        amount = digits(value) if count is None else f"[{count} {digest}]"
        if elements is not None and digits(tuple(elements)) != amount:
            amount = f"{amount} by its digest, {digits(tuple(elements))} by its elements"
        rests_on = None if kept is None else tuple(kept)
        by_batch.setdefault(batch, {})[slug] = Calculated(
            amount, whole, name, unit, is_output, is_primary, rests_on
        )
    return by_batch
