"""Submit a report: store what is sent, send it, and record that it was received.

Invariants: the proof bundle is made before anything is sent; what is sent is made once and stored
before that, so every attempt sends the same under the same key; the report is submitted in the
transaction that ends the task. When the task fails, the database lets the report fail with it.
"""

import asyncio

from weighbridge.collection.evidence_files import EvidenceStore
from weighbridge.core.report.state import ReportTrigger
from weighbridge.db.engine import Database
from weighbridge.errors import Conflict
from weighbridge.http.outgoing import CallReach, OutgoingClient, Pause
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt
from weighbridge.reporting import reports_queries as queries
from weighbridge.reporting.bundle.storage import Bundler
from weighbridge.reporting.inclusion.moves import ReportWord, deliver, lock_report, refuse_unless
from weighbridge.reporting.records.reports import SubmissionResult
from weighbridge.reporting.rendering.statement import rendered
from weighbridge.reporting.submission.receiver import (
    DueReview,
    await_decision,
    decide,
    decision_of,
    due_reviews,
)
from weighbridge.reporting.submission.registry import (
    FILE,
    Adapter,
    CalledRegistry,
    HttpAdapter,
    Known,
    Receipt,
    called_registry,
)
from weighbridge.reporting.submission.stored import (
    KeptSubmission,
    TaskJournal,
    keep,
    kept_submission,
    put,
    submission_of,
)


class Submitter:
    """Sends reports off, and asks registries what they decided; a worker has one."""

    def __init__(
        self,
        store: EvidenceStore,
        reach: CallReach,
        bundler: Bundler,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._store = store
        self._reach = reach
        self._bundler = bundler
        self._pause = pause

    async def submit(self, database: Database, attempt: Attempt) -> None:
        """Hand a report on and write down that it was received; safe to repeat, under one key."""
        number = attempt.args["report_id"]
        kept = await self._kept(database, attempt, number)
        await self._bundler.make_once(database, attempt, number)
        await tasks.report_progress(database, attempt, 50, f"Handing {kept.name} on by {kept.adapter}")
        receipt = await self._handed_on(database, attempt, kept)
        await _delivered(database, attempt, kept, receipt)

    async def review(self, database: Database) -> int:
        """Ask registries for what they decided of reports that are due; gives how many were decided."""
        decided = 0
        if due := await due_reviews(database):
            async with OutgoingClient(self._reach) as client:
                for one in due:
                    word = await decision_of(database, client, one)
                    if word is not None:
                        decided += await _decided(database, one, word)
        return decided

    async def _kept(self, database: Database, attempt: Attempt, number: int) -> KeptSubmission:
        """What is sent: made when it is not there yet, and kept before it is sent."""
        project = attempt.project_id
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            if (kept := await kept_submission(tx, project, number)) is not None:
                return kept
            report = await queries.report_numbered(tx, project, number)
            file = await rendered(tx, report, is_checked=True)
        storage_key = await put(self._store, file)
        receiver = attempt.args["adapter"], attempt.args.get("registry_id")
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            return await keep(tx, project, number, receiver, (storage_key, file))

    async def _handed_on(self, database: Database, attempt: Attempt, kept: KeptSubmission) -> Receipt:
        submission = await submission_of(self._store, kept)
        journal = await TaskJournal.read(database, attempt, kept.report)
        if kept.registry is None:
            return await FILE.hand_on(submission, journal)
        async with database.read() as tx:
            registry: CalledRegistry | None = await called_registry(tx, kept.registry)
        if registry is None:
            return await FILE.hand_on(submission, journal)
        async with OutgoingClient(self._reach) as client:
            adapter: Adapter = HttpAdapter(client, registry, self._pause)
            return await adapter.hand_on(submission, journal)


async def _delivered(database: Database, attempt: Attempt, kept: KeptSubmission, receipt: Receipt) -> None:
    async with database.write() as tx:
        await tasks.lock_current_attempt(tx, attempt)
        before = await queries.report_numbered(tx, kept.project, kept.report)
        moving = await lock_report(tx, kept.project, kept.report)
        refuse_unless(moving, ReportTrigger.DELIVER, "received")
        await deliver(tx, moving, ReportWord(attempt.actor, kept.adapter, reference=receipt.reference))
        if kept.registry is not None:
            await await_decision(tx, kept.project, kept.report, kept.registry)
        after = await queries.report_numbered(tx, kept.project, kept.report)
        changes.record(
            tx, attempt.actor, action="report.deliver", target=after.id, project_id=kept.project,
            before=before, after=after,
        )  # fmt: skip
        await tasks.complete_task(
            tx, attempt, SubmissionResult(after.id, receipt.reference, kept.sha256.hex())
        )


async def _decided(database: Database, due: DueReview, word: Known) -> bool:
    """Write down what a registry decided; a ledger that is being generated is asked for in the next round."""
    try:
        async with database.write() as tx:
            before = await queries.report_numbered(tx, due.project, due.report)
            if await decide(tx, due, word) is None:
                return False
            after = await queries.report_numbered(tx, due.project, due.report)
            action = "report.accept" if word.decision is ReportTrigger.ACCEPT else "report.reject"
            changes.record(
                tx, due.actor, action=action, target=after.id, project_id=due.project, before=before,
                after=after,
            )  # fmt: skip
    except Conflict:
        return False
    return True
