"""What a report's mapping names of the batches themselves: values of nodes, what they were made of, and on
which evidence they rest.

As amounts and their uncertainty do, all of it is of the batch of each run that was newest when the report was
sent off, and of a draft of the newest now. Only what the mapping names is read.

Invariants: batches and what was used for them never change, so equal reports give equal details; evidence
that is attached after a submission is not in its file, which is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from weighbridge.accounting.tracing.input_data import RowRange, read_input_data
from weighbridge.collection.records.uncertainty import build_stated, read_stated
from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.core.report_fields import ATTRIBUTE, BASIS, EACH, LISTS, NODE, OF_LIST, OF_UNIT
from weighbridge.core.report_filling import StatedReport
from weighbridge.core.report_parts import ReportMapping, list_paths, list_sources
from weighbridge.core.time.calendar import Instant
from weighbridge.core.uncertainty.effects import WrittenPart, read_sum
from weighbridge.core.unit import ONE, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

RECORDS_MAX: Final = 50_000
"""Records of one list that a file has at most, such as values that its batches were made of."""

_Details = list[dict[str, Any]]
"""What is added to the fields of each batch of a report, in the order of its inclusions."""


@dataclass(frozen=True, slots=True)
class _Batches:
    """The batches that a report rests on, one for each of its inclusions."""

    project: int
    numbers: Sequence[int]

    def sort(self, found: Sequence[tuple[int, Any]]) -> list[list[Any]]:
        """Records by the batches that they are of."""
        by_batch: dict[int, list[Any]] = {}
        for batch, record in found:
            by_batch.setdefault(batch, []).append(record)
        return [by_batch.get(batch, []) for batch in self.numbers]


async def add_details(
    tx: Read, report: identity.Key, mapping: ReportMapping, stated: StatedReport
) -> StatedReport:
    """What a report states, with what its mapping names of its batches; Invalid where that is too much."""
    paths, sources = {*list_paths(mapping.template)}, list_sources(mapping.template)
    names_more = any(path.startswith((*NODE.values(), *_MORE)) for path in paths)
    if not names_more and not sources - {EACH}:
        return stated
    rows = await tx.tuples(_BASIS, {"project": report.project, "report": report.key})
    batches = _Batches(report.project, [basis for basis, *_ in rows])
    details: _Details = [
        {BASIS: basis, **dict(zip(_MORE, (feedstock, asset, model, version), strict=True))}
        for basis, feedstock, asset, model, version, _ in rows
    ]
    for detail, (*_, custom) in zip(details, rows, strict=True):
        detail |= {f"{ATTRIBUTE}{label}": _read_json(value) for label, value in (custom or {}).items()}
        detail[f"attributes{OF_LIST}"] = [
            {"attribute.label": label, "attribute.value": _read_json(value)}
            for label, value in sorted((custom or {}).items())
        ]
    if sources & {"nodes", "outputs"} or any(path.startswith((*NODE.values(),)) for path in paths):
        await _add_nodes(tx, batches, details)
    for source, read in _READERS.items():
        if source in sources:
            for detail, records in zip(details, await read(tx, batches), strict=True):
                detail[f"{source}{OF_LIST}"] = records
            _refuse_many(source, sum(len(detail[f"{source}{OF_LIST}"]) for detail in details))
    inclusions = [{**fields, **detail} for fields, detail in zip(stated.inclusions, details, strict=True)]
    return replace(stated, inclusions=inclusions)


def _refuse_many(source: str, count: int) -> None:
    if count > RECORDS_MAX:
        message = (
            f"The mapping writes {count:,} of {source}; a file has at most {RECORDS_MAX:,}. Name what is"
            " needed of them by their nodes, or report shorter periods."
        )
        raise Invalid([Problem(message, "report.inclusions", "too_many")])


def _read_json(value: Any) -> Any:
    """A value of a custom field or a correction, as files write it."""
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


async def _add_nodes(tx: Read, batches: _Batches, details: _Details) -> None:
    """What each node came to: by its slug, and as lists of all nodes and of outputs."""
    found = await tx.tuples(_NODES, (batches.project, batches.numbers))
    for detail, rows in zip(details, batches.sort([(row[0], row[1:]) for row in found]), strict=True):
        nodes, outputs = [], []
        for slug, name, unit, value, elements, is_output, uncertainty in rows:
            content = value if elements is None else elements
            detail[f"{NODE[EACH]}{slug}"] = content
            detail[f"{NODE[EACH]}{slug}{OF_UNIT}"] = unit or "1"
            fields = {
                "slug": slug, "name": name, "value": content, "unit": unit,
                "standard_uncertainty": _find_standard(uncertainty, value),
            }  # fmt: skip
            nodes.append({f"node.{key}": one for key, one in fields.items()})
            if is_output:
                outputs.append({f"output.{key}": one for key, one in fields.items()})
        detail[f"nodes{OF_LIST}"], detail[f"outputs{OF_LIST}"] = nodes, outputs


def _find_standard(written: Mapping[str, Any] | None, value: Decimal | None) -> Decimal | None:
    """The standard uncertainty of an output, in its unit; None where it is not known."""
    if written is None or not value:
        return None
    return read_sum([WrittenPart(written, value, value)]).combine().standard_uncertainty


async def _read_inputs(tx: Read, batches: _Batches) -> list[list[Any]]:
    found = await read_input_data(
        tx, RowRange(batches.project, sorted({*batches.numbers}), 0, RECORDS_MAX + 1)
    )
    return [
        [
            {
                "input.event_id": row.event.id,
                "input.data_point_id": row.data_point.id,
                "input.slug": row.data_point.slug,
                "input.unit": row.data_point.unit,
                "input.value": row.data_point.value,
                "input.captured_value": row.data_point.raw_value,
                "input.is_substituted": row.data_point.substituted,
                "input.is_imputed": row.data_point.imputed,
            }
            for row in found[batch][0]
        ]
        for batch in batches.numbers
    ]


async def _read_evidence(tx: Read, batches: _Batches) -> list[list[Any]]:
    found = await tx.tuples(_EVIDENCE, {"project": batches.project, "batches": [*batches.numbers]})
    names = [*LISTS["evidence"].fields]
    return batches.sort([
        (batch, dict(zip(names, (identity.of("event", batches.project, event), *rest), strict=True)))
        for batch, event, *rest, _ in found
    ])  # fmt: skip


async def _read_corrections(tx: Read, batches: _Batches) -> list[list[Any]]:
    found = await tx.tuples(_CORRECTIONS, {"project": batches.project, "batches": [*batches.numbers]})
    return batches.sort([
        (
            batch,
            {
                "correction.event_id": identity.of("event", batches.project, event),
                "correction.slug": slug,
                "correction.source": source,
                "correction.from_value": _read_json(before),
                "correction.to_value": _read_json(after),
                "correction.reason": reason,
                "correction.created_at": Instant.of(created_at),
            },
        )
        for batch, event, slug, source, before, after, reason, created_at in found
    ])  # fmt: skip


async def _read_static_inputs(tx: Read, batches: _Batches) -> list[list[Any]]:
    found = await tx.tuples(_STATIC_INPUTS, {"project": batches.project, "batches": [*batches.numbers]})
    names = [*LISTS["static_inputs"].fields]
    return batches.sort([
        (batch, dict(zip(names, (*fields, *_describe_stated(stated, fields[2], fields[3])), strict=True)))
        for batch, *fields, stated in found
    ])  # fmt: skip


def _describe_stated(
    stored: Mapping[str, Any] | None, value: Decimal, unit: str | None
) -> tuple[str | None, Decimal | None]:
    """Where the statement about a value is from, and its standard uncertainty; None where nothing is"
    " stated.
    """
    if stored is None:
        return None, None
    statement, _ = build_stated(read_stated(stored))
    if statement is None:
        return None, None
    return statement.source, statement.standard_uncertainty(value, parse_unit(unit) if unit else ONE)


_READERS: Final = {
    "inputs": _read_inputs,
    "evidence": _read_evidence,
    "corrections": _read_corrections,
    "static_inputs": _read_static_inputs,
}

_MORE: Final = (
    "inclusion.feedstock", "inclusion.asset", "inclusion.model_name", "inclusion.model_version",
)  # fmt: skip
"""Fields of a batch that are read with the details."""

_BASIS: Final = """
    SELECT basis.id, f.name, a.name, m.name, m.version::numeric, a.custom_values
      FROM report_batches i
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      JOIN batches basis ON (basis.project_id, basis.id) = (i.project_id, coalesce(i.basis, (
               SELECT max(newest.id) FROM batches newest
                WHERE (newest.project_id, newest.run_id, newest.ledger_id)
                    = (b.project_id, b.run_id, b.ledger_id) AND newest.deleted_at IS NULL), b.id))
      LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
      LEFT JOIN models m ON m.id = basis.model_id
     WHERE i.project_id = %(project)s AND i.report_id = %(report)s
     ORDER BY b.start_time, b.end_time, b.tracking_id, b.id
"""
"""In the order of the inclusions of a report."""

_NODES: Final = """
    SELECT batch_id, slug, name, nullif(unit, ''), value, elements, is_output OR is_primary, uncertainty
      FROM batch_calculations WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, position
"""
_EVIDENCE: Final = """
    SELECT DISTINCT i.batch_id, e.event_id, e.type, e.name, e.url, e.content_type, e.size::numeric,
           encode(e.sha256, 'hex'), e.created_at, e.id
      FROM batch_inputs i
      JOIN evidence e ON e.project_id = i.project_id AND e.event_id = ANY (i.event_ids)
     WHERE i.project_id = %(project)s AND i.batch_id = ANY (%(batches)s)
     ORDER BY i.batch_id, e.event_id, e.id
"""
_CORRECTIONS: Final = """
    SELECT used.batch_id, c.event_id, coalesce(p.slug, c.field), c.source, c.from_value, c.to_value, c.reason,
           c.created_at
      FROM batch_corrections used
      JOIN corrections c ON (c.project_id, c.id) = (used.project_id, used.correction_id)
      JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
      LEFT JOIN data_point_types p ON (p.project_id, p.event_type_id, p.position)
                                    = (e.project_id, e.event_type_id, c.position)
     WHERE used.project_id = %(project)s AND used.batch_id = ANY (%(batches)s)
     ORDER BY used.batch_id, c.event_id, c.position, c.id
"""
_STATIC_INPUTS: Final = """
    SELECT used.batch_id, used.node, s.slug, s.value, s.unit, s.effective_from, f.name, a.name, l.name,
           s.uncertainty
      FROM batch_static_inputs used
      JOIN static_inputs s ON (s.project_id, s.id) = (used.project_id, used.static_input_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (s.project_id, s.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (s.project_id, s.asset_id)
      LEFT JOIN locations l ON (l.project_id, l.id) = (s.project_id, s.location_id)
     WHERE used.project_id = %(project)s AND used.batch_id = ANY (%(batches)s)
     ORDER BY used.batch_id, used.node, s.slug, s.effective_from
"""
