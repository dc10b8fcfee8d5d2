"""Received footprints: those of others, as they came, with what is wrong with them.

In: footprints that partners' hosts gave, and those that clients sent as answers to requests. Permission:
production accounting.

Invariants: a record never changes; what comes again and says something else is a record of its own.
"""

from typing import Any, Final

from psycopg.sql import SQL, Composable

from weighbridge.core.platform.permission import Actor
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    Page,
    list_request,
    read_int4,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.footprints.footprints import list_findings
from weighbridge.footprints.pact.stored import read_json
from weighbridge.footprints.records import ReceivedFootprint
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.platform.tenancy import find, number_named, of_account

RECEIVED_FOOTPRINTS: Final = Listing(
    sorts={"id": "r.id", "received_at": "r.received_at"},
    default_sort="-id",
    key=("r.id",),
    filters={
        "footprint_id": Filter("r.footprint_id", str, "what its owner calls it"),
        "partner_id": Filter("r.partner_id", read_int4, "the number of a partner"),
        "client_id": Filter("r.client_id", read_int4, "the number of a client"),
        "received_at": Filter("r.received_at", read_moment, MOMENT, BOUNDS),
    },
)


def _read_content(text: str) -> dict[str, Any]:
    content: dict[str, Any] = read_json(text)
    return content


RECEIVED_FOOTPRINT: Final = row_of(
    ReceivedFootprint,
    Column("id", "r.id"),
    Column("footprint_id", "r.footprint_id"),
    Column("partner_id", "r.partner_id"),
    Column("client_id", "r.client_id"),
    Column("content", "r.content", _read_content),
    Column("sha256", "r.sha256", bytes.hex),
    Derived("findings", ("content",), list_findings),
    Column("received_at", "r.received_at"),
)

_SOURCE: Final = "received_footprints r"


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "r.account_id")


@get(
    "/received_footprints",
    permission="production_accounting:read",
    returns=Page[ReceivedFootprint],
    listing=RECEIVED_FOOTPRINTS,
)
async def list_received_footprints(call: ReadCall) -> Page[ReceivedFootprint]:
    """List the footprints of others that were read or received, the newest first."""
    request = list_request(call.query, RECEIVED_FOOTPRINTS)
    owned = [_limit_to_account(call.actor)]
    return await read_page(
        call.tx, RECEIVED_FOOTPRINT, RECEIVED_FOOTPRINTS, request, source=_SOURCE, where=owned
    )


@get(
    "/received_footprints/{received_footprint_id}",
    permission="production_accounting:read",
    returns=ReceivedFootprint,
)
async def get_received_footprint(call: ReadCall) -> ReceivedFootprint:
    """Read one footprint of others, as it came."""
    number = number_named("received_footprint", call.path["received_footprint_id"])
    numbered = SQL("{} AND r.id = %s").format(_limit_to_account(call.actor))
    return await find(call.tx, RECEIVED_FOOTPRINT, _SOURCE, numbered, (number,))


ROUTES = [list_received_footprints, get_received_footprint]
