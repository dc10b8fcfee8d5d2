"""What flows between ledgers as one picture: bars as high as what each produced, bands as wide as draws.

Ledgers are kept in different units, so each band weighs as the share of what its source produced.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from weighbridge.accounting.tracing.turnover import LedgerFlow
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.web.drawing.sankey import Flow, FlowNode, sankey
from weighbridge.web.ledgers.rows import YearOfLedger

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
