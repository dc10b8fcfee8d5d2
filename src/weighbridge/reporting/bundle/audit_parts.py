"""The rows of the audit log that tell of a report and of what it rests on, each with its proof.

They are those of the report, of the generations that made its batches, of their model versions, and of the
evidence.

Invariant: all proofs are under one head, that of the moment at which the bundle is made.
"""

from collections.abc import Sequence
from typing import Any, Final

from weighbridge.core.proof.canonical import canonical_json
from weighbridge.db.engine import Database, Read
from weighbridge.platform.audit_log.records import SealedRow
from weighbridge.platform.audit_log.tasks import seal_account
from weighbridge.platform.audit_tree.heads import head_at, inclusion_proof
from weighbridge.platform.audit_tree.keys import Signer
from weighbridge.platform.audit_tree.leaf import shown
from weighbridge.platform.audit_tree.stored import size_of

SEALED_ROUNDS_MAX: Final = 1000
"""Portions of rows that are sealed before a bundle is made; a million rows have room."""

_ROWS: Final = """
    SELECT a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action,
           a.object, a.before, a.after
      FROM audit_log a JOIN audit_seals s ON (s.account_id, s.audit_id) = (a.account_id, a.id)
     WHERE a.account_id = %(account)s AND s.number <= %(size)s
       AND (a.object = ANY (%(objects)s)
            OR a.object = ANY (%(ledgers)s) AND a.action LIKE 'batch_generation.%%'
               AND a.after ->> 'id' = ANY (%(generations)s))
     ORDER BY s.number
"""


async def seal_all(database: Database, account: int) -> None:
    """Seal what the account has written, so that the head is over all of it."""
    for _ in range(SEALED_ROUNDS_MAX):
        async with database.write() as tx:
            if not await seal_account(tx, account):
                return


async def audit_parts(  # noqa: PLR0917 - what the log is asked for
    tx: Read,
    account: int,
    signer: Signer,
    objects: Sequence[str],
    ledgers: Sequence[str],
    generations: Sequence[int],
) -> tuple[str, list[tuple[int, dict[str, Any]]], list[tuple[int, str]]]:  # fmt: skip
    """The head, the rows by their numbers, and the proof of each."""
    size = await size_of(tx, account)
    values = {
        "account": account,
        "size": size,
        "objects": list(objects),
        "ledgers": list(ledgers),
        "generations": list(map(str, generations)),
    }
    rows = [(row.number, shown(row)) for row in await tx.rows(SealedRow, _ROWS, values)]
    proofs = [(number, (await inclusion_proof(tx, account, signer, number, size)).text) for number, _ in rows]
    return await head_at(tx, account, signer, size), rows, proofs


def rows_text(rows: Sequence[tuple[int, dict[str, Any]]]) -> bytes:
    """The rows as lines of JSON."""
    return b"".join(canonical_json(row) + b"\n" for _, row in rows)
