"""Engagements of verifiers on reports: what is agreed, a sample, findings, and a signed opinion.

Whoever acts as the verifier has `production_accounting:verify`, or a link that may act as the verifier
(`by_link` below). Whoever reads reports reads their engagements.

Invariant: an operation by a link does what the one by a token does, and leaves the same rows in the log,
which name the link in place of a user.
"""

from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.platform.permission import NOBODY, VERIFY, Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Conflict, Forbidden, Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, get, post
from weighbridge.http.endpoints.links import KEY, LinkCall, LinkEntry, by_logged_link, by_writing_link
from weighbridge.reporting.engagement.forms import (
    Engagement,
    EngagementEnd,
    Engagements,
    FindingAnswer,
    FindingDecision,
    NewEngagementBody,
    NewFindingBody,
    OpinionDraft,
    Sample,
    SampleDraw,
    SignedOpinion,
    StatementToSign,
)
from weighbridge.reporting.engagement.storage import find_engagement, show_engagement
from weighbridge.reporting.engagements_actions import (
    Desk,
    answer_finding,
    begin_engagement,
    conclude_engagement,
    decide_finding,
    draw_sample,
    insert_finding,
    list_desk_engagements,
    propose_statement,
    read_sample,
    withdraw_engagement,
)
from weighbridge.reporting.report_links import KEY_MEANING, ReportEntry, report_entry
from weighbridge.reporting.reports_queries import find_report_key

_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"
_PATH: Final = "/reports/{report_id}/engagements"
_ONE: Final = f"{_PATH}/{{engagement_id}}"
_FINDING: Final = f"{_ONE}/findings/{{finding_id}}"

_AGREED: Final[Any] = {
    "engagement": {
        "verifier": "Example Verification Ltd",
        "scope": "Carbon stored in the first quarter of 2025",
        "criteria": "ISO 14064-2, and the methodology in version 2.1",
        "materiality_percent": 5,
        "strata": [{"event_type": "delivery", "data_point": "mass", "method": "monetary_unit", "size": 25}],
    }
}
_DRAWN: Final[Any] = {"seed_text": "Lottery of 14 April 2025: 3 8 17 29 41 44"}
_FOUND: Final[Any] = {
    "finding": {"kind": "error", "amount": -2, "text": "The slip of this delivery states 10 t, not 12 t."}
}
_ANSWERED: Final[Any] = {"answer": "The slip is right. The value is corrected."}
_DECIDED: Final[Any] = {"decision": "resolve", "reason": "The corrected value is that of the slip."}
_DRAFTED: Final[Any] = {"conclusion": "unmodified", "reasons": "No material misstatement was found."}
_SIGNED: Final[Any] = {
    "statement": '{"_type":"https://in-toto.io/Statement/v1"}\n',
    "signature": "-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n",
    "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE",
}


async def _desk(call: ReadCall | WriteCall) -> Desk:
    """The desk of a caller with a token."""
    return Desk(call.actor, await find_report_key(call.tx, call.actor, call.path["report_id"]), call.files)


@get(_PATH, permission=_READ, returns=Engagements)
async def list_engagements(call: ReadCall) -> Engagements:
    """List the engagements of verifiers on a report, with findings and opinions, the oldest first."""
    return await list_desk_engagements(call.tx, await _desk(call))


@post(_PATH, permission=VERIFY, body=NewEngagementBody, returns=Engagement, example=_AGREED)
async def create_engagement(call: WriteCall, body: NewEngagementBody) -> Engagement:
    """Begin an engagement of a verifier on a report: scope, criteria, materiality, and what is sampled.

    The population, all records that the report rests on, and the head of the audit log are those of this
    moment.
    """
    return await begin_engagement(call.tx, await _desk(call), body.engagement)


@get(_ONE, permission=_READ, returns=Engagement)
async def get_engagement(call: ReadCall) -> Engagement:
    """Read one engagement, with the effect of its open findings on the total of the report."""
    desk = await _desk(call)
    return show_engagement(await find_engagement(call.tx, desk.report, call.path["engagement_id"]))


@post(f"{_ONE}/sample", permission=VERIFY, body=SampleDraw, returns=Engagement, status=200, example=_DRAWN)
async def draw_engagement_sample(call: WriteCall, body: SampleDraw) -> Engagement:
    """Draw the sample, once: the verifier's text completes the seed, which anybody can compute and follow."""
    return await draw_sample(call.tx, await _desk(call), call.path["engagement_id"], body)


@get(f"{_ONE}/sample", permission=_READ, returns=Sample)
async def get_engagement_sample(call: ReadCall) -> Sample:
    """Read the sample: each record with readings, evidence, calibration, author, what it lacks and what
    changed.
    """
    return await read_sample(call.tx, await _desk(call), call.path["engagement_id"])


@post(f"{_ONE}/findings", permission=VERIFY, body=NewFindingBody, returns=Engagement, example=_FOUND)
async def create_finding(call: WriteCall, body: NewFindingBody) -> Engagement:
    """Record a finding: an error or an omission with its amount, or a request."""
    return await insert_finding(call.tx, await _desk(call), call.path["engagement_id"], body.finding)


@post(
    f"{_FINDING}/answer",
    permission=_WRITE,
    body=FindingAnswer,
    returns=Engagement,
    status=200,
    example=_ANSWERED,
)
async def answer_engagement_finding(call: WriteCall, body: FindingAnswer) -> Engagement:
    """Answer a finding, as the operator."""
    path = call.path
    return await answer_finding(call.tx, await _desk(call), path["engagement_id"], path["finding_id"], body)


@post(
    f"{_FINDING}/decide",
    permission=VERIFY,
    body=FindingDecision,
    returns=Engagement,
    status=200,
    example=_DECIDED,
)
async def decide_engagement_finding(call: WriteCall, body: FindingDecision) -> Engagement:
    """Resolve, reopen or withdraw a finding, as the verifier."""
    path = call.path
    return await decide_finding(call.tx, await _desk(call), path["engagement_id"], path["finding_id"], body)


@ask(f"{_ONE}/statement", permission=_READ, body=OpinionDraft, returns=StatementToSign, example=_DRAFTED)
async def propose_opinion(call: ReadCall, body: OpinionDraft) -> StatementToSign:
    """Propose the statement of an opinion, for the verifier to sign; nothing is stored."""
    return await propose_statement(call.tx, await _desk(call), call.path["engagement_id"], body)


@post(
    f"{_ONE}/conclude", permission=VERIFY, body=SignedOpinion, returns=Engagement, status=200, example=_SIGNED
)
async def conclude_with_opinion(call: WriteCall, body: SignedOpinion) -> Engagement:
    """Conclude an engagement with the signed opinion, which is then part of every bundle of the report."""
    return await conclude_engagement(call.tx, await _desk(call), call.path["engagement_id"], body)


@post(f"{_ONE}/withdraw", permission=VERIFY, body=EngagementEnd, returns=Engagement, status=200)
async def withdraw_open_engagement(call: WriteCall, body: EngagementEnd) -> Engagement:  # noqa: ARG001 - it is empty
    """End an engagement without an opinion."""
    return await withdraw_engagement(call.tx, await _desk(call), call.path["engagement_id"])


# The same by a link that may act as the verifier. Reading takes any link to the report.


_BY_LINK: Final = "/reports/{report_id}/by_link/engagements"
_ONE_BY_LINK: Final = f"{_BY_LINK}/{{engagement_id}}"
_QUERY: Final = {KEY: KEY_MEANING}


def build_link_desk(entry: ReportEntry) -> Desk:
    """The desk of the holder of a link."""
    actor = Actor(entry.account, NOBODY, None, frozenset({VERIFY}), entry.request_id)
    return Desk(actor, identity.Key(entry.project, entry.report), entry.files, entry.link)


async def verifier_entry(call: LinkCall) -> LinkEntry[ReportEntry]:
    """What a link opens whose holder acts as the verifier; any other link is refused."""
    entry = await report_entry(call)
    if entry.refusal is None and not entry.behind.is_of_verifier:
        message = "The link opens the report to read; its holder may not act as the verifier."
        raise Forbidden([Problem(message, KEY, "permission_missing")])
    return entry


@by_logged_link(_BY_LINK, enter=report_entry, query=_QUERY, returns=Engagements)
async def list_engagements_by_link(tx: Read, entry: ReportEntry) -> Engagements:
    """List the engagements on a report by a link to it."""
    return await list_desk_engagements(tx, build_link_desk(entry))


@by_writing_link(
    _BY_LINK, enter=verifier_entry, query=_QUERY, body=NewEngagementBody, returns=Engagement, example=_AGREED,
    refuses=(Forbidden, Invalid),
)  # fmt: skip
async def create_engagement_by_link(tx: Write, entry: ReportEntry, body: NewEngagementBody) -> Engagement:
    """Begin an engagement on a report, by a link that may act as the verifier."""
    return await begin_engagement(tx, build_link_desk(entry), body.engagement)


@by_logged_link(_ONE_BY_LINK, enter=report_entry, query=_QUERY, returns=Engagement)
async def get_engagement_by_link(tx: Read, entry: ReportEntry) -> Engagement:
    """Read one engagement by a link to its report."""
    desk = build_link_desk(entry)
    return show_engagement(await find_engagement(tx, desk.report, entry.path["engagement_id"]))


@by_writing_link(
    f"{_ONE_BY_LINK}/sample", enter=verifier_entry, query=_QUERY, body=SampleDraw,
    returns=Engagement, status=200, example=_DRAWN, refuses=(Forbidden, Conflict, Invalid),
)  # fmt: skip
async def draw_sample_by_link(tx: Write, entry: ReportEntry, body: SampleDraw) -> Engagement:
    """Draw the sample of an engagement, by a link that may act as the verifier."""
    return await draw_sample(tx, build_link_desk(entry), entry.path["engagement_id"], body)


@by_logged_link(f"{_ONE_BY_LINK}/sample", enter=report_entry, query=_QUERY, returns=Sample)
async def get_sample_by_link(tx: Read, entry: ReportEntry) -> Sample:
    """Read the sample of an engagement by a link to its report."""
    return await read_sample(tx, build_link_desk(entry), entry.path["engagement_id"])


@by_writing_link(
    f"{_ONE_BY_LINK}/findings", enter=verifier_entry, query=_QUERY, body=NewFindingBody, returns=Engagement,
    example=_FOUND, refuses=(Forbidden, Conflict, Invalid),
)  # fmt: skip
async def create_finding_by_link(tx: Write, entry: ReportEntry, body: NewFindingBody) -> Engagement:
    """Record a finding, by a link that may act as the verifier."""
    return await insert_finding(tx, build_link_desk(entry), entry.path["engagement_id"], body.finding)


@by_writing_link(
    f"{_ONE_BY_LINK}/findings/{{finding_id}}/decide", enter=verifier_entry, query=_QUERY,
    body=FindingDecision, returns=Engagement, status=200, example=_DECIDED,
    refuses=(Forbidden, Conflict, Invalid),
)  # fmt: skip
async def decide_finding_by_link(tx: Write, entry: ReportEntry, body: FindingDecision) -> Engagement:
    """Resolve, reopen or withdraw a finding, by a link that may act as the verifier."""
    path = entry.path
    return await decide_finding(tx, build_link_desk(entry), path["engagement_id"], path["finding_id"], body)


@by_writing_link(
    f"{_ONE_BY_LINK}/statement", enter=verifier_entry, query=_QUERY, body=OpinionDraft,
    returns=StatementToSign, status=200, example=_DRAFTED, refuses=(Forbidden, Conflict, Invalid),
)  # fmt: skip
async def propose_opinion_by_link(tx: Write, entry: ReportEntry, body: OpinionDraft) -> StatementToSign:
    """Propose the statement of an opinion, by a link that may act as the verifier; nothing is stored."""
    return await propose_statement(tx, build_link_desk(entry), entry.path["engagement_id"], body)


@by_writing_link(
    f"{_ONE_BY_LINK}/conclude", enter=verifier_entry, query=_QUERY, body=SignedOpinion, returns=Engagement,
    status=200, example=_SIGNED, refuses=(Forbidden, Conflict, Invalid),
)  # fmt: skip
async def conclude_by_link(tx: Write, entry: ReportEntry, body: SignedOpinion) -> Engagement:
    """Conclude an engagement with the signed opinion, by a link that may act as the verifier."""
    return await conclude_engagement(tx, build_link_desk(entry), entry.path["engagement_id"], body)


@by_writing_link(
    f"{_ONE_BY_LINK}/withdraw", enter=verifier_entry, query=_QUERY, body=EngagementEnd, returns=Engagement,
    status=200, refuses=(Forbidden, Conflict),
)  # fmt: skip
async def withdraw_by_link(tx: Write, entry: ReportEntry, body: EngagementEnd) -> Engagement:  # noqa: ARG001 - it is empty
    """End an engagement without an opinion, by a link that may act as the verifier."""
    return await withdraw_engagement(tx, build_link_desk(entry), entry.path["engagement_id"])


ROUTES = [
    list_engagements,
    create_engagement,
    get_engagement,
    draw_engagement_sample,
    get_engagement_sample,
    create_finding,
    answer_engagement_finding,
    decide_engagement_finding,
    propose_opinion,
    conclude_with_opinion,
    withdraw_open_engagement,
    list_engagements_by_link,
    create_engagement_by_link,
    get_engagement_by_link,
    draw_sample_by_link,
    get_sample_by_link,
    create_finding_by_link,
    decide_finding_by_link,
    propose_opinion_by_link,
    conclude_by_link,
    withdraw_by_link,
]
