"""Notices: a registry is told what became of a claim that it has, by whoever decided it here.

A claim is withdrawn, or accepted claims are merged or split. The registry is told under the key by which it
has the claim, at the address where it is asked for decisions. A report that took the place of others was sent
to nobody; what becomes of it is told of the claims that it goes back to.

Invariants: a notice and what it tells are queued in one transaction; it states what became of the claim, so
the same notice again is the same; each try is in the journal of the submission.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from weighbridge.core import identity
from weighbridge.core.number import plain
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import AdapterName, DeliveryStep, ReportStatus
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Invalid
from weighbridge.http.outgoing import OutgoingClient, OutgoingRequest, Pause, pause_seconds
from weighbridge.platform.async_tasks import Attempt, queue_task
from weighbridge.reporting.submission.file import SubmissionRow, read_submission
from weighbridge.reporting.submission.sending import (
    CalledRegistry,
    RegistryReply,
    TaskJournal,
    call_registry,
    read_called_registry,
)

NOTICE_TASK: Final = "report_notice"

NOTICE_DETAIL: Final = "Notice of what became of the claim"
"""What the journal has of a notice before it is sent."""


async def queue_notices(
    tx: Write, actor: Actor, project: int, reports: Sequence[int], *, may_be_unknown: bool = False
) -> None:
    """Have registries told of what became of reports in this transaction, as far as they have claims of them.

    `may_be_unknown` says that a registry may not have received what it is told of.
    """
    for about, number in await tx.tuples(_CLAIMS, {"project": project, "reports": [*reports]}):
        args = {
            "project_id": project, "report_id": number, "about": about, "may_be_unknown": may_be_unknown,
        }  # fmt: skip
        lock = locks.jobs_of_report(project, number)
        await queue_task(tx, actor, kind=NOTICE_TASK, project_id=project, args=args, lock=lock)


async def tell_registry(
    database: Database, attempt: Attempt, client: OutgoingClient, pause: Pause
) -> RegistryReply:
    """Tell the registry of a task's claim; Invalid with a sentence where it was not told."""
    project, number = attempt.project_id, attempt.args["report_id"]
    async with database.read() as tx:
        kept = await read_submission(tx, project, number)
        assert kept is not None, "only what was sent is told of"  # noqa: S101
        registry = None if kept.registry is None else await read_called_registry(tx, kept.registry)
        notice = await read_notice(tx, project, attempt.args["about"])
    if registry is None or registry.status_address is None:
        raise Invalid([Problem("The registry is not called any more. Tell it by other means.")])
    journal = await TaskJournal.read(database, attempt, number)
    reply: RegistryReply | None = None
    for tries in range(registry.tries):
        if tries:
            await pause(pause_seconds(tries, reply.retry_after if reply else None))
        await journal.note(DeliveryStep.SENDING, detail=NOTICE_DETAIL)
        reply = await _send_notice(client, registry, registry.status_address, kept, notice)
        await journal.note(reply.step, http_status=reply.status, detail=reply.text or NOTICE_DETAIL)
        if reply.is_final or reply.step is DeliveryStep.ABSENT:
            break
    assert reply is not None, "a registry has one try at least"  # noqa: S101
    is_settled = reply.step is DeliveryStep.ABSENT and attempt.args["may_be_unknown"]
    if reply.step is DeliveryStep.RECEIVED or is_settled:
        return reply
    raise Invalid([Problem(f"{reply.text} {registry.name} was not told. Tell it by other means.")])


async def _send_notice(
    client: OutgoingClient,
    registry: CalledRegistry,
    status_address: str,
    kept: SubmissionRow,
    notice: dict[str, Any],
) -> RegistryReply:
    headers = {
        **registry.headers,
        "Idempotency-Key": f"{kept.key}-{notice['report_id']}-{notice['status']}",
        "Content-Type": "application/json",
        "Accept": "application/json",
    }
    content = json.dumps(notice, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    address = status_address.replace("{key}", kept.key)
    request = OutgoingRequest("POST", address, headers, content, registry.timeout_seconds)
    return await call_registry(client, registry, request, kept)


class _Move(msgspec.Struct, frozen=True):
    """What became of a report last, and why."""

    status: str
    reason: str | None
    reference: str | None


async def read_notice(tx: Read, project: int, about: int) -> dict[str, Any]:
    """What became of a report that was withdrawn, or that others took the place of."""
    move = await tx.row(_Move, _LAST_MOVE, (project, about))
    assert move is not None, "a report that is told of was moved"  # noqa: S101
    notice: dict[str, Any] = {
        "report_id": identity.of("report", project, about),
        "status": move.status,
        "reason": move.reason,
        "reference": move.reference,
    }
    if move.status == ReportStatus.SUPERSEDED:
        notice["successors"] = await _list_successors(tx, project, about)
    return notice


async def _list_successors(tx: Read, project: int, about: int) -> list[dict[str, Any]]:
    """The reports that took the place of one, with what they hold and of which reports."""
    successors: dict[int, dict[str, Any]] = {}
    for number, name, unit, predecessors, batch, amount, ledger in await tx.tuples(
        _SUCCESSORS, (project, about)
    ):
        successor = successors.setdefault(
            number,
            {
                "report_id": identity.of("report", project, number),
                "name": name,
                "unit": unit,
                "predecessors": [identity.of("report", project, one) for one in predecessors],
                "inclusions": [],
            },
        )
        successor["inclusions"].append(
            {"batch_id": identity.of("batch", project, batch), "amount": plain(amount)}
        )
        if ledger is not None:
            friendly, role, sign, of_ledger = ledger
            told = {"ledger_id": identity.of("ledger", project, friendly), "role": role, "sign": sign}
            successor["inclusions"][-1] |= told | {"unit": of_ledger}
    return [*successors.values()]


_CLAIMS: Final = f"""
    WITH RECURSIVE behind AS (
        SELECT about, %(project)s::integer AS project_id, about AS report_id
          FROM unnest(%(reports)s::bigint[]) AS about
        UNION
        SELECT b.about, s.project_id, s.predecessor_id
          FROM behind b JOIN report_successions s USING (project_id, report_id)
    )
    SELECT behind.about, k.report_id FROM behind JOIN report_submissions k USING (project_id, report_id)
     WHERE k.adapter = '{AdapterName.HTTP}' AND k.registry_id IS NOT NULL ORDER BY behind.about, k.report_id
"""
"""The claims that registries have of each report: of what was sent of it, and of all that it replaced."""

_LAST_MOVE: Final = """
    SELECT status, reason, reference FROM report_moves
     WHERE project_id = %s AND report_id = %s ORDER BY id DESC LIMIT 1
"""
_SUCCESSORS: Final = """
    SELECT r.id, r.name, l.unit,
           ARRAY(SELECT p.predecessor_id FROM report_successions p
                  WHERE (p.project_id, p.report_id) = (r.project_id, r.id) ORDER BY p.predecessor_id),
           i.batch_id, i.amount,
           CASE WHEN g.role IS NOT NULL
                THEN jsonb_build_array(b.ledger_id, g.role, sign(g.factor)::integer, own.unit) END
      FROM report_successions s
      JOIN reports r ON (r.project_id, r.id) = (s.project_id, s.report_id)
      JOIN ledgers l ON (l.project_id, l.id) = (r.project_id, r.ledger_id)
      JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      JOIN ledgers own ON (own.project_id, own.id) = (b.project_id, b.ledger_id)
      LEFT JOIN report_ledgers g
             ON (g.project_id, g.report_id, g.ledger_id) = (i.project_id, i.report_id, b.ledger_id)
     WHERE s.project_id = %s AND s.predecessor_id = %s
     ORDER BY r.id, i.batch_id
"""
