"""The slots that a correction of an event may change: those with batches that used it, or that hold its time.

Invariants: only slots that were generated are here; data of others come to nothing that could change.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.accounting.batch_generations.records import NewGeneration
from weighbridge.accounting.inputs.streams import catalogue_of, streams_of
from weighbridge.accounting.planning.propose import Request, scopes_for
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.db.engine import Read
from weighbridge.quality.approval.standing import HeldProposal


async def generations_of(tx: Read, actor: Actor, project: int, proposal: HeldProposal) -> list[Request]:
    """A generation for each model and slot with batches that the data point of a proposal may change."""
    rows = await tx.tuples(_SLOTS, {"project": project, "event": proposal.event})
    requests = [
        Request(
            actor,
            ids.of("ledger", project, ledger),
            # A range ends behind its start, also that of a slot which is one moment.
            NewGeneration(
                start,
                max(Instant.of(end), Instant.of(start + MILLISECOND)),
                generate_concurrent_ledgers=True,
            ),
        )
        for ledger, start, end in rows
    ]
    event_type: int = await tx.value(_EVENT_TYPE, (project, proposal.event))
    return await _that_read(tx, project, requests, (event_type, proposal.position))


async def _that_read(
    tx: Read, project: int, requests: Sequence[Request], data_point: tuple[int, int]
) -> list[Request]:
    """Those of the generations whose models read a data point of an event type."""
    event_type, position = data_point
    catalogue = await catalogue_of(tx, project)
    reading = []
    for request in requests:
        for scope in await scopes_for(tx, request):
            streams = streams_of(scope.model, catalogue, scope.inputs.nodes).streams
            if any(one.event_type == event_type and position in one.positions for one in streams):
                reading.append(request)
                break
    return reading


_EVENT_TYPE: Final = "SELECT event_type_id FROM events WHERE project_id = %s AND id = %s"
_SLOTS: Final = """
    WITH changed AS MATERIALIZED (
        SELECT e.project_id, e.id, e.start_time FROM events e
         WHERE e.project_id = %(project)s AND e.id = %(event)s
    ), touched AS (
        SELECT u.id
          FROM changed e
          JOIN runs u ON u.project_id = e.project_id AND u.start_time <= e.start_time
           AND (u.end_time > e.start_time OR u.end_time = u.start_time AND u.start_time = e.start_time)
        UNION
        SELECT b.run_id
          FROM changed e
          JOIN batch_inputs i ON i.project_id = e.project_id
           AND int8range(i.first_event, i.last_event, '[]') @> e.id AND e.id = ANY (i.event_ids)
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
    )
    SELECT DISTINCT ON (u.family_id, u.start_time, u.end_time) b.ledger_id, u.start_time, u.end_time
      FROM touched
      JOIN runs u ON (u.project_id, u.id) = (%(project)s, touched.id)
      JOIN batches b ON (b.project_id, b.run_id) = (u.project_id, u.id) AND b.deleted_at IS NULL
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id) AND l.family_id = u.family_id
     ORDER BY u.family_id, u.start_time, u.end_time, b.ledger_id
"""
