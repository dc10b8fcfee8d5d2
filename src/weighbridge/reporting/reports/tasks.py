"""Send a report off: keep what is sent, hand it on, and write down that it was received.

Invariants: the proof bundle is made before anything is handed on; what is handed on is made once and kept
before that, so every attempt sends the same under the same key; the report is submitted in the transaction
that ends the task. When the task fails, the database lets the report fail with it.
"""

import msgspec

from weighbridge.core.report.state import ReportTrigger
from weighbridge.db.engine import Database
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt
from weighbridge.reporting.bundle.keeping import Bundler
from weighbridge.reporting.reports import queries
from weighbridge.reporting.submission.adapter import ADAPTERS, Submission, keep
from weighbridge.reporting.submission.content import content_of
from weighbridge.reporting.taking.moves import ReportWord, deliver, lock_report, refuse_unless


class SubmissionResult(msgspec.Struct, frozen=True):
    """The result of a finished submission."""

    report: str
    """The friendly id of the report."""
    reference: str
    """What the receiver calls it, or where it was put."""
    sha256: str
    """The SHA-256 of what was sent, as 64 hexadecimal digits."""


async def submit_report(database: Database, attempt: Attempt, bundler: Bundler) -> None:
    """Hand a report on and write down that it was received; safe to repeat, under one key."""
    project, number = attempt.project_id, attempt.args["report_id"]
    adapter = ADAPTERS[attempt.args["adapter"]]
    async with database.write() as tx:
        await tasks.hold_fence(tx, attempt)
        report = await queries.report_numbered(tx, project, number)
        made = Submission(report.id, "application/json", content_of(report))
        kept = await keep(tx, project, number, adapter.name, made)
    await bundler.make_once(database, attempt, number)
    await tasks.report(database, attempt, 50, f"Handing {report.id} on by {adapter.name}")
    receipt = await adapter.send(kept)
    async with database.write() as tx:
        await tasks.hold_fence(tx, attempt)
        before = await queries.report_numbered(tx, project, number)
        moving = await lock_report(tx, project, number)
        refuse_unless(moving, ReportTrigger.DELIVER, "received")
        await deliver(tx, moving, ReportWord(attempt.actor, adapter.name, reference=receipt.reference))
        after = await queries.report_numbered(tx, project, number)
        changes.record(
            tx, attempt.actor, action="report.deliver", target=after.id, project_id=project,
            before=before, after=after,
        )  # fmt: skip
        await tasks.succeed(tx, attempt, SubmissionResult(after.id, receipt.reference, kept.sha256))
