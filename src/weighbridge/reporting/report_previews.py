"""Previews: what a report would be sent as by a mapping, with every place at which that fails, and what of it
was rounded.

Nothing is stored: a mapping is tried on a report before a methodology has it. Permission: production
accounting.

Invariant: what a preview of a report by its own methodology shows is what is sent.
"""

from msgspec import UNSET

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, ask
from weighbridge.reporting import reports_queries as queries
from weighbridge.reporting.methodologies import read_methodology
from weighbridge.reporting.records.submissions import (
    PREVIEW_CHARACTERS_MAX,
    ROUNDINGS_INLINE,
    PreviewProblem,
    PreviewRequest,
    ReportPreview,
    RoundedNumber,
)
from weighbridge.reporting.submission.file import WrittenReport, write_report


def _describe(report_id: str, written: WrittenReport) -> ReportPreview:
    file, text = written.rendered, written.text
    return ReportPreview(
        report_id=report_id,
        media_type=file.media_type if file else None,
        size_bytes=len(file.content) if file else None,
        text=text[:PREVIEW_CHARACTERS_MAX] if file else None,
        is_cut=len(text) > PREVIEW_CHARACTERS_MAX,
        problems=[
            PreviewProblem(one.message, (one.field or "").removeprefix("methodology.") or None)
            for one in written.problems
        ],
        roundings=[
            RoundedNumber(one.place, one.field, one.exact, one.written, one.difference)
            for one in written.roundings[:ROUNDINGS_INLINE]
        ],
        rounding_count=len(written.roundings),
    )


@ask(
    "/reports/{report_id}/submission/preview",
    permission="production_accounting:read",
    body=PreviewRequest,
    returns=ReportPreview,
    of_one_snapshot=True,
    example={"mapping": {"format": "json", "template": {"tonnes": {"$value": "report.amount"}}}},
)
async def preview_report(call: ReadCall, body: PreviewRequest) -> ReportPreview:
    """Show what a report would be sent as, with every place at which that fails, and what of it was rounded.

    It is by the mapping of its own methodology, of another one, or by a mapping that is sent along. The
    answer is 200 where a mapping cannot be used, too.
    """
    if body.mapping is not UNSET and body.methodology_id is not UNSET:
        message = "Send mapping or methodology_id, not both."
        raise Invalid([Problem(message, "mapping", "invalid")])
    by = body.mapping if body.mapping is not UNSET else None
    if body.methodology_id is not UNSET:
        by = (await read_methodology(call.tx, call.actor, str(body.methodology_id))).mapping
        if by is None:
            by = {}
    key = await queries.find_report_key(call.tx, call.actor, call.path["report_id"])
    report = await queries.report_numbered(call.tx, key.project, key.key)
    return _describe(report.id, await write_report(call.tx, report, is_checked=True, by=by))


ROUTES = [preview_report]
