"""Uses of links: counted before anything is shown, and told by the audit log when their minute is over.

Repeats of one link, operation and answer share a row for each minute, as refused writes do
(`refused_writes.py`), so nobody fills the log by reading. Which links there are says `reporting/linking`.

Invariant: nothing is shown by a link whose use could not be counted.
"""

from typing import Final, NamedTuple

from weighbridge.db.engine import Command, Write
from weighbridge.errors import Refusal
from weighbridge.http.access.linked import LinkCall
from weighbridge.platform.changes.audit_row import INSERT_AUDIT_ROW

SHOWN: Final = 200
"""The status of a use that shows what the link opens."""


class UsedLink(NamedTuple):
    """The link that a request follows, and what its report is called outside."""

    number: int
    name: str
    account: int
    project: int
    record: str


def use_of(call: LinkCall, link: UsedLink, *, gone: Refusal | None) -> Command:
    """The statement that counts one use of a link, answered so."""
    status = SHOWN if gone is None else gone.status
    key = link.number, call.operation, status
    return _COUNT, (link.number, *key, link.account, link.project, link.record, link.name, call.request_id)


async def tell_uses(tx: Write) -> int:
    """Leave a row in the audit log for each link, operation, answer and minute that is over; gives how many.

    The row has the id of the first request and says how often the link was used.
    """
    return await tx.execute(_TELL)


_COUNT: Final = """
    WITH used AS (
        UPDATE report_links SET use_count = use_count + 1, last_used_at = now() WHERE id = %s)
    INSERT INTO report_link_uses (link_id, operation, status, minute, account_id, project_id, record, name,
                                  request_id)
    VALUES (%s, %s, %s, date_trunc('minute', now()), %s, %s, %s, %s, %s)
    ON CONFLICT (link_id, operation, status, minute)
       DO UPDATE SET uses = report_link_uses.uses + 1, last_at = now()
    RETURNING uses
"""
_AS_TEXT: Final = """to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
_TELL: Final = f"""
    WITH over AS (
        DELETE FROM report_link_uses WHERE minute < date_trunc('minute', now()) RETURNING *)
    {INSERT_AUDIT_ROW}
    SELECT account_id, project_id, NULL, NULL, request_id, 'report_link.use', record, NULL,
           jsonb_build_object(
               'link_id', link_id, 'name', name, 'operation', operation, 'status', status, 'uses', uses,
               'first_at', {_AS_TEXT.format("first_at")}, 'last_at', {_AS_TEXT.format("last_at")})
      FROM over ORDER BY first_at, link_id, operation, status
"""
