"""What the nodes of a batch came to, as it is kept and as it is computed anew, and where the two differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from weighbridge.core.engine import NodeReading, write_output_uncertainty
from weighbridge.core.ledger.allocation import NO_CONTRIBUTIONS, Contributions, ValueSource, write_columns
from weighbridge.core.model import Model, Node
from weighbridge.core.number import digits, plain
from weighbridge.core.uncertainty.effects import Uncertainty
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class CalculatedNode:
    """What a node came to, as its digits or, of an array, their digest; of a shared input, also the whole."""

    amount: str
    whole: Decimal | None
    name: str
    unit: str
    is_output: bool
    is_primary: bool
    contributions: tuple[Decimal, ...] | None = None
    """The contributions to an output by source; None for other nodes, or if unknown."""
    uncertainty: Mapping[str, Any] | None = None
    """How uncertain an output is, as it is kept; None for other nodes, and where the model does not ask."""

    @classmethod
    def of(
        cls,
        node: Node,
        reading: NodeReading,
        model: Model,
        primary: str,
        contributions: Mapping[str, Contributions | None],
        uncertainties: Mapping[str, Uncertainty],
    ) -> "CalculatedNode":
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
            tuple(write_columns(rests_on)) if is_output and rests_on is not None else None,
            write_output_uncertainty(model, node, uncertainties.get(node.slug)),
        )

    @property
    def shown(self) -> str:
        """What it is called and serves for."""
        role = "the primary output" if self.is_primary else "an output" if self.is_output else "no output"
        return f"{self.name!r} in {self.unit}, {role}"


def list_differences(
    slug: str, recorded: CalculatedNode | None, recomputed: CalculatedNode | None, *, has_contributions: bool
) -> Iterator[str]:
    """List where a recomputed node differs from the recorded one.

    Contributions are compared if `has_contributions` is true; old batches have none.
    """
    if (
        recorded is None
        or recomputed is None
        or (recorded.amount, recorded.whole) != (recomputed.amount, recomputed.whole)
    ):
        if recorded != recomputed:
            amounts = f"{_write_amount(recorded)} in the batch and {_write_amount(recomputed)} computed anew"
            yield f"node {slug} is {amounts}"
        return
    if _without_bases(recorded) != _without_bases(recomputed):
        yield f"node {slug} is {recorded.shown} in the batch, and {recomputed.shown} in the model"
    if (
        has_contributions
        and recorded.contributions is not None
        and recorded.contributions != recomputed.contributions
    ):
        was, now = _write_sources(recorded), _write_sources(recomputed)
        yield f"node {slug} rests on {was} in the batch and on {now} computed anew"
    if has_contributions and recorded.uncertainty != recomputed.uncertainty:
        yield f"the uncertainty of node {slug} is another in the batch than computed anew"


def _without_bases(calculated: CalculatedNode) -> CalculatedNode:
    return replace(calculated, contributions=None, uncertainty=None)


def _write_amount(calculated: CalculatedNode | None) -> str:
    return "nothing" if calculated is None else calculated.amount


def _write_sources(calculated: CalculatedNode) -> str:
    """What contributes to a node, source by source."""
    if calculated.contributions is None:
        return "what nobody knows"
    sources = zip(ValueSource, calculated.contributions, strict=True)
    return ", ".join(f"{plain(amount)} {source}" for source, amount in sources if amount) or "no value"


async def read_calculations(
    tx: Read, project: int, batches: Sequence[int]
) -> dict[int, dict[str, CalculatedNode]]:
    """What the nodes of batches came to, by batch and slug, as it is kept."""
    by_batch: dict[int, dict[str, CalculatedNode]] = {}
    rows = await tx.tuples(
        """
        SELECT c.batch_id, c.slug, c.value, c.whole, c.element_count, encode(c.elements_sha256, 'hex'),
               c.elements, c.name, c.unit, c.is_output, c.is_primary, c.contributions,
               c.uncertainty
          FROM batch_calculations c WHERE c.project_id = %s AND c.batch_id = ANY (%s)
        """,
        (project, batches),
    )
    for (
        batch,
        slug,
        value,
        whole_amount,
        count,
        digest,
        elements,
        name,
        unit,
        is_output,
        is_primary,
        contributions,
        uncertainty,
    ) in rows:
        amount = digits(value) if count is None else f"[{count} {digest}]"
        if elements is not None and digits(tuple(elements)) != amount:
            amount = f"{amount} by its digest, {digits(tuple(elements))} by its elements"
        rests_on = None if contributions is None else tuple(contributions)
        by_batch.setdefault(batch, {})[slug] = CalculatedNode(
            amount, whole_amount, name, unit, is_output, is_primary, rests_on, uncertainty
        )
    return by_batch
