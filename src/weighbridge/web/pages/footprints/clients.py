"""The clients that read footprints, each with its secret shown once when it is made."""

from weighbridge.footprints.footprint_clients import (
    create_footprint_client,
    list_footprint_clients,
    revoke_footprint_client,
)
from weighbridge.footprints.footprint_partners import list_footprint_partners
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import action, form, page
from weighbridge.web.framework.visit import View, Visit, view

PARTNERS_SHOWN = "200"
"""Partners that the form of a client offers."""


async def clients(visit: Visit) -> View:
    """Clients of the account, and the form that makes one."""
    return await _clients(visit)


@form("/footprint_clients", permission="administration:write", error_page=clients, everywhere=True)
async def make_client(visit: Visit) -> View:
    """Make a client; its secret is shown this once."""
    partner = visit.text("partner_id")
    body = {"name": visit.text("name"), "partner_id": int(partner) if partner.isdecimal() else None}
    made = await visit.do(create_footprint_client, {"footprint_client": body})
    return await _clients(visit, made=made)


async def _clients(visit: Visit, made: object = None) -> View:
    listed = await visit.ask(list_footprint_clients, list_query(visit))
    partners = []
    if visit.may("production_accounting:read"):
        partners = (await visit.ask(list_footprint_partners, (("page_size", PARTNERS_SHOWN),))).data
    path = visit.url("footprint_clients")
    return view(
        "footprints/clients.html", "Footprint clients",
        call="/footprint_clients", has_csv=True, clients=listed.data, made=made, path=path, partners=partners,
        names={one.id: one.name for one in partners}, list=ListView(path, visit.query, listed.info),
    )  # fmt: skip


PAGES = [
    *page(
        "/footprint_clients",
        permission="administration:read",
        of=list_footprint_clients,
        query_of=list_query,
        everywhere=True,
    )(clients),
    *make_client,
    *action(
        "/footprint_clients/{footprint_client_id}/revoke",
        revoke_footprint_client,
        permission="administration:write",
        error_page=clients,
        everywhere=True,
        back="footprint_clients",
        notice="Client revoked.",
    ),
]
