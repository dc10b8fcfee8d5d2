"""The double-counting check: an event feeds one model only, unless its type is `reusable_in_batches`.

Versions of a model count as one. A run holds what its newest batch on a ledger was made of; deleting all
batches of a run frees its data.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable

from weighbridge.accounting.inputs.selection import BySlot, select_events
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.plan import Run
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.platform.changes.newest_batch import IS_NEWEST


async def already_used(
    tx: Read, scope: Scope, discovery: BySlot, streams: Sequence[InputStream], runs: Sequence[Run]
) -> list[str]:
    """Why a model cannot have some of the events that its runs use: another model has them."""
    rivals = await tx.tuples(
        _RIVALS, (discovery.project, sorted({stream.event_type for stream in streams}), scope.family)
    )
    kinds = {kind for (kind,) in rivals}
    problems = []
    for stream in streams:
        if stream.event_type in kinds:
            for rival, count, first in await _shared(tx, scope.family, discovery, stream, runs):
                example = ids.of("event", discovery.project, first)
                problems.append(
                    f"{count} events of type {stream.event_type_slug!r}, {example} for one, feed the model"
                    f" {rival!r} and cannot feed {scope.model.name!r} too; the event type is"
                    " not reusable in batches."
                )
    return problems


async def _shared(
    tx: Read, family: int, discovery: BySlot, stream: InputStream, runs: Sequence[Run]
) -> list[TupleRow]:
    """The models that have events of a source: name, how many, and the first of them."""
    if stream.is_of_elements:
        events: Composable = SQL("unnest(%(used)s::bigint[]) AS e (id)")
        used = {event for run in runs for event in run.used.get(stream.number, ())}
        values: Mapping[str, Any] = {"used": sorted(used)}
    else:
        selected = select_events(discovery, stream, ())
        events, values = selected.events, selected.values
    known = {"project": discovery.project, "family": family}
    return await tx.tuples(_SHARED.format(used=events, newest=SQL(IS_NEWEST)), {**values, **known})


_RIVALS: Final = """
    SELECT DISTINCT s.event_type_id
      FROM event_types t
      JOIN batch_input_sets s ON (s.project_id, s.event_type_id) = (t.project_id, t.id)
      JOIN batches b ON (b.project_id, b.id) = (s.project_id, s.batch_id) AND b.deleted_at IS NULL
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
     WHERE t.project_id = %s AND t.id = ANY (%s) AND NOT t.reusable_in_batches AND r.family_id <> %s
"""
"""Event types of which another model has events: usually none, and nothing more is looked up."""

_SHARED: Final = SQL("""
    SELECT m.name, count(DISTINCT e.id), min(e.id)
      FROM {used}
      JOIN batch_inputs i ON i.project_id = %(project)s
       AND int8range(i.first_event, i.last_event, '[]') @> e.id AND e.id = ANY (i.event_ids)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id) AND {newest}
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) AND r.family_id <> %(family)s
      JOIN models m ON m.id = b.model_id
     GROUP BY m.name ORDER BY m.name
""")
