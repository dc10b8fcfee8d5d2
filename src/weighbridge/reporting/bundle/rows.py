"""The rows of a bundle's tables as the database has them: the batches that a report rests on (`basis`), and
what these were made of.

Invariants: rows come in the order of their keys; no statement reads more than the bundle's batches rest on;
of each run and of each batch every entry is there; memory is in proportion to the events that were
corrected, and to one chunk of the others.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, LiteralString, TypeVar

from psycopg.sql import SQL

from weighbridge.accounting.inputs.selection import EVENT_AS_USED
from weighbridge.core import identity
from weighbridge.core.bundle import rows
from weighbridge.core.bundle.rows import EventTypeRow
from weighbridge.core.bundle.tables import BatchLineage, DrawRead, SetRead, write_ranges
from weighbridge.core.number import plain
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Parameters, Read, Statement
from weighbridge.db.statements import Literal

# The rows of a bundle's tables, as the database has them.
#
# Invariants: rows come in the order of their keys; no statement reads more than the bundle's batches rest
# on.


BundleRow = TypeVar("BundleRow")

ROWS_AT_ONCE: Final = 2000
"""Rows that are in memory at a time."""


async def read_ledgers(tx: Read, project: int, batches: Sequence[int]) -> list[rows.BundledLedgerRow]:
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
        rows.BundledLedgerRow(number, identity.of("ledger", project, number), *rest)
        for number, *rest in found
    ]


async def read_batches(
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
        rows.BatchRow(number, identity.of("batch", project, number), *map(_convert, rest))
        for number, *rest in found
    ]


async def read_node_values(
    tx: Read, project: int, batches: Sequence[int]
) -> AsyncIterator[list[rows.NodeValueRow]]:
    """What the nodes of batches came to, some rows at a time."""
    statement = SQL("""
        SELECT batch_id, slug, name, nullif(unit, ''), value, whole, elements, element_count,
               encode(elements_sha256, 'hex'), is_output, is_primary, contributions
          FROM batch_calculations WHERE project_id = {} AND batch_id = ANY ({}::bigint[])
         ORDER BY batch_id, slug COLLATE "C"
    """).format(project, _build_array(batches))
    async for portion in tx.portions(statement, ROWS_AT_ONCE):
        yield [rows.NodeValueRow(*map(_convert, row)) for row in portion]


async def read_event_types(tx: Read, project: int, batches: Sequence[int]) -> list[rows.EventTypeRow]:
    """The data points of the event types that batches were made of."""
    return await _select(
        tx,
        rows.EventTypeRow,
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


async def read_meters(tx: Read, project: int) -> list[rows.MeterRow]:
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
    return [rows.MeterRow(*map(_convert, row)) for row in found]


async def read_models(tx: Read, project: int, batches: Sequence[int]) -> list[tuple[rows.ModelRow, str]]:
    """The model versions of batches, with their documents."""
    found = await tx.tuples(
        """
        SELECT m.id, m.name, m.version, encode(m.sha256, 'hex'), m.document FROM models m
         WHERE m.id IN (SELECT model_id FROM batches WHERE project_id = %s AND id = ANY (%s)) ORDER BY m.id
        """,
        (project, batches),
    )
    return [
        (rows.ModelRow(number, identity.of("model", 0, number), name, version, sha256), document)
        for number, name, version, sha256, document in found
    ]


async def read_static_inputs(tx: Read, project: int, batches: Sequence[int]) -> list[rows.StaticInputRow]:
    """The static inputs that batches read."""
    return await _select(
        tx,
        rows.StaticInputRow,
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


async def find_corrections(
    tx: Read, project: int, batches: Sequence[int], late: Sequence[int], stated: datetime | None
) -> list[int]:
    """The corrections that were in force when batches were made, and those in force on their events and on
    late ones.

    The latter tell why an event has left a run, or what no batch was made with yet.
    """
    values = {"project": project, "batches": list(batches), "late": list(late), "stated": stated}
    return [number for (number,) in await tx.tuples(_IN_FORCE, values)]


async def read_corrections(tx: Read, project: int, corrections: Sequence[int]) -> list[rows.CorrectionRow]:
    """Some corrections."""
    names: dict[str, dict[int, str]] = {
        kind: dict(await tx.tuples(_NAMES[kind], (project,))) for kind in ("feedstock_id", "asset_id")
    }
    found = await tx.tuples(_CORRECTIONS, (project, list(corrections)))
    return [
        rows.CorrectionRow(
            number, event, point, origin,
            _write_corrected_value(point, before, names), _write_corrected_value(point, after, names) or "",
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
       AND (c.event_id = ANY (%(late)s) OR EXISTS (
           SELECT FROM batch_inputs i
            WHERE i.project_id = c.project_id AND i.batch_id = ANY (%(batches)s)
              AND int8range(i.first_event, i.last_event, '[]') @> c.event_id
              AND c.event_id = ANY (i.event_ids)))
     ORDER BY 1
"""


def _write_corrected_value(
    point: str, written: str | None, names: Mapping[str, Mapping[int, str]]
) -> str | None:
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


async def read_rules(
    tx: Read, project: int, corrections: Sequence[int], findings: Sequence[rows.DismissedFindingRow]
) -> list[tuple[int, int, Any]]:
    """The versions of rules that made some corrections or findings, each as a record."""
    found = await tx.tuples(
        """
        SELECT v.rule_id, v.version, (to_jsonb(v) || jsonb_build_object('name', r.name))::text
          FROM rule_versions v JOIN rules r ON (r.project_id, r.id) = (v.project_id, v.rule_id)
         WHERE v.project_id = %s AND (v.rule_id, v.version) IN (
               SELECT c.rule_id, c.rule_version FROM corrections c
                WHERE c.project_id = %s AND c.id = ANY (%s)
               UNION
               SELECT * FROM unnest(%s::integer[], %s::integer[]))
         ORDER BY v.rule_id, v.version
        """,
        (
            project,
            project,
            list(corrections),
            [row.rule for row in findings],
            [row.rule_version for row in findings],
        ),
    )
    return [(rule, version, json.loads(text, parse_float=Decimal)) for rule, version, text in found]


async def read_evidence(
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
    return [(rows.EvidenceRow(*map(_convert, row)), key) for *row, key in found]


async def _select(
    tx: Read, record: Callable[..., BundleRow], statement: Statement, values: Parameters
) -> list[BundleRow]:
    return [record(*map(_convert, row)) for row in await tx.tuples(statement, values)]


def _convert(value: Any) -> Any:
    """A value of a row as tables write it."""
    if isinstance(value, list):
        return [plain(number) for number in value if number is not None]
    return Instant.of(value) if isinstance(value, datetime) else value


def _build_array(numbers: Sequence[int]) -> Any:
    return SQL("ARRAY[{}]").format(SQL(", ").join(map(SQL, map(str, numbers))))


# The entries that a bundle's batches hold, and that its runs posted, as the database has them.
#
# Invariant: of each run of a bundle every entry is there, on whatever batch it stands, and of each batch
# too; so what a run comes to and what a batch has left follow from them.


async def read_entries(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[rows.EntryRow]:
    """The entries on some batches and by their runs, posted by a moment; all where none is said."""
    values = {"project": project, "batches": list(batches), "stated": stated}
    return await _select(tx, rows.EntryRow, _ENTRIES, values)


async def read_deficits(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[rows.DeficitRow]:
    """What the runs of some batches were short of, posted by a moment; all where none is said."""
    values = {"project": project, "batches": list(batches), "stated": stated}
    return await _select(tx, rows.DeficitRow, _DEFICITS, values)


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


# The events of a bundle, as batches saw them, and the lineage that names them.
#
# An event that was never corrected is one row. Of one that was, batches may have seen several states, by
# the corrections in force when each was made; every state is a row, counted from 0 in the order of the
# batches.
#
# Invariants: memory is in proportion to the events that were corrected, and to one portion of the others.


EVENTS_AT_ONCE: Final = 5000
"""Events that are in memory at a time."""

LINEAGE_BATCHES_AT_ONCE: Final = 50
"""Batches whose lineage is in memory at a time."""

EventLine = tuple[Any, ...]
Versions = Mapping[int, Mapping[int, int]]
"""By batch, the state in which it saw an event, where that is not state 0."""

_CORRECTED: Final = "(e.is_revised OR e.captured IS NOT NULL)"

_COLUMNS: Final = """
    e.start_time, e.end_time, e.tracking_id, f.name, a.name, l.name, e.client_reference, e.is_imputed,
    e.numbers, e.texts, e.booleans
"""
_TAGS: Final = """
    LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
    LEFT JOIN locations l ON (l.project_id, l.id) = (e.project_id, e.location_ids[1])
"""
_STATES: Final = SQL(f"""
    SELECT of_type.slug, slot.event_id, slot.batch_id, {_COLUMNS}
      FROM (SELECT DISTINCT i.batch_id, used.event_id
              FROM batch_inputs i CROSS JOIN unnest(i.event_ids) AS used (event_id)
              JOIN events e ON (e.project_id, e.id) = (i.project_id, used.event_id) AND {_CORRECTED}
             WHERE i.project_id = %(project)s AND i.batch_id = ANY (%(batches)s)) AS slot
      CROSS JOIN {{}} {_TAGS}
      JOIN event_types of_type ON (of_type.project_id, of_type.id) = (e.project_id, e.event_type_id)
     ORDER BY slot.event_id, slot.batch_id
""").format(EVENT_AS_USED)
_EVENTS: Final = SQL(f"""
    SELECT e.id, {_CORRECTED}, {_COLUMNS}
      FROM (SELECT DISTINCT used.event_id
              FROM batch_input_sets s
              JOIN event_types t ON (t.project_id, t.id) = (s.project_id, s.event_type_id)
              JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                                   = (s.project_id, s.batch_id, s.set_number)
             CROSS JOIN unnest(i.event_ids) AS used (event_id)
             WHERE s.project_id = {{project}} AND s.batch_id = ANY ({{batches}}) AND t.slug = {{slug}}) AS
             used
      JOIN events e ON e.project_id = {{project}} AND e.id = used.event_id {_TAGS}
     ORDER BY e.id
""")


class CorrectedEvents:
    """The states of the events that were ever corrected, and which batch saw which."""

    def __init__(self) -> None:
        self.states: dict[tuple[str, int], list[EventLine]] = {}
        self.versions: dict[int, dict[int, int]] = {}

    @classmethod
    async def read(cls, tx: Read, project: int, batches: Sequence[int]) -> "CorrectedEvents":
        """Those of some batches."""
        made = cls()
        values = {"project": project, "batches": list(batches)}
        for slug, event, batch, *state in await tx.tuples(_STATES, values):
            states = made.states.setdefault((slug, event), [])
            line = tuple(tuple(one) if isinstance(one, list) else one for one in state)
            if line not in states:
                states.append(line)
            if version := states.index(line):
                made.versions.setdefault(batch, {})[event] = version
        return made


async def read_events(
    tx: Read,
    project: int,
    batches: Sequence[int],
    points: Sequence[EventTypeRow],
    corrected: CorrectedEvents,
) -> AsyncIterator[list[EventLine]]:
    """The rows of one event type, some at a time."""
    slug = points[0].event_type
    readers = [_locate_values(point) for point in points]
    statement = _EVENTS.format(project=Literal(project), batches=Literal(list(batches)), slug=Literal(slug))
    async for some in tx.portions(statement, EVENTS_AT_ONCE):
        lines: list[EventLine] = []
        for event, is_corrected, *state in some:
            states = corrected.states[slug, event] if is_corrected else [state]
            for version, (start, end, *tags, numbers, texts, booleans) in enumerate(states):
                arrays = {"number": numbers, "string": texts, "boolean": booleans}
                own = [_get_value(arrays[kind], index) for kind, index in readers]
                began = Instant.of(start)
                ended = began if end == start else Instant.of(end)
                lines.append((event, version, began, ended, *tags, *own))
        yield lines


def _locate_values(point: EventTypeRow) -> tuple[str, int]:
    return point.value_type, point.position - 1


def _get_value(values: Sequence[Any], index: int) -> Any:
    return values[index] if index < len(values) else None


async def read_lineage(
    tx: Read, project: int, batches: Sequence[int], versions: Versions
) -> AsyncIterator[BatchLineage]:
    """What each batch that was computed was made of."""
    for first in range(0, len(batches), LINEAGE_BATCHES_AT_ONCE):
        some = list(batches[first : first + LINEAGE_BATCHES_AT_ONCE])
        answers = await tx.several(*((statement, (project, some)) for statement in _LINEAGE))
        sets, statics, skipped, draws, corrections = answers
        for (batch,) in await tx.tuples(_COMPUTED, (project, some)):
            yield BatchLineage(
                batch=batch,
                inputs=[
                    SetRead(
                        slug,
                        nodes,
                        write_ranges(sorted(events)),
                        _select_versions(versions.get(batch, {}), events),
                    )
                    for of, slug, nodes, events in sets
                    if of == batch
                ],
                static_inputs={node: numbers for of, node, numbers in statics if of == batch},
                skipped=[node for of, node in skipped if of == batch],
                draws=[
                    DrawRead(
                        node,
                        source,
                        plain(amount),
                        list(map(plain, attributes)),
                        units,
                        _write_contributions(rests_on),
                    )
                    for of, node, source, amount, attributes, units, rests_on in draws
                    if of == batch
                ],
                corrections=write_ranges(number for of, number in corrections if of == batch),
            )


def _select_versions(versions: Mapping[int, int], events: Sequence[int]) -> dict[str, int]:
    """The states of those events of a set that the batch saw in another than state 0."""
    if not versions:
        return {}
    there = set(events)
    return {str(event): version for event, version in versions.items() if event in there}


def _write_contributions(columns: Sequence[Any] | None) -> list[str | None] | None:
    return None if columns is None else [None if column is None else plain(column) for column in columns]


_COMPUTED: Final = """
    SELECT id FROM batches WHERE project_id = %s AND id = ANY (%s) AND model_id IS NOT NULL ORDER BY id
"""
_LINEAGE: Final = (
    """
    SELECT s.batch_id, t.slug, s.nodes,
           (SELECT coalesce(array_agg(event), '{}') FROM batch_inputs i, unnest(i.event_ids) AS event
             WHERE (i.project_id, i.batch_id, i.set_number) = (s.project_id, s.batch_id, s.set_number))
      FROM batch_input_sets s
      JOIN event_types t ON (t.project_id, t.id) = (s.project_id, s.event_type_id)
     WHERE s.project_id = %s AND s.batch_id = ANY (%s) ORDER BY s.batch_id, s.set_number
    """,
    """
    SELECT batch_id, node, array_agg(static_input_id ORDER BY static_input_id) FROM batch_static_inputs
     WHERE project_id = %s AND batch_id = ANY (%s) GROUP BY batch_id, node ORDER BY batch_id, node
    """,
    """
    SELECT batch_id, node FROM batch_skipped_inputs
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, node
    """,
    """
    SELECT batch_id, node, source_batch_id, amount, attributes, units, contributions FROM batch_draws
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, node, place
    """,
    """
    SELECT batch_id, correction_id FROM batch_corrections
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, correction_id
    """,
)
"""Events, static inputs, inputs set aside, draws and corrections of batches; by project and batches."""
