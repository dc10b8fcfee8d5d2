"""Verification: recompute what the service claims, and name everything that does not hold.

In comes a database, with the store of evidence files if there is one; out goes a `Report`: each invariant in
words, with a sentence for each record that breaks it.

- `invariant`: what the checks of the books are: words, a sentence, a statement that returns violations
- `books`: all of them, with those of `postings`, `batches` and `corrections`
- `recomputation`: every batch anew, by `lineage` from the events that it was made of and by `draws` from what
  it drew, with the model version that made it, to the last digit
- `chain`: the sealed rows of the audit log
- `evidence`: every evidence file

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
    """One invariant in words, and what breaks it."""

    rule: str
    violations: list[str]


class Report(msgspec.Struct, frozen=True):
    """How much was checked, invariant by invariant."""

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
        violations_of = await check_books(tx)
        batches, violations_of[RECOMPUTES] = await check_batches(tx)
        heads, violations_of[CHAINED] = await check_chains(tx)
        if store is not None:
            files, violations_of[KEPT] = await check_evidence(tx, store)
        entries: int = await tx.value("SELECT count(*) FROM ledger_entries")
    checks = [Check(words, violations) for words, violations in violations_of.items()]
    return Report(batches, entries, files, heads, not any(check.violations for check in checks), checks)
