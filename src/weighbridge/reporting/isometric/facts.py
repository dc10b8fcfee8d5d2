"""Read what a plan is made of: the runs that a report takes, and the events and batches behind them.

Invariant: everything is of one snapshot, and of the batches on which the report stands (`basis`).
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

from weighbridge.collection.measurements.values import NUMBERS
from weighbridge.core import identity
from weighbridge.core.number import plain
from weighbridge.core.time.calendar import Instant
from weighbridge.core.uncertainty.effects import read_uncertainty
from weighbridge.core.uncertainty.statement import build_statement, read_fields
from weighbridge.core.unit import UnitError, find_slope, parse_unit
from weighbridge.db.engine import Read
from weighbridge.reporting.isometric.mapping import CertifyMapping, MappedProjectComponent, MappedSeries
from weighbridge.reporting.isometric.plan import SERIES_ROWS_MAX
from weighbridge.reporting.isometric.plan_facts import (
    EventFact,
    EvidenceFact,
    KnownQuantity,
    NodeFact,
    PlanFacts,
    ProductionFact,
    RunFact,
    SeriesFact,
    StaticInputFact,
)
from weighbridge.reporting.records.reports import Report


async def read_facts(tx: Read, key: identity.Key, report: Report, mapping: CertifyMapping) -> PlanFacts:
    """Everything that is sent of a report by a mapping; the report has batches."""
    zone = ZoneInfo(await tx.value("SELECT time_zone FROM projects WHERE id = %s", (key.project,)))
    rows = await tx.tuples(_RUNS, (key.project, key.key))
    basis = [number for number, *_ in rows]
    evidence: dict[int, list[int]] = {number: [] for number in basis}
    for root, number in await tx.tuples(_EVIDENCE_BEHIND, {"project": key.project, "batches": basis}):
        evidence[root].append(number)
    runs = await _read_runs(tx, key.project, rows, zone, evidence)
    events = await _read_events(tx, key.project, basis, mapping, zone)
    named = {one for numbers in evidence.values() for one in numbers} | {
        one for component in mapping.components for mapped in component.inputs for one in mapped.evidence_ids
    }
    assert report.start_time is not None, "a report with batches has a period"  # noqa: S101
    assert report.end_time is not None, "as above"  # noqa: S101
    period = (report.start_time, report.end_time)
    return PlanFacts(
        report.id,
        report.project_id,
        find_last_day(report.end_time, zone),
        runs,
        events,
        await _read_productions(tx, key.project, basis, mapping),
        await _read_evidence(tx, key.project, named, zone),
        [await _read_series(tx, key.project, one, period) for one in mapping.series],
        [await _read_project_inputs(tx, key.project, one, zone) for one in mapping.project_components],
        summarise_changes(report, runs),
    )


def find_last_day(end: datetime, zone: tzinfo) -> date:
    """The last day of a period that ends at a moment, exclusive."""
    return (end - timedelta(milliseconds=1)).astimezone(zone).date()


def summarise_changes(report: Report, runs: Sequence[RunFact]) -> str | None:
    """What a restatement changes, in sentences; None for a report that restates nothing."""
    changes = report.summary_of_changes
    if changes is None:
        return None
    names = {one.batch_id: one.tracking_id for one in report.inclusions}
    unit = runs[0].amount.unit if runs else ""
    sentences = [f"Restates report {changes.compared_with}: {_sign(changes.change)} {unit} in all."]
    for one in changes.data:
        name = next((names[batch] for batch in one.batch_ids if batch in names), ", ".join(one.batch_ids))
        causes = ", ".join(cause.replace("_", " ") for cause in one.causes)
        sentences.append(f"{name}: {plain(one.before)} to {plain(one.after)} {unit} ({causes}).")
    return " ".join(sentences)


def _sign(amount: Decimal) -> str:
    return plain(amount) if amount < 0 else f"+{plain(amount)}"


async def _read_runs(
    tx: Read,
    project: int,
    rows: Sequence[Sequence[Any]],
    zone: tzinfo,
    evidence: Mapping[int, Sequence[int]],
) -> list[RunFact]:
    basis = [number for number, *_ in rows]
    nodes: dict[int, dict[str, NodeFact]] = {number: {} for number in basis}
    known: dict[int, KnownQuantity] = {}
    for batch, slug, name, unit, value, kept, is_primary in await tx.tuples(_NODES, (project, basis)):
        quantity = None if value is None else KnownQuantity(value, unit, _read_standard(kept))
        nodes[batch][slug] = NodeFact(name, quantity)
        if is_primary and quantity is not None:
            known[batch] = quantity
    static: dict[int, dict[str, list[StaticInputFact]]] = {number: {} for number in basis}
    for batch, number, slug, value, unit, stated in await tx.tuples(_STATIC_INPUTS, (project, basis)):
        quantity = build_quantity(value, unit, stated)
        static[batch].setdefault(slug, []).append(StaticInputFact(number, slug, quantity))
    return [
        RunFact(
            identity.of("batch", project, number), tracking_id, Instant.of(start), Instant.of(end),
            start.astimezone(zone).date(), find_last_day(end, zone), _name("feedstock", project, feedstock),
            taken, total, KnownQuantity(taken, unit, _scale_standard(known.get(number), unit)),
            nodes[number], static[number], evidence[number],
        )
        for number, tracking_id, start, end, total, taken, feedstock, unit in rows
    ]  # fmt: skip


def _read_standard(kept: Mapping[str, Any] | None) -> Decimal | None:
    """The standard uncertainty of what is kept of an output."""
    return None if kept is None else read_uncertainty(kept).combine().standard_uncertainty


def _scale_standard(output: KnownQuantity | None, unit: str) -> Decimal | None:
    if output is None or output.standard_uncertainty is None:
        return None
    return output.standard_uncertainty * find_slope(parse_unit(output.unit), parse_unit(unit))


def build_quantity(value: Decimal, unit: str | None, stated: Mapping[str, Any] | None) -> KnownQuantity:
    """A value with the standard uncertainty that is stated of it."""
    if stated is None:
        return KnownQuantity(value, unit or "")
    try:
        own = parse_unit(unit or "")
        statement, _ = build_statement(read_fields(stated), own)
    except UnitError:
        statement = None
    known = None if statement is None else statement.standard_uncertainty(value, own)
    return KnownQuantity(value, unit or "", known)


def _name(kind: str, project: int, number: int | None) -> str | None:
    return None if number is None else identity.of(kind, project, number)


async def _read_events(
    tx: Read, project: int, basis: Sequence[int], mapping: CertifyMapping, zone: tzinfo
) -> list[EventFact]:
    """The events behind a report that are deliveries or samples there, by their time."""
    types = {sample.event_type for sample in mapping.samples}
    if mapping.feedstock_batches is not None:
        types.add(mapping.feedstock_batches.event_type)
    if mapping.applications is not None:
        types.add(mapping.applications.event_type)
    if not types:
        return []
    values: dict[int, dict[str, KnownQuantity]] = {}
    heads: dict[int, tuple[Any, ...]] = {}
    rows = await tx.tuples(_EVENTS, {"project": project, "batches": list(basis), "types": sorted(types)})
    for event, behind, evidence, slug, start, feedstock, location, point, value, unit, stated in rows:
        heads[event] = (slug, start, feedstock, location, evidence, frozenset(behind))
        if value is not None:
            values.setdefault(event, {})[point] = build_quantity(value, unit, stated)
    return [
        EventFact(
            identity.of("event", project, event), slug, Instant.of(start), start.astimezone(zone).date(),
            _name("feedstock", project, feedstock), _name("location", project, location),
            values.get(event, {}), evidence, behind,
        )
        for event, (slug, start, feedstock, location, evidence, behind) in heads.items()
    ]  # fmt: skip


async def _read_productions(
    tx: Read, project: int, basis: Sequence[int], mapping: CertifyMapping
) -> list[ProductionFact]:
    mapped = mapping.production_batches
    if mapped is None:
        return []
    ledger = identity.number("ledger", mapped.ledger_id, project)
    rows = await tx.tuples(_PRODUCTIONS, {"project": project, "batches": list(basis), "ledger": ledger})
    made = []
    for number, tracking_id, start, end, feedstock, total, unit, output_unit, kept, behind in rows:
        known = KnownQuantity(total, output_unit or unit, _read_standard(kept))
        quantity = KnownQuantity(total, unit, _scale_standard(known, unit))
        made.append(
            ProductionFact(
                identity.of("batch", project, number),
                tracking_id,
                Instant.of(start),
                Instant.of(end),
                _name("feedstock", project, feedstock),
                quantity,
                frozenset(behind),
            )
        )
    return made


async def _read_evidence(tx: Read, project: int, numbers: set[int], zone: tzinfo) -> dict[int, EvidenceFact]:
    rows = await tx.tuples(
        """
        SELECT id, name, created_at, coalesce(content_type, ''), coalesce(size, 0), url FROM evidence
         WHERE project_id = %s AND id = ANY (%s) ORDER BY id
        """,
        (project, sorted(numbers)),
    )
    return {
        number: EvidenceFact(number, name, created_at.astimezone(zone).date(), *rest)
        for number, name, created_at, *rest in rows
    }


async def _read_project_inputs(
    tx: Read, project: int, mapped: MappedProjectComponent, zone: tzinfo
) -> list[list[StaticInputFact]]:
    """The values of static inputs that hold on the last day of an activity, of each of its inputs."""
    end = datetime.combine(mapped.activity_completed_on + timedelta(days=1), time(), zone)
    rows = await tx.tuples(_PROJECT_INPUTS, (project, [one.slug for one in mapped.inputs], end))
    found: dict[str, list[StaticInputFact]] = {}
    for number, slug, value, unit, stated in rows:
        fact = StaticInputFact(number, slug, build_quantity(value, unit, stated))
        found.setdefault(slug, []).append(fact)
    return [found.get(one.slug, []) for one in mapped.inputs]


async def _read_series(
    tx: Read, project: int, mapped: MappedSeries, period: tuple[datetime, datetime]
) -> SeriesFact:
    points: dict[str, int] = dict(
        await tx.tuples(
            """
            SELECT p.slug, p.position FROM data_point_types p
              JOIN event_types t ON (t.project_id, t.id) = (p.project_id, p.event_type_id)
             WHERE t.project_id = %s AND t.slug = %s
            """,
            (project, mapped.event_type),
        )
    )
    rows = await tx.tuples(
        _SERIES,
        {
            "project": project, "type": mapped.event_type, "start": period[0], "end": period[1],
            "most": SERIES_ROWS_MAX + 1,
        },
    )  # fmt: skip
    places = [points.get(column.data_point, 0) - 1 for column in mapped.columns]
    lines = [
        [Instant.of(start), *(numbers[at] if 0 <= at < len(numbers) else None for at in places)]
        for start, numbers in rows[:SERIES_ROWS_MAX]
    ]
    return SeriesFact(mapped.event_type, lines, len(rows) <= SERIES_ROWS_MAX)


_RUNS: Final = """
    SELECT basis.id, basis.tracking_id, basis.start_time, basis.end_time, basis.total, sum(i.amount),
           r.feedstock_id, l.unit
      FROM report_batches i
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      JOIN batches basis ON (basis.project_id, basis.id) = (i.project_id, coalesce(i.basis, (
               SELECT max(newest.id) FROM batches newest
                WHERE (newest.project_id, newest.run_id, newest.ledger_id)
                    = (b.project_id, b.run_id, b.ledger_id) AND newest.deleted_at IS NULL), b.id))
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
     WHERE i.project_id = %s AND i.report_id = %s
     GROUP BY basis.id, basis.tracking_id, basis.start_time, basis.end_time, basis.total, r.feedstock_id,
              l.unit
     ORDER BY basis.start_time, basis.end_time, basis.tracking_id, basis.id
"""
_NODES: Final = """
    SELECT batch_id, slug, name, unit, value, uncertainty, is_primary FROM batch_calculations
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, position
"""
_STATIC_INPUTS: Final = """
    SELECT DISTINCT used.batch_id, s.id, s.slug, s.value, s.unit, s.uncertainty
      FROM batch_static_inputs used
      JOIN static_inputs s ON (s.project_id, s.id) = (used.project_id, used.static_input_id)
     WHERE used.project_id = %s AND used.batch_id = ANY (%s) ORDER BY used.batch_id, s.id
"""
_PROJECT_INPUTS: Final = """
    SELECT DISTINCT ON (slug, asset_id, feedstock_id, location_id) id, slug, value, unit, uncertainty
      FROM static_inputs
     WHERE project_id = %s AND slug = ANY (%s) AND effective_from < %s
     ORDER BY slug, asset_id, feedstock_id, location_id, effective_from DESC
"""

# A batch that was drawn from may have been adjusted since; what was drawn stands on the batch that is named.
_BEHIND: Final = """
    WITH RECURSIVE behind AS (
        SELECT id AS root, id FROM unnest(%(batches)s::bigint[]) AS given (id)
        UNION
        SELECT behind.root, d.source_batch_id
          FROM behind JOIN batch_draws d ON (d.project_id, d.batch_id) = (%(project)s, behind.id)
    )
"""
_EVIDENCE_BEHIND: Final = f"""
    {_BEHIND}
    SELECT DISTINCT behind.root, v.id
      FROM behind
      JOIN batch_inputs i ON (i.project_id, i.batch_id) = (%(project)s, behind.id)
     CROSS JOIN LATERAL unnest(i.event_ids) AS used (event_id)
      JOIN evidence v ON (v.project_id, v.event_id) = (%(project)s, used.event_id)
     ORDER BY behind.root, v.id
"""
_EVENTS: Final = f"""
    {_BEHIND}, used AS MATERIALIZED (
        SELECT one.event_id, array_agg(DISTINCT behind.root) AS roots
          FROM behind
          JOIN batch_input_sets s ON (s.project_id, s.batch_id) = (%(project)s, behind.id)
          JOIN event_types t ON (t.project_id, t.id) = (s.project_id, s.event_type_id)
           AND t.slug = ANY (%(types)s)
          JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                               = (s.project_id, s.batch_id, s.set_number)
         CROSS JOIN LATERAL unnest(i.event_ids) AS one (event_id)
         GROUP BY one.event_id
    )
    SELECT e.id, used.roots, ARRAY(SELECT v.id FROM evidence v
                                    WHERE (v.project_id, v.event_id) = (e.project_id, e.id) ORDER BY v.id),
           t.slug, e.start_time, e.feedstock_id, e.location_ids[1], p.slug,
           ({NUMBERS})[p.position], p.unit, coalesce(e.uncertainties -> p.position::text, p.uncertainty)
      FROM used
      JOIN events e ON (e.project_id, e.id) = (%(project)s, used.event_id)
      JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
      JOIN data_point_types p ON (p.project_id, p.event_type_id) = (t.project_id, t.id)
       AND p.value_type = 'number'
     ORDER BY e.start_time, e.id, p.position
"""
_PRODUCTIONS: Final = f"""
    {_BEHIND}
    SELECT DISTINCT ON (b.start_time, b.end_time, b.run_id) b.id, b.tracking_id, b.start_time, b.end_time,
           r.feedstock_id, b.total, l.unit, c.unit, c.uncertainty, drawn.roots
      FROM (SELECT one.project_id, one.run_id, one.ledger_id, array_agg(DISTINCT behind.root) AS roots
              FROM behind JOIN batches one ON (one.project_id, one.id) = (%(project)s, behind.id)
               AND one.ledger_id = %(ledger)s
             GROUP BY one.project_id, one.run_id, one.ledger_id) AS drawn
      JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                      = (drawn.project_id, drawn.run_id, drawn.ledger_id) AND b.deleted_at IS NULL
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      LEFT JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
     ORDER BY b.start_time, b.end_time, b.run_id, b.id DESC
"""
_SERIES: Final = f"""
    SELECT e.start_time, {NUMBERS}
      FROM events e JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
     WHERE e.project_id = %(project)s AND t.slug = %(type)s AND e.voided_at IS NULL
       AND e.start_time >= %(start)s AND e.start_time < %(end)s
     ORDER BY e.start_time, e.id LIMIT %(most)s
"""
