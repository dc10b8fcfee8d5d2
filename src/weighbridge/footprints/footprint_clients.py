"""Clients: partners' programs that may read the footprints of an account, and send events to it.

A client is given an id and a secret, which is shown once; with both it asks for tokens that live an hour and
read footprints, nothing else. Permission: administration.

Invariants: of secrets only the SHA-256 is stored; a client that was revoked opens nothing, with no token.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import asdict
from psycopg.sql import SQL, Composable

from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor, hash_token
from weighbridge.core.platform.settings import Feature
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_int4, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Invalid
from weighbridge.footprints.pact.access import make_client_id, make_secret
from weighbridge.footprints.records import FOOTPRINT_CLIENT_BODIES, FootprintClient, IssuedFootprintClient
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.feature_flags import need_feature
from weighbridge.platform.tenancy import find, number_named, of_account

CLIENTS_MAX: Final = 1_000
"""Clients of one account that are not revoked."""

FOOTPRINT_CLIENTS: Final = Listing(
    sorts={"id": "c.id", "name": "c.name", "created_at": "c.created_at"},
    default_sort="id",
    key=("c.id",),
    filters={"partner_id": Filter("c.partner_id", read_int4, "the number of a partner")},
)

FOOTPRINT_CLIENT: Final = row_of(
    FootprintClient,
    Column("id", "c.id"),
    Column("name", "c.name"),
    Column("client_id", "c.client_id"),
    Column("partner_id", "c.partner_id"),
    Column("created_at", "c.created_at"),
    Column("revoked_at", "c.revoked_at"),
)

_SOURCE: Final = "footprint_clients c"


async def read_footprint_client(tx: Read, actor: Actor, text: str) -> FootprintClient:
    """One client of the actor's account, by its number; NotFound for any other text."""
    numbered = SQL("{} AND c.id = %s").format(_limit_to_account(actor))
    return await find(tx, FOOTPRINT_CLIENT, _SOURCE, numbered, (number_named("footprint_client", text),))


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "c.account_id")


async def _check_client(tx: Read, actor: Actor, new: FootprintClient) -> list[Problem]:
    problems = [problem_of_name(new.name, "A client", "footprint_client.name")]
    if new.partner_id is not None and not await tx.value(
        "SELECT true FROM footprint_partners WHERE account_id = %s AND id::bigint = %s::numeric",
        (actor.account_id, new.partner_id),
    ):
        message = f"partner_id: partner {shorten(str(new.partner_id))} does not exist in this account."
        problems.append(Problem(message, "footprint_client.partner_id", "unknown"))
    return [problem for problem in problems if problem]


async def _check_count(tx: Read, actor: Actor) -> list[Problem]:
    count = await tx.value(
        "SELECT count(*) FROM footprint_clients WHERE account_id = %s AND revoked_at IS NULL",
        (actor.account_id,),
    )
    if count < CLIENTS_MAX:
        return []
    message = f"The account has {count:,} clients, and takes {CLIENTS_MAX:,}; revoke one first."
    return [Problem(message, "footprint_client", "too_many")]


_ONE = "/footprint_clients/{footprint_client_id}"


@get(
    "/footprint_clients",
    permission="administration:read",
    returns=Page[FootprintClient],
    listing=FOOTPRINT_CLIENTS,
)
async def list_footprint_clients(call: ReadCall) -> Page[FootprintClient]:
    """List the clients that may read footprints, without their secrets."""
    request = list_request(call.query, FOOTPRINT_CLIENTS)
    owned = [_limit_to_account(call.actor)]
    return await read_page(call.tx, FOOTPRINT_CLIENT, FOOTPRINT_CLIENTS, request, source=_SOURCE, where=owned)


@get(_ONE, permission="administration:read", returns=FootprintClient)
async def get_footprint_client(call: ReadCall) -> FootprintClient:
    """Read one client, without its secret."""
    return await read_footprint_client(call.tx, call.actor, call.path["footprint_client_id"])


@post(
    "/footprint_clients",
    permission="administration:write",
    body=FOOTPRINT_CLIENT_BODIES.new_body,
    returns=IssuedFootprintClient,
    shown_once="client_secret",
    example={"footprint_client": {"name": "Fuel trader"}},
)
async def create_footprint_client(call: WriteCall, body: Struct) -> IssuedFootprintClient:
    """Create a client that may read footprints; the answer shows its secret this once.

    The account has the feature `footprint_exchange` switched on. Repeated with the same `Idempotency-Key`,
    the answer has no `client_secret`.
    """
    tx, actor = call.tx, call.actor
    await need_feature(tx, actor.account_id, Feature.FOOTPRINT_EXCHANGE)
    new = FOOTPRINT_CLIENT_BODIES.created(body)
    if problems := [*await _check_client(tx, actor, new), *await _check_count(tx, actor)]:
        raise Invalid(problems)
    secret = make_secret()
    number: int = await tx.value(
        """
        INSERT INTO footprint_clients (account_id, name, client_id, secret_hash, partner_id)
        VALUES (%s, %s, %s, %s, %s) RETURNING id
        """,
        (actor.account_id, new.name, make_client_id(actor.account_id), hash_token(secret), new.partner_id),
    )
    made = await read_footprint_client(tx, actor, str(number))
    changes.record(tx, actor, action="footprint_client.create", target=str(number), after=made)
    return IssuedFootprintClient(**asdict(made), client_secret=secret)


@patch(
    _ONE,
    permission="administration:write",
    body=FOOTPRINT_CLIENT_BODIES.change_body,
    returns=FootprintClient,
    example={"footprint_client": {"partner_id": 1}},
)
async def update_footprint_client(call: WriteCall, body: Struct) -> FootprintClient:
    """Change the name of a client or whose it is; its id, its secret and its tokens stay as they are."""
    tx, actor, text = call.tx, call.actor, call.path["footprint_client_id"]
    before = await read_footprint_client(tx, actor, text)
    wanted = FOOTPRINT_CLIENT_BODIES.changed(before, body)
    problems = await _check_client(tx, actor, wanted)
    if before.revoked_at is not None:
        problems.append(
            Problem("The client was revoked; create another one.", "footprint_client", "conflict")
        )
    if problems:
        raise Invalid(problems)
    if wanted == before:
        return before
    await tx.execute(
        "UPDATE footprint_clients SET name = %s, partner_id = %s WHERE id = %s",
        (wanted.name, wanted.partner_id, before.id),
    )
    after = await read_footprint_client(tx, actor, text)
    changes.record(tx, actor, action="footprint_client.update", target=text, before=before, after=after)
    return after


@delete(_ONE, permission="administration:write", urgent=True)
async def revoke_footprint_client(call: WriteCall) -> None:
    """Revoke a client: it and its tokens open nothing any more, and it stays in the list."""
    tx, actor, text = call.tx, call.actor, call.path["footprint_client_id"]
    before = await read_footprint_client(tx, actor, text)
    await tx.execute(
        "UPDATE footprint_clients SET revoked_at = now() WHERE id = %s AND revoked_at IS NULL", (before.id,)
    )
    await tx.execute("DELETE FROM footprint_tokens WHERE client_id = %s", (before.id,))
    if before.revoked_at is None:
        after = await read_footprint_client(tx, actor, text)
        changes.record(tx, actor, action="footprint_client.revoke", target=text, before=before, after=after)


ROUTES = [
    list_footprint_clients,
    create_footprint_client,
    get_footprint_client,
    update_footprint_client,
    revoke_footprint_client,
]
