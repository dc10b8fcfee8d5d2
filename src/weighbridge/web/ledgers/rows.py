"""Ledgers as rows: what each produced over twelve months, what was drawn of it, remains and is short."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from weighbridge.accounting.batches.records import Batch
from weighbridge.accounting.batches.routes import list_project_batches
from weighbridge.accounting.ledgers.records import Ledger
from weighbridge.accounting.ledgers.routes import list_project_ledgers
from weighbridge.accounting.tracing.turnover import Turnover, turnover
from weighbridge.collection.tenancy.project import project_number
from weighbridge.core.time.instant import Instant
from weighbridge.web.drawing.sparkline import sparkline
from weighbridge.web.showing.moments import moment_of, period_of
from weighbridge.web.showing.months import months_until
from weighbridge.web.visit import Visit

LEDGERS_SHOWN: Final = "100"
"""Ledgers that stand in one table."""

STALE_SHOWN: Final = "20"
"""Stale batches that are read by themselves; all are counted."""

_NEW_MONTHS: Final = 3
"""Bars of a sparkline that are stronger: the newest quarter."""


@dataclass(frozen=True, slots=True)
class YearOfLedger:
    """One ledger with its year."""

    ledger: Ledger
    periods: Sequence[Turnover]
    """Each month of the year."""
    picture: Markup
    stale: int

    @property
    def produced(self) -> Decimal:
        """What it produced in the year."""
        return sum((one.produced for one in self.periods), Decimal(0))

    @property
    def drawn(self) -> Decimal:
        """What was drawn of it in the year, by other ledgers and by reports."""
        return sum((one.drawn for one in self.periods), Decimal(0))

    @property
    def newest(self) -> Decimal:
        """What it produced in the newest month."""
        return self.periods[-1].produced


@dataclass(frozen=True, slots=True)
class LedgerYear:
    """The ledgers of a project over the twelve months that end with their newest batch."""

    rows: Sequence[YearOfLedger]
    edges: Sequence[Instant]
    stale: Sequence[Batch]
    stale_count: int
    has_batches: bool
    said: str
    """The year in words."""

    @property
    def not_counted(self) -> Sequence[Ledger]:
        """The ledgers for which events wait that no generation has looked at."""
        return [row.ledger for row in self.rows if row.ledger.not_counted_yet is not None]


async def ledger_year(visit: Visit) -> LedgerYear:
    """All ledgers of the project that the visit is in."""
    ledgers = await visit.ask(list_project_ledgers, (("page_size", LEDGERS_SHOWN), ("sort", "name")))
    newest = await visit.ask(list_project_batches, (("page_size", "1"), ("sort", "-start_time")))
    stale = await visit.ask(
        list_project_batches, (("page_size", STALE_SHOWN), ("filter[is_stale]", "true"), ("sort", "id"))
    )
    edges = year_until(visit, newest.data)
    numbers = [ledger.numeric_id for ledger in ledgers.data]
    periods = await turnover(visit.reading, project_number(visit.path["project_id"]), numbers, edges)
    by_ledger = Counter(batch.ledger_id for batch in stale.data)
    said = in_words(visit, edges)
    rows = [
        _row(ledger, periods.get(ledger.numeric_id), len(edges) - 1, by_ledger[ledger.id], said)
        for ledger in ledgers.data
    ]
    return LedgerYear(rows, edges, stale.data, stale.info.total_items, bool(newest.data), said)


def year_until(visit: Visit, newest: Sequence[Batch]) -> list[Instant]:
    """The edges of the twelve months that end with the newest batch; with this month where there is none."""
    until = max((moment_of(one.end_time) for one in newest), default=visit.frame.now)
    return months_until(until, visit.frame.zone)


def in_words(visit: Visit, edges: Sequence[Instant]) -> str:
    """The months between the first edge and the last, as people say them."""
    first, last = (visit.moments.local(edge) for edge in (edges[0], edges[-1]))
    return period_of(first, last) or ""


def _row(
    ledger: Ledger, periods: Sequence[Turnover] | None, months: int, stale: int, said: str
) -> YearOfLedger:
    known = periods or [Turnover()] * months
    produced = [one.produced for one in known]
    picture = sparkline(
        produced, says=f"Produced by {ledger.name}, month by month, {said}", newest=_NEW_MONTHS
    )
    return YearOfLedger(ledger, known, picture, stale)
