"""Count rejected writes and uses of links by the minute, and log each count once its minute is over.

Repeats share one audit row for each minute, so nobody can fill the log by being rejected or by reading.

Invariants: nothing is shown by a link whose use could not be counted; a rejected write waits only for a
repeat of itself.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database, Write
from weighbridge.errors import Refusal
from weighbridge.http.endpoints.links import LinkCall
from weighbridge.http.messages.operation import RefusedWrite
from weighbridge.platform.changes.obligations import INSERT_AUDIT_ROW

# Writes that were refused: counted as they come, and told by the audit log when their minute is over.
#
# Repeats of one token and operation share a row for each minute, so nobody fills the log by being refused:
# a token leaves at most as many rows in a minute as there are operations.
#
# Invariant: a refused write waits for no other one but a repeat of itself, and one that is stored for none.


PATH_LENGTH_MAX: Final = 200
"""Characters of a path that are kept; ids of records fit, and what a caller makes up is cut."""

_COUNT_REFUSAL: Final = """
    INSERT INTO audit_refusals (token_id, operation, status, minute, account_id, user_id, request_id, method,
                                path, code)
    VALUES (%s, %s, %s, date_trunc('minute', now()), %s, %s, %s, %s, %s, %s)
    ON CONFLICT (token_id, operation, status, minute)
       DO UPDATE SET refusals = audit_refusals.refusals + 1, last_at = now()
    RETURNING refusals
"""
_AS_TEXT: Final = """to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
_LOG_REFUSALS: Final = f"""
    WITH over AS (
        DELETE FROM audit_refusals WHERE minute < date_trunc('minute', now()) RETURNING *)
    {INSERT_AUDIT_ROW}
    SELECT account_id, NULL, user_id, token_id, request_id, 'write.refuse', operation, NULL,
           jsonb_build_object(
               'method', method, 'path', path, 'status', status, 'code', code, 'refusals', refusals,
               'first_at', {_AS_TEXT.format("first_at")}, 'last_at', {_AS_TEXT.format("last_at")})
      FROM over ORDER BY first_at, token_id, operation, status
"""


async def count_refusal(database: Database, actor: Actor, refused: RefusedWrite) -> None:
    """Count a write that was refused to a token. Raises what the database says when it cannot."""
    await database.single(
        _COUNT_REFUSAL,
        (
            actor.token_id, refused.operation, refused.status, actor.account_id, actor.user_id,
            actor.request_id, refused.method, refused.path[:PATH_LENGTH_MAX], refused.code,
        ),
    )  # fmt: skip


async def log_refusals(tx: Write) -> int:
    """Leave a row in the audit log for each token, operation and minute that is over; gives their number.

    The row has the id of the first request and says how often it was refused.
    """
    return await tx.execute(_LOG_REFUSALS)


# Uses of links: counted before anything is shown, and told by the audit log when their minute is over.
#
# Those that wait at the same time are counted by one statement.
#
# Repeats of one link, operation and answer share a row for each minute, as refused writes do
# (above), so nobody fills the log by reading. `reporting/report_links.py` knows the links.
#
# Invariant: nothing is shown by a link whose use could not be counted.


SHOWN: Final = 200
"""The status of a use that shows what the link opens."""


class UsedLink(NamedTuple):
    """The link that a request follows, and what its report is called outside."""

    number: int
    name: str
    account: int
    project: int
    record: str


class LinkUse(NamedTuple):
    """One use of a link, and how it was answered."""

    link: UsedLink
    operation: str
    status: int
    request_id: str


def use_of(call: LinkCall, link: UsedLink, *, gone: Refusal | None) -> LinkUse:
    """One use of a link, answered so."""
    return LinkUse(link, call.operation, SHOWN if gone is None else gone.status, call.request_id)


async def count_uses(database: Database, uses: Sequence[LinkUse]) -> None:
    """Count uses by one statement; those of one link, operation and answer go together, by the first."""
    alike: dict[tuple[int, str, int], list[LinkUse]] = {}
    for use in uses:
        alike.setdefault((use.link.number, use.operation, use.status), []).append(use)
    rows = [
        (*key, first.link.account, first.link.project, first.link.record, first.link.name, first.request_id,
         len(same))
        for key, same in sorted(alike.items()) for first in same[:1]
    ]  # fmt: skip
    await database.single(_COUNT_USES, [list(column) for column in zip(*rows, strict=True)])


async def log_link_uses(tx: Write) -> int:
    """Leave a row in the audit log for each link, operation, answer and minute that is over; gives how many.

    The row has the id of the first request and says how often the link was used.
    """
    return await tx.execute(_LOG_USES)


_COUNT_USES: Final = """
    WITH come AS (
        SELECT * FROM unnest(%s::integer[], %s::text[], %s::smallint[], %s::integer[], %s::integer[],
                             %s::text[], %s::text[], %s::text[], %s::bigint[])
               AS c (link_id, operation, status, account_id, project_id, record, name, request_id, uses)),
    locked AS MATERIALIZED (
        SELECT id FROM report_links WHERE id IN (SELECT link_id FROM come) ORDER BY id FOR NO KEY UPDATE),
    used AS (
        UPDATE report_links l SET use_count = l.use_count + c.uses, last_used_at = now()
          FROM locked k JOIN (SELECT link_id, sum(uses)::bigint AS uses FROM come GROUP BY link_id) c
                          ON c.link_id = k.id
         WHERE l.id = k.id)
    INSERT INTO report_link_uses (link_id, operation, status, minute, account_id, project_id, record, name,
                                  request_id, uses)
    SELECT link_id, operation, status, date_trunc('minute', now()), account_id, project_id, record, name,
           request_id, uses
      FROM come ORDER BY link_id, operation, status
    ON CONFLICT (link_id, operation, status, minute)
       DO UPDATE SET uses = report_link_uses.uses + excluded.uses, last_at = now()
    RETURNING uses
"""
_LOG_USES: Final = f"""
    WITH over AS (
        DELETE FROM report_link_uses WHERE minute < date_trunc('minute', now()) RETURNING *)
    {INSERT_AUDIT_ROW}
    SELECT account_id, project_id, NULL, NULL, request_id, 'report_link.use', record, NULL,
           jsonb_build_object(
               'link_id', link_id, 'name', name, 'operation', operation, 'status', status, 'uses', uses,
               'first_at', {_AS_TEXT.format("first_at")}, 'last_at', {_AS_TEXT.format("last_at")})
      FROM over ORDER BY first_at, link_id, operation, status
"""
