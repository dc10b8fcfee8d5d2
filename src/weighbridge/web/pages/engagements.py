"""The verifier's desk: an engagement on a report, by a link without a session, and for people of the account.

By a link that may act as the verifier, everything from the agreement to the signed opinion is done here; any
other link shows it. People of the account read engagements, and answer findings.

Invariant: every form calls the action of the interface, so the log has the same rows.
"""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.collection.projects import read_project
from weighbridge.core.engagement.findings import Assurance
from weighbridge.core.number import NumberError, parse_decimal
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Conflict, Invalid, NotFound, Refusal
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.endpoints.links import KEY, open_link
from weighbridge.reporting.engagement.forms import (
    FindingDecision,
    NewEngagement,
    NewFinding,
    OpinionDraft,
    SampleDraw,
    SampleStratum,
    SignedOpinion,
)
from weighbridge.reporting.engagement.storage import find_engagement, show_engagement
from weighbridge.reporting.engagements import (
    answer_engagement_finding,
    build_link_desk,
    get_engagement,
    get_engagement_sample,
    verifier_entry,
)
from weighbridge.reporting.engagements_actions import (
    Desk,
    begin_engagement,
    conclude_engagement,
    decide_finding,
    draw_sample,
    insert_finding,
    propose_statement,
    read_sample,
    withdraw_engagement,
)
from weighbridge.reporting.report_links import KEY_MEANING, ReportEntry, report_entry
from weighbridge.reporting.report_links_batches import find_batches_of_events
from weighbridge.reporting.reports import get_report
from weighbridge.reporting.reports_queries import report_numbered
from weighbridge.web.display.figures import TimeFormat
from weighbridge.web.framework.page import OPEN_FIELDS_MAX, PageResponse, form, open_page, page, read_fields
from weighbridge.web.framework.rendering import render_open_page
from weighbridge.web.framework.responses import build_file, redirect_to
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.report_links import locate_batch
from weighbridge.web.pages.reports import CHOICES, REPORT_PATH

_BY_LINK: Final = "/reports/{report_id}/by_link/engagements"
_ONE: Final = f"{_BY_LINK}/{{engagement_id}}"
_QUERY: Final = {KEY: KEY_MEANING}
_OF_DRAFT: Final = {
    "conclusion": "The conclusion that was drafted.",
    "reasons": "The reasons that were drafted.",
    "time": "When the statement was drafted.",
}

SIZE_DIGITS_MAX: Final = 9
"""Digits of the size of a sample that are read; what is larger is refused as 0 is."""

Typed = Callable[[str], str]
"""The text of a field of a form."""


# By a link: the page of an engagement, and its forms.


@open_page("GET", _ONE, query=_QUERY)
async def engagement_by_link(request: WebRequest) -> PageResponse:
    """Show an engagement by a link to its report."""
    entry = (await open_link(request, report_entry)).behind
    return await _show(request, entry)


async def _show(
    request: WebRequest,
    entry: ReportEntry,
    *,
    typed: Typed = lambda _: "",
    refusal: Refusal | None = None,
    draft: dict[str, str] | None = None,
) -> PageResponse:
    """The page of an engagement; with what was typed and why it was rejected, or with a statement to sign."""
    desk = build_link_desk(entry)
    async with shares(request).request(entry.account), database(request).read() as tx:
        stored = await find_engagement(tx, desk.report, request.path_params["engagement_id"])
        sample = await read_sample(tx, desk, request.path_params["engagement_id"])
        report = await report_numbered(tx, entry.project, entry.report)
        project = await read_project(tx, entry.project)
        engagement = show_engagement(stored)
        named = [one.event_id for one in engagement.findings]
        named += [one.event.id for one in sample.data]
        readers = await find_batches_of_events(tx, entry, named)
        now = await tx.value("SELECT now()")
        await tx.settle()
    key = request.query_params[KEY]
    readings = {event: locate_batch(report.id, key, batch, event) for event, batch in readers.items()}
    return render_open_page(
        request, "reports/engagement_by_link.html", 200 if refusal is None else refusal.status,
        engagement=engagement, sample=sample, readings=readings, report=report, project=project, draft=draft,
        may_act=entry.is_of_verifier, typed=typed, problems=() if refusal is None else refusal.problems,
        when=TimeFormat(project.time_zone, now), key=key,
        home=f"/reports/{report.id}/by_link", **CHOICES,
    )  # fmt: skip


async def _act(
    request: WebRequest, function: Callable[[Write, Desk, Typed], Any], path: str = ""
) -> PageResponse:
    """Have a form do something by a link, and go to the engagement; show the form again if it is rejected."""
    entry = (await open_link(request, verifier_entry)).behind
    request.scope["state"]["account"] = entry.account
    typed = await _read_typed(request)
    try:
        async with shares(request).request(entry.account), database(request).write() as tx:
            engagement = await function(tx, build_link_desk(entry), typed)
    except (Invalid, Conflict, NotFound) as refusal:
        if "engagement_id" not in request.path_params:
            raise
        return await _show(request, entry, typed=typed, refusal=refusal)
    home = f"/reports/{request.path_params['report_id']}/by_link/engagements/{engagement.id}"
    return redirect_to(f"{home}?{urlencode({KEY: request.query_params[KEY]})}{path}")


async def _read_typed(request: WebRequest) -> Typed:
    """The fields of a form, without space around their texts."""
    fields = await read_fields(request, OPEN_FIELDS_MAX)
    return lambda name: "".join(fields.get(name, ())).strip()


def _read_number(text: str, field: str) -> Any:
    """The number of a field; None for an empty one, Invalid for any other text."""
    if not text:
        return None
    try:
        return parse_decimal(text)
    except NumberError as error:
        raise Invalid([Problem(f"{field}: {error}", field, "invalid")]) from None


@open_page("POST", _BY_LINK, query=_QUERY)
async def begin_by_link(request: WebRequest) -> PageResponse:
    """Begin an engagement."""

    async def begin(tx: Write, desk: Desk, typed: Typed) -> Any:
        size = typed("size")  # a text that is no size is one that is refused
        stratum = SampleStratum(
            typed("event_type"), int(size) if size.isdecimal() and len(size) <= SIZE_DIGITS_MAX else 0,
            typed("method"), typed("data_point") or None,
        )  # fmt: skip
        new = NewEngagement(
            typed("verifier"), typed("scope"), typed("criteria"), [stratum],
            typed("assurance") or Assurance.REASONABLE,
            _read_number(typed("materiality_percent"), "materiality_percent"),
            _read_number(typed("materiality_amount"), "materiality_amount"),
        )  # fmt: skip
        return await begin_engagement(tx, desk, new)

    return await _act(request, begin)


@open_page("POST", f"{_ONE}/sample", query=_QUERY)
async def draw_by_link(request: WebRequest) -> PageResponse:
    """Draw the sample."""

    async def draw(tx: Write, desk: Desk, typed: Typed) -> Any:
        return await draw_sample(tx, desk, _named(request), SampleDraw(typed("seed_text")))

    return await _act(request, draw)


@open_page("POST", f"{_ONE}/findings", query=_QUERY)
async def find_by_link(request: WebRequest) -> PageResponse:
    """Record a finding."""

    async def find(tx: Write, desk: Desk, typed: Typed) -> Any:
        new = NewFinding(
            typed("kind"), typed("text"), _read_number(typed("amount"), "amount"), typed("event_id") or None
        )
        return await insert_finding(tx, desk, _named(request), new)

    return await _act(request, find)


@open_page("POST", f"{_ONE}/findings/{{finding_id}}/decide", query=_QUERY)
async def decide_by_link(request: WebRequest) -> PageResponse:
    """Decide about a finding."""

    async def decide(tx: Write, desk: Desk, typed: Typed) -> Any:
        decision = FindingDecision(typed("decision"), typed("reason"))
        return await decide_finding(tx, desk, _named(request), request.path_params["finding_id"], decision)

    return await _act(request, decide)


def _named(request: WebRequest) -> str:
    return str(request.path_params["engagement_id"])


@open_page("POST", f"{_ONE}/statement", query=_QUERY)
async def draft_by_link(request: WebRequest) -> PageResponse:
    """Show the statement of an opinion, to be signed."""
    entry = (await open_link(request, verifier_entry)).behind
    typed = await _read_typed(request)
    conclusion, reasons = typed("conclusion"), typed("reasons")
    try:
        async with shares(request).request(entry.account), database(request).read() as tx:
            proposed = await propose_statement(
                tx, build_link_desk(entry), _named(request), OpinionDraft(conclusion, reasons)
            )
    except (Invalid, Conflict, NotFound) as refusal:
        return await _show(request, entry, refusal=refusal, typed=typed)
    time = proposed.statement.rpartition('"time":"')[2].partition('"')[0]
    draft = {"conclusion": conclusion, "reasons": reasons, "time": time, "statement": proposed.statement}
    return await _show(request, entry, draft=draft)


@open_page("GET", f"{_ONE}/opinion", query=_QUERY | _OF_DRAFT)
async def statement_by_link(request: WebRequest) -> PageResponse:
    """Send the statement of a drafted opinion, byte for byte as it is to be signed."""
    entry = (await open_link(request, verifier_entry)).behind
    asked = request.query_params
    draft = OpinionDraft(asked.get("conclusion", ""), asked.get("reasons", ""))
    async with shares(request).request(entry.account), database(request).read() as tx:
        proposed = await propose_statement(
            tx, build_link_desk(entry), _named(request), draft, asked.get("time", "")
        )
    return build_file(proposed.statement.encode(), "application/json", "opinion.json")


@open_page("POST", f"{_ONE}/conclude", query=_QUERY)
async def conclude_engagement_by_link(request: WebRequest) -> PageResponse:
    """Conclude with the signature over the statement that was drafted."""

    async def conclude(tx: Write, desk: Desk, typed: Typed) -> Any:
        draft = OpinionDraft(typed("conclusion"), typed("reasons"))
        proposed = await propose_statement(tx, desk, _named(request), draft, typed("time"))
        signed = SignedOpinion(proposed.statement, f"{typed('signature')}\n", typed("public_key"))
        return await conclude_engagement(tx, desk, _named(request), signed)

    return await _act(request, conclude)


@open_page("POST", f"{_ONE}/withdraw", query=_QUERY)
async def end_by_link(request: WebRequest) -> PageResponse:
    """End an engagement without an opinion."""

    async def withdraw(tx: Write, desk: Desk, _: Typed) -> Any:
        return await withdraw_engagement(tx, desk, _named(request))

    return await _act(request, withdraw)


# For people of the account: the same page, and the form to answer.


ENGAGEMENT_PATH: Final = f"{REPORT_PATH}/engagements/{{engagement_id}}"
_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"


async def engagement(visit: Visit) -> View:
    """The page of an engagement, for people of the account."""
    record = await visit.ask(get_engagement)
    report = await visit.ask(get_report)
    home = f"{visit.frame.home}/reports/{report.id}"
    return view(
        "reports/engagement.html",
        f"Engagement of {record.verifier}",
        call=f"/reports/{report.id}/engagements/{record.id}",
        crumbs=(("Reports", visit.url("reports")), (report.name, home)),
        engagement=record,
        sample=await visit.ask(get_engagement_sample),
        report=report,
        path=f"{home}/engagements/{record.id}",
        may_act=False,
        draft=None,
        **CHOICES,
    )


@form(f"{ENGAGEMENT_PATH}/findings/{{finding_id}}/answer", permission=_WRITE, error_page=engagement)
async def answer(visit: Visit) -> Redirect:
    """Answer a finding."""
    await visit.do(answer_engagement_finding, {"answer": visit.text("answer")})
    return Redirect(visit.url("reports/{report_id}/engagements/{engagement_id}"), "Answer recorded.")


PAGES = [
    *page(ENGAGEMENT_PATH, permission=_READ, of=get_engagement)(engagement),
    *answer,
    *engagement_by_link,
    *begin_by_link,
    *draw_by_link,
    *find_by_link,
    *decide_by_link,
    *draft_by_link,
    *statement_by_link,
    *conclude_engagement_by_link,
    *end_by_link,
]
