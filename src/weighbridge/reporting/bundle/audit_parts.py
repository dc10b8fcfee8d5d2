"""The rows of the audit log that tell of a report and of what it rests on, each with its proof.

They are those of the report and of those that it restates, of the generations that made its batches and the
deletions that took some away, of project, ledgers, model versions, event types, static inputs, instruments,
rules, corrections and evidence.

Invariant: all proofs are under one head, that of the moment at which the bundle is made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.core.bundle.log.corrections import CORRECTING
from weighbridge.core.proof.canonical import canonical_json
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Database, Read
from weighbridge.platform.audit_log.records import SealedRow
from weighbridge.platform.audit_log.tasks import seal_account
from weighbridge.platform.audit_tree.heads import head_at, inclusion_proof
from weighbridge.platform.audit_tree.keys import Signer
from weighbridge.platform.audit_tree.leaf import shown
from weighbridge.platform.audit_tree.stored import size_of

SEALED_ROUNDS_MAX: Final = 1000
"""Portions of rows that are sealed before a bundle is made; a million rows have room."""


@dataclass(frozen=True, slots=True)
class RowsWanted:
    """Which rows of the log tell of a bundle's records."""

    project: int
    objects: Sequence[str] = ()
    """Records of which every row is wanted: the report and those that it restates, models, evidence."""
    records: Sequence[tuple[str, str]] = ()
    """Records of which rows of one kind are wanted: the noun before the dot, and what the log calls it."""
    batches: Sequence[str] = ()
    """Batches whose generations and deletions are wanted, by their ids."""
    generations: Sequence[int] = ()
    corrected_at: Sequence[Instant] = ()
    """When people corrected values."""


_ROWS: Final = """
    WITH wanted AS (
        SELECT a.id FROM audit_log a WHERE a.account_id = %(account)s AND a.object = ANY (%(objects)s)
        UNION
        SELECT a.id FROM unnest(%(nouns)s::text[], %(names)s::text[]) AS record (noun, name)
          JOIN audit_log a ON a.account_id = %(account)s AND a.object = record.name
           AND starts_with(a.action, record.noun || '.') AND a.action NOT IN ('rule.correct')
           AND a.project_id = %(project)s
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.action IN ('batch_generation.start', 'batch.update_inputs')
           AND a.after ->> 'id' = ANY (%(generations)s)
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.action = 'batch_generation.finish' AND a.after -> 'batches' ?| %(batches)s::text[]
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.action = 'batch_deletion.finish' AND a.after -> 'deleted' ?| %(batches)s::text[]
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.at = ANY (%(corrected_at)s::timestamptz[]) AND a.action = ANY (%(correcting)s)
    )
    SELECT a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action,
           a.object, a.before, a.after
      FROM wanted JOIN audit_log a USING (id)
      JOIN audit_seals s ON (s.account_id, s.audit_id) = (a.account_id, a.id)
     WHERE s.number <= %(size)s
     ORDER BY s.number
"""


async def seal_all(database: Database, account: int) -> None:
    """Seal what the account has written, so that the head is over all of it."""
    for _ in range(SEALED_ROUNDS_MAX):
        async with database.write() as tx:
            if not await seal_account(tx, account):
                return


async def audit_parts(
    tx: Read, account: int, signer: Signer, wanted: RowsWanted
) -> tuple[str, list[tuple[int, dict[str, Any]]], list[tuple[int, str]]]:
    """The head, the rows by their numbers, and the proof of each."""
    size = await size_of(tx, account)
    nouns, names = [noun for noun, _ in wanted.records], [name for _, name in wanted.records]
    values = {
        "account": account,
        "project": wanted.project,
        "size": size,
        "objects": list(wanted.objects),
        "nouns": nouns,
        "names": names,
        "batches": list(wanted.batches),
        "generations": list(map(str, wanted.generations)),
        "corrected_at": list(wanted.corrected_at),
        "correcting": list(CORRECTING),
    }
    rows = [(row.number, shown(row)) for row in await tx.rows(SealedRow, _ROWS, values)]
    proofs = [(number, (await inclusion_proof(tx, account, signer, number, size)).text) for number, _ in rows]
    return await head_at(tx, account, signer, size), rows, proofs


def rows_text(rows: Sequence[tuple[int, dict[str, Any]]]) -> bytes:
    """The rows as lines of JSON."""
    return b"".join(canonical_json(row) + b"\n" for _, row in rows)
