"""What needs a person, oldest first: proposals, alerts, stale batches, events not counted yet, deficits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from weighbridge.accounting.ledgers.routes import list_deficits
from weighbridge.core.time.cadence import EVENT, slot_at
from weighbridge.core.time.instant import MILLISECOND, Instant
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
        found += [_not_counted(visit, one) for one in year.not_counted]
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


def _not_counted(visit: Visit, ledger: Any) -> NeedsPerson:
    waiting = ledger.not_counted_yet
    count = f"more than {waiting.event_count}" if waiting.is_more else str(waiting.event_count)
    form = f"{visit.frame.home}/ledgers/{ledger.id}/generations"
    return NeedsPerson(
        "not counted yet", "waits", ledger.name, f"{count} events that no generation has looked at",
        moment_of(waiting.start_time), f"{form}?{_slots_of(visit, ledger)}", "Generate",
    )  # fmt: skip


def _slots_of(visit: Visit, ledger: Any) -> str:
    """The period of the slots in which events wait, as the form of a generation takes it."""
    waiting, field = ledger.not_counted_yet, visit.moments.field
    start, end = moment_of(waiting.start_time), moment_of(waiting.end_time)
    if ledger.cadence == EVENT:
        return urlencode({"from": field(start), "until": field(Instant.of(end + timedelta(minutes=1)))})
    zone = ZoneInfo(visit.frame.zone)
    first = slot_at(ledger.cadence, start, zone)
    last = slot_at(ledger.cadence, max(start, end - MILLISECOND), zone)
    return urlencode({"from": field(first.start), "until": field(last.end)})


def _deficit(visit: Visit, ledger: Any, one: Any) -> NeedsPerson:
    return NeedsPerson(
        "deficit", "short", ledger.name, one.partition or "",
        moment_of(one.end_time), f"{visit.frame.home}/ledgers/{ledger.id}", "Open",
        amount=-one.amount, unit=ledger.unit,
    )  # fmt: skip
