"""What each ledger of a project produced over twelve months, as rows, and what flowed between ledgers, as
one picture.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from weighbridge.accounting.batches import list_project_batches
from weighbridge.accounting.ledgers import list_project_ledgers
from weighbridge.accounting.records.batches import Batch
from weighbridge.accounting.records.ledgers import Ledger
from weighbridge.accounting.tracing.ledger_activity import LedgerFlow, Turnover, read_turnover
from weighbridge.collection.named_records.names import project_number
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.time.instant import Instant
from weighbridge.web.display.charts import sparkline
from weighbridge.web.display.figures import moment_of, months_until, period_of
from weighbridge.web.display.graph import Flow, FlowNode, sankey
from weighbridge.web.framework.visit import Visit

# Ledgers as rows: what each produced over twelve months, what was drawn of it, remains and is short.


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
    periods = await read_turnover(visit.reading, project_number(visit.path["project_id"]), numbers, edges)
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


# What flows between ledgers as one picture: bars as high as what each produced, bands as wide as draws.
#
# Ledgers are kept in different units, so each band weighs as the share of what its source produced.


REPORTS: Final = "reports"
REMAINING: Final = "remaining"


def flow_picture(
    home: str, rows: Sequence[YearOfLedger], flows: Sequence[LedgerFlow], *, of: int | None = None
) -> Markup | None:
    """The diagram, of all ledgers or of one and its neighbours; None where nothing flows."""
    near = [one for one in flows if of is None or of in {one.source, one.target}]
    by_number = {row.ledger.numeric_id: row for row in rows}
    known = [one for one in near if one.source in by_number and one.amount > 0]
    if not known:
        return None
    shown = {one.source for one in known} | {one.target for one in known if one.target is not None}
    bands = [_band(one, by_number[one.source]) for one in known]
    for number in sorted(shown):
        row = by_number.get(number)
        if row is not None and row.ledger.balance > 0 and of in {None, number}:
            bands.append(_remaining(row))
    nodes = [_node(home, by_number[number]) for number in sorted(shown) if number in by_number]
    ends = {flow.target for flow in bands}
    nodes += [
        FlowNode(key, f"in {key}" if key == REPORTS else key) for key in (REPORTS, REMAINING) if key in ends
    ]
    return sankey(nodes, bands, says="What flows from ledger to ledger")


def _node(home: str, row: YearOfLedger) -> FlowNode:
    said = f"{_figure(row.produced)} {row.ledger.unit}"
    return FlowNode(_key(row.ledger.numeric_id), row.ledger.name, said, f"{home}/ledgers/{row.ledger.id}")


def _band(flow: LedgerFlow, source: YearOfLedger) -> Flow:
    target = REPORTS if flow.target is None else _key(flow.target)
    said = f"{_figure(flow.amount)} {source.ledger.unit} of {source.ledger.name}"
    return Flow(_key(flow.source), target, _share(flow.amount, source), said)


def _remaining(row: YearOfLedger) -> Flow:
    said = f"{_figure(row.ledger.balance)} {row.ledger.unit} of {row.ledger.name} remain"
    return Flow(_key(row.ledger.numeric_id), REMAINING, _share(row.ledger.balance, row), said)


def _share(amount: Decimal, source: YearOfLedger) -> Decimal:
    """A part of all that the ledger gave or holds."""
    whole = max(source.produced, source.drawn + source.ledger.balance, amount)
    return CONTEXT.divide(amount, whole)


def _key(number: int) -> str:
    return f"ledger-{number}"


def _figure(amount: Decimal) -> str:
    return f"{amount.normalize():,f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
