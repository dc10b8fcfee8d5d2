"""Submit a report: store what is sent, send it, and record that it was received.

Invariants: the proof bundle is made before anything is sent; what is sent is made once and stored
before that, so every attempt sends the same under the same key; the report is submitted in the
transaction that ends the task. When the task fails, the database lets the report fail with it.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from weighbridge.collection.evidence_files import EvidenceStore
from weighbridge.core import identity
from weighbridge.core.report import AdapterName, DeliveryStep, ReportTrigger
from weighbridge.db.engine import Database
from weighbridge.errors import Conflict, Invalid
from weighbridge.http.outgoing import CallReach, OutgoingClient, Pause
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt
from weighbridge.reporting import reports_queries as queries
from weighbridge.reporting.bundle.storage import Bundler
from weighbridge.reporting.isometric.calls import CallJournal, CertifyClient
from weighbridge.reporting.isometric.plan import read_plan
from weighbridge.reporting.isometric.plans import render_for
from weighbridge.reporting.isometric.sending import PlanMeans, PlanSender
from weighbridge.reporting.isometric.states import ask_statement
from weighbridge.reporting.records.links import LINK_SECONDS_MAX, REPORT_LINK_BODIES
from weighbridge.reporting.records.submissions import NoticeResult, SubmissionResult
from weighbridge.reporting.report_links import is_link_of_report, issue_report_link
from weighbridge.reporting.submission.file import (
    SubmissionRow,
    insert_submission,
    open_spool,
    put,
    read_submission,
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
        *,
        address: str = "",
    ) -> None:
        """Take the store of files, what may be called, and the address under which the service is reached."""
        self._store = store
        self._address = address
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
                        decision = await _read_decision(database, client, review)
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
            receiver = attempt.args["adapter"], attempt.args.get("registry_id")
            file = await render_for(tx, report, receiver, is_checked=True)
        storage_key = await put(self._store, file)
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
            if registry.adapter == AdapterName.ISOMETRIC_CERTIFY:
                return await self._carry_out(database, attempt, client, registry, (content, journal))
            return await HttpAdapter(client, registry, self._pause).hand_on(kept, content, journal)

    async def _carry_out(
        self,
        database: Database,
        attempt: Attempt,
        client: OutgoingClient,
        registry: CalledRegistry,
        submission: tuple[bytes, TaskJournal],
    ) -> str:
        """Carry out the plan of a report; gives what the registry calls its statement."""
        content, deliveries = submission
        key = identity.Key(attempt.project_id or 0, attempt.args["report_id"])
        calls = CallJournal(database, attempt, key.key)
        means = PlanMeans(
            partial(self._read_evidence, database, key.project),
            ReportLinks(database, attempt, key, self._address),
            deliveries,
            self._pause,
        )

        async def tell(done: int, count: int) -> None:
            told = f"{done} of {count} records are at {registry.name}"
            await tasks.report_progress(database, attempt, 50 + 45 * done // count, told)

        caller = CertifyClient(client, registry, calls)
        return await PlanSender(caller, calls, read_plan(content), means).carry_out(tell)

    async def _read_evidence(self, database: Database, project: int, number: int) -> bytes:
        """The bytes of a file of evidence."""
        async with database.read() as tx:
            [(storage_key, size, sha256)] = await tx.tuples(
                "SELECT storage_key, size, sha256 FROM evidence WHERE project_id = %s AND id = %s",
                (project, number),
            )
        with await self._store.get(storage_key, size, sha256) as spool:
            return spool.read()


class ReportLinks:
    """The signed links that a submission gives a registry, so that its verifier opens the report."""

    def __init__(self, database: Database, attempt: Attempt, report: identity.Key, address: str) -> None:
        self._database = database
        self._attempt = attempt
        self._report = report
        self._address = address

    async def issue(self, statement: str) -> str:
        """Make a link for a statement, by which its holder acts as verifier; gives its whole address."""
        name = f"Isometric Certify, statement {statement}"
        new = REPORT_LINK_BODIES.unstored(name=name, is_of_verifier=True)
        async with self._database.write() as tx:
            await tasks.lock_current_attempt(tx, self._attempt)
            _, path = await issue_report_link(tx, self._attempt.actor, self._report, new, LINK_SECONDS_MAX)
        return f"{self._address}{path}"

    async def is_own(self, address: str) -> bool:
        """Whether an address is one of the links of the report."""
        async with self._database.read() as tx:
            return await is_link_of_report(tx, self._report, address)


async def _read_decision(
    database: Database, client: OutgoingClient, review: DueReview
) -> RegistryReply | None:
    """What the registry of a report has decided, asked as its adapter asks."""
    if review.adapter != AdapterName.ISOMETRIC_CERTIFY:
        return await read_decision(database, client, review)
    async with database.read() as tx:
        kept = await read_submission(tx, review.project, review.report)
        registry = None if kept is None else await read_called_registry(tx, kept.registry or 0)
    if registry is None or registry.poll_seconds is None:
        return None
    return await ask_statement(database, client, registry, review)


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
