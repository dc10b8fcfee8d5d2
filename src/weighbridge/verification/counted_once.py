"""Counted once: of every model and each of its inputs, an event counts in one slot in force of a ledger.

What an event counts for in its slot sums to one: shares of partitions are divided without a rest, and the
recomputation of every batch shows them; of an event that is prorated each slot has the part that lies in it,
and slots in force share no time. So an event counts twice only where slots share time, or where two slots
have it and one of them counts all of it.

Readings that only give context are none of these: those whatever their date (`period: any`), the reading that
stands when a slot begins (`delta`, `time_weighted`), and what an input repeats for each slot of an event.
"""

from typing import Final

from weighbridge.accounting.books.slots_in_force import IN_FORCE, sharing_time
from weighbridge.accounting.inputs.window import Reach, window_of
from weighbridge.core.identity import ids
from weighbridge.core.model import Input, Share
from weighbridge.core.model.flaw import ModelError
from weighbridge.core.time.cadence import EVENT
from weighbridge.db.engine import Read
from weighbridge.modelling.document.yaml_text import read_model

NO_SHARED_TIME: Final = "no two slots in force of a ledger share time"
COUNTED_ONCE: Final = "every event counts in one slot in force of a ledger, by each input that counts it"

_WHOLE: Final = frozenset({Reach.INSIDE, Reach.STARTING, Reach.ENDING})
"""The windows that give an event to one slot, and all of it."""
_COUNTING: Final = _WHOLE | {Reach.MEETING}
"""Those with the one that gives each slot the part that lies in it."""


async def check_counted_once(tx: Read, project: int | None = None) -> dict[str, list[str]]:
    """What counts more than once, over all books or those of one project, by rule."""
    values = {"project": project}
    shared = await tx.tuples(_SHARED_TIME, values)
    twice = await tx.tuples(_TWICE, {**values, **await _counting_inputs(tx, project)})
    return {
        NO_SHARED_TIME: [
            f"ledger {ids.of('ledger', number, ledger)}: the slot of batch {ids.of('batch', number, batch)},"
            f" {start.isoformat()} to {end.isoformat()}, shares time with an earlier one in force"
            for number, ledger, batch, start, end in shared
        ],
        COUNTED_ONCE: [
            f"ledger {ids.of('ledger', number, ledger)}: input {node!r} counts {count} events in more than"
            f" one slot, {ids.of('event', number, event)} for one"
            for number, ledger, node, count, event in twice
        ],
    }


async def _counting_inputs(tx: Read, project: int | None) -> dict[str, list[int] | list[str] | list[bool]]:
    """The inputs of versions with batches that count an event once, and whether in one slot alone."""
    models, nodes, whole = [], [], []
    for number, document in await tx.tuples(_MODELS, {"project": project}):
        try:
            model = await tx.in_thread(read_model, document)
        except ModelError:
            continue  # that its batches cannot be computed anew is named with them
        for node in model.nodes:
            if not isinstance(node.body, Input):
                continue
            window = window_of(node.body)
            is_repeated = model.cadence == EVENT and node.body.share is Share.REPEAT
            if window.reach in _COUNTING and not window.is_held and not is_repeated:
                models.append(number)
                nodes.append(node.slug)
                whole.append(window.reach in _WHOLE)
    return {"models": models, "nodes": nodes, "whole": whole}


_SHARED_TIME: Final = sharing_time("(%(project)s::integer IS NULL OR b.project_id = %(project)s)")

_MODELS: Final = """
    SELECT m.id, m.document FROM models m
     WHERE m.id IN (SELECT model_id FROM batches
                     WHERE deleted_at IS NULL AND (%(project)s::integer IS NULL OR project_id = %(project)s))
"""

_TWICE: Final = f"""
    WITH used AS (
        SELECT b.project_id, b.ledger_id, counting.node, counting.is_whole, s.batch_id, s.set_number,
               concat_ws(' ', r.by_event, r.event_id,
                   CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END,
                   CASE WHEN NOT r.by_event THEN r.start_time END,
                   CASE WHEN NOT r.by_event THEN r.end_time END) AS slot
          FROM batches b
          JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          JOIN batch_input_sets s ON (s.project_id, s.batch_id) = (b.project_id, b.id)
          JOIN unnest(%(models)s::integer[], %(nodes)s::text[], %(whole)s::boolean[])
               AS counting (model_id, node, is_whole)
            ON counting.model_id = b.model_id AND counting.node = ANY (s.nodes)
         WHERE (%(project)s::integer IS NULL OR b.project_id = %(project)s) AND {IN_FORCE}
    ), twice AS (
        SELECT used.project_id, used.ledger_id, used.node, event.id
          FROM used
          JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                               = (used.project_id, used.batch_id, used.set_number)
         CROSS JOIN unnest(i.event_ids) AS event (id)
         GROUP BY used.project_id, used.ledger_id, used.node, event.id
        HAVING min(used.slot) <> max(used.slot) AND bool_or(used.is_whole)
    )
    SELECT project_id, ledger_id, node, count(*), min(id) FROM twice
     GROUP BY project_id, ledger_id, node ORDER BY project_id, ledger_id, node
"""
