"""The batches of a project, the newest slots first."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batches.routes import list_project_batches
from weighbridge.accounting.ledgers.routes import list_project_ledgers
from weighbridge.web.ledgers.rows import LEDGERS_SHOWN
from weighbridge.web.listing import ListQuery, ListView, asked_for, typed_as_filters
from weighbridge.web.page import page
from weighbridge.web.visit import View, Visit, view

_DAYS: Final = {"from": "filter[start_time][geq]", "until": "filter[end_time][leq]"}
"""Fields in which times are typed, and the filters that they are."""


def asked_for_batches(visit: Visit) -> ListQuery:
    """What the list asks for, the newest first."""
    return asked_for(typed_as_filters(visit.query, _DAYS, visit.moments), sort="-start_time")


@page(
    "/projects/{project_id}/batches",
    permission="production_accounting:read",
    of=list_project_batches,
    asked=asked_for_batches,
)
async def batches(visit: Visit) -> View:
    """Batches of a project with what remains of them."""
    found = await visit.ask(list_project_batches, asked_for_batches(visit))
    ledgers = await visit.ask(list_project_ledgers, (("page_size", LEDGERS_SHOWN), ("sort", "name")))
    path = f"{visit.frame.home}/batches"
    return view(
        "ledgers/batches.html", "Batches", call=path, has_csv=True,
        batches=found.data, list=ListView(path, visit.query, found.info), ledgers=ledgers.data,
        names={one.id: one.name for one in ledgers.data},
    )  # fmt: skip


PAGES: Final[list[HTTPRouteHandler]] = [*batches]
