"""Ledgers: all of a project with what each produced over twelve months and the flows between them, and each
with its balance and batches.

Rows, months and the picture of flows are shown by other pages as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from weighbridge.accounting.batches import list_ledger_batches, list_project_batches
from weighbridge.accounting.ledgers import (
    get_ledger,
    list_deficits,
    list_project_ledgers,
    update_ledger,
)
from weighbridge.accounting.records.batches import Batch
from weighbridge.accounting.records.ledgers import Ledger
from weighbridge.accounting.tracing.ledger_activity import (
    LedgerFlow,
    Turnover,
    read_ledger_flows,
    read_turnover,
    read_turnover_until,
)
from weighbridge.core.number import CONTEXT, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Invalid
from weighbridge.modelling.models import list_project_models
from weighbridge.modelling.records import Model
from weighbridge.packages.records import PartKind
from weighbridge.platform.tenancy import project_number
from weighbridge.web.display.charts import sparkline, stacked_bar, steps
from weighbridge.web.display.figures import (
    MINUS,
    MONTHS,
    format_period,
    months_until,
    to_instant,
    unit_text,
)
from weighbridge.web.display.graph import Flow, FlowNode, sankey
from weighbridge.web.framework.listing import ListView, build_query
from weighbridge.web.framework.origins import list_origins, map_origins
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.records import find_own_project_url

# Ledgers as rows: what each produced over twelve months, what was drawn of it, remains and is short.


LEDGERS_SHOWN: Final = "100"
"""Ledgers of one table."""

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

    @property
    def produced(self) -> Decimal:
        """What it produced in the year."""
        return sum((period.produced for period in self.periods), Decimal(0))

    @property
    def drawn(self) -> Decimal:
        """What was drawn of it in the year, by other ledgers and by reports."""
        return sum((period.drawn for period in self.periods), Decimal(0))

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
    period: str
    """The twelve months in words."""

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
    edges = twelve_months_until(visit, newest.data)
    numbers = [ledger.numeric_id for ledger in ledgers.data]
    periods = await read_turnover(visit.reading, project_number(visit.path["project_id"]), numbers, edges)
    period = describe_months(visit, edges)
    rows = [_row(ledger, periods.get(ledger.numeric_id), len(edges) - 1, period) for ledger in ledgers.data]
    return LedgerYear(rows, edges, stale.data, stale.info.total_items, bool(newest.data), period)


def twelve_months_until(visit: Visit, newest: Sequence[Batch]) -> list[Instant]:
    """Return the edges of the twelve months until the newest batch, or until now without batches."""
    until = max((to_instant(batch.end_time) for batch in newest), default=visit.frame.now)
    return months_until(until, visit.frame.zone)


def describe_months(visit: Visit, edges: Sequence[Instant]) -> str:
    """The months between the first edge and the last, as people say them."""
    first, last = (visit.moments.local(edge) for edge in (edges[0], edges[-1]))
    return format_period(first, last) or ""


def _row(ledger: Ledger, periods: Sequence[Turnover] | None, months: int, period: str) -> YearOfLedger:
    periods_shown = periods or [Turnover()] * months
    produced = [turnover.produced for turnover in periods_shown]
    picture = sparkline(
        produced, alt_text=f"Production of {ledger.name} by month, {period}", newest=_NEW_MONTHS
    )
    return YearOfLedger(ledger, periods_shown, picture)


# What flows between ledgers as one picture: bars as high as what each produced, bands as wide as draws.
#
# Ledgers are kept in different units, so each band weighs as the share of what its source produced.


REPORTS: Final = "reports"
REMAINING: Final = "remaining"


def _flow_picture(
    home: str, rows: Sequence[YearOfLedger], flows: Sequence[LedgerFlow], *, of: int | None = None
) -> Markup | None:
    """The diagram, of all ledgers or of one and its neighbours; None where nothing flows."""
    flows_nearby = [
        known_flow for known_flow in flows if of is None or of in {known_flow.source, known_flow.target}
    ]
    by_number = {row.ledger.numeric_id: row for row in rows}
    known_flows = [
        known_flow for known_flow in flows_nearby if known_flow.source in by_number and known_flow.amount > 0
    ]
    if not known_flows:
        return None
    shown_numbers = {known_flow.source for known_flow in known_flows} | {
        known_flow.target for known_flow in known_flows if known_flow.target is not None
    }
    bands = [_band(known_flow, by_number[known_flow.source]) for known_flow in known_flows]
    for number in sorted(shown_numbers):
        row = by_number.get(number)
        if row is not None and row.ledger.balance > 0 and of in {None, number}:
            bands.append(_remaining(row))
    nodes = [_node(home, by_number[number]) for number in sorted(shown_numbers) if number in by_number]
    ends = {flow.target for flow in bands}
    units = sorted({row.ledger.unit for row in by_number.values()})
    nodes += [
        FlowNode(key, f"{'in ' if end == REPORTS else ''}{end}, {unit_text(unit) or '1'}")
        for end in (REPORTS, REMAINING)
        for unit in units
        if (key := _end(end, unit)) in ends
    ]
    return sankey(nodes, bands, alt_text="Flows between ledgers")


def _node(home: str, row: YearOfLedger) -> FlowNode:
    produced = f"{_figure(row.produced)} {unit_text(row.ledger.unit)}"
    return FlowNode(_key(row.ledger.numeric_id), row.ledger.name, produced, f"{home}/ledgers/{row.ledger.id}")


def _band(flow: LedgerFlow, source: YearOfLedger) -> Flow:
    target = _end(REPORTS, source.ledger.unit) if flow.target is None else _key(flow.target)
    title = f"{_figure(flow.amount)} {unit_text(source.ledger.unit)} of {source.ledger.name}"
    return Flow(_key(flow.source), target, _share(flow.amount, source), title)


def _remaining(row: YearOfLedger) -> Flow:
    unit = row.ledger.unit
    title = f"{_figure(row.ledger.balance)} {unit_text(unit)} of {row.ledger.name} remaining"
    return Flow(_key(row.ledger.numeric_id), _end(REMAINING, unit), _share(row.ledger.balance, row), title)


def _end(end: str, unit: str) -> str:
    """Where bands of ledgers in one unit end: amounts of different units are never added."""
    return f"{end} {unit}"


def _share(amount: Decimal, source: YearOfLedger) -> Decimal:
    """A part of all that the ledger gave or holds."""
    total = max(source.produced, source.drawn + source.ledger.balance, amount)
    return CONTEXT.divide(amount, total)


def _key(number: int) -> str:
    return f"ledger-{number}"


def _figure(amount: Decimal) -> str:
    return f"{amount.normalize():,f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


# All ledgers of a project: what they hold, and what flows between them.


LEDGERS_PATH: Final = "/projects/{project_id}/ledgers"

MODELS_OFFERED: Final = "100"
"""Models that the form offers."""


async def ledgers(visit: Visit) -> View:
    """The ledgers of a project over twelve months, and what flows between them."""
    year = await ledger_year(visit)
    home = visit.frame.home
    number = project_number(visit.path["project_id"])
    flows = await read_ledger_flows(visit.reading, number, year.edges[0], year.edges[-1])
    return view(
        "ledgers/ledgers.html", "Ledgers", call=f"{home}/ledgers", has_csv=True,
        year=year, flow=_flow_picture(home, year.rows, flows),
        origins=await map_origins(visit, PartKind.LEDGER, [row.ledger for row in year.rows]),
    )  # fmt: skip


async def list_active_models(visit: Visit) -> list[Model]:
    """The active models of the project, which a ledger can run."""
    models = await visit.ask(list_project_models, (("page_size", MODELS_OFFERED), ("sort", "name")))
    return [model for model in models.data if model.is_active]


# One ledger: its balance, its batches and its flows.


LEDGER_PATH: Final = "/projects/{project_id}/ledgers/{ledger_id}"


async def ledger(visit: Visit) -> View | Redirect:
    """A ledger with its balance over twelve months and its batches."""
    ledger_record = await visit.ask(get_ledger)
    if elsewhere := find_own_project_url(visit, ledger_record):
        return Redirect(elsewhere)
    batches = await visit.ask(list_ledger_batches, build_query(visit.query, sort="-start_time"))
    deficits = await visit.ask(list_deficits)
    year = await ledger_year(visit)
    own_row = next((row for row in year.rows if row.ledger.id == ledger_record.id), None)
    number = project_number(visit.path["project_id"])
    flows = await read_ledger_flows(visit.reading, number, year.edges[0], year.edges[-1])
    path = f"{visit.frame.home}/ledgers/{ledger_record.id}"
    produced_before, posted_amount = await read_turnover_until(
        visit.reading, number, ledger_record.numeric_id, year.edges[0]
    )
    total = posted_amount.drawn
    bar = stacked_bar(
        [("drawn", total), ("remaining", ledger_record.balance), ("deficit", ledger_record.deficit)],
        alt_text=f"{total} withdrawn, {ledger_record.balance} remaining, {ledger_record.deficit} deficit",
    )
    return view(
        "ledgers/ledger.html",
        ledger_record.name,
        call=f"/ledgers/{ledger_record.id}",
        crumbs=(("Ledgers", visit.url("ledgers")),),
        ledger=ledger_record,
        batches=batches.data,
        list=ListView(path, visit.query, batches.info),
        year=year,
        chart=_chart(visit, year, own_row, produced_before)
        if own_row and (posted_amount.produced or posted_amount.drawn)
        else None,
        bar=bar,
        drawn=total,
        path=path,
        deficits=[deficit for deficit in deficits.data if deficit.settled_at is None],
        flow=_flow_picture(visit.frame.home, year.rows, flows, of=ledger_record.numeric_id),
        origins=await list_origins(visit, PartKind.LEDGER, ledger_record.id),
        models=[] if ledger_record.latest_model else await list_active_models(visit),
    )


def _read_places(field: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= PLACES_DIGITS_MAX):
        message = f"{field} must be a whole number of decimals, but is {shorten(text)!r}."
        raise Invalid([Problem(message, f"ledger.{field}", "invalid")])
    return int(text)


PLACES_DIGITS_MAX: Final = 4
"""Digits of a number of decimals that are read; no ledger has so many."""


@form(f"{LEDGER_PATH}/settings", permission="production_accounting:write", error_page=ledger)
async def change_settings(visit: Visit) -> Redirect:
    """Change what a ledger is called, and to how many decimals pages round its amounts."""
    places = visit.text("display_places")
    change = {
        "name": visit.text("name"),
        "asset_category": visit.text("asset_category") or None,
        "display_places": _read_places("display_places", places) if places else None,
    }
    changed_ledger: Ledger = await visit.do(update_ledger, {"ledger": change})
    return Redirect(f"{visit.frame.home}/ledgers/{changed_ledger.id}", "Ledger saved.")


@form(f"{LEDGER_PATH}/model", permission="production_accounting:write", error_page=ledger, computes=True)
async def assign_model(visit: Visit) -> Redirect:
    """Give a ledger that has none the model that it runs from now on."""
    change = {"model_id": visit.text("model_id")} | (
        {"output": output} if (output := visit.text("output")) else {}
    )
    changed_ledger: Ledger = await visit.do(update_ledger, {"ledger": change})
    path = f"{visit.frame.home}/ledgers/{changed_ledger.id}"
    notice = (
        f"Model {changed_ledger.latest_model.name} assigned to {changed_ledger.name}."
        if changed_ledger.latest_model
        else ""
    )
    return Redirect(f"{path}/generations", notice)


def _chart(visit: Visit, year: LedgerYear, row: YearOfLedger, before: Turnover) -> object:
    level, months = before.produced - before.drawn, []
    for edge, period in zip(year.edges, row.periods, strict=False):
        level += period.produced - period.drawn
        local = visit.moments.local(edge)
        name = MONTHS[local.month - 1]
        balance = f"{level:,f}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", MINUS)
        months.append((name[:3], level, f"end of {name} {local.year}: {balance} {row.ledger.unit}"))
    return steps(months, alt_text=f"Balance of {row.ledger.name} at the end of each month, {year.period}")


PAGES = [
    *page(LEDGERS_PATH, permission="production_accounting:read", of=list_project_ledgers)(ledgers),
    *page(LEDGER_PATH, permission="production_accounting:read", of=get_ledger)(ledger),
    *change_settings,
    *assign_model,
]
