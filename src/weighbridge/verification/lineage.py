"""What batches were made of, as they saw it: events, static inputs and inputs set aside, by slot."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, LiteralString

from weighbridge.accounting.inputs.selection import ByLineage
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.statics import Statics, statics_of
from weighbridge.accounting.inputs.streams import Resolved, catalogue_of, streams_of
from weighbridge.core.engine import SlotData
from weighbridge.core.model import Model
from weighbridge.core.model.definition import NO_COVERAGE
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read

Chosen = Sequence[tuple[int, int]]
"""Pairs of a slot's index and a batch whose lineage tells the data of that slot."""


async def data_as_used(
    tx: Read, project: int, model: Model, slots: Sequence[Interval], chosen: Chosen
) -> tuple[Resolved, list[SlotData]]:
    """The data of slots as batches saw them, and what the model's inputs read of it."""
    resolved = await _resolved(tx, project, model, chosen)
    used = await _by_slot(tx, project, _STATICS, chosen)
    statics = await statics_of(tx, project, model, {number for slot in used.values() for number in slot})
    skipped = await _by_slot(tx, project, _SKIPPED, chosen)
    data = await read_slots(
        tx,
        ByLineage(project, slots, chosen),
        Inputs(resolved, statics, model.partition_type),
        [frozenset(map(str, skipped.get(index, ()))) for index in range(len(slots))],
    )
    return resolved, [
        replace(one, statics=_only(statics, used.get(index, set()))) for index, one in enumerate(data)
    ]


async def _resolved(tx: Read, project: int, model: Model, chosen: Chosen) -> Resolved:
    """The streams as the batches had them: inputs whose data were named or set aside stood apart."""
    catalogue = await catalogue_of(tx, project)
    whole = streams_of(model, catalogue)
    stored = await tx.tuples(
        "SELECT DISTINCT nodes FROM batch_input_sets WHERE project_id = %s AND batch_id = ANY (%s)",
        (project, [batch for _, batch in chosen]),
    )
    known = {stream.node_slugs for stream in whole.streams}
    apart = {node for (nodes,) in stored if tuple(nodes) not in known for node in nodes}
    skipped = await _by_slot(tx, project, _SKIPPED, chosen)
    apart |= {str(node) for nodes in skipped.values() for node in nodes}
    as_used = streams_of(model, catalogue, apart) if apart else whole
    # What is expected of an event type may have changed since; the data covered the slot when they were used.
    return Resolved(
        as_used.streams,
        {slug: replace(measure, coverage=NO_COVERAGE) for slug, measure in as_used.measures.items()},
    )


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
        by_slot.setdefault(slot, set()).add(value)
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
