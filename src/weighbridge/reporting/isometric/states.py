"""What became of a report at Isometric Certify: its records, its findings, and its statement."""

from decimal import Decimal
from typing import Final

from weighbridge.core import identity
from weighbridge.core.report import DeliveryStep, ReportTrigger
from weighbridge.db.engine import Database, Read, Write
from weighbridge.http.outgoing import OutgoingClient
from weighbridge.reporting.isometric.calls import CertifyClient, RefusedCallError, UncertainCallError
from weighbridge.reporting.isometric.records import (
    STATEMENT_KIND,
    RegistryFinding,
    RegistryState,
    RegistryStatement,
)
from weighbridge.reporting.isometric.statement import read_decision
from weighbridge.reporting.submission.sending import CalledRegistry, DueReview, RegistryReply

STATUS_MAX: Final = 100
"""Characters that are kept of a state, in the words of the registry."""

REASONS: Final = {
    ReportTrigger.ACCEPT: "Credits were issued.",
    ReportTrigger.REJECT: "The statement failed its verification.",
}
"""Why a report moves: the registry gives no other reason than its state."""


async def ask_statement(
    database: Database, client: OutgoingClient, registry: CalledRegistry, due: DueReview
) -> RegistryReply | None:
    """Read the state of a report's statement and keep it; what it decides, or None while that is nothing."""
    async with database.read() as tx:
        record = await _read_statement_id(tx, due.project, due.report)
    if record is None:
        return None
    try:
        found = await CertifyClient(client, registry).read(f"/ghg_statements/{record}")
    except (RefusedCallError, UncertainCallError):
        return None
    status = str((found or {}).get("status") or "")
    if not status:
        return None
    async with database.write() as tx:
        await _note_state(tx, due.project, due.report, status)
    decision = read_decision(status)
    if decision is None:
        return None
    amount: Decimal | None = None  # the registry decides of statements as a whole
    return RegistryReply(
        DeliveryStep.RECEIVED, status=200, reference=record, decision=decision, reason=REASONS[decision],
        amount=amount,
    )  # fmt: skip


async def _note_state(tx: Write, project: int, report: int, status: str) -> None:
    noted = status[:STATUS_MAX]
    last = await tx.value(
        """
        SELECT status FROM registry_states WHERE project_id = %s AND report_id = %s ORDER BY id DESC LIMIT 1
        """,
        (project, report),
    )
    if last == noted:
        return
    await tx.execute(
        "INSERT INTO registry_states (project_id, report_id, status) VALUES (%s, %s, %s)",
        (project, report, noted),
    )


async def _read_statement_id(tx: Read, project: int, report: int) -> str | None:
    number: str | None = await tx.value(
        """
        SELECT record_id FROM registry_records WHERE project_id = %s AND report_id = %s AND kind = %s
        """,
        (project, report, STATEMENT_KIND),
    )
    return number


async def read_statement(tx: Read, key: identity.Key, friendly: str) -> RegistryStatement:
    """What became of a report at the registry; nothing for one that was not sent to one with this adapter."""
    values = (key.project, key.key)
    registry = await tx.value(
        """
        SELECT registry_id FROM report_submissions
         WHERE project_id = %s AND report_id = %s AND adapter = 'isometric_certify'
        """,
        values,
    )
    counts = await tx.tuples(
        """
        SELECT kind, count(*) FROM registry_records
         WHERE project_id = %s AND report_id = %s AND removed_at IS NULL GROUP BY kind ORDER BY kind
        """,
        values,
    )
    states = await tx.rows(
        RegistryState,
        "SELECT status, said_at FROM registry_states WHERE project_id = %s AND report_id = %s ORDER BY id",
        values,
    )
    findings = await tx.rows(
        RegistryFinding,
        """
        SELECT reference, field, sent, received, found_at FROM registry_findings
         WHERE project_id = %s AND report_id = %s ORDER BY reference, field
        """,
        values,
    )
    return RegistryStatement(
        friendly,
        registry,
        await _read_statement_id(tx, *values),
        states[-1].status if states else None,
        states,
        dict(counts),
        findings,
    )
