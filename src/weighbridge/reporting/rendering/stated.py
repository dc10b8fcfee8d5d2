"""What a report states, as its mapping may name it, and the file that comes of it.

Invariant: a report that has been submitted states the same for ever, so its file can be made again.
"""

from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.core.report.adapter import MEDIA_TYPES, ReportFormat
from weighbridge.core.report.mapping.filling import StatedReport, UnfitUnitError, fill
from weighbridge.core.report.mapping.reading import read_mapping
from weighbridge.core.report.mapping.template import ReportMapping
from weighbridge.core.report.measured import measured_share_of
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.platform.tenancy.scope import key_named
from weighbridge.reporting.rendering.schema import problems_of_content
from weighbridge.reporting.rendering.written import written
from weighbridge.reporting.reports.records import Report
from weighbridge.reporting.submission.content import content_of
from weighbridge.reporting.submission.kept import RenderedSubmission
from weighbridge.reporting.taking.measured import shares_of_batches


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
    stated = _stated(report, around, measured_share_of(await shares_of_batches(tx, key)))
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
