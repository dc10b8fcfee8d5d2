"""The receiver of a report, and what it decided of the reports that it has received.

Invariants: what was rendered for one receiver goes to no other; a report is asked for by one worker at
a time; a decision is recorded once, in the transaction that posts or reverses it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.report.state import AdapterName, ReportStatus, ReportTrigger
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Invalid
from weighbridge.http.outgoing import OutgoingClient
from weighbridge.reporting.inclusion.moves import MovingReport, ReportWord, accept, hold_report, reject
from weighbridge.reporting.records.reports import WITHOUT_REGISTRY, ReportSubmission
from weighbridge.reporting.submission.registry import Known, Submission, ask, called_registry
from weighbridge.reporting.submission.stored import KeptSubmission, kept_submission

# The receiver of a report: the registry that its submission names, or else its methodology.
#
# Invariant: what was rendered for one receiver goes to no other.


class Receiver(NamedTuple):
    """Who hands a report on, and to which registry, by its number."""

    adapter: str
    registry: int | None


async def receiver_of(tx: Read, actor: Actor, report: MovingReport, request: ReportSubmission) -> Receiver:
    """Who receives a report that is submitted; Invalid where the request names nobody or another one."""
    kept = await kept_submission(tx, report.project, report.number)
    named = await _named(tx, actor, report, request)
    if kept is None:
        return named or Receiver(AdapterName.FILE, None)
    sent_to = Receiver(kept.adapter, kept.registry)
    is_named = request.adapter is not UNSET or request.registry_id is not UNSET
    if is_named and named != sent_to:
        who = f"registry {kept.registry}" if kept.registry else "people to fetch"
        message = f"The report was rendered for {who}, and goes on there."
        raise Invalid([Problem(message, "registry_id", "conflict")])
    return sent_to


async def _named(tx: Read, actor: Actor, report: MovingReport, request: ReportSubmission) -> Receiver | None:
    if request.adapter is not UNSET:
        if request.registry_id is not UNSET:
            message = "adapter and registry_id name two receivers; send one of them."
            raise Invalid([Problem(message, "adapter", "conflict")])
        if request.adapter not in WITHOUT_REGISTRY:
            message = f"adapter is {shorten(request.adapter)!r}; it is one of {', '.join(WITHOUT_REGISTRY)}."
            raise Invalid([Problem(message, "adapter", "invalid")])
        return Receiver(request.adapter, None)
    if request.registry_id is UNSET:
        number = await tx.value("SELECT registry_id FROM methodologies WHERE id = %s", (report.methodology,))
    else:
        number = request.registry_id
    if number is None:
        return None
    rows = await tx.tuples(
        "SELECT adapter, id FROM registries WHERE account_id = %s AND id::bigint = %s::numeric",
        (actor.account_id, number),
    )
    if not rows:
        message = f"registry_id is {number}, which is no registry of the account."
        raise Invalid([Problem(message, "registry_id", "unknown")])
    return Receiver(*rows[0])


# Reviewing: registries are asked for what they decided of the reports that they have received.
#
# Invariants: a report is asked for by one worker at a time; what a registry decided is written down once,
# in the transaction that posts it or gives it back.


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
