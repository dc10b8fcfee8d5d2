"""The slots that a correction of an event may change: those with batches that used it, or that hold its time.

What is rolled up from the event changes with it.

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
    points = await tx.tuples(
        _DATA_POINTS, {"project": project, "event": proposal.event, "position": proposal.position}
    )
    return await _that_read(tx, project, requests, [tuple(point) for point in points])


async def _that_read(
    tx: Read, project: int, requests: Sequence[Request], data_points: Sequence[tuple[int, ...]]
) -> list[Request]:
    """Those of the generations whose models read a data point, each given by event type and position."""
    catalogue = await catalogue_of(tx, project)
    reading = []
    for request in requests:
        for scope in await scopes_for(tx, request):
            streams = streams_of(scope.model, catalogue, scope.inputs.nodes).streams
            read = {(one.event_type, position) for one in streams for position in one.positions}
            if not read.isdisjoint(data_points):
                reading.append(request)
                break
    return reading


_DATA_POINTS: Final = """
    WITH RECURSIVE changed (event_type_id, position) AS (
        SELECT event_type_id, %(position)s::smallint FROM events
         WHERE project_id = %(project)s AND id = %(event)s
        UNION
        SELECT v.event_type_id, v.position FROM changed c
          JOIN rolled_up_values v ON (v.project_id, v.source_id, v.source_position)
                                   = (%(project)s, c.event_type_id, c.position))
    SELECT event_type_id, position FROM changed
"""
_SLOTS: Final = """
    WITH RECURSIVE changed (project_id, id, event_type_id, start_time) AS (
        SELECT e.project_id, e.id, e.event_type_id, e.start_time FROM events e
         WHERE e.project_id = %(project)s AND e.id = %(event)s
        UNION
        SELECT made.project_id, made.id, made.event_type_id, made.start_time
          FROM changed c
          JOIN roll_ups r ON (r.project_id, r.source_id) = (c.project_id, c.event_type_id)
          JOIN events made ON (made.project_id, made.event_type_id) = (r.project_id, r.event_type_id)
           AND made.start_time <= c.start_time AND made.end_time > c.start_time AND made.readings IS NOT NULL
           AND made.start_time >= c.start_time - (SELECT max(n.longest) FROM event_counts n
                WHERE (n.project_id, n.event_type_id) = (r.project_id, r.event_type_id))
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
