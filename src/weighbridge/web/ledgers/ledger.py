"""One ledger: what it holds, how it came to that, its batches, and what it takes and gives."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batches.routes import list_ledger_batches
from weighbridge.accounting.ledgers.records import Ledger
from weighbridge.accounting.ledgers.routes import get_ledger, list_deficits, update_ledger
from weighbridge.accounting.tracing.turnover import Turnover, ledger_flows, turnover_until
from weighbridge.collection.tenancy.project import project_number
from weighbridge.web.drawing.shares import stacked_bar
from weighbridge.web.drawing.steps import steps
from weighbridge.web.ledgers.flows import flow_picture
from weighbridge.web.ledgers.ledgers import models_offered
from weighbridge.web.ledgers.rows import LedgerYear, YearOfLedger, ledger_year
from weighbridge.web.listing import ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.records.plain import own_project
from weighbridge.web.showing.figures import MINUS
from weighbridge.web.showing.moments import MONTHS
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/ledgers/{ledger_id}"


async def ledger(visit: Visit) -> View | Moved:
    """A ledger with its balance over twelve months and its batches."""
    found = await visit.ask(get_ledger)
    if elsewhere := own_project(visit, found):
        return Moved(elsewhere)
    batches = await visit.ask(list_ledger_batches, asked_for(visit.query, sort="-start_time"))
    deficits = await visit.ask(list_deficits)
    year = await ledger_year(visit)
    own = next((row for row in year.rows if row.ledger.id == found.id), None)
    number = project_number(visit.path["project_id"])
    flows = await ledger_flows(visit.reading, number, year.edges[0], year.edges[-1])
    path = f"{visit.frame.home}/ledgers/{found.id}"
    before, posted = await turnover_until(visit.reading, number, found.numeric_id, year.edges[0])
    total = posted.drawn
    bar = stacked_bar(
        [("drawn", total), ("remaining", found.balance), ("deficit", found.deficit)],
        says=f"{total} drawn, {found.balance} remaining, {found.deficit} short",
    )
    return view(
        "ledgers/ledger.html", found.name,
        call=f"/ledgers/{found.id}", crumbs=(("Ledgers", f"{visit.frame.home}/ledgers"),),
        ledger=found, batches=batches.data, list=ListView(path, visit.query, batches.info), year=year,
        chart=_chart(visit, year, own, before) if own and (posted.produced or posted.drawn) else None,
        bar=bar, drawn=total, path=path,
        deficits=[one for one in deficits.data if one.settled_at is None],
        flow=flow_picture(visit.frame.home, year.rows, flows, of=found.numeric_id),
        models=[] if found.latest_model else await models_offered(visit),
    )  # fmt: skip


@form(f"{PATH}/model", permission="production_accounting:write", again=ledger, computes=True)
async def give_model(visit: Visit) -> Moved:
    """Give a ledger that has none the model that it runs from now on."""
    change = {"model_id": visit.text("model_id")} | (
        {"output": output} if (output := visit.text("output")) else {}
    )
    made: Ledger = await visit.do(update_ledger, {"ledger": change})
    path = f"{visit.frame.home}/ledgers/{made.id}"
    said = f"{made.name} runs {made.latest_model.name} now." if made.latest_model else ""
    return Moved(f"{path}/generations", said)


def _chart(visit: Visit, year: LedgerYear, row: YearOfLedger, before: Turnover) -> object:
    level, months = before.produced - before.drawn, []
    for edge, period in zip(year.edges, row.periods, strict=False):
        level += period.produced - period.drawn
        local = visit.moments.local(edge)
        name = MONTHS[local.month - 1]
        stands = f"{level:,f}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", MINUS)
        months.append((name[:3], level, f"end of {name} {local.year}: {stands} {row.ledger.unit}"))
    return steps(months, says=f"How {row.ledger.name} stood at the end of each month, {year.said}")


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", of=get_ledger)(ledger),
    *give_model,
]
