"""Links to reports: addresses that open one report to whoever has them, such as its verifier.

A link opens the report as it is at that moment, whatever its status, and nothing else. It expires, may
be revoked before, and is never changed; its address is in the answer that makes it and nowhere else.
Every use is told by the audit log. Permission: production accounting; following a link takes none.

Invariants: a wrong secret is answered as a report that does not exist, and compared in the same time
wherever it differs; only the SHA-256 of a secret is stored.
"""

import hashlib
import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct
from msgspec.structs import asdict
from psycopg.sql import SQL, Composable

from weighbridge.core import identity
from weighbridge.core.identity import API_PREFIX, ResourceAddress, problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.cell import drop_account, name_account, read_account
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    Page,
    among,
    list_request,
    read_int4,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Gone, Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.endpoints.links import KEY, LinkCall, LinkEntry, by_logged_link
from weighbridge.http.messages.operation import Attachment, Files
from weighbridge.platform import changes
from weighbridge.platform.audit_log import (
    OF_CONSISTENCY,
    OF_COSIGNED_HEAD,
    OF_PROOF,
    TEXT,
    UsedLink,
    attach,
    read_audit_consistency,
    read_audit_head,
    read_audit_key,
    read_audit_keys,
    read_audit_proof,
    read_cosigned_head,
    use_of,
)
from weighbridge.platform.authentication import need_user
from weighbridge.platform.records import AuditKey, AuditKeys, TokenUser
from weighbridge.platform.tenancy import find, key_named, number_named, of_projects
from weighbridge.reporting.bundle.storage import MEDIA_TYPE, build_attachment, kept_bundle, need_bundle
from weighbridge.reporting.records.links import (
    LINK_SECONDS_MAX,
    LINK_SECONDS_MIN,
    REPORT_LINK_BODIES,
    STANDING_LINKS_MAX,
    HandedOverLinkBody,
    IssuedReportLink,
    LinkStatus,
    ReportLink,
)
from weighbridge.reporting.records.reports import Report
from weighbridge.reporting.reports_queries import find_report_key, report_numbered
from weighbridge.settings import Settings

# The secret in the address of a link: its account, the number of the link and 64 random digits, as
# `a4.17.3f9c…`. Addresses of links from before accounts were named go on without.
#
# Invariants: `read_secret(secret.text) == secret`; what is kept is the SHA-256 of the digits and never the
# digits.


SECRET_BYTES: Final = 32
"""Random bytes of a link's secret."""

_SECRET: Final = re.compile(rf"([1-9][0-9]{{0,9}})\.([0-9a-f]{{{2 * SECRET_BYTES}}})")


class LinkSecret(NamedTuple):
    """What stands in an address: the number of the link, and its digits."""

    number: int
    digits: str

    @property
    def text(self) -> str:
        """How it stands in an address."""
        return f"{self.number}.{self.digits}"

    @property
    def hash(self) -> bytes:
        """What is kept of it. A fast hash is right for 256 random bits."""
        return hashlib.sha256(self.digits.encode()).digest()


def generate_digits() -> str:
    """Digits that nobody guesses."""
    return secrets.token_hex(SECRET_BYTES)


def read_secret(text: str) -> LinkSecret | None:
    """The secret that a text is, whatever account it names; None for any other text."""
    found = _SECRET.fullmatch(drop_account(text))
    return None if found is None else LinkSecret(int(found[1]), found[2])


# The report behind a link.
#
# Invariants: a wrong secret is answered as a report that there is not, whichever of both is wrong, and is
# compared in the same time wherever it differs; only whoever has the right one learns that it has expired
# or was revoked.


KEY_MEANING: Final = "What stands in the `url` of the link."
"""What the parameter means, for readers of the document."""

_NO_HASH: Final = bytes(32)
"""What the secret of a link is compared with that there is not."""


class ReportEntry(NamedTuple):
    """The report that a link opens."""

    project: int
    report: int
    account: int
    files: Files
    """Where the report's files are kept."""
    settings: Settings
    query: Mapping[str, str]
    path: Mapping[str, str]
    link: int
    """The number of the link."""
    is_of_verifier: bool
    """Whether its holder may act as the verifier."""
    request_id: str


class _ReportLinkRow(NamedTuple):
    hash: bytes
    account: int
    name: str
    is_of_verifier: bool
    expires_at: datetime
    revoked_at: datetime | None
    is_over: bool


async def report_entry(call: LinkCall) -> LinkEntry[ReportEntry]:
    """The report that a request's address opens; NotFound for any that names no link of the report."""
    friendly = call.path["report_id"]
    key = key_named("report", friendly)
    text = call.query.get(KEY, "")
    secret = read_secret(text)
    if secret is None:
        raise NotFound("report", friendly)
    link = await call.tx.row(_ReportLinkRow, _FIND, (secret.number, key.project, key.key))
    if not secrets.compare_digest(_NO_HASH if link is None else link.hash, secret.hash) or link is None:
        raise NotFound("report", friendly)
    if read_account(text) not in {None, link.account}:
        raise NotFound("report", friendly)
    gone = _check_expiry(link)
    record = identity.of("report", key.project, key.key)
    used = UsedLink(secret.number, link.name, link.account, key.project, record)
    return LinkEntry(
        account=link.account,
        use=use_of(call, used, gone=gone),
        refusal=gone,
        behind=ReportEntry(
            key.project,
            key.key,
            link.account,
            call.files,
            call.settings,
            call.query,
            call.path,
            secret.number,
            link.is_of_verifier,
            call.request_id,
        ),
    )


def _check_expiry(link: _ReportLinkRow) -> Gone | None:
    """How the end of a link is told."""
    if link.revoked_at is not None:
        message = f"The link was revoked at {Instant.of(link.revoked_at).text}; ask for another one."
        return Gone([Problem(message, KEY, "link_revoked")])
    if link.is_over:
        message = f"The link expired at {Instant.of(link.expires_at).text}; ask for another one."
        return Gone([Problem(message, KEY, "link_expired")])
    return None


_FIND: Final = """
    SELECT l.secret_hash, p.account_id, l.name, l.is_of_verifier, l.expires_at, l.revoked_at,
           l.expires_at <= now()
      FROM report_links l JOIN projects p ON p.id = l.project_id
     WHERE l.id = %s AND (l.project_id, l.report_id) = (%s, %s)
"""


# Read links to reports.


STATUS: Final = f"""(CASE WHEN l.revoked_at IS NOT NULL THEN '{LinkStatus.REVOKED}'
                         WHEN l.expires_at <= now() THEN '{LinkStatus.EXPIRED}'
                         ELSE '{LinkStatus.OPEN}' END)"""
"""Whether a link `l` opens its report now."""

REPORT_LINKS: Final = Listing(
    sorts={"id": "l.id", "created_at": "l.created_at", "expires_at": "l.expires_at"},
    default_sort="-id",
    key=("l.id",),
    filters={
        "status": Filter(STATUS, among(LinkStatus), ", ".join(LinkStatus)),
        "user_id": Filter("coalesce(l.user_id, l.created_by)", read_int4, "the number of a user"),
        "created_at": Filter("l.created_at", read_moment, MOMENT, BOUNDS),
        "expires_at": Filter("l.expires_at", read_moment, MOMENT, BOUNDS),
    },
)
_SOURCE: Final = """
    report_links l JOIN users c ON c.id = l.created_by LEFT JOIN users r ON r.id = l.revoked_by
    JOIN users o ON o.id = coalesce(l.user_id, l.created_by)
"""
REPORT_LINK: Final = row_of(
    ReportLink,
    Column("id", "l.id"),
    Column("report_id", ("l.project_id", "l.report_id"), partial(identity.of, "report")),
    Column("name", "l.name"),
    Column("is_of_verifier", "l.is_of_verifier"),
    Column("status", STATUS),
    Column("use_count", "l.use_count"),
    Column("last_used_at", "l.last_used_at"),
    Column("created_by", "c.name"),
    Column("created_at", "l.created_at"),
    Column("expires_at", "l.expires_at"),
    Column("revoked_at", "l.revoked_at"),
    Column("revoked_by", "r.name"),
    Column("user", ("o.id", "o.name", "o.email", "o.disabled_at"), TokenUser),
)


async def read_report_link(tx: Read, report: identity.Key, named: str) -> ReportLink:
    """One link of a report by its number."""
    number = number_named("report_link", named)
    where = SQL("l.project_id = %s AND l.report_id = %s AND l.id = %s")
    return await find(tx, REPORT_LINK, _SOURCE, where, (report.project, report.key, number))


# What a link must be like, and what the audit log keeps of it.


def _build_audit_record(link: ReportLink) -> dict[str, object]:
    """What the audit log keeps of a link: who answers for it by number, for it can forget nobody."""
    return {**asdict(link), "user": {"id": link.user.id}}


def _check_link(name: str, seconds: int, standing: int) -> Iterator[Problem]:
    if problem := problem_of_name(name, "A link", "link.name"):
        yield problem
    if not LINK_SECONDS_MIN <= seconds <= LINK_SECONDS_MAX:
        message = (
            f"link.expires_in is {shorten(str(seconds))}; it takes seconds from {LINK_SECONDS_MIN} to"
            f" {LINK_SECONDS_MAX:,}."
        )
        yield Problem(message, "link.expires_in", "invalid")
    if standing >= STANDING_LINKS_MAX:
        message = f"The report has {standing} open links, and takes {STANDING_LINKS_MAX}; revoke one first."
        yield Problem(message, "link", "too_many")


# Paths of links to reports, and of reports that links open.


_LINKS = "/reports/{report_id}/links"


@get(
    _LINKS,
    permission="production_accounting:read",
    returns=Page[ReportLink],
    listing=REPORT_LINKS,
)
async def list_report_links(call: ReadCall) -> Page[ReportLink]:
    """List the links to a report, those that have ended included."""
    report = await find_report_key(call.tx, call.actor, call.path["report_id"])
    of_report = SQL("l.project_id = {} AND l.report_id = {}").format(
        Literal(report.project), Literal(report.key)
    )
    return await _read_links(call, of_report)


@get(
    "/report_links",
    permission="production_accounting:read",
    returns=Page[ReportLink],
    listing=REPORT_LINKS,
    spans_projects=True,
)
async def list_links_of_account(call: ReadCall) -> Page[ReportLink]:
    """List the links to all reports of the account, such as those of a user who was shut out."""
    return await _read_links(call, of_projects(call.actor, "l.project_id"))


async def _read_links(call: ReadCall, condition: Composable) -> Page[ReportLink]:
    request = list_request(call.query, REPORT_LINKS)
    return await read_page(call.tx, REPORT_LINK, REPORT_LINKS, request, source=_SOURCE, where=[condition])


@post(
    _LINKS,
    permission="production_accounting:write",
    body=REPORT_LINK_BODIES.new_body,
    returns=IssuedReportLink,
    shown_once="url",
    example={"link": {"name": "Verifier, first review", "expires_in": 1_209_600}},
)
async def create_report_link(call: WriteCall, body: Struct) -> IssuedReportLink:
    """Make a link that opens a report to whoever has its address, without a token.

    The address is in `url`, this once. It opens the report as it is when it is followed, until the link
    expires or is revoked; every use is told by the audit log. A report has 100 open links at most.
    """
    new, seconds = REPORT_LINK_BODIES.created(body), REPORT_LINK_BODIES.sent(body)["expires_in"]
    report = await find_report_key(call.tx, call.actor, call.path["report_id"])
    made, address = await issue_report_link(call.tx, call.actor, report, new, seconds)
    return IssuedReportLink(**asdict(made), url=ResourceAddress(address))


async def issue_report_link(
    tx: Write, actor: Actor, report: identity.Key, new: ReportLink, seconds: int
) -> tuple[ReportLink, str]:
    """Make a link to a report; gives it with its path, which is told this once. Invalid if refused."""
    # Links of one report are made one after the other, so that they are counted.
    key = (report.project, report.key)
    await tx.execute("SELECT FROM reports WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", key)
    standing = await tx.value(
        """
        SELECT count(*) FROM report_links
         WHERE project_id = %s AND report_id = %s AND revoked_at IS NULL AND expires_at > now()
        """,
        key,
    )
    if problems := [*_check_link(new.name, seconds, standing)]:
        raise Invalid(problems)
    digits = generate_digits()
    number = await tx.value(
        """
        INSERT INTO report_links (project_id, report_id, name, secret_hash, created_by, is_of_verifier,
                                  expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, now() + make_interval(secs => %s)) RETURNING id
        """,
        (
            report.project, report.key, new.name, LinkSecret(0, digits).hash, actor.user_id,
            new.is_of_verifier, seconds,
        ),
    )  # fmt: skip
    made = await read_report_link(tx, report, str(number))
    changes.record(
        tx, actor, action="report_link.create", target=made.report_id, project_id=report.project,
        after=_build_audit_record(made),
    )  # fmt: skip
    secret = name_account(actor.account_id, LinkSecret(number, digits).text)
    return made, f"{API_PREFIX}/reports/{made.report_id}/by_link?{KEY}={secret}"


async def is_link_of_report(tx: Read, report: identity.Key, address: str) -> bool:
    """Whether an address, whatever host it names, has the secret of a link of a report."""
    secret = read_secret(dict(parse_qsl(urlsplit(address).query)).get(KEY, ""))
    if secret is None:
        return False
    link = await tx.row(_ReportLinkRow, _FIND, (secret.number, report.project, report.key))
    return link is not None and secrets.compare_digest(link.hash, secret.hash)


@delete(_LINKS + "/{link_id}", permission="production_accounting:write", urgent=True)
async def revoke_report_link(call: WriteCall) -> None:
    """Revoke a link to a report, at once; one that was revoked already stays as it is."""
    tx, actor, link = call.tx, call.actor, call.path["link_id"]
    report = await find_report_key(tx, actor, call.path["report_id"])
    before = await read_report_link(tx, report, link)
    revoked = await tx.execute(
        "UPDATE report_links SET revoked_at = now(), revoked_by = %s WHERE id = %s AND revoked_at IS NULL",
        (actor.user_id, before.id),
    )
    if revoked:
        after: ReportLink = await read_report_link(tx, report, link)
        changes.record(
            tx, actor, action="report_link.revoke", target=before.report_id, project_id=report.project,
            before=_build_audit_record(before), after=_build_audit_record(after),
        )  # fmt: skip


@patch(
    _LINKS + "/{link_id}",
    permission="production_accounting:write",
    body=HandedOverLinkBody,
    returns=ReportLink,
    example={"link": {"user_email": "ada@plant.example"}},
)
async def reassign_report_link(call: WriteCall, body: HandedOverLinkBody) -> ReportLink:
    """Have another user answer for a link, such as when its own was shut out; its address stays."""
    tx, actor, link = call.tx, call.actor, call.path["link_id"]
    report = await find_report_key(tx, actor, call.path["report_id"])
    before = await read_report_link(tx, report, link)
    user_id = await need_user(tx, actor, body.link.user_email, "link.user_email")
    await tx.execute("UPDATE report_links SET user_id = %s WHERE id = %s", (user_id, before.id))
    after: ReportLink = await read_report_link(tx, report, link)
    changes.record(
        tx, actor, action="report_link.reassign", target=before.report_id, project_id=report.project,
        before=_build_audit_record(before), after=_build_audit_record(after),
    )  # fmt: skip
    return after


@by_logged_link("/reports/{report_id}/by_link", enter=report_entry, query={KEY: KEY_MEANING}, returns=Report)
async def open_report(tx: Read, entry: ReportEntry) -> Report:
    """Read a report by a link, by the address that its `url` says.

    A link that has expired or was revoked is refused with 410; any other address that opens nothing is
    answered as a report that there is not.
    """
    return await report_numbered(tx, entry.project, entry.report)


@by_logged_link(
    "/reports/{report_id}/by_link/bundle",
    enter=report_entry,
    query={KEY: KEY_MEANING},
    sends=(MEDIA_TYPE,),
)
async def download_bundle_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the proof bundle of a report by a link to the report, with the `key` of its `url`.

    It is the file that `weighbridge bundle check` checks offline.
    """
    report = identity.of("report", entry.project, entry.report)
    kept = need_bundle(report, await kept_bundle(tx, entry.project, entry.report))
    return await build_attachment(tx, entry.project, entry.report, kept, entry.files)


# What a link opens of the audit log behind its report: keys, heads and proofs, without a token. So a verifier
# can hold the log of the account against heads that they kept, and needs nobody for it. Rows are in the
# report's bundle alone; proofs say nothing of rows but their hashes.


_LOG = "/reports/{report_id}/by_link/audit_log"
_QUERY = {KEY: KEY_MEANING}


@by_logged_link(_LOG + "/key", enter=report_entry, query=_QUERY, returns=AuditKey)
async def get_audit_key_by_link(tx: Read, entry: ReportEntry) -> AuditKey:
    """Read the public key of the audit log behind a report, by a link to the report.

    A verifier compares it with the key that they have from somebody they trust.
    """
    return await read_audit_key(tx, entry.account, entry.settings)


@by_logged_link(_LOG + "/keys", enter=report_entry, query=_QUERY, returns=AuditKeys)
async def get_audit_keys_by_link(tx: Read, entry: ReportEntry) -> AuditKeys:
    """Read the history of the keys of the audit log behind a report, by a link to the report."""
    return await read_audit_keys(tx, entry.account, entry.settings)


@by_logged_link(_LOG + "/head", enter=report_entry, query=_QUERY, sends=(TEXT,))
async def get_audit_head_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the newest head of the audit log behind a report, by a link to the report."""
    return attach("audit_log.checkpoint", await read_audit_head(tx, entry.account, entry.settings))


@by_logged_link(
    _LOG + "/cosigned_head",
    enter=report_entry,
    query=_QUERY | OF_COSIGNED_HEAD,
    sends=(TEXT,),
    refuses=(Invalid,),
)
async def get_cosigned_head_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the newest head that enough witnesses have cosigned, by a link to a report."""
    text = await read_cosigned_head(tx, entry.account, entry.settings, [*entry.query.items()])
    return attach("audit_log.checkpoint", text)


@by_logged_link(
    _LOG + "/proof", enter=report_entry, query=_QUERY | OF_PROOF, sends=(TEXT,), refuses=(Invalid,)
)
async def get_audit_proof_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the proof that a row is under a head of the audit log, by a link to a report."""
    text = await read_audit_proof(tx, entry.account, entry.settings, [*entry.query.items()])
    return attach("audit_log.tlog-proof", text)


@by_logged_link(
    _LOG + "/consistency",
    enter=report_entry,
    query=_QUERY | OF_CONSISTENCY,
    sends=(TEXT,),
    refuses=(Invalid,),
)
async def get_audit_consistency_by_link(tx: Read, entry: ReportEntry) -> Attachment:
    """Download the proof that a head extends one that a verifier kept, by a link to a report."""
    text = await read_audit_consistency(tx, entry.account, entry.settings, [*entry.query.items()])
    return attach("audit_log.consistency", text)


ROUTES = [
    list_report_links,
    list_links_of_account,
    create_report_link,
    reassign_report_link,
    revoke_report_link,
    open_report,
    download_bundle_by_link,
    get_audit_key_by_link,
    get_audit_keys_by_link,
    get_audit_head_by_link,
    get_cosigned_head_by_link,
    get_audit_proof_by_link,
    get_audit_consistency_by_link,
]
