"""Paths of links to reports, and of reports that links open."""

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.listing import Page, list_request
from weighbridge.http.access.told_link import by_told_link
from weighbridge.http.attachment import Attachment
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.reporting.bundle.keeping import MEDIA_TYPE, attached, kept_bundle, need_bundle
from weighbridge.reporting.linking.entry import KEY, KEY_MEANING, ReportEntry, report_entry
from weighbridge.reporting.report_links import actions, queries
from weighbridge.reporting.report_links.records import (
    HandedOverLinkBody,
    IssuedReportLink,
    NewReportLinkBody,
    ReportLink,
    without_address,
)
from weighbridge.reporting.reports.queries import report_numbered
from weighbridge.reporting.reports.records import Report

_LINKS = "/reports/{report_id}/links"


@get(
    _LINKS,
    permission="production_accounting:read",
    returns=Page[ReportLink],
    listing=queries.REPORT_LINKS,
)
async def list_report_links(call: ReadCall) -> Page[ReportLink]:
    """List the links to a report, those that have ended included."""
    report = await queries.report_named(call.tx, call.actor, call.path["report_id"])
    return await queries.list_report_links(call.tx, report, list_request(call.query, queries.REPORT_LINKS))


@get(
    "/report_links",
    permission="production_accounting:read",
    returns=Page[ReportLink],
    listing=queries.REPORT_LINKS,
)
async def list_links_of_account(call: ReadCall) -> Page[ReportLink]:
    """List the links to all reports of the account, such as those of a user who was shut out."""
    request = list_request(call.query, queries.REPORT_LINKS)
    return await queries.list_links_of_account(call.tx, call.actor, request)


@post(
    _LINKS,
    permission="production_accounting:write",
    body=NewReportLinkBody,
    returns=IssuedReportLink,
    kept=without_address,
    example={"link": {"name": "Verifier, first review", "expires_in": 1_209_600}},
)
async def create_report_link(call: WriteCall, body: NewReportLinkBody) -> IssuedReportLink:
    """Make a link that opens a report to whoever has its address, without a token.

    The address is in `url`, this once. It opens the report as it is when it is followed, until the link
    expires or is revoked; every use is told by the audit log. A report has 100 open links at most.
    """
    return await actions.create_report_link(call.tx, call.actor, call.path["report_id"], body.link)


@delete(_LINKS + "/{link_id}", permission="production_accounting:write", urgent=True)
async def revoke_report_link(call: WriteCall) -> None:
    """Revoke a link to a report, at once; one that was revoked already stays as it is."""
    await actions.revoke_report_link(call.tx, call.actor, call.path["report_id"], call.path["link_id"])


@patch(
    _LINKS + "/{link_id}",
    permission="production_accounting:write",
    body=HandedOverLinkBody,
    returns=ReportLink,
    example={"link": {"user_email": "ada@plant.example"}},
)
async def reassign_report_link(call: WriteCall, body: HandedOverLinkBody) -> ReportLink:
    """Have another user answer for a link, such as when its own was shut out; its address stays."""
    return await actions.reassign_report_link(
        call.tx, call.actor, call.path["report_id"], call.path["link_id"], body.link
    )


@by_told_link("/reports/{report_id}/by_link", enter=report_entry, query={KEY: KEY_MEANING}, returns=Report)
async def open_report(tx: Read, entry: ReportEntry) -> Report:
    """Read a report by a link, by the address that its `url` says.

    A link that has expired or was revoked is refused with 410; any other address that opens nothing is
    answered as a report that there is not.
    """
    return await report_numbered(tx, entry.project, entry.report)


@by_told_link(
    "/reports/{report_id}/by_link/bundle",
    enter=report_entry,
    query={KEY: KEY_MEANING},
    sends=(MEDIA_TYPE,),
)
async def download_bundle_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the proof bundle of a report by a link to the report, with the `key` of its `url`.

    It is the file that `weighbridge bundle check` checks offline.
    """
    report = ids.of("report", entry.project, entry.report)
    kept = need_bundle(report, await kept_bundle(tx, entry.project, entry.report))
    return attached(report, kept, entry.files)


ROUTES = [
    list_report_links,
    list_links_of_account,
    create_report_link,
    reassign_report_link,
    revoke_report_link,
    open_report,
    download_bundle_by_link,
]
