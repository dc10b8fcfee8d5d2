"""Pending proposals: corrections of data in the range that wait for approval, so that runs use what is held.

Nothing fails by them; they are named, because the result would be another one if they were approved.
"""

from collections.abc import Sequence

from psycopg.sql import SQL, Composable, Literal

from weighbridge.accounting.batch_generations.records import PendingProposals
from weighbridge.accounting.inputs.event_slots import EVENTS_NAMED_MAX
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.inputs.window import Reach
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.identity import ids
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.db.engine import Read


async def pending_proposals(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[PendingProposals]:
    """What waits for approval of the data that inputs read in the range, by rule and event type."""
    if not streams:
        return []
    rows = await tx.tuples(
        _PENDING.format(read=SQL(" OR ").join(_read_by(stream) for stream in streams)),
        {
            "project": scope.project,
            "pending": ApprovalState.PENDING,
            "start": scope.hull.start,
            "end": scope.hull.end,
            "named": EVENTS_NAMED_MAX,
        },
    )
    return [
        PendingProposals(
            ids.of("rule", scope.project, rule),
            name,
            slug,
            count,
            [ids.of("data_point", scope.project, *key) for key in zip(events, positions, strict=True)],
        )
        for rule, name, slug, count, events, positions in rows
    ]


def _read_by(stream: InputStream) -> Composable:
    """Whether a stream reads the data point of a result `r` of an event `e`, as far as the range goes."""
    return SQL("(e.event_type_id = {} AND r.position = ANY ({}::smallint[]) AND {} AND {})").format(
        Literal(stream.event_type),
        Literal(list(stream.positions)),
        stream.where,
        SQL("true" if stream.window.reach is Reach.ANY else _IN_RANGE),
    )


_IN_RANGE = "e.start_time < %(end)s AND e.end_time >= %(start)s"
_PENDING = SQL("""
    SELECT u.id, u.name, t.slug, count(*),
           (array_agg(e.id ORDER BY e.start_time, e.id, r.position))[1:%(named)s],
           (array_agg(r.position::integer ORDER BY e.start_time, e.id, r.position))[1:%(named)s]
      FROM data_point_results r
      JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
      JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id) AND e.voided_at IS NULL
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     WHERE r.project_id = %(project)s AND r.approval_state = %(pending)s AND ({read})
     GROUP BY u.id, u.name, t.slug ORDER BY u.id, t.slug
""")
