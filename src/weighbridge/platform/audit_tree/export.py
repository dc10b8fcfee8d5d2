"""The sealed rows of an account as lines of JSON, with the fields that their hashes are made of."""

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from weighbridge.db.engine import Read
from weighbridge.platform.audit_log.records import SealedRow
from weighbridge.platform.audit_tree.leaf import shown

ROWS_AT_ONCE: Final = 5000
"""Rows that are held in memory at a time."""

_ROWS: Final = """
    SELECT a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action,
           a.object, a.before, a.after
      FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
     WHERE s.account_id = %s AND s.number > %s ORDER BY s.number LIMIT %s
"""
_encode: Final = msgspec.json.Encoder(decimal_format="number").encode_lines


async def exported(tx: Read, account: int) -> AsyncIterator[bytes]:
    """Lines of rows in the order of their numbers, some at a time."""
    last = 0
    while rows := await tx.rows(SealedRow, _ROWS, (account, last, ROWS_AT_ONCE)):
        yield _encode([shown(row) for row in rows])
        last = rows[-1].number
