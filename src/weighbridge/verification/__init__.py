"""Verification: recompute what the service claims, and name everything that does not hold.

Checks of the books are statements that return the rows which break a rule. Every batch is computed anew
from the events that it was made of and the model version that made it, and compared to the last digit.

Invariants: verifying changes nothing; all is read from one snapshot; a violation says which record.
"""

import msgspec

from weighbridge.collection.evidence_files.store import EvidenceStore
from weighbridge.db.engine import Database
from weighbridge.verification.books import check_books
from weighbridge.verification.chain import Head, check_chains
from weighbridge.verification.evidence import check_evidence
from weighbridge.verification.recomputation import check_batches

RECOMPUTES = "every batch recomputes to the last digit"
CHAINED = "every sealed row of the audit log is what was sealed, and none is missing"

KEPT = "every evidence file is in the store as it was attached"


class Check(msgspec.Struct, frozen=True):
    """One rule, and what breaks it."""

    rule: str
    violations: list[str]


class Report(msgspec.Struct, frozen=True):
    """How much was checked, rule by rule."""

    batches: int
    entries: int
    files: int
    """Evidence files that were read; none when no store was given."""
    audit_heads: list[Head]
    is_clean: bool
    checks: list[Check]


async def verify(database: Database, store: EvidenceStore | None = None) -> Report:
    """Check everything in the database and, with the store of evidence files, every file."""
    files = 0
    async with database.read() as tx:
        found = await check_books(tx)
        batches, found[RECOMPUTES] = await check_batches(tx)
        heads, found[CHAINED] = await check_chains(tx)
        if store is not None:
            files, found[KEPT] = await check_evidence(tx, store)
        entries: int = await tx.value("SELECT count(*) FROM ledger_entries")
    checks = [Check(rule, violations) for rule, violations in found.items()]
    return Report(batches, entries, files, heads, not any(check.violations for check in checks), checks)
