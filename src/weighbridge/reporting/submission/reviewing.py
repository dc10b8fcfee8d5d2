"""Reviewing: registries are asked for what they decided of the reports that they have received.

Invariants: a report is asked for by one worker at a time; what a registry decided is written down once, in
the transaction that posts it or gives it back.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from weighbridge.core.platform.permission import Actor
from weighbridge.core.report.adapter import AdapterName
from weighbridge.core.report.state import ReportStatus, ReportTrigger
from weighbridge.db.engine import Database, Write
from weighbridge.http.outgoing.client import OutgoingClient
from weighbridge.reporting.submission.adapter import Submission
from weighbridge.reporting.submission.calling import Known, ask, called_registry
from weighbridge.reporting.submission.kept import KeptSubmission, kept_submission
from weighbridge.reporting.taking.moves import MovingReport, ReportWord, accept, hold_report, reject

REPORTS_AT_ONCE: Final = 20
"""Reports that one worker asks for in one round."""

NO_REASON: Final = "The registry gave no reason."


class DueReview(msgspec.Struct, frozen=True):
    """A report that its registry is to be asked for, and on whose behalf."""

    project: int
    report: int
    account: int
    user: int
    token: int | None
    request_id: str

    @property
    def actor(self) -> Actor:
        return Actor(self.account, self.user, self.token, frozenset(), self.request_id)


async def await_decision(tx: Write, project: int, report: int, registry: int) -> None:
    """Have a registry asked for its decision, where it is one that is asked."""
    await tx.execute(
        """
        INSERT INTO report_reviews (project_id, report_id)
        SELECT %s, %s FROM registries WHERE id = %s AND poll_seconds IS NOT NULL ON CONFLICT DO NOTHING
        """,
        (project, report, registry),
    )


async def due_reviews(database: Database) -> Sequence[DueReview]:
    """The reports that are to be asked for now; nobody else is given them before their next turn."""
    async with database.write() as tx:
        return await tx.rows(DueReview, _TAKE_DUE, (REPORTS_AT_ONCE,))


async def decision_of(database: Database, client: OutgoingClient, due: DueReview) -> Known | None:
    """What the registry of a report has decided; None while it has not, or cannot be asked."""
    async with database.read() as tx:
        kept = await kept_submission(tx, due.project, due.report)
        if kept is None or kept.registry is None:
            return None
        registry = await called_registry(tx, kept.registry)
    if registry is None or registry.poll_seconds is None:
        return None
    word = await ask(client, registry, _as_asked(kept))
    return word if isinstance(word, Known) and word.decision is not None else None


async def decide(tx: Write, due: DueReview, word: Known) -> MovingReport | None:
    """Write down what a registry decided; None when somebody has decided otherwise meanwhile.

    Raises Conflict while a generation works with the ledger.
    """
    report = await hold_report(tx, due.project, due.report)
    await tx.execute(
        "DELETE FROM report_reviews WHERE project_id = %s AND report_id = %s", (due.project, due.report)
    )
    if report.state is not ReportStatus.SUBMITTED:
        return None
    if word.decision is ReportTrigger.ACCEPT:
        said = ReportWord(due.actor, AdapterName.HTTP, word.reason, word.reference)
        await accept(tx, report, said)
    else:
        said = ReportWord(due.actor, AdapterName.HTTP, word.reason or NO_REASON, word.reference)
        await reject(tx, report, said)
    return report


def _as_asked(kept: KeptSubmission) -> Submission:
    """As much of a submission as a question for it needs."""
    return Submission(kept.key, kept.name, kept.media_type, b"", kept.sha256.hex())


_TAKE_DUE: Final = """
    WITH due AS (
        SELECT project_id, report_id FROM report_reviews WHERE next_at <= now()
         ORDER BY next_at LIMIT %s FOR UPDATE SKIP LOCKED
    ), over AS (
        DELETE FROM report_reviews v USING due, reports r
         WHERE (v.project_id, v.report_id) = (due.project_id, due.report_id)
           AND (r.project_id, r.id) = (v.project_id, v.report_id) AND r.status <> 'submitted'
    )
    UPDATE report_reviews v SET next_at = now() + make_interval(secs => coalesce(g.poll_seconds, 86400))
      FROM due, reports r, report_submissions s, registries g, async_tasks t
     WHERE (v.project_id, v.report_id) = (due.project_id, due.report_id)
       AND (r.project_id, r.id) = (v.project_id, v.report_id) AND r.status = 'submitted'
       AND (s.project_id, s.report_id) = (r.project_id, r.id)
       AND g.id = s.registry_id AND t.id = r.async_task_id
    RETURNING v.project_id, v.report_id, t.account_id, t.user_id, t.token_id, t.request_id
"""
