"""Read registries; what proves who calls is not among what is read."""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, read_int4, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy.scope import find, of_account
from weighbridge.reporting.registries.records import Registry

REGISTRIES: Final = Listing(
    sorts={"id": "r.id", "name": "r.name", "created_at": "r.created_at", "updated_at": "r.updated_at"},
    default_sort="id",
    key=("r.id",),
    filters={"name": Filter("r.name", str, "a name")},
)

REGISTRY: Final = row_of(
    Registry,
    Column("id", "r.id"),
    Column("name", "r.name"),
    Column("adapter", "r.adapter"),
    Column("address", "r.address"),
    Column("status_address", "r.status_address"),
    Column(
        "secret_headers",
        "ARRAY(SELECT s.header FROM registry_secrets s WHERE s.registry_id = r.id ORDER BY s.header)",
    ),
    Column("timeout_seconds", "r.timeout_seconds"),
    Column("tries", "r.tries"),
    Column("poll_seconds", "r.poll_seconds"),
    Column("created_at", "r.created_at"),
    Column("updated_at", "r.updated_at"),
)


async def list_registries(tx: Read, actor: Actor, request: ListRequest) -> Page[Registry]:
    """The registries of the actor's account."""
    return await read_page(tx, REGISTRY, REGISTRIES, request, source="registries r", where=[_owned(actor)])


async def get_registry(tx: Read, actor: Actor, text: str) -> Registry:
    """One registry of the actor's account, by its number; NotFound for any other text."""
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound("registry", text) from None
    numbered = SQL("{} AND r.id = %s").format(_owned(actor))
    return await find(tx, REGISTRY, "registries r", numbered, (number,))


def _owned(actor: Actor) -> Composable:
    return of_account(actor, "r.account_id")
