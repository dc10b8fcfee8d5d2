"""Ledgers: all of a project with the flows between them, and one with its balance and batches."""

from typing import Any, Final

from weighbridge.accounting.batches import list_ledger_batches
from weighbridge.accounting.ledgers import (
    create_ledger_of_project,
    get_ledger,
    list_deficits,
    list_project_ledgers,
    update_ledger,
)
from weighbridge.accounting.records.ledgers import Ledger
from weighbridge.accounting.tracing.ledger_activity import Turnover, read_ledger_flows, read_turnover_until
from weighbridge.collection.named_records.names import project_number
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.modelling.models import list_project_models
from weighbridge.modelling.records.models import Model
from weighbridge.web.display.charts import stacked_bar, steps
from weighbridge.web.display.figures import MINUS, MONTHS, spoken
from weighbridge.web.framework.listing import ListView, asked_for
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.ledger_years import LedgerYear, YearOfLedger, flow_picture, ledger_year
from weighbridge.web.pages.records import own_project

# All ledgers of a project: what they hold, what flows between them, and a form for another one.


LEDGERS_PATH: Final = "/projects/{project_id}/ledgers"

FIELDS: Final = (
    "name", "unit", "model_id", "output", "scale", "rounding", "asset_category", "system_ledger_type",
)  # fmt: skip
"""The fields of a new ledger, by the names of the interface."""

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
        year=year, flow=flow_picture(home, year.rows, flows),
        models=await models_offered(visit), presets_offered=[(name, spoken(name)) for name in PRESETS],
        typed=typed_ledger(visit),
    )  # fmt: skip


async def models_offered(visit: Visit) -> list[Model]:
    """The active models of the project, which a ledger can run."""
    models = await visit.ask(list_project_models, (("page_size", MODELS_OFFERED), ("sort", "name")))
    return [one for one in models.data if one.is_active]


def typed_ledger(visit: Visit) -> dict[str, str]:
    """What was typed for a new ledger, field by field."""
    return {name: visit.text(name) for name in FIELDS}


@form(LEDGERS_PATH, permission="production_accounting:write", again=ledgers)
async def make_ledger(visit: Visit) -> Redirect:
    """Make a ledger, which runs a model where one was chosen."""
    new: dict[str, Any] = {name: value for name, value in typed_ledger(visit).items() if value}
    new.setdefault("name", "")
    if scale := new.pop("scale", ""):
        if not scale.isdecimal():
            said = f"{scale!r} is no number of decimals."
            raise Invalid([Problem(said, "ledger.scale", "invalid")])
        new["scale"] = int(scale)
    made = await visit.do(create_ledger_of_project, {"ledger": new})
    return Redirect(f"/projects/{made.project_id}/ledgers/{made.id}", f"{made.name} is made.")


# One ledger: what it holds, how it came to that, its batches, and what it takes and gives.


LEDGER_PATH: Final = "/projects/{project_id}/ledgers/{ledger_id}"


async def ledger(visit: Visit) -> View | Redirect:
    """A ledger with its balance over twelve months and its batches."""
    found = await visit.ask(get_ledger)
    if elsewhere := own_project(visit, found):
        return Redirect(elsewhere)
    batches = await visit.ask(list_ledger_batches, asked_for(visit.query, sort="-start_time"))
    deficits = await visit.ask(list_deficits)
    year = await ledger_year(visit)
    own = next((row for row in year.rows if row.ledger.id == found.id), None)
    number = project_number(visit.path["project_id"])
    flows = await read_ledger_flows(visit.reading, number, year.edges[0], year.edges[-1])
    path = f"{visit.frame.home}/ledgers/{found.id}"
    before, posted = await read_turnover_until(visit.reading, number, found.numeric_id, year.edges[0])
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


@form(f"{LEDGER_PATH}/model", permission="production_accounting:write", again=ledger, computes=True)
async def give_model(visit: Visit) -> Redirect:
    """Give a ledger that has none the model that it runs from now on."""
    change = {"model_id": visit.text("model_id")} | (
        {"output": output} if (output := visit.text("output")) else {}
    )
    made: Ledger = await visit.do(update_ledger, {"ledger": change})
    path = f"{visit.frame.home}/ledgers/{made.id}"
    said = f"{made.name} runs {made.latest_model.name} now." if made.latest_model else ""
    return Redirect(f"{path}/generations", said)


def _chart(visit: Visit, year: LedgerYear, row: YearOfLedger, before: Turnover) -> object:
    level, months = before.produced - before.drawn, []
    for edge, period in zip(year.edges, row.periods, strict=False):
        level += period.produced - period.drawn
        local = visit.moments.local(edge)
        name = MONTHS[local.month - 1]
        stands = f"{level:,f}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", MINUS)
        months.append((name[:3], level, f"end of {name} {local.year}: {stands} {row.ledger.unit}"))
    return steps(months, says=f"How {row.ledger.name} stood at the end of each month, {year.said}")


PAGES = [
    *page(LEDGERS_PATH, permission="production_accounting:read", of=list_project_ledgers)(ledgers),
    *make_ledger,
    *page(LEDGER_PATH, permission="production_accounting:read", of=get_ledger)(ledger),
    *give_model,
]
