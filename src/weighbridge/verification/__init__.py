"""Verification: recompute what the service claims, and name everything that does not hold.

In comes a database, with the store of evidence files if there is one; out goes a `VerificationReport`: each
invariant in words, with a sentence for each record that breaks it.

- `invariant`: what the checks of the books are: words, a sentence, a statement that returns violations
- `books`: all of them, with those of `postings`, `batches` and `corrections`
- `recomputation`: every batch anew, in `portions`, by `lineage` from the events that it was made of and by
  `draws` from what it drew, with the model version that made it, to the last digit
- `roll_ups`: every rolled-up event anew, from its readings
- `audit_tree`: the sealed rows of the audit log
- `evidence`: every evidence file

Invariants: verifying changes nothing; all is read from one snapshot; a violation says which record.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from weighbridge.collection.evidence_files.store import EvidenceStore
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Database
from weighbridge.verification.audit_tree import Head, check_trees
from weighbridge.verification.books import CHECKS, check_books
from weighbridge.verification.evidence import check_evidence
from weighbridge.verification.recomputation import recompute, sentences
from weighbridge.verification.roll_ups import check_roll_ups

RECOMPUTES = "every batch recomputes to the last digit"
ROLLED_UP = "every rolled-up event is what its readings come to"
SEALED = "every sealed row of the audit log is what was sealed, and none is missing"

KEPT = "every evidence file is in the store as it was attached"


class Check(msgspec.Struct, frozen=True):
    """One invariant in words, and what breaks it."""

    rule: str
    violations: list[str]


class OlderBatches(msgspec.Struct, frozen=True):
    """Batches that an older revision of the engine computed; that they differ is no violation."""

    batches: int
    differing: list[str]
    """A sentence for each that comes to something else by this revision."""


class VerificationReport(msgspec.Struct, frozen=True):
    """How much was checked, invariant by invariant."""

    batches: int
    older: OlderBatches
    entries: int
    files: int
    """Evidence files that were read; none when no store was given."""
    audit_heads: list[Head]
    is_clean: bool
    checks: list[Check]
    since: Instant | None = None
    """From when on batches, audit rows and files were looked at; null, all of them."""


ProgressReport = Callable[[str, int, int], None]
"""Takes the name of a phase, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class VerificationRequest:
    """What is to be verified, and who is told how far it is."""

    since: Instant | None = None
    """Only batches made, audit rows sealed and files attached since; the rules of the books look at all."""
    report: ProgressReport = lambda _phase, _done, _total: None


EVERYTHING: Final = VerificationRequest()
"""Everything, and nobody is told."""


async def verify(
    database: Database, store: EvidenceStore | None = None, request: VerificationRequest = EVERYTHING
) -> VerificationReport:
    """Check the books; evidence files only with their store."""
    files, since = 0, request.since
    async with database.read() as tx:
        violations_of = await check_books(tx, advance=_counter(request, "Rules of the books", len(CHECKS)))
        [[batches, entries, attached]] = await tx.tuples(_COUNTS, (since, since, since, since))
        recomputed = await recompute(tx, None, since, _counter(request, "Batches", batches))
        violations_of[RECOMPUTES] = sentences(recomputed.violations)
        violations_of[ROLLED_UP] = await check_roll_ups(tx)
        heads, violations_of[SEALED] = await check_trees(tx, since)
        if store is not None:
            advance = _counter(request, "Evidence files", attached)
            files, violations_of[KEPT] = await check_evidence(tx, store, since, advance)
    older = OlderBatches(recomputed.older, sentences(recomputed.differing))
    checks = [Check(words, violations) for words, violations in violations_of.items()]
    is_clean = not any(check.violations for check in checks)
    return VerificationReport(recomputed.batches, older, entries, files, heads, is_clean, checks, since)


def _counter(request: VerificationRequest, phase: str, total: int) -> Callable[[int], None]:
    """Count what is done of a phase, and report it."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        request.report(phase, done, total)

    return advance


_COUNTS: Final = """
    SELECT (SELECT count(*) FROM batches
             WHERE run_id IS NOT NULL AND (%s::timestamptz IS NULL OR created_at >= %s)),
           (SELECT count(*) FROM ledger_entries),
           (SELECT count(*) FROM evidence
             WHERE type = 'file' AND (%s::timestamptz IS NULL OR created_at >= %s))
"""
