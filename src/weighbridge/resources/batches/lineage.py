"""Lineage: a batch as a tree, from its output over the model's nodes down to the measurements."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.core import ids
from weighbridge.core.expression import print_tree
from weighbridge.core.model import Formula, Input, Node, needs
from weighbridge.core.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.resources.batches import queries
from weighbridge.resources.batches.input_data import InputSet, StoredEvent, first_events, input_sets, measures
from weighbridge.resources.batches.records import Lineage, LineageInput, LineageNode, LineageRow
from weighbridge.resources.data_points.queries import data_point_id
from weighbridge.resources.events.queries import event_id
from weighbridge.resources.models.document import read_model
from weighbridge.resources.models.queries import model_number, stored_model

ROWS_SHOWN: Final = 20
"""Measurements shown for each input; all of them are in the batch's input data."""


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
    inputs = await _inputs(tx, key, {node.slug: node.body for node in model.nodes})
    nodes = {node.slug: node for node in model.nodes}
    return Lineage(batch, [_node(found, nodes[found.slug], inputs.get(found.slug)) for found in calculations])


async def _inputs(tx: Read, batch: ids.Key, bodies: Mapping[str, object]) -> dict[str, LineageInput]:
    """What each input node read, by the node's slug."""
    sets = (await input_sets(tx, batch.project, [batch.key]))[batch.key]
    names = await measures(tx, batch.project, {one.event_type for one in sets})
    events = await first_events(tx, batch.project, sets, ROWS_SHOWN)
    return {
        slug: _input(batch.project, body, one, shown, names)
        for one, shown in zip(sets, events, strict=True)
        for slug in one.nodes
        if isinstance(body := bodies[slug], Input)
    }


def _node(found: _Calculation, node: Node, read: LineageInput | None) -> LineageNode:
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
        input=read,
    )


def _input(
    project: int,
    body: Input,
    one: InputSet,
    events: Sequence[StoredEvent],
    names: Mapping[tuple[int, int], tuple[str, str | None]],
) -> LineageInput:
    positions = {slug: place for (kind, place), (slug, _) in names.items() if kind == one.event_type}
    position = positions[body.data_point_type]
    weight = positions[body.weight] if body.weight else None
    return LineageInput(
        event_type=one.event_type_slug,
        data_point=body.data_point_type,
        unit=names[one.event_type, position][1],
        aggregate=body.aggregate,
        weight=body.weight,
        event_count=one.event_count,
        rows=[
            LineageRow(
                data_point_id=data_point_id(project, event.number, position),
                value=event.value_at(position),
                weight=event.number_at(weight) if weight else None,
                event_id=event_id(project, event.number),
                tracking_id=event.tracking_id,
                start_time=event.start_time,
                end_time=event.end_time,
            )
            for event in events
        ],
    )
