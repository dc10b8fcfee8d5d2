"""The rows of a bundle's tables, and the journal entries of its batches and runs, as the database has them.

Invariants: rows come in the order of their keys; no statement reads more than the bundle's batches rest
on; of each run and of each batch every entry is there.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, LiteralString

from psycopg.sql import SQL

from weighbridge.core.bundle import rows
from weighbridge.core.identity import ids
from weighbridge.core.quantity.number import plain
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read

# The rows of a bundle's tables, as the database has them.
#
# Invariants: rows come in the order of their keys; no statement reads more than the bundle's batches rest
# on.


ROWS_AT_ONCE: Final = 2000
"""Rows that are in memory at a time."""


async def ledger_rows(tx: Read, project: int, batches: Sequence[int]) -> list[rows.BundledLedgerRow]:
    """The ledgers of some batches."""
    found = await tx.tuples(
        """
        SELECT l.id, l.name, l.unit, l.scale, l.rounding, l.output FROM ledgers l
         WHERE l.project_id = %s AND l.id IN (
               SELECT ledger_id FROM batches WHERE project_id = %s AND id = ANY (%s)) ORDER BY l.id
        """,
        (project, project, batches),
    )
    return [
        rows.BundledLedgerRow(number, ids.of("ledger", project, number), *rest) for number, *rest in found
    ]


async def batch_rows(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[rows.BatchRow]:
    """Some batches, as they stood at a moment; as they stand now where none is said."""
    found = await tx.tuples(
        """
        SELECT b.id, b.ledger_id, b.tracking_id, b.start_time, b.end_time, b.run_id,
               coalesce(r.by_event, false), r.event_id, r.tracking_id, f.name, a.name, b.model_id,
               coalesce(b.share_scale, 0), b.total, b.credited, b.engine_revision, b.async_task_id,
               b.created_at,
               CASE WHEN b.deleted_at <= coalesce(%s::timestamptz, b.deleted_at) THEN b.deleted_at END
          FROM batches b
          LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
          LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
         WHERE b.project_id = %s AND b.id = ANY (%s) ORDER BY b.id
        """,
        (stated, project, batches),
    )
    return [
        rows.BatchRow(number, ids.of("batch", project, number), *map(_moment, rest))
        for number, *rest in found
    ]


async def node_value_rows(tx: Read, project: int, batches: Sequence[int]) -> AsyncIterator[rows.NodeValueRow]:
    """What the nodes of batches came to."""
    statement = SQL("""
        SELECT batch_id, slug, name, nullif(unit, ''), value, whole, elements, element_count,
               encode(elements_sha256, 'hex'), is_output, is_primary, contributions
          FROM batch_calculations WHERE project_id = {} AND batch_id = ANY ({}::bigint[])
         ORDER BY batch_id, slug COLLATE "C"
    """).format(project, _array(batches))
    async for some in tx.portions(statement, ROWS_AT_ONCE):
        for batch, slug, name, unit, value, whole, elements, *more in some:
            count, digest, is_output, is_primary, contributions = more
            yield rows.NodeValueRow(
                batch, slug, name, unit, value, whole, _texts(elements), count, digest, is_output, is_primary,
                _texts(contributions),
            )  # fmt: skip


async def event_type_rows(tx: Read, project: int, batches: Sequence[int]) -> list[rows.EventTypeRow]:
    """The data points of the event types that batches were made of."""
    found = await tx.tuples(
        """
        SELECT t.slug, p.slug, p.position, p.value_type, p.unit
          FROM event_types t
          JOIN data_point_types p ON (p.project_id, p.event_type_id) = (t.project_id, t.id)
         WHERE t.project_id = %s AND t.id IN (
               SELECT event_type_id FROM batch_input_sets WHERE project_id = %s AND batch_id = ANY (%s))
         ORDER BY t.slug COLLATE "C", p.slug COLLATE "C"
        """,
        (project, project, batches),
    )
    return [rows.EventTypeRow(*row) for row in found]


async def meter_rows(tx: Read, project: int) -> list[rows.MeterRow]:
    """The assets and locations of a project that say when they are in service."""
    found = await tx.tuples(
        """
        SELECT kind, name, in_service_from, in_service_until
          FROM (SELECT 'asset' AS kind, project_id, name, in_service_from, in_service_until FROM assets
                UNION ALL
                SELECT 'location', project_id, name, in_service_from, in_service_until FROM locations) AS
                meter
         WHERE project_id = %s AND num_nonnulls(in_service_from, in_service_until) > 0
         ORDER BY kind, name COLLATE "C"
        """,
        (project,),
    )
    return [rows.MeterRow(kind, name, _moment(start), _moment(end)) for kind, name, start, end in found]


async def model_rows(tx: Read, project: int, batches: Sequence[int]) -> list[tuple[rows.ModelRow, str]]:
    """The model versions of batches, with their documents."""
    found = await tx.tuples(
        """
        SELECT m.id, m.name, m.version, encode(m.sha256, 'hex'), m.document FROM models m
         WHERE m.id IN (SELECT model_id FROM batches WHERE project_id = %s AND id = ANY (%s)) ORDER BY m.id
        """,
        (project, batches),
    )
    return [
        (rows.ModelRow(number, ids.of("model", 0, number), name, version, sha256), document)
        for number, name, version, sha256, document in found
    ]


async def static_input_rows(tx: Read, project: int, batches: Sequence[int]) -> list[rows.StaticInputRow]:
    """The static inputs that batches read."""
    found = await tx.tuples(
        """
        SELECT s.id, s.slug, s.value, s.unit, s.effective_from, a.name, f.name, l.name
          FROM static_inputs s
          LEFT JOIN assets a ON (a.project_id, a.id) = (s.project_id, s.asset_id)
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (s.project_id, s.feedstock_id)
          LEFT JOIN locations l ON (l.project_id, l.id) = (s.project_id, s.location_id)
         WHERE s.project_id = %s AND s.id IN (
               SELECT static_input_id FROM batch_static_inputs WHERE project_id = %s AND batch_id = ANY (%s))
         ORDER BY s.id
        """,
        (project, project, batches),
    )
    return [rows.StaticInputRow(*map(_moment, row)) for row in found]


async def correction_numbers(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[int]:
    """The corrections that were in force when batches were made, and those in force on their events.

    The latter tell why an event has left a run, or what no batch was made with yet.
    """
    values = {"project": project, "batches": list(batches), "stated": stated}
    return [number for (number,) in await tx.tuples(_IN_FORCE, values)]


async def correction_rows(tx: Read, project: int, corrections: Sequence[int]) -> list[rows.CorrectionRow]:
    """Some corrections."""
    names: dict[str, dict[int, str]] = {
        kind: dict(await tx.tuples(_NAMES[kind], (project,))) for kind in ("feedstock_id", "asset_id")
    }
    found = await tx.tuples(_CORRECTIONS, (project, list(corrections)))
    return [
        rows.CorrectionRow(
            number, event, point, origin,
            _corrected_value(point, before, names), _corrected_value(point, after, names) or "",
            rule, version, reason, user, Instant.of(made_at),
        )
        for number, event, point, origin, before, after, rule, version, reason, user, made_at in found
    ]  # fmt: skip


_NAMES: Final[Mapping[str, LiteralString]] = {
    "feedstock_id": "SELECT id, name FROM feedstocks WHERE project_id = %s",
    "asset_id": "SELECT id, name FROM assets WHERE project_id = %s",
}
_CORRECTIONS: Final = """
    SELECT c.id, c.event_id, CASE WHEN c.position = 0 THEN c.field ELSE p.slug END, c.source,
           c.from_value::text, c.to_value::text, c.rule_id, c.rule_version, c.reason, c.user_id, c.created_at
      FROM corrections c
      JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
      LEFT JOIN data_point_types p ON (p.project_id, p.event_type_id, p.position)
                                    = (e.project_id, e.event_type_id, c.position)
     WHERE c.project_id = %s AND c.id = ANY (%s)
     ORDER BY c.id
"""
_IN_FORCE: Final = """
    SELECT correction_id FROM batch_corrections
     WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s)
    UNION
    SELECT c.id FROM corrections c
     WHERE c.project_id = %(project)s AND c.state = 'in_force'
       AND c.created_at <= coalesce(%(stated)s::timestamptz, c.created_at)
       AND EXISTS (
           SELECT FROM batch_inputs i
            WHERE i.project_id = c.project_id AND i.batch_id = ANY (%(batches)s)
              AND int8range(i.first_event, i.last_event, '[]') @> c.event_id
              AND c.event_id = ANY (i.event_ids))
     ORDER BY 1
"""


def _corrected_value(point: str, written: str | None, names: Mapping[str, Mapping[int, str]]) -> str | None:
    """What a correction puts somewhere, as the tables of events write it."""
    if written is None:
        return None
    value = json.loads(written, parse_float=Decimal, parse_int=Decimal)
    if point in names:
        return names[point].get(int(value), str(value))
    if point in {"start_time", "end_time"}:
        return Instant.of(datetime.fromisoformat(value)).text
    if isinstance(value, bool):
        return "true" if value else "false"
    return plain(value) if isinstance(value, Decimal) else str(value)


async def rule_documents(tx: Read, project: int, corrections: Sequence[int]) -> list[tuple[int, int, Any]]:
    """The versions of rules that made some corrections, each as a record."""
    found = await tx.tuples(
        """
        SELECT v.rule_id, v.version, (to_jsonb(v) || jsonb_build_object('name', r.name))::text
          FROM rule_versions v JOIN rules r ON (r.project_id, r.id) = (v.project_id, v.rule_id)
         WHERE v.project_id = %s AND (v.rule_id, v.version) IN (
               SELECT c.rule_id, c.rule_version FROM corrections c
                WHERE c.project_id = %s AND c.id = ANY (%s))
         ORDER BY v.rule_id, v.version
        """,
        (project, project, list(corrections)),
    )
    return [(rule, version, json.loads(text, parse_float=Decimal)) for rule, version, text in found]


async def evidence_rows(
    tx: Read, project: int, batches: Sequence[int]
) -> list[tuple[rows.EvidenceRow, str | None]]:
    """What was attached to the events of batches, with the key of each file in the store."""
    found = await tx.tuples(
        """
        SELECT v.id, v.event_id, v.type, v.name, v.url, v.content_type, v.size, encode(v.sha256, 'hex'),
               v.created_at, v.storage_key
          FROM evidence v
         WHERE v.project_id = %s AND EXISTS (
               SELECT FROM batch_inputs i
                WHERE i.project_id = v.project_id AND i.batch_id = ANY (%s)
                  AND int8range(i.first_event, i.last_event, '[]') @> v.event_id
                  AND v.event_id = ANY (i.event_ids))
         ORDER BY v.id
        """,
        (project, batches),
    )
    return [(rows.EvidenceRow(*map(_moment, row)), key) for *row, key in found]


def _moment(value: Any) -> Any:
    return Instant.of(value) if isinstance(value, datetime) else value


def _texts(numbers: Sequence[Decimal | None] | None) -> list[str] | None:
    return None if numbers is None else [plain(one) for one in numbers if one is not None]


def _array(numbers: Sequence[int]) -> Any:
    return SQL("ARRAY[{}]").format(SQL(", ").join(map(SQL, map(str, numbers))))


# The entries that a bundle's batches hold, and that its runs posted, as the database has them.
#
# Invariant: of each run of a bundle every entry is there, on whatever batch it stands, and of each batch
# too; so what a run comes to and what a batch has left follow from them.


async def entry_rows(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[rows.EntryRow]:
    """The entries on some batches and by their runs, posted by a moment; all where none is said."""
    found = await tx.tuples(_ENTRIES, {"project": project, "batches": list(batches), "stated": stated})
    return [rows.EntryRow(*map(_moment, row)) for row in found]


async def deficit_rows(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[rows.DeficitRow]:
    """What the runs of some batches were short of, posted by a moment; all where none is said."""
    found = await tx.tuples(_DEFICITS, {"project": project, "batches": list(batches), "stated": stated})
    return [rows.DeficitRow(*map(_moment, row)) for row in found]


_RUNS: Final = """
    WITH of_runs AS MATERIALIZED (
        SELECT DISTINCT ledger_id, run_id FROM batches
         WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL
    )
"""
_ENTRIES: Final = f"""
    {_RUNS}, chosen AS (
        SELECT id FROM ledger_entries WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s)
        UNION
        SELECT e.id FROM of_runs
          JOIN ledger_entries e ON (e.project_id, e.run_id) = (%(project)s, of_runs.run_id)
           AND e.node IS NOT NULL
        UNION
        SELECT e.id FROM of_runs
          JOIN ledger_entries e ON (e.project_id, e.run_id, e.ledger_id)
                                 = (%(project)s, of_runs.run_id, of_runs.ledger_id) AND e.node IS NULL
    )
    SELECT e.id, e.ledger_id, e.batch_id, e.kind, e.amount, e.effective_at, e.posted_at, e.posted_by,
           e.run_id, e.node, e.reverses, e.report_id
      FROM chosen JOIN ledger_entries e ON (e.project_id, e.id) = (%(project)s, chosen.id)
     WHERE %(stated)s::timestamptz IS NULL OR e.posted_at <= %(stated)s
     ORDER BY e.id
"""
_DEFICITS: Final = f"""
    {_RUNS}
    SELECT d.id, d.ledger_id, d.run_id, d.amount, d.effective_at, d.posted_at, d.posted_by, d.reverses,
           d.report_id
      FROM of_runs
      JOIN deficit_entries d ON (d.project_id, d.run_id, d.ledger_id)
                              = (%(project)s, of_runs.run_id, of_runs.ledger_id)
     WHERE %(stated)s::timestamptz IS NULL OR d.posted_at <= %(stated)s
     ORDER BY d.id
"""
