"""What belongs to the slots of a bundle's batches besides what these read: events that came late, outages,
and findings that a person dismissed.

Invariant: everything is of the same snapshot as the batches, and of a submitted report as of its submission.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.bundle.rows import DismissedFindingRow, LateEventRow, OutageRow
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class Closure:
    """What belongs to the slots of some batches."""

    late_events: list[LateEventRow]
    outages: list[OutageRow]
    findings: list[DismissedFindingRow]

    def list_records(self, project: int) -> list[tuple[str, str]]:
        """The records of which the log is asked, by the noun of what was done to them."""
        return [
            *(("outage", str(row.outage)) for row in self.outages),
            *(("rule_result", row.finding_id) for row in self.findings),
            *(("rule", identity.of("rule", project, rule)) for rule in {row.rule for row in self.findings}),
        ]


async def read_closure(tx: Read, project: int, batches: Sequence[int], stated: datetime | None) -> Closure:
    """What belongs to the slots of some batches, as it was at a moment; as it is now if none is given."""
    values = {"project": project, "batches": list(batches), "stated": stated}
    late = [
        LateEventRow(number, slug, *map(Instant.of, times))
        for number, slug, *times in await tx.tuples(LATE, values)
    ]
    outages = [OutageRow(*map(_convert, row)) for row in await tx.tuples(_OUTAGES, values)]
    findings = [
        DismissedFindingRow(number, identity.of("data_point_result", project, number), *map(_convert, rest))
        for number, *rest in await tx.tuples(_FINDINGS, values | {"late": [row.event for row in late]})
    ]
    return Closure(late, outages, findings)


def _convert(value: Any) -> Any:
    return Instant.of(value) if isinstance(value, datetime) else value


async def list_named(
    tx: Read, project: int, batches: Sequence[int], outages: Collection[OutageRow]
) -> list[tuple[str, int]]:
    """The records that static inputs and outages name, by their kind and number."""
    values = {"project": project, "batches": list(batches), "outages": [row.outage for row in outages]}
    return await tx.tuples(_NAMED, values)


async def list_named_records(
    tx: Read, project: int, named: Mapping[str, Collection[int]]
) -> list[tuple[str, str]]:
    """The records that lines of events name, and those that say when they are in service, as the log calls
    them.
    """
    numbers = {kind: set(named[kind]) for kind in ("event_type", "feedstock", "asset", "location")}
    for kind, number in await tx.tuples(_IN_SERVICE, {"project": project}):
        numbers[kind].add(number)
    return [
        (kind, identity.of(kind, project, number)) for kind in numbers for number in sorted(numbers[kind])
    ]


_IN_SERVICE: Final = """
    SELECT 'asset', id FROM assets
     WHERE project_id = %(project)s AND num_nonnulls(in_service_from, in_service_until) > 0
    UNION ALL
    SELECT 'location', id FROM locations
     WHERE project_id = %(project)s AND num_nonnulls(in_service_from, in_service_until) > 0
"""


# Each slot finds its events by its times, whatever the database knows of the tables: OFFSET 0 keeps it so.
LATE: Final = """
    WITH newest AS MATERIALIZED (
        SELECT r.family_id, b.start_time, b.end_time, max(b.created_at) AS made_at
          FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
         WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)
         GROUP BY r.family_id, b.start_time, b.end_time
    ), read AS MATERIALIZED (
        SELECT DISTINCT m.family_id, s.event_type_id
          FROM batch_input_sets s
          JOIN batches b ON (b.project_id, b.id) = (s.project_id, s.batch_id)
          JOIN models m ON m.id = b.model_id
         WHERE s.project_id = %(project)s AND s.batch_id = ANY (%(batches)s)
    )
    SELECT DISTINCT e.id, t.slug, e.start_time, e.end_time, e.created_at
      FROM newest JOIN read USING (family_id)
     CROSS JOIN LATERAL (
        SELECT id, start_time, end_time, created_at FROM events
         WHERE project_id = %(project)s AND event_type_id = read.event_type_id
           AND start_time >= newest.start_time AND start_time < newest.end_time
           AND created_at > newest.made_at AND voided_at IS NULL
           AND created_at <= coalesce(%(stated)s::timestamptz, created_at)
        OFFSET 0) AS e
      JOIN event_types t ON (t.project_id, t.id) = (%(project)s, read.event_type_id)
     WHERE NOT EXISTS (
           SELECT FROM batch_inputs i
            WHERE i.project_id = %(project)s AND i.batch_id = ANY (%(batches)s)
              AND int8range(i.first_event, i.last_event, '[]') @> e.id AND e.id = ANY (i.event_ids))
     ORDER BY e.id
"""
_OUTAGES: Final = """
    SELECT o.id, o.reason, t.slug, a.name, l.name, o.start_time, o.end_time, o.evidence_url
      FROM outages o
      LEFT JOIN event_types t ON (t.project_id, t.id) = (o.project_id, o.event_type_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (o.project_id, o.asset_id)
      LEFT JOIN locations l ON (l.project_id, l.id) = (o.project_id, o.location_id)
     WHERE o.project_id = %(project)s AND o.created_at <= coalesce(%(stated)s::timestamptz, o.created_at)
       AND EXISTS (
           SELECT FROM batches b
            WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s) AND o.start_time < b.end_time
              AND (o.end_time IS NULL OR b.start_time < o.end_time))
     ORDER BY o.id
"""
_FINDINGS: Final = """
    SELECT r.id, r.event_id, p.slug, r.rule_id, r.rule_version, r.entered_value, r.dismissed_at,
           r.dismissed_by, r.dismissal_reason
      FROM data_point_results r
      JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
      JOIN data_point_types p ON (p.project_id, p.event_type_id, p.position)
                               = (e.project_id, e.event_type_id, r.position)
     WHERE r.project_id = %(project)s AND r.status = 'dismissed'
       AND r.dismissed_at <= coalesce(%(stated)s::timestamptz, r.dismissed_at)
       AND (r.event_id = ANY (%(late)s) OR EXISTS (
           SELECT FROM batch_inputs i
            WHERE i.project_id = r.project_id AND i.batch_id = ANY (%(batches)s)
              AND int8range(i.first_event, i.last_event, '[]') @> r.event_id
              AND r.event_id = ANY (i.event_ids)))
     ORDER BY r.id
"""
_NAMED: Final = """
    WITH value AS (
        SELECT s.asset_id, s.feedstock_id, s.location_id, NULL::integer AS event_type_id FROM static_inputs s
         WHERE s.project_id = %(project)s AND s.id IN (
               SELECT static_input_id FROM batch_static_inputs
                WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s))
        UNION ALL
        SELECT o.asset_id, NULL, o.location_id, o.event_type_id FROM outages o
         WHERE o.project_id = %(project)s AND o.id = ANY (%(outages)s)
    )
    SELECT DISTINCT kind, number
      FROM value CROSS JOIN LATERAL (
           VALUES ('asset', asset_id), ('feedstock', feedstock_id), ('location', location_id),
                  ('event_type', event_type_id)) AS named (kind, number)
     WHERE number IS NOT NULL
"""


async def list_earlier_reports(tx: Read, project: int, report: int) -> list[str]:
    """The ids of a report and of all that stand before it in its chain; of those that any of them took the
    place of, with their chains; and of all that did so with it.
    """
    found = await tx.tuples(
        """
        WITH RECURSIVE earlier AS (
            SELECT %(report)s::bigint AS id
            UNION
            SELECT related.id
              FROM earlier
             CROSS JOIN LATERAL (
                   SELECT e.id
                     FROM reports r JOIN reports e ON (e.project_id, e.chain_id) = (r.project_id, r.chain_id)
                    WHERE (r.project_id, r.id) = (%(project)s, earlier.id) AND e.id < r.id
                   UNION ALL
                   SELECT s.predecessor_id FROM report_successions s
                    WHERE (s.project_id, s.report_id) = (%(project)s, earlier.id)
                   UNION ALL
                   SELECT o.report_id
                     FROM report_successions s
                     JOIN report_successions o
                       ON (o.project_id, o.predecessor_id) = (s.project_id, s.predecessor_id)
                    WHERE (s.project_id, s.report_id) = (%(project)s, earlier.id)) AS related)
        SELECT id FROM earlier ORDER BY id
        """,
        {"project": project, "report": report},
    )
    return [identity.of("report", project, number) for (number,) in found]
