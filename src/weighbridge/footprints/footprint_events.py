"""Events: what clients of footprints have sent, each once and as it came.

In: CloudEvents by `/pact/3/events` (`pact/events.py`). Out: what they said. Permission: production
accounting.

Invariant: an event that comes again, by its source and id, is stored once.
"""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.core.platform.permission import Actor
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    Page,
    among,
    list_request,
    read_int4,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.footprints.pact.stored import EVENT_TYPES, read_json
from weighbridge.footprints.records import FootprintEvent
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.platform.tenancy import find, number_named, of_account

FOOTPRINT_EVENTS: Final = Listing(
    sorts={"id": "e.id", "received_at": "e.received_at"},
    default_sort="-id",
    key=("e.id",),
    filters={
        "client_id": Filter("e.client_id", read_int4, "the number of a client"),
        "type": Filter("e.type", among(EVENT_TYPES.values()), ", ".join(EVENT_TYPES.values())),
        "received_at": Filter("e.received_at", read_moment, MOMENT, BOUNDS),
    },
)

FOOTPRINT_EVENT: Final = row_of(
    FootprintEvent,
    Column("id", "e.id"),
    Column("client_id", "e.client_id"),
    Column("type", "e.type"),
    Column("source", "e.source"),
    Column("event_id", "e.event_id"),
    Column("content", "e.content", read_json),
    Column("received_at", "e.received_at"),
)

_SOURCE: Final = "footprint_events e"


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "e.account_id")


@get(
    "/footprint_events",
    permission="production_accounting:read",
    returns=Page[FootprintEvent],
    listing=FOOTPRINT_EVENTS,
)
async def list_footprint_events(call: ReadCall) -> Page[FootprintEvent]:
    """List the events that clients have sent, the newest first."""
    request = list_request(call.query, FOOTPRINT_EVENTS)
    owned = [_limit_to_account(call.actor)]
    return await read_page(call.tx, FOOTPRINT_EVENT, FOOTPRINT_EVENTS, request, source=_SOURCE, where=owned)


@get(
    "/footprint_events/{footprint_event_id}", permission="production_accounting:read", returns=FootprintEvent
)
async def get_footprint_event(call: ReadCall) -> FootprintEvent:
    """Read one event, as it came."""
    number = number_named("footprint_event", call.path["footprint_event_id"])
    numbered = SQL("{} AND e.id = %s").format(_limit_to_account(call.actor))
    return await find(call.tx, FOOTPRINT_EVENT, _SOURCE, numbered, (number,))


ROUTES = [list_footprint_events, get_footprint_event]
