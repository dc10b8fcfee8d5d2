"""Lineage: a batch as a tree, from its output over the model's nodes down to the measurements."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.accounting.batches.records import (
    Batch,
    Lineage,
    LineageDraw,
    LineageInput,
    LineageNode,
    LineageRow,
    LineageStaticInput,
)
from weighbridge.accounting.tracing.allocations import draws_of
from weighbridge.accounting.tracing.input_data import (
    InputSet,
    PlacedEvent,
    first_events,
    input_sets,
    slugs_and_units,
)
from weighbridge.accounting.tracing.skipped_inputs import skipped_nodes
from weighbridge.core.expression import print_tree
from weighbridge.core.identity import ids
from weighbridge.core.model import Formula, Input, Node, Upstream, needs
from weighbridge.db.engine import Read
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.versions.stored import stored_model

ROWS_SHOWN: Final = 20
"""Measurements shown for each input; all of them are in the batch's input data."""


class _Calculation(msgspec.Struct, frozen=True):
    slug: str
    name: str
    unit: str
    value: Decimal | None
    whole: Decimal | None
    element_count: int | None
    elements: list[Decimal] | None
    is_output: bool
    is_primary: bool


@dataclass(frozen=True, slots=True)
class _Reads:
    """What the nodes of a batch read, by node."""

    inputs: Mapping[str, LineageInput]
    static_inputs: Mapping[str, list[LineageStaticInput]]
    draws: Mapping[str, list[LineageDraw]]
    skipped: Collection[str]


async def lineage_of(tx: Read, key: ids.Key, batch: Batch) -> Lineage:
    """How a batch came about."""
    calculations = await tx.rows(
        _Calculation,
        """
        SELECT slug, name, unit, value, whole, element_count, elements, is_output, is_primary
          FROM batch_calculations WHERE project_id = %s AND batch_id = %s ORDER BY position
        """,
        (key.project, key.key),
    )
    if batch.model is None:
        return Lineage(batch, [_figure(one) for one in calculations])
    stored = await stored_model(tx, ids.number("model", batch.model.id))
    model = await tx.in_thread(read_model, stored.document)
    reads = _Reads(
        await _inputs(tx, key, {node.slug: node.body for node in model.nodes}),
        await _static_inputs(tx, key),
        await draws_of(
            tx,
            key.project,
            key.key,
            {
                node.slug: list(node.body.attributes)
                for node in model.nodes
                if isinstance(node.body, Upstream)
            },
        ),
        await skipped_nodes(tx, key.project, key.key),
    )
    nodes = {node.slug: node for node in model.nodes}
    return Lineage(batch, [_node(one, nodes[one.slug], reads) for one in calculations])


async def _inputs(tx: Read, batch: ids.Key, bodies: Mapping[str, object]) -> dict[str, LineageInput]:
    """What each input node read, by the node's slug."""
    sets = (await input_sets(tx, batch.project, [batch.key]))[batch.key]
    names = await slugs_and_units(tx, batch.project, {one.event_type for one in sets})
    events = await first_events(tx, batch.project, sets, ROWS_SHOWN)
    return {
        slug: _input(batch.project, body, one, shown, names)
        for one, shown in zip(sets, events, strict=True)
        for slug in one.nodes
        if isinstance(body := bodies[slug], Input)
    }


async def _static_inputs(tx: Read, batch: ids.Key) -> dict[str, list[LineageStaticInput]]:
    """The values of static inputs that each node read."""
    by_node: dict[str, list[LineageStaticInput]] = {}
    for node, *value in await tx.tuples(
        """
        SELECT u.node, s.id, s.value, s.unit, s.effective_from
          FROM batch_static_inputs u
          JOIN static_inputs s ON (s.project_id, s.id) = (u.project_id, u.static_input_id)
         WHERE u.project_id = %s AND u.batch_id = %s ORDER BY s.effective_from, s.id
        """,
        (batch.project, batch.key),
    ):
        by_node.setdefault(node, []).append(LineageStaticInput(*value))
    return by_node


def _node(calculation: _Calculation, node: Node, reads: _Reads) -> LineageNode:
    return LineageNode(
        slug=calculation.slug,
        name=calculation.name,
        unit=calculation.unit,
        value=calculation.value,
        whole=calculation.whole,
        element_count=calculation.element_count,
        elements=calculation.elements,
        is_output=calculation.is_output,
        is_primary=calculation.is_primary,
        equation=print_tree(node.body.tree) if isinstance(node.body, Formula) else None,
        reads=list(needs(node)),
        source=node.source,
        input=reads.inputs.get(node.slug),
        static_inputs=reads.static_inputs.get(node.slug, []),
        draws=reads.draws.get(node.slug, []),
        skipped_input=node.slug in reads.skipped,
    )


def _figure(calculation: _Calculation) -> LineageNode:
    """A number of an instrument, which nothing was computed from."""
    return LineageNode(
        slug=calculation.slug,
        name=calculation.name,
        unit=calculation.unit,
        value=calculation.value,
        whole=None,
        element_count=None,
        elements=None,
        is_output=calculation.is_output,
        is_primary=calculation.is_primary,
        equation=None,
        reads=[],
        source=None,
        input=None,
        static_inputs=[],
        draws=[],
        skipped_input=False,
    )


def _input(
    project: int,
    body: Input,
    one: InputSet,
    events: Sequence[PlacedEvent],
    names: Mapping[tuple[int, int], tuple[str, str | None]],
) -> LineageInput:
    positions = {slug: position for (kind, position), (slug, _) in names.items() if kind == one.event_type}
    position = positions[body.data_point_type]
    # The weight of a joined input may stand on the events that it is joined to.
    weight = positions.get(body.weight) if body.weight else None
    return LineageInput(
        event_type=one.event_type_slug,
        data_point=body.data_point_type,
        unit=names[one.event_type, position][1],
        aggregate=body.aggregate,
        weight=body.weight,
        event_count=one.event_count,
        rows=[
            LineageRow(
                data_point_id=ids.of("data_point", project, event.number, position),
                value=event.value_at(position),
                weight=event.number_at(weight) if weight else None,
                event_id=ids.of("event", project, event.number),
                tracking_id=event.tracking_id,
                start_time=event.start_time,
                end_time=event.end_time,
            )
            for event in events
        ],
    )
