"""The report behind a link.

Invariants: a wrong secret is answered as a report that there is not, whichever of both is wrong, and is
compared in the same time wherever it differs; only whoever has the right one learns that it has expired or
was revoked.
"""

import secrets
from datetime import datetime
from typing import Final, NamedTuple

from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.errors import Gone, NotFound
from weighbridge.http.access.linked import LinkCall
from weighbridge.http.access.told_link import LinkEntry
from weighbridge.http.attachment import Files
from weighbridge.platform.changes.link_uses import UsedLink, use_of
from weighbridge.platform.tenancy.scope import key_named
from weighbridge.reporting.linking.secret import read_secret

KEY: Final = "key"
"""The parameter that makes an address a secret."""

KEY_MEANING: Final = "What stands in the `url` of the link."
"""What the parameter means, for readers of the document."""

_NO_HASH: Final = bytes(32)
"""What the secret of a link is compared with that there is not."""


class ReportEntry(NamedTuple):
    """The report that a link opens."""

    project: int
    report: int
    files: Files
    """Where the report's files are kept."""


class _ReportLinkRow(NamedTuple):
    hash: bytes
    account: int
    name: str
    expires_at: datetime
    revoked_at: datetime | None
    is_over: bool


async def report_entry(call: LinkCall) -> LinkEntry[ReportEntry]:
    """The report that a request's address opens; NotFound for any that names no link of the report."""
    friendly = call.path["report_id"]
    key = key_named("report", friendly)
    secret = read_secret(call.query.get(KEY, ""))
    if secret is None:
        raise NotFound("report", friendly)
    link = await call.tx.row(_ReportLinkRow, _FIND, (secret.number, key.project, key.key))
    if not secrets.compare_digest(_NO_HASH if link is None else link.hash, secret.hash) or link is None:
        raise NotFound("report", friendly)
    gone = _gone(link)
    record = ids.of("report", key.project, key.key)
    used = UsedLink(secret.number, link.name, link.account, key.project, record)
    return LinkEntry(
        account=link.account,
        use=use_of(call, used, gone=gone),
        refusal=gone,
        behind=ReportEntry(key.project, key.key, call.files),
    )


def _gone(link: _ReportLinkRow) -> Gone | None:
    """How the end of a link is told."""
    if link.revoked_at is not None:
        said = f"The link was revoked at {Instant.of(link.revoked_at).text}; ask for another one."
        return Gone([Problem(said, KEY, "link_revoked")])
    if link.is_over:
        said = f"The link expired at {Instant.of(link.expires_at).text}; ask for another one."
        return Gone([Problem(said, KEY, "link_expired")])
    return None


_FIND: Final = """
    SELECT l.secret_hash, p.account_id, l.name, l.expires_at, l.revoked_at, l.expires_at <= now()
      FROM report_links l JOIN projects p ON p.id = l.project_id
     WHERE l.id = %s AND (l.project_id, l.report_id) = (%s, %s)
"""
