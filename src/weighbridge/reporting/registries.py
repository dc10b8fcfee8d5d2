"""Registries: where reports go, by which adapter, and what proves there who calls.

What proves it is written and never shown: no answer and no audit row has it. Permission: production
accounting.

Invariants: the value of a header is stored encrypted, in its own table and nowhere else; audit rows have its
name. It is sent only to the URLs with which it was stated: another URL takes headers that are stated anew.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct, structs
from psycopg.sql import SQL, Composable

from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import CALLED_ADAPTERS, AdapterName
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    Page,
    list_request,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, patch, post
from weighbridge.http.outgoing import problem_of_address
from weighbridge.platform import changes
from weighbridge.platform.kept_secrets import REGISTRY_HEADERS, encrypt_secret
from weighbridge.platform.tenancy import find, number_named, of_account
from weighbridge.reporting.records.registries import (
    POLL_SECONDS,
    POLL_SECONDS_MAX,
    REGISTRY_BODIES,
    TIMEOUT_SECONDS_MAX,
    TRIES_MAX,
    Registry,
)

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


async def read_registry(tx: Read, actor: Actor, text: str) -> Registry:
    """One registry of the actor's account, by its number; NotFound for any other text."""
    number = number_named("registry", text)
    numbered = SQL("{} AND r.id = %s").format(_limit_to_account(actor))
    return await find(tx, REGISTRY, "registries r", numbered, (number,))


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "r.account_id")


HEADERS_MAX: Final = 10
"""Headers that prove to one registry who calls."""

HEADER_VALUE_MAX: Final = 8_192
"""Characters of such a header."""

KEY: Final = "{key}"
"""What stands for the key in the address by which a registry is asked for a report."""

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_OWN_HEADERS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-digest",
        "content-disposition",
        "content-length",
        "content-type",
        "host",
        "idempotency-key",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that the service sends itself, and those that are about the connection."""


_COLUMNS: Final = (
    "name", "adapter", "address", "status_address", "timeout_seconds", "tries", "poll_seconds",
)  # fmt: skip


def _list_values(wanted: Registry) -> list[object]:
    return [getattr(wanted, column) for column in _COLUMNS]


def _check_kept_headers(
    before: Registry, wanted: Registry, headers: Mapping[str, str] | None
) -> list[Problem]:
    """Refuse to send what is kept to an address with which it was not stated."""
    moved = [
        name for name in ("address", "status_address") if getattr(before, name) != getattr(wanted, name)
    ]  # fmt: skip
    if not moved or not before.secret_headers or headers is not None:
        return []
    message = (
        f"{moved[0]} changes, and what {', '.join(before.secret_headers)} says is not sent to another one; "
        "state headers anew with it, or {} for none."
    )
    return [Problem(message, "registry.headers", "required")]


async def _check_registry(
    tx: Write, actor: Actor, wanted: Registry, headers: Mapping[str, str], number: int | None
) -> list[Problem]:
    problems = [problem_of_name(wanted.name, "A registry", "registry.name"), *_check_adapter(wanted, headers)]
    if await tx.value(
        "SELECT true FROM registries WHERE account_id = %s AND name = %s AND id IS DISTINCT FROM %s",
        (actor.account_id, wanted.name, number),
    ):
        message = f"The account has a registry {shorten(wanted.name)!r} already."
        problems.append(Problem(message, "registry.name", "taken"))
    problems += _check_headers(headers)
    problems += [
        Problem(f"{name} is {value:,}; it is from 1 to {most:,}.", f"registry.{name}", "invalid")
        for name, value, most in (
            ("timeout_seconds", wanted.timeout_seconds, TIMEOUT_SECONDS_MAX),
            ("tries", wanted.tries, TRIES_MAX),
            ("poll_seconds", wanted.poll_seconds, POLL_SECONDS_MAX),
        )
        if isinstance(value, int) and not 1 <= value <= most
    ]
    return [problem for problem in problems if problem]


def _check_adapter(wanted: Registry, headers: Mapping[str, str]) -> list[Problem | None]:
    """What is wrong with the adapter, and with the addresses that it needs or has no use for."""
    if wanted.adapter not in tuple(AdapterName):
        said = ", ".join(AdapterName)
        message = f"adapter is {shorten(wanted.adapter)!r}; it is one of {said}."
        return [Problem(message, "registry.adapter", "invalid")]
    if wanted.adapter == AdapterName.FILE:
        given = {
            "address": wanted.address,
            "status_address": wanted.status_address,
            "poll_seconds": wanted.poll_seconds,
            "headers": headers or None,
        }
        return [
            Problem(f"A registry of files is never called, and has no {name}.", f"registry.{name}", "invalid")
            for name, value in given.items()
            if value is not None
        ]
    if wanted.address is None:
        return [Problem("A registry that is called has an address.", "registry.address", "required")]
    problems = [problem_of_address(wanted.address, "registry.address")]
    if wanted.adapter == AdapterName.ISOMETRIC_CERTIFY and wanted.status_address is not None:
        message = "Isometric Certify is asked at its address, and has no status_address."
        problems.append(Problem(message, "registry.status_address", "invalid"))
    if wanted.status_address is not None:
        filled = wanted.status_address.replace(KEY, "key")
        problems.append(problem_of_address(filled, "registry.status_address"))
        if KEY not in wanted.status_address:
            message = f"status_address is {shorten(wanted.status_address)!r}; {KEY} stands in it for the key."
            problems.append(Problem(message, "registry.status_address", "invalid"))
    return problems


CERTIFY_HEADERS: Final = ("X-Client-Secret", "Authorization")
"""Headers that Isometric Certify asks for: the secret of the client, and a bearer token."""


def _check_credentials(wanted: Registry, names: Collection[str]) -> list[Problem]:
    """What is missing of the headers by which Isometric Certify knows who calls."""
    if wanted.adapter != AdapterName.ISOMETRIC_CERTIFY:
        return []
    known = {name.lower() for name in names}
    return [
        Problem(f"Isometric Certify needs the header {name}.", "registry.headers", "required")
        for name in CERTIFY_HEADERS
        if name.lower() not in known
    ]


def _check_headers(headers: Mapping[str, str]) -> list[Problem]:
    """What is wrong with headers; what they say is not repeated."""
    field = "registry.headers"
    if len(headers) > HEADERS_MAX:
        message = f"headers has {len(headers)} headers; a registry has at most {HEADERS_MAX}."
        return [Problem(message, field, "too_many")]
    problems = []
    for name, value in headers.items():
        if not _HEADER.fullmatch(name):
            problems.append(
                Problem(f"headers names {shorten(name)!r}, which is no header.", field, "invalid")
            )
        elif name.lower() in _OWN_HEADERS:
            problems.append(Problem(f"{name} is a header that the service sends itself.", field, "invalid"))
        elif len(value) > HEADER_VALUE_MAX or not _VALUE.fullmatch(value):
            message = f"{name} says 1 to {HEADER_VALUE_MAX:,} characters of ASCII, without line breaks."
            problems.append(Problem(message, field, "invalid"))
    if len({name.lower() for name in headers}) < len(headers):
        problems.append(Problem("headers names a header twice.", field, "invalid"))
    return problems


async def _insert_headers(tx: Write, number: int, headers: Mapping[str, str]) -> None:
    """Store headers of a registry, encrypted for their rows."""
    account: int = await tx.value("SELECT account_id FROM registries WHERE id = %s", (number,))
    encrypted = [
        await encrypt_secret(tx, value.encode(), REGISTRY_HEADERS.place(account, f"{number}/{header}"))
        for header, value in headers.items()
    ]
    await tx.execute(
        """
        INSERT INTO registry_secrets (registry_id, header, encrypted)
        SELECT %s, * FROM unnest(%s::text[], %s::bytea[])
        """,
        (number, [*headers], encrypted),
    )


_ONE = "/registries/{registry_id}"


@get(
    "/registries",
    permission="production_accounting:read",
    returns=Page[Registry],
    listing=REGISTRIES,
    spans_projects=True,
)
async def list_registries(call: ReadCall) -> Page[Registry]:
    """List the account's registries."""
    request = list_request(call.query, REGISTRIES)
    owned = [_limit_to_account(call.actor)]
    return await read_page(call.tx, REGISTRY, REGISTRIES, request, source="registries r", where=owned)


@get(_ONE, permission="production_accounting:read", returns=Registry, spans_projects=True)
async def get_registry(call: ReadCall) -> Registry:
    """Read one registry."""
    return await read_registry(call.tx, call.actor, call.path["registry_id"])


@post(
    "/registries",
    permission="production_accounting:write",
    body=REGISTRY_BODIES.new_body,
    returns=Registry,
    example={
        "registry": {
            "name": "Registry of removals",
            "adapter": "http",
            "address": "https://registry.example/submissions",
            "headers": {"Authorization": "Bearer …"},
        }
    },
)
async def create_registry(call: WriteCall, body: Struct) -> Registry:
    """Create a registry: where reports go; what its headers say is kept and never shown."""
    tx, actor = call.tx, call.actor
    new, sent = REGISTRY_BODIES.created(body), REGISTRY_BODIES.sent(body)
    default_poll = POLL_SECONDS if new.adapter in CALLED_ADAPTERS else None
    has_status = new.address and new.adapter != AdapterName.ISOMETRIC_CERTIFY
    default_status = f"{(new.address or '').rstrip('/')}/{KEY}" if has_status else None
    wanted = structs.replace(
        new,
        status_address=new.status_address or default_status,
        poll_seconds=sent.get("poll_seconds", default_poll),
    )
    problems = await _check_registry(tx, actor, wanted, sent["headers"], None)
    if problems := [*problems, *_check_credentials(wanted, sent["headers"])]:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO registries (name, adapter, address, status_address, timeout_seconds, tries, poll_seconds,
                                account_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (*_list_values(wanted), actor.account_id),
    )
    await _insert_headers(tx, number, sent["headers"])
    made = await read_registry(tx, actor, str(number))
    changes.record(tx, actor, action="registry.create", target=str(made.id), project_id=None, after=made)
    return made


@patch(
    _ONE,
    permission="production_accounting:write",
    body=REGISTRY_BODIES.change_body,
    returns=Registry,
    example={"registry": {"timeout_seconds": 60}},
)
async def update_registry(call: WriteCall, body: Struct) -> Registry:
    """Change a registry; submissions under way go on with what is new.

    Another `address` or `status_address` takes `headers` as well where the registry has any: what they say is
    known to those alone who stated them, and is not sent to an address that somebody else names.
    """
    # Whoever names another address cannot read the headers that are kept, so they do not go there: Invalid
    # unless headers come with it.
    tx, actor, text = call.tx, call.actor, call.path["registry_id"]
    lock = "SELECT FROM registries WHERE id = %s AND account_id = %s FOR UPDATE"
    tx.later(lock, (number_named("registry", text), actor.account_id))
    before = await read_registry(tx, actor, text)
    wanted = REGISTRY_BODIES.changed(before, body)
    headers: Mapping[str, str] | None = REGISTRY_BODIES.sent(body).get("headers")
    problems = [
        *_check_kept_headers(before, wanted, headers),
        *await _check_registry(tx, actor, wanted, headers or {}, before.id),
        *_check_credentials(wanted, before.secret_headers if headers is None else headers),
    ]
    if problems:
        raise Invalid(problems)
    await tx.execute(
        """
        UPDATE registries
           SET name = %s, adapter = %s, address = %s, status_address = %s, timeout_seconds = %s, tries = %s,
               poll_seconds = %s, updated_at = (SELECT clock_timestamp())
         WHERE id = %s
        """,
        (*_list_values(wanted), before.id),
    )
    if headers is not None:
        await tx.execute("DELETE FROM registry_secrets WHERE registry_id = %s", (before.id,))
        await _insert_headers(tx, before.id, headers)
    after = await read_registry(tx, actor, text)
    changes.record(
        tx, actor, action="registry.update", target=str(after.id), project_id=None, before=before, after=after
    )
    return after


ROUTES = [list_registries, get_registry, create_registry, update_registry]
