"""Pending corrections: what rules may still correct of data in the range, while runs use what is held.

A proposal waits for approval. An evaluation waits for its worker, where data changed or a rule was saved; a
generation has those done before it begins, so they stand in a preview, and in a result where something
changed while it ran. So does what is still to be rolled up of readings that changed.

Nothing fails by them; they are named, because the result would be another one.
"""

from collections.abc import Sequence
from typing import Any, Final

from psycopg.sql import SQL, Composable

from weighbridge.accounting.batch_generations.records import (
    PendingEvaluations,
    PendingProposals,
    PendingRollUps,
)
from weighbridge.accounting.inputs.event_slots import EVENTS_NAMED_MAX
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.inputs.window import Reach
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.identity import ids
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal


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
            [
                ids.of("data_point", scope.project, *key)
                for key in zip(events or (), positions or (), strict=True)
            ],
            [Instant.of(start) for start in slots or ()],
        )
        for rule, name, slug, count, events, positions, slots in rows
    ]


async def pending_evaluations(
    tx: Read, scope: Scope, streams: Sequence[InputStream]
) -> list[PendingEvaluations]:
    """What rules may still correct of the data that inputs read, by rule and event type."""
    if not streams:
        return []
    rows = await tx.tuples(_UNEVALUATED, _types_read(scope, streams))
    return [
        PendingEvaluations(ids.of("rule", scope.project, rule), name, slug, _instant(start), _instant(end))
        for rule, name, slug, start, end in rows
    ]


async def pending_roll_ups(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[PendingRollUps]:
    """What is still to be rolled up of the data that inputs read, by event type and by what changed."""
    if not streams:
        return []
    rows = await tx.tuples(_LAGGING, _types_read(scope, streams))
    return [PendingRollUps(slug, source, *map(_instant, bounds)) for slug, source, *bounds in rows]


def _types_read(scope: Scope, streams: Sequence[InputStream]) -> dict[str, Any]:
    """Which event types the inputs read, and of which of them whatever its date."""
    return {
        "project": scope.project,
        "types": sorted({stream.event_type for stream in streams}),
        "anywhere": sorted({one.event_type for one in streams if one.window.reach is Reach.ANY}),
        "start": scope.hull.start,
        "end": scope.hull.end,
    }


def _instant(moment: Instant | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)


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
           (array_agg(e.id ORDER BY e.start_time, e.id, r.position)
                FILTER (WHERE e.id IS NOT NULL))[1:%(named)s],
           (array_agg(r.position::integer ORDER BY e.start_time, e.id, r.position)
                FILTER (WHERE e.id IS NOT NULL))[1:%(named)s],
           (array_agg(e.start_time ORDER BY e.start_time, r.id) FILTER (WHERE e.id IS NULL))[1:%(named)s]
      FROM data_point_results r
      JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
     CROSS JOIN LATERAL (
           SELECT held.* FROM events held
            WHERE (held.project_id, held.id) = (r.project_id, r.event_id) AND held.voided_at IS NULL
           UNION ALL
           SELECT (proposed_event_row(r)).* WHERE r.event_id IS NULL) AS e
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     WHERE r.project_id = %(project)s AND r.approval_state = %(pending)s AND ({read})
     GROUP BY u.id, u.name, t.slug ORDER BY u.id, t.slug
""")
_UNEVALUATED: Final = """
    WITH correcting AS (
        SELECT u.project_id, u.id, u.name, u.evaluation, t.id AS event_type_id, t.slug
          FROM rules u
          JOIN rule_versions v
            ON (v.project_id, v.rule_id, v.version) = (u.project_id, u.id, u.latest_version)
          JOIN event_types t ON t.project_id = u.project_id AND t.id = ANY (%(types)s)
           AND (v.event_type_id = t.id OR v.event_type_id IS NULL AND EXISTS (
                SELECT FROM data_point_types p
                 WHERE (p.project_id, p.event_type_id, p.slug) = (t.project_id, t.id, v.data_point)))
         WHERE u.project_id = %(project)s AND u.deleted_at IS NULL
           AND (v.purpose <> 'alert' OR v.version > 1 AND v.target = 'data_point')
    ), pending AS (
        SELECT c.id, c.name, c.event_type_id, c.slug, m.start_time, m.end_time
          FROM correcting c
          JOIN rule_dirty_ranges m ON (m.project_id, m.event_type_id) = (c.project_id, c.event_type_id)
         WHERE c.evaluation = 'automatic'
        UNION ALL
        SELECT c.id, c.name, c.event_type_id, c.slug, r.start_time, r.end_time
          FROM correcting c
          JOIN rule_runs r ON (r.project_id, r.rule_id) = (c.project_id, c.id)
           AND r.state IN ('pending', 'running')
    )
    SELECT id, name, slug,
           CASE WHEN bool_and(start_time IS NOT NULL) THEN min(start_time) END,
           CASE WHEN bool_and(end_time IS NOT NULL) THEN max(end_time) END
      FROM pending
     WHERE event_type_id = ANY (%(anywhere)s)
        OR coalesce(start_time < %(end)s, true) AND coalesce(end_time >= %(start)s, true)
     GROUP BY id, name, slug ORDER BY id, slug
"""
# A reading belongs to a slot that may begin, or end, so much earlier or later as the slot is long.
_LAGGING: Final = """
    WITH RECURSIVE made_of (id, source_id) AS (
        SELECT event_type_id, source_id FROM roll_ups
         WHERE project_id = %(project)s AND event_type_id = ANY (%(types)s)
        UNION
        SELECT made_of.id, r.source_id FROM made_of
          JOIN roll_ups r ON r.project_id = %(project)s AND r.event_type_id = made_of.source_id
    ), pending AS (
        SELECT t.slug, source.slug AS source, m.start_time, m.end_time
          FROM made_of
          JOIN roll_up_marks m ON (m.project_id, m.source_id) = (%(project)s, made_of.source_id)
          JOIN event_types t ON (t.project_id, t.id) = (%(project)s, made_of.id)
          JOIN event_types source ON (source.project_id, source.id) = (%(project)s, made_of.source_id)
         CROSS JOIN LATERAL (
               SELECT least((t.cadence_amount || ' ' || t.cadence_unit)::interval, '1000 years') AS length
         ) AS slot
         WHERE t.id = ANY (%(anywhere)s)
            OR m.start_time < %(end)s + slot.length AND m.end_time >= %(start)s - slot.length
    )
    SELECT slug, source, CASE WHEN isfinite(min(start_time)) THEN min(start_time) END,
           CASE WHEN isfinite(max(end_time)) THEN max(end_time) END
      FROM pending GROUP BY slug, source ORDER BY slug, source
"""
