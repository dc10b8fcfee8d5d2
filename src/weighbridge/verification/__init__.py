"""Verification: recompute what the service claims, and name everything that does not hold.

A database comes in, with the store of evidence files if there is one. A `VerificationReport` goes out: each
invariant in words, with a sentence for each record that breaks it.

- `books` and `invariants`: statements that return the records which break an invariant
- `recomputation`, with `slots` and `draws`: every batch again from its events and withdrawals, with the
  model version that made it, to the last digit
- `recorded`, `recorded_moments`, `engagements`: stored records against the audit log
- `audit_tree`: the logged rows of the audit log
- `evidence`: every evidence file
- secrets of others: whether a key opens each in its place, where the database was opened with keys
- `footprints`: footprints against the audit log, and each made again
- `packages`: the files of methodology packages with their cases, and what was installed of them

Invariants: verifying changes nothing; one snapshot is read; a violation names its record.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import msgspec
from psycopg import Error

from weighbridge.collection.evidence_files import EvidenceStore
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database, Read
from weighbridge.platform.kept_secrets import list_unopened
from weighbridge.verification.audit_tree import Head, check_events, check_trees
from weighbridge.verification.books import CHECKS, check_books
from weighbridge.verification.engagements import check_engagements
from weighbridge.verification.evidence import check_evidence, check_report_files
from weighbridge.verification.footprints import check_footprints
from weighbridge.verification.invariants import check_counted_once, check_roll_ups
from weighbridge.verification.packages import check_installations, check_package_files
from weighbridge.verification.recomputation import recompute, sentences
from weighbridge.verification.recorded import check_corrections, check_records, check_written
from weighbridge.verification.recorded_moments import check_moments

RECOMPUTES = "every batch recomputes to the last digit"
ROLLED_UP = "every rolled-up event is what its readings come to"
SEALED = "every sealed row of the audit log is what was sealed, and none is missing"

RECORDED = "every record is what the audit log says was written"
CAPTURED = "every event is what the audit log says was captured"
WRITTEN_BOOKS = "what each generation wrote is what the audit log says it wrote"
MADE = "every record was made when the audit log says that something was done"

SENT = "every file that a report sent, and every bundle, is in the store as it was made"
KEPT = "every evidence file is in the store as it was attached"
PACKED = "every methodology package is what its file says, and its cases hold"
ENCRYPTED = "every secret of others is encrypted, and a key opens it in its place"
FOOTPRINTS = "every footprint is what the audit log says, and comes to the same when it is made again"
INSTALLED = "every installed package has its records in the project, and the packages that it needs"


class Check(msgspec.Struct, frozen=True):
    """One invariant in words, and what breaks it."""

    rule: str
    violations: list[str]


class OlderBatches(msgspec.Struct, frozen=True):
    """Batches that an older released revision of the engine computed."""

    batches: int
    differing: list[str]
    """None: each is computed by the revision that it names, and is wrong where it differs."""


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
    unshown_events: int = 0
    """Events that were stored before writes logged the root of their captured values."""
    unshown_generations: int = 0
    """Generations from before they logged the digests of their entries."""
    since: Instant | None = None
    """From when on batches, audit rows and files were looked at; null, all of them."""


ProgressReport = Callable[[str, int, int], None]
"""Takes the name of a phase, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class VerificationRequest:
    """The scope of a verification, and the receiver of its progress."""

    since: Instant | None = None
    """Only batches made, audit rows sealed and files attached since; the rules of the books look at all."""
    report: ProgressReport = lambda _phase, _done, _total: None


EVERYTHING: Final = VerificationRequest()
"""Everything, without a receiver of progress."""


@dataclass(slots=True)
class Progress:
    """How much was checked so far."""

    batches: int = 0
    older: int = 0
    files: int = 0
    heads: list[Head] = field(default_factory=list)
    unshown_events: int = 0
    unshown_generations: int = 0


async def verify(
    database: Database, store: EvidenceStore | None = None, request: VerificationRequest = EVERYTHING
) -> VerificationReport:
    """Check the books; evidence files only with their store."""
    progress = Progress()
    async with database.read() as tx:
        verification = Verification(tx, store, request, progress)
        checks = [check for phase in PHASES for check in await run_phase(phase, verification)]
        entries = await tx.value("SELECT count(*) FROM ledger_entries")
    older = OlderBatches(progress.older, [])
    is_clean = not any(check.violations for check in checks)
    return VerificationReport(
        progress.batches, older, entries, progress.files, progress.heads, is_clean, checks,
        progress.unshown_events, progress.unshown_generations, request.since,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verification:
    """One verification under way."""

    tx: Read
    store: EvidenceStore | None
    request: VerificationRequest
    progress: Progress


async def _check_books(verification: Verification) -> list[Check]:
    advance = _build_counter(verification.request, "Rules of the books", len(CHECKS))
    return [
        Check(words, complaints)
        for words, complaints in (await check_books(verification.tx, advance=advance)).items()
    ]


async def _check_counted_once(verification: Verification) -> list[Check]:
    return [
        Check(words, complaints) for words, complaints in (await check_counted_once(verification.tx)).items()
    ]


async def _check_records(verification: Verification) -> list[Check]:
    tx = verification.tx
    recorded = [*await check_records(tx), *await check_corrections(tx), *await check_engagements(tx)]
    return [Check(RECORDED, recorded), Check(MADE, await check_moments(verification.tx))]


async def _check_written(verification: Verification) -> list[Check]:
    verification.progress.unshown_generations, complaints = await check_written(verification.tx)
    return [Check(WRITTEN_BOOKS, complaints)]


async def _check_events(verification: Verification) -> list[Check]:
    events = await check_events(verification.tx)
    verification.progress.unshown_events = events.unshown
    return [Check(CAPTURED, events.violations), Check(ROLLED_UP, await check_roll_ups(verification.tx))]


async def _check_log(verification: Verification) -> list[Check]:
    verification.progress.heads, complaints = await check_trees(verification.tx, verification.request.since)
    return [Check(SEALED, complaints)]


async def _check_files(verification: Verification) -> list[Check]:
    if verification.store is None:
        return []
    since = verification.request.since
    advance = _build_counter(
        verification.request, "Evidence files", await verification.tx.value(_FILES, (since, since))
    )
    verification.progress.files, complaints = await check_evidence(
        verification.tx, verification.store, since, advance
    )
    return [
        Check(KEPT, complaints),
        Check(SENT, await check_report_files(verification.tx, verification.store)),
    ]


async def _check_packages(verification: Verification) -> list[Check]:
    tx, store = verification.tx, verification.store
    packed = [] if store is None else [Check(PACKED, await check_package_files(tx, store))]
    return [*packed, Check(INSTALLED, await check_installations(tx))]


async def _check_footprints(verification: Verification) -> list[Check]:
    return [Check(FOOTPRINTS, await check_footprints(verification.tx))]


async def _check_secrets(verification: Verification) -> list[Check]:
    tx = verification.tx
    if tx.memory.encryption is None:
        return []
    found = await list_unopened(tx)
    return [Check(ENCRYPTED, [one.reason for one in found])]


async def _recompute(verification: Verification) -> list[Check]:
    since = verification.request.since
    advance = _build_counter(
        verification.request, "Batches", await verification.tx.value(_BATCHES, (since, since))
    )
    recomputed = await recompute(verification.tx, None, since, advance)
    verification.progress.batches, verification.progress.older = recomputed.batches, recomputed.older
    return [Check(RECOMPUTES, sentences(recomputed.violations))]


PHASES: Final = (
    _check_books, _check_counted_once, _check_records, _check_written, _check_events, _check_log,
    _check_files, _check_packages, _check_footprints, _check_secrets, _recompute,
)  # fmt: skip
"""What a verification does, one after the other."""


_UNREADABLE: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    Error,
)


async def run_phase(
    phase: Callable[[Verification], Awaitable[list[Check]]], verification: Verification
) -> list[Check]:
    """What a phase finds; that it cannot be carried out with what is stored is a violation too."""
    try:
        return await phase(verification)
    except _UNREADABLE as error:
        words = getattr(phase, "__name__", "").strip("_").replace("_", " ")
        return [Check(f"it is possible to {words}", [f"what is stored cannot be read: {error!r}"])]


def _build_counter(request: VerificationRequest, phase: str, total: int) -> Callable[[int], None]:
    """Count what is done of a phase, and report it."""
    checked_count = 0

    def advance(count: int) -> None:
        nonlocal checked_count
        checked_count += count
        request.report(phase, checked_count, total)

    return advance


_BATCHES: Final = """
    SELECT count(*) FROM batches WHERE run_id IS NOT NULL AND (%s::timestamptz IS NULL OR created_at >= %s)
"""
_FILES: Final = """
    SELECT count(*) FROM evidence WHERE type = 'file' AND (%s::timestamptz IS NULL OR created_at >= %s)
"""
