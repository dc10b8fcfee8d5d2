"""Trace a batch: its provenance as a tree, its withdrawals, and its allocations to other runs and to
reports.

Invariants: returned amounts do not count as allocated. A run is named by its newest batch, which holds
all its withdrawals. Allocations of a restatement history are listed with its complete report.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.rows import TupleRow

from weighbridge.accounting.records.batches import (
    AllocatedReport,
    AllocatedTotal,
    Batch,
    BatchAllocation,
    BatchReportAllocation,
    Lineage,
    LineageAttribute,
    LineageDraw,
    LineageInput,
    LineageNode,
    LineageRow,
    LineageStaticInput,
)
from weighbridge.accounting.tracing.input_data import (
    InputSet,
    PlacedEvent,
    read_first_events,
    read_input_sets,
    read_skipped_nodes,
    read_slugs_and_units,
)
from weighbridge.core import identity
from weighbridge.core.expression import print_tree
from weighbridge.core.model import Formula, Input, Node, Upstream, list_needs
from weighbridge.db.engine import Command, Read
from weighbridge.modelling.documents import find_stored_model, read_model

# Allocations: what was drawn from a batch for runs of other ledgers, and what a batch drew itself.
#
# Invariants: what returns has given back does not count; a run is named by its newest batch, which has all
# that it draws.


def ask_for_allocations(project: int, batches: Sequence[int]) -> Command:
    """The question for what runs hold of each of some batches."""
    return _HELD, {"project": project, "batches": list(batches)}


def group_allocations(
    project: int, batches: Sequence[int], answers: Sequence[TupleRow]
) -> dict[int, list[BatchAllocation]]:
    """What runs hold of each of some batches, in the order of their batches."""
    allocations: dict[int, list[BatchAllocation]] = {batch: [] for batch in batches}
    for source, amount, unit, consumer, ledger, tracking_id in answers:
        allocations[source].append(
            BatchAllocation(
                amount=amount,
                unit=unit,
                batch_id=identity.of("batch", project, consumer),
                ledger_id=identity.of("ledger", project, ledger),
                tracking_id=tracking_id,
            )
        )
    return allocations


_HELD: Final = """
    SELECT held.batch_id, held.amount, l.unit, consumer.id, consumer.ledger_id, consumer.tracking_id
      FROM (SELECT e.batch_id, e.ledger_id, e.run_id, -sum(e.amount) AS amount FROM ledger_entries e
             WHERE e.project_id = %(project)s AND e.batch_id = ANY (%(batches)s) AND e.node IS NOT NULL
             GROUP BY e.batch_id, e.ledger_id, e.run_id HAVING sum(e.amount) <> 0) AS held
      JOIN ledgers l ON (l.project_id, l.id) = (%(project)s, held.ledger_id)
      CROSS JOIN LATERAL (
           SELECT b.id, b.ledger_id, b.tracking_id, b.start_time FROM batches b
            WHERE (b.project_id, b.run_id) = (%(project)s, held.run_id) AND b.deleted_at IS NULL
            ORDER BY b.id DESC LIMIT 1) AS consumer
     ORDER BY consumer.start_time, consumer.id
"""


async def read_draws(
    tx: Read, project: int, batch: int, attributes: Mapping[str, Sequence[str]]
) -> dict[str, list[LineageDraw]]:
    """What each node of a batch had drawn when it was computed, in the order of its array.

    `attributes` are the outputs that each node has travel along, as it lists them.
    """
    draws: dict[str, list[LineageDraw]] = {}
    for node, source, ledger, tracking_id, amount, unit, values, units in await tx.tuples(
        """
        SELECT d.node, source.id, source.ledger_id, source.tracking_id, d.amount, l.unit, d.attributes,
               d.units
          FROM batch_draws d
          JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
          JOIN ledgers l ON (l.project_id, l.id) = (source.project_id, source.ledger_id)
         WHERE d.project_id = %s AND d.batch_id = %s ORDER BY d.node, d.place
        """,
        (project, batch),
    ):
        draws.setdefault(node, []).append(
            LineageDraw(
                batch_id=identity.of("batch", project, source),
                ledger_id=identity.of("ledger", project, ledger),
                tracking_id=tracking_id,
                amount=amount,
                unit=unit,
                attributes=[
                    LineageAttribute(*fields) for fields in zip(attributes[node], values, units, strict=True)
                ],
            )
        )
    return draws


# What reports hold of batches: what an accepted report states, and what one under way has reserved.
#
# The postings of a restatement history belong to the report that is complete, whichever report of it posted
# it.


def ask_for_reported(project: int, batches: Sequence[int]) -> Command:
    """The question for what reports hold of each of some batches."""
    return _REPORTED, {"project": project, "batches": list(batches)}


def group_reported(
    project: int, batches: Sequence[int], answers: Sequence[TupleRow]
) -> dict[int, list[BatchReportAllocation]]:
    """What reports hold of each of some batches, in the order in which the reports were made."""
    reported: dict[int, list[BatchReportAllocation]] = {batch: [] for batch in batches}
    for batch, amount, total, unit, number, name, report_type, status in answers:
        report = AllocatedReport(identity.of("report", project, number), name, report_type, status)
        total_allocated = AllocatedTotal(number, total, unit)
        reported[batch].append(BatchReportAllocation(total_allocated, amount, unit, report))
    return reported


_REPORTED: Final = """
    WITH holding AS (
        SELECT DISTINCT r.id, r.chain_id, r.name, r.report_type, r.status, r.status = 'complete' AS is_posted
          FROM ledger_entries e
          JOIN reports own ON (own.project_id, own.id) = (e.project_id, e.report_id)
          JOIN reports r ON (r.project_id, r.chain_id) = (own.project_id, own.chain_id)
           AND r.status IN ('submitting', 'submitted', 'failed', 'complete')
         WHERE e.project_id = %(project)s AND e.batch_id = ANY (%(batches)s)
    ), held AS (
        SELECT h.id, e.batch_id, e.ledger_id, - sum(e.amount) AS amount
          FROM holding h
          JOIN reports own ON (own.project_id, own.chain_id) = (%(project)s, h.chain_id)
          JOIN ledger_entries e ON (e.project_id, e.report_id) = (%(project)s, own.id)
           AND e.kind = ANY (CASE WHEN h.is_posted THEN ARRAY['report', 'restate']
                             ELSE ARRAY['reserve', 'release'] END)
         GROUP BY h.id, e.batch_id, e.ledger_id HAVING sum(e.amount) <> 0
    )
    SELECT held.batch_id, held.amount, (SELECT sum(every.amount) FROM held every WHERE every.id = held.id),
           l.unit, h.id, h.name, h.report_type, h.status
      FROM held JOIN holding h USING (id)
      JOIN ledgers l ON (l.project_id, l.id) = (%(project)s, held.ledger_id)
     WHERE held.batch_id = ANY (%(batches)s)
     ORDER BY h.id
"""


# Lineage: a batch as a tree, from its output over the model's nodes down to the measurements.


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


async def build_lineage(tx: Read, key: identity.Key, batch: Batch) -> Lineage:
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
        return Lineage(batch, [_build_figure(calculation) for calculation in calculations])
    stored_model = await find_stored_model(tx, identity.number("model", batch.model.id))
    model = await tx.in_thread(read_model, stored_model.document)
    reads = _Reads(
        await _read_inputs(tx, key, {node.slug: node.body for node in model.nodes}),
        await _read_static_inputs(tx, key),
        await read_draws(
            tx,
            key.project,
            key.key,
            {
                node.slug: list(node.body.attributes)
                for node in model.nodes
                if isinstance(node.body, Upstream)
            },
        ),
        await read_skipped_nodes(tx, key.project, key.key),
    )
    nodes = {node.slug: node for node in model.nodes}
    return Lineage(
        batch, [_build_node(calculation, nodes[calculation.slug], reads) for calculation in calculations]
    )


async def _read_inputs(
    tx: Read, batch: identity.Key, bodies: Mapping[str, object]
) -> dict[str, LineageInput]:
    """What each input node read, by the node's slug."""
    sets = (await read_input_sets(tx, batch.project, [batch.key]))[batch.key]
    names = await read_slugs_and_units(tx, batch.project, {set_.event_type for set_ in sets})
    events = await read_first_events(tx, batch.project, sets, ROWS_SHOWN)
    return {
        slug: _build_input(batch.project, body, input_set, shown_events, names)
        for input_set, shown_events in zip(sets, events, strict=True)
        for slug in input_set.nodes
        if isinstance(body := bodies[slug], Input)
    }


async def _read_static_inputs(tx: Read, batch: identity.Key) -> dict[str, list[LineageStaticInput]]:
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


def _build_node(calculation: _Calculation, node: Node, reads: _Reads) -> LineageNode:
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
        reads=list(list_needs(node)),
        source=node.source,
        input=reads.inputs.get(node.slug),
        static_inputs=reads.static_inputs.get(node.slug, []),
        draws=reads.draws.get(node.slug, []),
        skipped_input=node.slug in reads.skipped,
    )


def _build_figure(calculation: _Calculation) -> LineageNode:
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


def _build_input(
    project: int,
    body: Input,
    input_set: InputSet,
    events: Sequence[PlacedEvent],
    names: Mapping[tuple[int, int], tuple[str, str | None]],
) -> LineageInput:
    positions = {
        slug: position for (kind, position), (slug, _) in names.items() if kind == input_set.event_type
    }
    position = positions[body.data_point_type]
    # The weight of a joined input may be on the events that it is joined to.
    weight = positions.get(body.weight) if body.weight else None
    return LineageInput(
        event_type=input_set.event_type_slug,
        data_point=body.data_point_type,
        unit=names[input_set.event_type, position][1],
        aggregate=body.aggregate,
        weight=body.weight,
        event_count=input_set.event_count,
        rows=[
            LineageRow(
                data_point_id=identity.of("data_point", project, event.number, position),
                value=event.value_at(position),
                weight=event.number_at(weight) if weight else None,
                event_id=identity.of("event", project, event.number),
                tracking_id=event.tracking_id,
                start_time=event.start_time,
                end_time=event.end_time,
            )
            for event in events
        ],
    )
