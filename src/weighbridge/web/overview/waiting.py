"""What needs a person: proposals, alerts, stale batches and deficits of a project, the oldest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from weighbridge.accounting.ledgers.routes import list_deficits
from weighbridge.core.time.instant import Instant
from weighbridge.errors import Forbidden
from weighbridge.quality.rule_results.routes import list_project_rule_results
from weighbridge.web.ledgers.rows import LedgerYear
from weighbridge.web.showing.moments import moment_of
from weighbridge.web.visit import Visit

EACH_SHOWN: Final = "10"
"""Records of each kind that stand in the list."""

SHORT_LEDGERS_MAX: Final = 10
"""Ledgers with a deficit whose moments are looked up."""


@dataclass(frozen=True, slots=True)
class NeedsPerson:
    """One thing that waits: what it is, since when, and where it is settled."""

    kind: str
    tone: str
    what: str
    why: str
    since: Instant
    address: str
    button: str
    amount: Decimal | None = None
    unit: str = ""


async def waiting_for_people(visit: Visit, year: LedgerYear | None) -> list[NeedsPerson]:
    """What waits in the project that the visit is in, as far as the person may see it."""
    found: list[NeedsPerson] = []
    if visit.may("data_rules:read"):
        pending = await _results(visit, ("filter[approval_state]", "pending"))
        found += [_proposal(visit, one) for one in pending]
        alerts = await _results(visit, ("filter[status]", "fail"))
        found += [_alert(visit, one) for one in alerts if one.approval_state != "pending"]
    if year is not None:
        found += [_stale(visit, one) for one in year.stale]
        for row in [row for row in year.rows if row.ledger.deficit][:SHORT_LEDGERS_MAX]:
            deficits = await visit.ask(list_deficits, ledger_id=row.ledger.id)
            found += [_deficit(visit, row.ledger, one) for one in deficits.data if one.settled_at is None]
    return sorted(found, key=lambda one: one.since)


async def _results(visit: Visit, chosen: tuple[str, str]) -> Sequence[Any]:
    query = (chosen, ("page_size", EACH_SHOWN), ("sort", "created_at"))
    try:
        listed = await visit.ask(list_project_rule_results, query)
    except Forbidden:
        return ()
    results: Sequence[Any] = listed.data
    return results


def _proposal(visit: Visit, one: Any) -> NeedsPerson:
    change = one.proposed_correction
    why = "for a slot in which nothing came" if change is None else ""
    if change is not None:
        before = change.get("from_value")
        why = f"{'nothing' if before is None else before} → {change['to_value']}"
    return NeedsPerson(
        "proposal", "waits", one.rule_name, why,
        moment_of(one.created_at), f"{visit.frame.home}/rule_results/{one.id}", "Review",
    )  # fmt: skip


def _alert(visit: Visit, one: Any) -> NeedsPerson:
    return NeedsPerson(
        "alert", "short", one.rule_name, one.message or "",
        moment_of(one.created_at), f"{visit.frame.home}/rule_results/{one.id}", "Open",
    )  # fmt: skip


def _stale(visit: Visit, one: Any) -> NeedsPerson:
    reasons = ", ".join(sorted({reason.reason.replace("_", " ") for reason in one.stale_reasons}))
    return NeedsPerson(
        "stale", "waits", one.tracking_id, reasons,
        moment_of(one.created_at), f"{visit.frame.home}/batches/{one.id}", "Generate again",
    )  # fmt: skip


def _deficit(visit: Visit, ledger: Any, one: Any) -> NeedsPerson:
    return NeedsPerson(
        "deficit", "short", ledger.name, one.partition or "",
        moment_of(one.end_time), f"{visit.frame.home}/ledgers/{ledger.id}", "Open",
        amount=-one.amount, unit=ledger.unit,
    )  # fmt: skip
