"""Submit a report: store what is sent, send it, and record that it was received.

Invariants: the proof bundle is made before anything is sent; what is sent is made once and stored
before that, so every attempt sends the same under the same key; the report is submitted in the
transaction that ends the task. When the task fails, the database lets the report fail with it.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from weighbridge.collection.evidence_files import EvidenceStore
from weighbridge.core import identity
from weighbridge.core.report import DeliveryStep, ReportTrigger
from weighbridge.db.engine import Database
from weighbridge.errors import Conflict, Invalid
from weighbridge.http.outgoing import CallReach, OutgoingClient, Pause
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt
from weighbridge.reporting import reports_queries as queries
from weighbridge.reporting.bundle.storage import Bundler
from weighbridge.reporting.records import NoticeResult, SubmissionResult
from weighbridge.reporting.submission.file import (
    SubmissionRow,
    insert_submission,
    open_spool,
    put,
    read_submission,
    render_report,
)
from weighbridge.reporting.submission.moves import ReportWord, deliver, lock_report, refuse_unless
from weighbridge.reporting.submission.notices import tell_registry
from weighbridge.reporting.submission.sending import (
    CalledRegistry,
    DueReview,
    HttpAdapter,
    RefusedDecision,
    RegistryReply,
    TaskJournal,
    await_decision,
    decide,
    read_called_registry,
    read_decision,
    take_due_reviews,
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
        kept = await self._store_file(database, attempt, number)
        await self._bundler.make_once(database, attempt, number)
        await tasks.report_progress(database, attempt, 50, f"Handing {kept.name} on by {kept.adapter}")
        reference = await self._hand_on(database, attempt, kept)
        await _record_delivery(database, attempt, kept, reference)

    async def tell(self, database: Database, attempt: Attempt) -> None:
        """Tell a registry what became of a claim that it has, which is safe to repeat; raises Invalid."""
        async with OutgoingClient(self._reach) as client:
            reply = await tell_registry(database, attempt, client, self._pause)
        report = identity.of("report", attempt.project_id, attempt.args["about"])
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            is_known = reply.step is DeliveryStep.RECEIVED
            await tasks.complete_task(tx, attempt, NoticeResult(report, reply.reference, is_known))

    async def review(self, database: Database, tell: Callable[[RefusedDecision], None]) -> int:
        """Ask registries for what they decided of reports that are due; gives how many were decided.

        `tell` is told of decisions that cannot be written down.
        """
        decided = 0
        if reviews := await take_due_reviews(database):
            async with OutgoingClient(self._reach) as client:
                for review in reviews:
                    try:
                        decision = await read_decision(database, client, review)
                        if decision is not None:
                            decided += await _record_decision(database, review, decision)
                    except Invalid as refusal:
                        reason = " ".join(problem.message for problem in refusal.problems)
                        tell(RefusedDecision(identity.of("report", review.project, review.report), reason))
        return decided

    async def _store_file(self, database: Database, attempt: Attempt, number: int) -> SubmissionRow:
        """What is sent: made when it is not there yet, and stored before it is sent."""
        project = attempt.project_id
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            if (kept := await read_submission(tx, project, number)) is not None:
                return kept
            report = await queries.report_numbered(tx, project, number)
            file = await render_report(tx, report, is_checked=True)
        storage_key = await put(self._store, file)
        receiver = attempt.args["adapter"], attempt.args.get("registry_id")
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            return await insert_submission(tx, project, number, receiver, (storage_key, file))

    async def _hand_on(self, database: Database, attempt: Attempt, kept: SubmissionRow) -> str:
        """What the receiver calls the report; Invalid when it is not certain that it was received."""
        with await open_spool(self._store, kept) as spool:
            content = spool.read()
        registry: CalledRegistry | None = None
        if kept.registry is not None:
            async with database.read() as tx:
                registry = await read_called_registry(tx, kept.registry)
        if registry is None:
            # The file is stored already, from where people fetch it and hand it on themselves.
            return f"sha256:{kept.sha256.hex()}"
        journal = await TaskJournal.read(database, attempt, kept.report)
        async with OutgoingClient(self._reach) as client:
            return await HttpAdapter(client, registry, self._pause).hand_on(kept, content, journal)


async def _record_delivery(database: Database, attempt: Attempt, kept: SubmissionRow, reference: str) -> None:
    async with database.write() as tx:
        await tasks.lock_current_attempt(tx, attempt)
        before = await queries.report_numbered(tx, kept.project, kept.report)
        moving = await lock_report(tx, kept.project, kept.report)
        refuse_unless(moving, ReportTrigger.DELIVER, "received")
        await deliver(tx, moving, ReportWord(attempt.actor, kept.adapter, reference=reference))
        if kept.registry is not None:
            await await_decision(tx, kept.project, kept.report, kept.registry)
        after = await queries.report_numbered(tx, kept.project, kept.report)
        changes.record(
            tx, attempt.actor, action="report.deliver", target=after.id, project_id=kept.project,
            before=before, after=after,
        )  # fmt: skip
        await tasks.complete_task(tx, attempt, SubmissionResult(after.id, reference, kept.sha256.hex()))


_ACTIONS: Final[Mapping[ReportTrigger | None, str]] = {
    ReportTrigger.ACCEPT: "report.accept",
    ReportTrigger.REJECT: "report.reject",
    ReportTrigger.WITHDRAW: "report.withdraw",
}
"""What the audit log calls the decisions of registries."""


async def _record_decision(database: Database, review: DueReview, reply: RegistryReply) -> bool:
    """Write down what a registry decided; it is asked again in the next round while the ledger is generated.

    Raises Invalid for an amount that cannot be accepted of the report.
    """
    try:
        async with database.write() as tx:
            before = await queries.report_numbered(tx, review.project, review.report)
            if await decide(tx, review, reply) is None:
                return False
            after = await queries.report_numbered(tx, review.project, review.report)
            action = _ACTIONS[reply.decision]
            changes.record(
                tx, review.actor, action=action, target=after.id, project_id=review.project, before=before,
                after=after,
            )  # fmt: skip
    except Conflict:
        return False
    return True
