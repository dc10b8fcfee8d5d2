"""All ledgers of a project: what they hold, what flows between them, and a form for another one."""

from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.ledgers.routes import create_ledger_of_project, list_project_ledgers
from weighbridge.accounting.tracing.turnover import ledger_flows
from weighbridge.collection.tenancy.project import project_number
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.modelling.models.records import Model
from weighbridge.modelling.models.routes import list_project_models
from weighbridge.web.ledgers.flows import flow_picture
from weighbridge.web.ledgers.rows import ledger_year
from weighbridge.web.page import form, page
from weighbridge.web.showing.words import spoken
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/ledgers"

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
    flows = await ledger_flows(visit.reading, number, year.edges[0], year.edges[-1])
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


@form(PATH, permission="production_accounting:write", again=ledgers)
async def make_ledger(visit: Visit) -> Moved:
    """Make a ledger, which runs a model where one was chosen."""
    new: dict[str, Any] = {name: value for name, value in typed_ledger(visit).items() if value}
    new.setdefault("name", "")
    if scale := new.pop("scale", ""):
        if not scale.isdecimal():
            said = f"{scale!r} is no number of decimals."
            raise Invalid([Problem(said, "ledger.scale", "invalid")])
        new["scale"] = int(scale)
    made = await visit.do(create_ledger_of_project, {"ledger": new})
    return Moved(f"/projects/{made.project_id}/ledgers/{made.id}", f"{made.name} is made.")


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", of=list_project_ledgers)(ledgers),
    *make_ledger,
]
