"""Writes that were refused: counted as they come, and told by the audit log when their minute is over.

Repeats of one token and operation share a row for each minute, so nobody fills the log by being refused: a
token leaves at most as many rows in a minute as there are operations.

Invariant: a refused write waits for no other one but a repeat of itself, and one that is stored for none.
"""

from typing import Final

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database, Write
from weighbridge.http.access.refused_write import RefusedWrite
from weighbridge.platform.changes.audit_row import INSERT_AUDIT_ROW

PATH_LENGTH_MAX: Final = 200
"""Characters of a path that are kept; ids of records fit, and what a caller makes up is cut."""

_COUNT: Final = """
    INSERT INTO audit_refusals (token_id, operation, status, minute, account_id, user_id, request_id, method,
                                path, code)
    VALUES (%s, %s, %s, date_trunc('minute', now()), %s, %s, %s, %s, %s, %s)
    ON CONFLICT (token_id, operation, status, minute)
       DO UPDATE SET refusals = audit_refusals.refusals + 1, last_at = now()
    RETURNING refusals
"""
_AS_TEXT: Final = """to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
_TELL: Final = f"""
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
        _COUNT,
        (
            actor.token_id, refused.operation, refused.status, actor.account_id, actor.user_id,
            actor.request_id, refused.method, refused.path[:PATH_LENGTH_MAX], refused.code,
        ),
    )  # fmt: skip


async def tell_refusals(tx: Write) -> int:
    """Leave a row in the audit log for each token, operation and minute that is over; gives their number.

    The row has the id of the first request and says how often it was refused.
    """
    return await tx.execute(_TELL)
