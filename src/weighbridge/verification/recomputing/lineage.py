"""What batches were made of, as they saw it: events, static inputs and inputs set aside, by slot."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, LiteralString

from weighbridge.accounting.inputs.selection import ByLineage
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.statics import Statics, statics_of
from weighbridge.accounting.inputs.streams import Catalogue, Resolved, streams_of
from weighbridge.core.engine import SlotData
from weighbridge.core.model import Model
from weighbridge.core.model.definition import NO_COVERAGE
from weighbridge.db.engine import Read

Chosen = Sequence[tuple[int, int]]
"""Pairs of a slot's index and a batch whose lineage tells the data of that slot."""


async def inputs_apart(
    tx: Read, project: int, model: Model, catalogue: Catalogue, chosen: Chosen
) -> dict[int, frozenset[str]]:
    """By slot, the inputs that stood apart when its batches were made: their data were named or set aside."""
    known = {stream.node_slugs for stream in streams_of(model, catalogue).streams}
    apart = {
        slot: {str(node) for node in nodes}
        for slot, nodes in (await _by_slot(tx, project, _SKIPPED, chosen)).items()
    }
    for slot, sets in (await _by_slot(tx, project, _NODES, chosen)).items():
        apart.setdefault(slot, set()).update(node for nodes in sets if nodes not in known for node in nodes)
    return {slot: frozenset(nodes) for slot, nodes in apart.items()}


async def data_as_used(
    tx: Read, model: Model, lineage: ByLineage, as_used: Resolved
) -> tuple[Resolved, list[SlotData]]:
    """The data of slots as batches saw them, and what the model's inputs read of it."""
    project, chosen = lineage.project, lineage.batches
    # What is expected of an event type may have changed since; the data covered the slot when they were used.
    resolved = Resolved(
        as_used.streams,
        {slug: replace(measure, coverage=NO_COVERAGE) for slug, measure in as_used.measures.items()},
    )
    used = await _by_slot(tx, project, _STATICS, chosen)
    statics = await statics_of(tx, project, model, {number for slot in used.values() for number in slot})
    skipped = await _by_slot(tx, project, _SKIPPED, chosen)
    data = await read_slots(
        tx,
        lineage,
        Inputs(resolved, statics, model.partition_type),
        [frozenset(map(str, skipped.get(index, ()))) for index in range(len(lineage.slots))],
    )
    return resolved, [
        replace(one, statics=_only(statics, used.get(index, set()))) for index, one in enumerate(data)
    ]


def _only(statics: Statics, numbers: set[Any]) -> Statics:
    """The values that the batches of one slot read; later ones may have been added before its time since."""
    return {
        slug: tuple(value for value in values if value.number in numbers) for slug, values in statics.items()
    }


async def _by_slot(tx: Read, project: int, statement: LiteralString, chosen: Chosen) -> dict[int, set[Any]]:
    by_slot: dict[int, set[Any]] = {}
    for slot, value in await tx.tuples(
        statement, (project, [slot for slot, _ in chosen], [batch for _, batch in chosen])
    ):
        by_slot.setdefault(slot, set()).add(tuple(value) if isinstance(value, list) else value)
    return by_slot


_STATICS: Final = """
    SELECT chosen.slot, used.static_input_id
      FROM (SELECT %s::integer AS project_id) AS project,
           unnest(%s::integer[], %s::bigint[]) AS chosen (slot, batch_id)
      JOIN batch_static_inputs used USING (batch_id)
     WHERE used.project_id = project.project_id
"""
_SKIPPED: Final = """
    SELECT chosen.slot, used.node
      FROM (SELECT %s::integer AS project_id) AS project,
           unnest(%s::integer[], %s::bigint[]) AS chosen (slot, batch_id)
      JOIN batch_skipped_inputs used USING (batch_id)
     WHERE used.project_id = project.project_id
"""
_NODES: Final = """
    SELECT DISTINCT chosen.slot, used.nodes
      FROM (SELECT %s::integer AS project_id) AS project,
           unnest(%s::integer[], %s::bigint[]) AS chosen (slot, batch_id)
      JOIN batch_input_sets used USING (batch_id)
     WHERE used.project_id = project.project_id
"""
