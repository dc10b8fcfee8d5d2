"""Lineage: a batch as a tree, from its output over the model's nodes down to the measurements."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.core import ids
from weighbridge.core.expression import print_tree
from weighbridge.core.model import Formula, Node, needs
from weighbridge.core.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.resources.batches import queries
from weighbridge.resources.batches.input_data import InputSet, input_sets, rows_between
from weighbridge.resources.batches.records import InputRow, Lineage, LineageInput, LineageNode
from weighbridge.resources.models.document import read_model
from weighbridge.resources.models.queries import model_number, stored_model

ROWS_SHOWN: Final = 20
"""Measurements shown for each set of inputs; all of them are in the batch's input data."""


class _Calculation(msgspec.Struct, frozen=True):
    slug: str
    name: str
    unit: str
    value: Decimal
    whole: Decimal | None
    is_output: bool
    is_primary: bool


async def get_lineage(tx: Read, actor: Actor, friendly: str) -> Lineage:
    """How one batch of the actor's account came about."""
    batch = await queries.get_batch(tx, actor, friendly)
    key = ids.parse(ids.PREFIXES["batch"], friendly)
    assert key is not None  # noqa: S101 - the batch was found by it
    model = read_model((await stored_model(tx, model_number(batch.model.id))).document)
    calculations = await tx.rows(
        _Calculation,
        """
        SELECT slug, name, unit, value, whole, is_output, is_primary FROM batch_calculations
         WHERE project_id = %s AND batch_id = %s ORDER BY position
        """,
        (key.project, key.key),
    )
    sets = (await input_sets(tx, key.project, [key.key]))[key.key]
    rows = [(await rows_between(tx, key.project, {key.key: [one]}, 0, ROWS_SHOWN))[key.key] for one in sets]
    nodes = {node.slug: node for node in model.nodes}
    inputs = {slug: (one, shown) for one, shown in zip(sets, rows, strict=True) for slug in one.nodes}
    return Lineage(batch, [_node(found, nodes[found.slug], inputs) for found in calculations])


def _node(
    found: _Calculation, node: Node, inputs: Mapping[str, tuple[InputSet, Sequence[InputRow]]]
) -> LineageNode:
    return LineageNode(
        slug=found.slug,
        name=found.name,
        unit=found.unit,
        value=found.value,
        whole=found.whole,
        is_output=found.is_output,
        is_primary=found.is_primary,
        equation=print_tree(node.body.tree) if isinstance(node.body, Formula) else None,
        reads=list(needs(node)),
        source=node.source,
        input=_input(*inputs[found.slug]) if found.slug in inputs else None,
    )


def _input(one: InputSet, rows: Sequence[InputRow]) -> LineageInput:
    slugs = list(dict.fromkeys(row.data_point.slug for row in rows))
    return LineageInput(one.event_type_slug, slugs, one.event_count, list(rows))
