"""What a report states, as its mapping names it, the file that is made of it, and its check against a
schema.

Invariants: a submitted report states the same for ever, so its file can be made again; whatever a
schema is, its check ends in time, and what could not be checked is not sent.
"""

import json
import os
import subprocess
import sys
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.report.mapping import (
    FilledTable,
    ReportMapping,
    StatedReport,
    UnfitUnitError,
    fill,
    read_mapping,
)
from weighbridge.core.report.restatement import compute_measured_share
from weighbridge.core.report.state import MEDIA_TYPES, ReportFormat
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.platform.tenancy import key_named
from weighbridge.reporting.inclusion.remaining import shares_of_batches
from weighbridge.reporting.records.reports import Report
from weighbridge.reporting.rendering.checker import SCHEMA, VIOLATIONS_MAX
from weighbridge.reporting.rendering.formats import rows_of, written
from weighbridge.reporting.submission.stored import RenderedSubmission, content_of

# Schemas: has a document checked, or a schema by itself, by a process with bounds of its own.
#
# Invariants: whatever a schema is, this ends in time, and one account has one checked at a time; what could
# not be checked is not sent.


CHECK_SECONDS: Final = 20
"""How long a check may take, on a machine that is busy with other things."""

_CHECKER: Final = ("-m", "weighbridge.reporting.rendering.checker")
_PASSED_ON: Final = (
    "PATH",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "LANG",
    "LD_LIBRARY_PATH",
)
_INCOMPLETE: Final = "The schema cannot be checked with the time and memory that a check may take."


async def problems_of_schema(tx: Read, mapping: ReportMapping, field: str) -> list[Problem]:
    """What makes a schema one that cannot be used; nothing for a mapping without one."""
    if mapping.schema is None:
        return []
    found = await tx.in_thread(_checked, mapping, None)
    return [Problem(f"{field} cannot be used: {message}", field, "schema") for _, message in found]


async def problems_of_content(tx: Read, mapping: ReportMapping, filled: Any, content: bytes) -> list[Problem]:
    """Every place at which what is to be sent breaks its schema."""
    if mapping.schema is None:
        return []
    document = content.decode() if mapping.format in {ReportFormat.XML, ReportFormat.JSON} else _rows(filled)
    found = await tx.in_thread(_checked, mapping, document)
    problems = [
        Problem(f"What would be sent breaks its schema{_at(place)}: {message}", place or None, "schema")
        for place, message in found
    ]
    return limit_problems(problems, VIOLATIONS_MAX - 1)


def _at(place: str) -> str:
    return f" at {place}" if place and place != SCHEMA else ""


def _rows(table: FilledTable) -> str:
    return msgspec.json.Encoder(decimal_format="number").encode(rows_of(table)).decode()


def _checked(mapping: ReportMapping, document: str | None) -> list[tuple[str, str]]:
    kind = "xsd" if mapping.format == ReportFormat.XML else "json"
    asked = json.dumps({"kind": kind, "schema": mapping.schema, "document": document})
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 - our own module, by the interpreter that runs us
            [sys.executable, *_CHECKER], input=asked, capture_output=True, text=True, encoding="utf-8",
            timeout=CHECK_SECONDS, env=environment, check=True,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return [(SCHEMA, _INCOMPLETE)]
    return [(place, message) for place, message in json.loads(done.stdout)]


# What a report states, as its mapping may name it, and the file that comes of it.
#
# Invariant: a report that has been submitted states the same for ever, so its file can be made again.


class _Around(msgspec.Struct, frozen=True):
    """What stands around a report."""

    project_name: str
    time_zone: str
    ledger_name: str | None
    unit: str | None
    methodology_name: str | None
    methodology_version: str | None
    mapping: dict[str, Any] | None


async def rendered(tx: Read, report: Report, *, is_checked: bool) -> RenderedSubmission:
    """The file of a report; Invalid with every place at which it breaks its schema, where that is checked."""
    key = key_named("report", report.id)
    around = await tx.row(_Around, _AROUND, (key.project, key.key))
    assert around is not None, "a report that was read is there"  # noqa: S101
    if around.mapping is None:
        return RenderedSubmission(MEDIA_TYPES[ReportFormat.JSON], ReportFormat.JSON, content_of(report))
    mapping, problems = read_mapping(around.mapping)
    if mapping is None:
        raise Invalid(problems)
    stated = _stated(report, around, compute_measured_share(await shares_of_batches(tx, key)))
    filled, content = await tx.in_thread(_filled, mapping, stated)
    if is_checked and (broken := await problems_of_content(tx, mapping, filled, content)):
        raise Invalid(broken)
    return RenderedSubmission(MEDIA_TYPES[ReportFormat(mapping.format)], mapping.format, content)


def _filled(mapping: ReportMapping, stated: StatedReport) -> tuple[Any, bytes]:
    try:
        filled = fill(mapping.template, stated)
    except UnfitUnitError as error:
        raise Invalid([error.problem]) from None
    return filled, written(mapping.format, filled, mapping.sheet)


def _stated(report: Report, around: _Around, share: Decimal | None) -> StatedReport:
    fields = {
        "report.id": report.id,
        "report.name": report.name,
        "report.report_type": report.report_type,
        "report.amount": report.amount,
        "report.unit": around.unit,
        "report.start_time": _moment(report.start_time),
        "report.end_time": _moment(report.end_time),
        "report.effective_at": _moment(report.effective_at),
        "report.supersedes": report.supersedes,
        "report.measured_share": share,
        "project.id": report.project_id,
        "project.name": around.project_name,
        "ledger.id": report.ledger_id,
        "ledger.name": around.ledger_name,
        "methodology.name": around.methodology_name,
        "methodology.version": around.methodology_version,
    }
    inclusions = [
        {
            "inclusion.number": Decimal(number),
            "inclusion.batch_id": one.batch_id,
            "inclusion.tracking_id": one.tracking_id,
            "inclusion.start_time": _moment(one.start_time),
            "inclusion.end_time": _moment(one.end_time),
            "inclusion.amount": one.amount,
            "inclusion.unit": one.unit,
        }
        for number, one in enumerate(report.inclusions, 1)
    ]
    return StatedReport(fields, inclusions, ZoneInfo(around.time_zone))


def _moment(moment: Instant | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)


_AROUND: Final = """
    SELECT p.name, p.time_zone, l.name, l.unit, m.name, m.version, m.mapping
      FROM reports r JOIN projects p ON p.id = r.project_id
      LEFT JOIN ledgers l ON (l.project_id, l.id) = (r.project_id, r.ledger_id)
      LEFT JOIN methodologies m ON m.id = r.methodology_id
     WHERE r.project_id = %s AND r.id = %s
"""
