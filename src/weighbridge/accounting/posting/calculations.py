"""What the nodes of a batch came to, as it is kept: a number, or of an array its digest and few elements."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from weighbridge.accounting.planning.plan import Run
from weighbridge.accounting.posting.posted import GenerationContext, Posted
from weighbridge.core.engine import NodeReading
from weighbridge.core.ledger.contributions import NO_CONTRIBUTIONS, as_columns
from weighbridge.core.model import Model, Node
from weighbridge.core.quantity.digits import digest_of
from weighbridge.db.engine import Write

ELEMENTS_KEPT_MAX: Final = 1000
"""Elements of an array that a batch keeps itself; a longer one follows from its input data."""


async def insert_calculations(
    tx: Write, context: GenerationContext, model: Model, posted: Sequence[Posted]
) -> None:
    """Write down the value of every node that has one, in the order of the document."""
    rows = [
        (
            one.batch_id, position, node.slug, node.label, str(node.unit), *_columns(reading),
            node in model.outputs, node.slug == one.difference.ledger.output,
            _contributions(model, node, one.difference.run),
        )
        for one in posted
        for position, node in enumerate(model.nodes, start=1)
        if (reading := one.difference.run.readings.get(node.slug)) is not None and reading.amount is not None
    ]  # fmt: skip
    await tx.execute(
        """
        INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, whole,
                                        element_count, elements, elements_sha256, is_output, is_primary,
                                        contributions)
        SELECT %s, batch_id, position, slug, name, unit, value, whole, element_count, elements::numeric[],
               elements_sha256, is_output, is_primary, contributions::numeric[]
          FROM unnest(%s::bigint[], %s::smallint[], %s::text[], %s::text[], %s::text[], %s::numeric[],
                      %s::numeric[], %s::integer[], %s::text[], %s::bytea[], %s::boolean[], %s::boolean[],
                      %s::text[])
               AS value (batch_id, position, slug, name, unit, value, whole, element_count, elements,
                         elements_sha256, is_output, is_primary, contributions)
        """,
        (context.project, *([list(column) for column in zip(*rows, strict=True)] or [[]] * 13)),
    )


def _contributions(model: Model, node: Node, run: Run) -> str | None:
    """What contributes to an output, as an array's text; None of other nodes, and where nobody knows."""
    rests_on = run.contributions.get(node.slug, NO_CONTRIBUTIONS) if node in model.outputs else None
    return None if rests_on is None else array_text(as_columns(rests_on))


def array_text(numbers: Sequence[Decimal | None]) -> str:
    """Numbers as PostgreSQL reads an array of them."""
    return f"{{{','.join('NULL' if one is None else format(one, 'f') for one in numbers)}}}"


def _columns(reading: NodeReading) -> tuple[Any, ...]:
    """Value, whole, number of elements, elements as an array's text, and their digest."""
    if isinstance(reading.amount, tuple):
        return None, reading.whole, len(reading.amount), _elements(reading.amount), digest_of(reading.amount)
    return reading.amount, reading.whole, None, None, None


def _elements(amounts: Sequence[Decimal]) -> str | None:
    if len(amounts) > ELEMENTS_KEPT_MAX:
        return None
    return array_text(amounts)
