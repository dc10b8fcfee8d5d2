"""Calls: what is sent to partners and read from them, each until it has arrived or three days are over.

Calls are made by what happens, such as a new footprint or a partner's request, or asked for here: to read a
partner's footprints, to ask for some, or to tell of ours. `pact/calling.py` carries them out.
Permission: production accounting.

Invariants: what is sent is written down first, and sent again as it was; a call that has ended stays.
"""

import json
from typing import Any, Final

from psycopg.sql import SQL, Composable

from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.webhook import DeliveryState
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, Listing, Page, among, list_request, read_int4, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Invalid
from weighbridge.footprints.pact.stored import (
    CRITERIA,
    PATH,
    CriteriaError,
    insert_call,
    read_criteria,
    write_event,
)
from weighbridge.footprints.records import (
    IDENTIFIERS_MAX,
    AskedCall,
    CallKind,
    FootprintCall,
    WantedFootprintCall,
    WantedFootprintCallBody,
    read_uuid,
)
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, number_named, of_account

FOOTPRINT_CALLS: Final = Listing(
    sorts={"id": "c.id", "created_at": "c.created_at"},
    default_sort="-id",
    key=("c.id",),
    filters={
        "partner_id": Filter("c.partner_id", read_int4, "the number of a partner"),
        "kind": Filter("c.kind", among(CallKind), ", ".join(CallKind)),
        "state": Filter("c.state", among(DeliveryState), ", ".join(DeliveryState)),
    },
)

FOOTPRINT_CALL: Final = row_of(
    FootprintCall,
    Column("id", "c.id"),
    Column("partner_id", "c.partner_id"),
    Column("kind", "c.kind"),
    Column("content", "c.content", json.loads),
    Column("state", "c.state"),
    Column("attempt_count", "c.attempt_count"),
    Column("next_attempt_at", "c.next_attempt_at"),
    Column("last_error", "c.last_error"),
    Column("created_at", "c.created_at"),
    Column("ended_at", "c.ended_at"),
)

_SOURCE: Final = "footprint_calls c"


async def read_footprint_call(tx: Read, actor: Actor, text: str) -> FootprintCall:
    """One call of the actor's account, by its number; NotFound for any other text."""
    numbered = SQL("{} AND c.id = %s").format(_limit_to_account(actor))
    return await find(tx, FOOTPRINT_CALL, _SOURCE, numbered, (number_named("footprint_call", text),))


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "c.account_id")


@get(
    "/footprint_calls",
    permission="production_accounting:read",
    returns=Page[FootprintCall],
    listing=FOOTPRINT_CALLS,
)
async def list_footprint_calls(call: ReadCall) -> Page[FootprintCall]:
    """List what is sent to partners and read from them, the newest first."""
    request = list_request(call.query, FOOTPRINT_CALLS)
    owned = [_limit_to_account(call.actor)]
    return await read_page(call.tx, FOOTPRINT_CALL, FOOTPRINT_CALLS, request, source=_SOURCE, where=owned)


@get("/footprint_calls/{footprint_call_id}", permission="production_accounting:read", returns=FootprintCall)
async def get_footprint_call(call: ReadCall) -> FootprintCall:
    """Read one call: what is sent, and how far it came."""
    return await read_footprint_call(call.tx, call.actor, call.path["footprint_call_id"])


@post(
    "/footprint_calls",
    permission="production_accounting:write",
    body=WantedFootprintCallBody,
    returns=FootprintCall,
    example={"footprint_call": {"partner_id": 1, "kind": "read"}},
)
async def create_footprint_call(call: WriteCall, body: WantedFootprintCallBody) -> FootprintCall:
    """Read a partner's footprints, ask for some, or tell of ours; a worker does it until it is done."""
    tx, actor, new = call.tx, call.actor, body.footprint_call
    if problems := [*_check_call(new), *await _check_records(tx, actor, new)]:
        raise Invalid(problems)
    kind, data = CallKind(new.kind), _write_data(new)
    if kind is CallKind.READ:
        event = ("read", json.dumps(data))
    else:
        now = await tx.value("SELECT now()")
        event = write_event(kind, f"{call.settings.address}{PATH}", json.dumps(data), now)
    number = await insert_call(tx, actor.account_id, new.partner_id, kind, event)
    made = await read_footprint_call(tx, actor, str(number))
    changes.record(tx, actor, action="footprint_call.create", target=str(number), after=made)
    return made


def _write_data(new: WantedFootprintCall) -> dict[str, Any]:
    if new.kind == AskedCall.REQUEST_CREATED:
        return dict(new.criteria) if isinstance(new.criteria, dict) else {}
    ids = [*new.footprint_ids] if isinstance(new.footprint_ids, list) else []
    return {"pfIds": ids}


def _check_call(new: WantedFootprintCall) -> list[Problem]:
    if new.kind not in set(AskedCall):
        message = f"kind is {shorten(new.kind)!r}; it is one of {', '.join(AskedCall)}."
        return [Problem(message, "footprint_call.kind", "invalid")]
    problems = []
    is_request = new.kind == AskedCall.REQUEST_CREATED
    ids = new.footprint_ids if isinstance(new.footprint_ids, list) else None
    field = "footprint_call.footprint_ids"
    if ids is not None and len(ids) > IDENTIFIERS_MAX:
        message = f"footprint_ids names {len(ids)} footprints; it takes at most {IDENTIFIERS_MAX}."
        problems.append(Problem(message, field, "too_many"))
    elif (
        ids is not None and (wrong := next((one for one in ids if read_uuid(one) is None), None)) is not None
    ):
        problems.append(Problem(f"footprint_ids has {shorten(wrong)!r}, which is no UUID.", field, "invalid"))
    if new.kind == AskedCall.PUBLISHED and not ids:
        problems.append(Problem("footprint_ids says which footprints are told of.", field, "required"))
    if is_request and ids is not None:
        problems.append(Problem("A request names criteria, and no footprint_ids.", field, "conflict"))
    return [*problems, *_check_criteria(new, is_request=is_request)]


def _check_criteria(new: WantedFootprintCall, *, is_request: bool) -> list[Problem]:
    field = "footprint_call.criteria"
    if not isinstance(new.criteria, dict):
        return [Problem("criteria say what is asked for.", field, "required")] if is_request else []
    if not is_request:
        return [Problem("Only a request has criteria.", field, "conflict")]
    if unknown := [name for name in new.criteria if name not in {*CRITERIA, "comment"}]:
        message = f"criteria has {shorten(unknown[0])!r}; it takes {', '.join(CRITERIA)} and comment."
        return [Problem(message, field, "unknown")]
    try:
        read_criteria(new.criteria)
    except CriteriaError as error:
        return [Problem(f"criteria: {error}", field, "invalid")]
    return []


async def _check_records(tx: Read, actor: Actor, new: WantedFootprintCall) -> list[Problem]:
    problems = []
    if not await tx.value(
        "SELECT true FROM footprint_partners WHERE account_id = %s AND id::bigint = %s::numeric",
        (actor.account_id, new.partner_id),
    ):
        message = f"partner_id: partner {shorten(str(new.partner_id))} does not exist in this account."
        problems.append(Problem(message, "footprint_call.partner_id", "unknown"))
    if new.kind != AskedCall.PUBLISHED or not isinstance(new.footprint_ids, list):
        return problems
    wanted = [identifier for text in new.footprint_ids if (identifier := read_uuid(text)) is not None]
    count = await tx.value(
        "SELECT count(*) FROM footprints WHERE account_id = %s AND id = ANY (%s)", (actor.account_id, wanted)
    )
    if count < len({*wanted}):
        message = "footprint_ids names a footprint that does not exist in this account."
        problems.append(Problem(message, "footprint_call.footprint_ids", "unknown"))
    return problems


ROUTES = [list_footprint_calls, create_footprint_call, get_footprint_call]
