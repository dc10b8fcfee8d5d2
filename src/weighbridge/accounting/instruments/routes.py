"""Paths of instruments: below the system ledger that they credit."""

from weighbridge.accounting.instruments import actions, queries
from weighbridge.accounting.instruments.records import Instrument, NewInstrumentBody
from weighbridge.accounting.ledgers.queries import get_ledger
from weighbridge.core.identity import ids
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post

_PATH = "/ledgers/{ledger_id}/instruments"


@get(
    _PATH,
    permission="production_accounting:read",
    returns=Page[Instrument],
    listing=queries.INSTRUMENTS,
)
async def list_instruments(call: ReadCall) -> Page[Instrument]:
    """List the instruments of a system ledger; other ledgers have none."""
    await get_ledger(call.tx, call.actor, call.path["ledger_id"])
    key = ids.parse("ledger", call.path["ledger_id"])
    assert key is not None  # noqa: S101 - the ledger was found by it
    return await queries.list_instruments(call.tx, key, list_request(call.query, queries.INSTRUMENTS))


@post(
    _PATH,
    permission="production_accounting:write",
    body=NewInstrumentBody,
    returns=Instrument,
    example={
        "instrument": {
            "external_id": "REC-2025-000417",
            "amount": 1000,
            "geography": "US-TX",
            "generation_tech": "wind",
            "issued_on": "2025-01-31",
        }
    },
)
async def create_instrument(call: WriteCall, body: NewInstrumentBody) -> Instrument:
    """Enter an instrument of a system ledger, which it credits with its amount."""
    return await actions.create_instrument(call.tx, call.actor, call.path["ledger_id"], body.instrument)


ROUTES = [list_instruments, create_instrument]
