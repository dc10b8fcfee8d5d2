"""All ledgers of a project: what they hold, what flows between them, and a form for another one."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.ledgers.routes import create_ledger_of_project, list_project_ledgers
from weighbridge.accounting.tracing.turnover import ledger_flows
from weighbridge.collection.tenancy.project import project_number
from weighbridge.modelling.models.routes import list_project_models
from weighbridge.web.ledgers.flows import flow_picture
from weighbridge.web.ledgers.rows import ledger_year
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/ledgers"

MODELS_OFFERED: Final = "100"
"""Models that the form offers."""


async def ledgers(visit: Visit) -> View:
    """The ledgers of a project over twelve months, and what flows between them."""
    year = await ledger_year(visit)
    home = visit.frame.home
    number = project_number(visit.path["project_id"])
    flows = await ledger_flows(visit.reading, number, year.edges[0], year.edges[-1])
    models = await visit.ask(list_project_models, (("page_size", MODELS_OFFERED), ("sort", "name")))
    return view(
        "ledgers/ledgers.html", "Ledgers", call=f"{home}/ledgers", has_csv=True,
        year=year, flow=flow_picture(home, year.rows, flows),
        models=[one for one in models.data if one.is_active],
    )  # fmt: skip


@form(PATH, permission="production_accounting:write", again=ledgers)
async def make_ledger(visit: Visit) -> Moved:
    """Make a ledger, which runs a model where one was chosen."""
    new = {"name": visit.text("name"), "unit": visit.text("unit")}
    if model := visit.text("model_id"):
        new["model_id"] = model
    made = await visit.do(create_ledger_of_project, {"ledger": new})
    return Moved(f"/projects/{made.project_id}/ledgers/{made.id}", f"{made.name} is made.")


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", of=list_project_ledgers)(ledgers),
    *make_ledger,
]
