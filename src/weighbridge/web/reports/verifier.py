"""What a verifier sees behind a link: the report as it is, and its bundle; nobody signs in.

Invariant: what the interface refuses of a link is refused here, and each use is told by the audit log.
"""

from functools import partial
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.projects.queries import get_project
from weighbridge.errors import NotFound
from weighbridge.http.access.told_link import let_in
from weighbridge.http.attachment import Attachment
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.reporting.bundle.keeping import MEDIA_TYPE, kept_bundle
from weighbridge.reporting.linking.entry import KEY, KEY_MEANING, report_entry
from weighbridge.reporting.reports.queries import report_numbered
from weighbridge.web.page import Sent, open_page
from weighbridge.web.rendering import rendered_alone
from weighbridge.web.reports.reports import TONES
from weighbridge.web.showing.moments import Moments

PATH: Final = "/reports/{report_id}/by_link"


@open_page("GET", PATH, query={KEY: KEY_MEANING})
async def report_by_link(request: WebRequest) -> Sent:
    """A report, read-only, by a link that somebody was given."""
    entry = await let_in(request, report_entry)
    opened = entry.behind
    async with shares(request).request(entry.account), database(request).read() as tx:
        report = await report_numbered(tx, opened.project, opened.report)
        project = await get_project(tx, opened.project)
        bundle = await kept_bundle(tx, opened.project, opened.report)
        now = await tx.value("SELECT now()")
        await tx.settle()
    key = request.query_params[KEY]
    return rendered_alone(
        request, "reports/by_link.html", report=report, project=project, bundle=bundle,
        tones=TONES, when=Moments(project.time_zone, now),
        bundle_address=f"{request.url.path}/bundle?{KEY}={key}",
    )  # fmt: skip


@open_page("GET", f"{PATH}/bundle", query={KEY: KEY_MEANING})
async def bundle_by_link(request: WebRequest) -> Sent:
    """The proof bundle of the report behind a link."""
    entry = await let_in(request, report_entry)
    opened = entry.behind
    async with shares(request).request(entry.account), database(request).read() as tx:
        kept = await kept_bundle(tx, opened.project, opened.report)
    name = request.path_params["report_id"]
    if kept is None:
        raise NotFound("report", name, message="The report has no bundle yet.", code="bundle_missing")
    read = partial(request.app.state.files.get, kept.storage_key, kept.size, kept.sha256)
    file = Attachment(f"{name}.zip", MEDIA_TYPE, kept.size, read)
    return file.reply(request.app.state.downloads, entry.account)


PAGES: Final[list[HTTPRouteHandler]] = [*report_by_link, *bundle_by_link]
