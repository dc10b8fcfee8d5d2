"""What a verifier sees by a link to a report, without a session: the report, its bundle, the operator's keys,
and each batch that the report rests on, down to its readings.

Invariant: an error of the interface for a link is an error here, and the audit log records each use.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.accounting.records.uncertainty import ReportMateriality
from weighbridge.accounting.uncertainty_runs import read_newest_result
from weighbridge.collection.projects import read_project
from weighbridge.core.identity import API_PREFIX, Key
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Info
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.endpoints.links import KEY, open_link
from weighbridge.platform.audit_log import attach, read_audit_key
from weighbridge.platform.records import AuditKey
from weighbridge.reporting.bundle.storage import build_attachment, kept_bundle, name_bundle, need_bundle
from weighbridge.reporting.engagements import build_link_desk
from weighbridge.reporting.engagements_actions import list_desk_engagements
from weighbridge.reporting.report_links import KEY_MEANING, report_entry
from weighbridge.reporting.report_links_batches import (
    CORRECTIONS_PAGE,
    EVENT,
    PAGE,
    PARAMETERS,
    LinkedBatch,
    read_linked_batch,
)
from weighbridge.reporting.report_uncertainty import (
    THRESHOLD,
    THRESHOLD_MEANING,
    read_materiality,
    read_report_uncertainty,
    read_threshold,
)
from weighbridge.reporting.reports_queries import report_numbered
from weighbridge.web.display.figures import TimeFormat
from weighbridge.web.framework.page import PageResponse, open_page
from weighbridge.web.framework.rendering import render_open_page
from weighbridge.web.pages.batches import build_levels, lineage_picture, write_formulas
from weighbridge.web.pages.reports import CHOICES, TONES
from weighbridge.web.pages.uncertainty import (
    BATCHES_AT_ONCE,
    THRESHOLD_DEFAULT,
    draw_budget,
    draw_trials,
)

# Addresses behind a link: each has the secret.


def locate_batch(report_id: str, key: str, batch_id: str, event_id: str = "") -> str:
    """The address of a batch behind a link; with an event, of its readings there."""
    query = {KEY: key} | ({EVENT: event_id} if event_id else {})
    address = f"/reports/{report_id}/by_link/batches/{batch_id}?{urlencode(query)}"
    return f"{address}#{event_id}" if event_id else address


# The page of a link: a report, how uncertain it is, and its bundle.


VERIFIER_PATH: Final = "/reports/{report_id}/by_link"


@dataclass(frozen=True, slots=True)
class _WeighedReport:
    """Which effects move a report by a threshold that the reader set, or why none can be weighed."""

    threshold: str
    found: ReportMateriality | None = None
    problems: Sequence[Problem] = ()


async def _weigh(tx: Read, report: Key, threshold: str | None) -> _WeighedReport:
    """Weigh the effects of a report, once the reader has set a threshold."""
    if threshold is None:
        return _WeighedReport(THRESHOLD_DEFAULT)
    try:
        found = await read_materiality(tx, report, *read_threshold(((THRESHOLD, threshold),)))
    except Invalid as refusal:
        return _WeighedReport(threshold, problems=refusal.problems)
    return _WeighedReport(threshold, found)


@open_page("GET", VERIFIER_PATH, query={KEY: KEY_MEANING, THRESHOLD: THRESHOLD_MEANING})
async def report_by_link(request: WebRequest) -> PageResponse:
    """Show a report, read-only, by a link."""
    entry = await open_link(request, report_entry)
    linked_report = entry.behind
    async with shares(request).request(entry.account), database(request).read() as tx:
        report = await report_numbered(tx, linked_report.project, linked_report.report)
        project = await read_project(tx, linked_report.project)
        bundle = await kept_bundle(tx, linked_report.project, linked_report.report)
        bundle_name = await name_bundle(tx, linked_report.project, linked_report.report) if bundle else ""
        key_of_report = Key(linked_report.project, linked_report.report)
        is_quick = report.inclusion_count <= BATCHES_AT_ONCE
        uncertainty = await read_report_uncertainty(tx, key_of_report) if is_quick else None
        weighed = await _weigh(tx, key_of_report, request.query_params.get(THRESHOLD))
        newest = await read_newest_result(tx, key_of_report)
        engagements = await list_desk_engagements(tx, build_link_desk(linked_report))
        audit_key = await read_audit_key(tx, entry.account, request.app.state.settings)
        now = await tx.value("SELECT now()")
        await tx.settle()
    key = request.query_params[KEY]
    return render_open_page(
        request, "reports/by_link.html", report=report, project=project, bundle=bundle,
        bundle_name=bundle_name,
        tones=TONES, when=TimeFormat(project.time_zone, now), engagements=engagements.data, key=key,
        may_act=linked_report.is_of_verifier, **CHOICES,
        bundle_address=f"{request.url.path}/bundle?{KEY}={key}",
        audit_key=audit_key, uncertainty=uncertainty,
        budget=draw_budget(uncertainty.budget) if uncertainty else [],
        trials=draw_trials(newest) if newest else None,
        threshold=weighed.threshold, materiality=weighed.found, problems=weighed.problems,
        uncertainty_address=f"{API_PREFIX}{request.url.path}/uncertainty?{KEY}={key}",
        place=partial(locate_batch, report.id, key),
        key_addresses=[(name, f"{request.url.path}/keys/{name}?{KEY}={key}") for name in _KEY_FILES],
    )  # fmt: skip


@open_page("GET", f"{VERIFIER_PATH}/bundle", query={KEY: KEY_MEANING})
async def bundle_by_link(request: WebRequest) -> PageResponse:
    """Send the proof bundle of the report of a link."""
    entry = await open_link(request, report_entry)
    linked_report = entry.behind
    async with shares(request).request(entry.account), database(request).read() as tx:
        place = linked_report.project, linked_report.report
        kept_file = need_bundle(request.path_params["report_id"], await kept_bundle(tx, *place))
        file = await build_attachment(tx, *place, kept_file, request.app.state.files)
    return file.reply(request.app.state.downloads, entry.account)


_KEY_FILES: Final[Mapping[str, Callable[[AuditKey], str]]] = {
    "plant.vkey": lambda key: f"{key.verifier_key}\n",
    "allowed_signers": lambda key: f"operator {key.ssh_public_key}\n",
}
"""The operator's key as files, by their names: for `weighbridge bundle check`, and for `ssh-keygen`."""


@open_page("GET", f"{VERIFIER_PATH}/keys/{{name}}", query={KEY: KEY_MEANING})
async def key_by_link(request: WebRequest) -> PageResponse:
    """Send the key of the operator as a file; it comes from where the report does, which the page says."""
    entry = await open_link(request, report_entry)
    name = request.path_params["name"]
    if name not in _KEY_FILES:
        raise NotFound
    async with shares(request).request(entry.account), database(request).read() as tx:
        key = await read_audit_key(tx, entry.account, request.app.state.settings)
    file = attach(name, _KEY_FILES[name](key))
    return file.reply(request.app.state.downloads, entry.account)


# The page of a batch: what the page for people of the account has of equations and inputs, all readings, and
# nothing that the report does not rest on.


@dataclass(frozen=True, slots=True)
class NumberedPages:
    """A numbered page of a table, and the addresses of those beside it."""

    info: Info
    address: str
    """The address of a page but for its number."""
    anchor: str

    @property
    def previous(self) -> str:
        """The address of the page before; empty on the first one."""
        return self._address(self.info.previous_page)

    @property
    def next(self) -> str:
        """The address of the next page; empty on the last one."""
        return self._address(self.info.next_page)

    def _address(self, number: int | None) -> str:
        return "" if number is None else f"{self.address}={number}#{self.anchor}"


@open_page("GET", f"{VERIFIER_PATH}/batches/{{batch_id}}", query={KEY: KEY_MEANING, **PARAMETERS})
async def batch_by_link(request: WebRequest) -> PageResponse:
    """Show a batch that the report of a link rests on."""
    entry = (await open_link(request, report_entry)).behind
    async with shares(request).request(entry.account), database(request).read() as tx:
        found = await read_linked_batch(tx, entry, request.path_params["batch_id"])
        report = await report_numbered(tx, entry.project, entry.report)
        project = await read_project(tx, entry.project)
        now = await tx.value("SELECT now()")
        await tx.settle()
    key = request.query_params[KEY]
    included = [one for one in report.inclusions if one.batch_id == found.batch.id]
    return render_open_page(
        request, "reports/batch_by_link.html", report=report, project=project, found=found,
        batch=found.batch, included=included[0] if included else None,
        home=f"/reports/{report.id}/by_link?{urlencode({KEY: key})}", records="", all_digits=True,
        when=TimeFormat(project.time_zone, now), **_draw_batch(found, partial(locate_batch, report.id, key)),
        **_build_pages(found, locate_batch(report.id, key, found.batch.id)),
    )  # fmt: skip


def _draw_batch(found: LinkedBatch, place: Callable[[str], str]) -> dict[str, Any]:
    nodes = found.nodes
    return {
        "place": place,
        "equations": write_formulas(nodes),
        "levels": build_levels(nodes),
        "picture": lineage_picture(found.batch, nodes, place) if found.batch.model else None,
        "draws": [(node, draw) for node in nodes for draw in node.draws],
    }


def _build_pages(found: LinkedBatch, address: str) -> dict[str, Any]:
    """The pages of either table; the other one stays where it is."""
    readings, corrections = found.readings_info, found.corrections_info
    return {
        "readings_pages": NumberedPages(
            readings, f"{address}&{CORRECTIONS_PAGE}={corrections.current_page}&{PAGE}", "readings"
        ),
        "corrections_pages": NumberedPages(
            corrections, f"{address}&{PAGE}={readings.current_page}&{CORRECTIONS_PAGE}", "corrections"
        ),
    }


PAGES = [*report_by_link, *bundle_by_link, *key_by_link, *batch_by_link]
