"""Footprints: made from a batch or an accepted report, never changed, deprecated once another replaces them.

In: a product, and a batch or a report. Out: a footprint as PACT has it, whose parts add up to the last
digit; partners are told of it. `make_footprint` is the action, which the worker calls too when a report is
restated. Permission: production accounting.

Invariants: what is shown is what was stored; of a footprint only the status changes, once.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from psycopg.sql import SQL

from weighbridge.accounting.batches_queries import find_batch_key
from weighbridge.core import identity
from weighbridge.core.footprint import STATUSES, check_footprint
from weighbridge.core.footprint_content import list_nodes
from weighbridge.core.identity import problem_of_unseen
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
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
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.errors import Invalid, NotFound
from weighbridge.footprints.footprint_products import read_footprint_product
from weighbridge.footprints.pact.making import (
    FootprintSource,
    make_footprint,
    retire,
)
from weighbridge.footprints.pact.sources import read_batch_source, read_report_source
from weighbridge.footprints.pact.stored import notify_partners
from weighbridge.footprints.records import (
    IDENTIFIERS_MAX,
    CheckedFootprint,
    Footprint,
    FootprintCheck,
    FootprintDeprecation,
    FootprintFinding,
    FootprintProduct,
    WantedFootprint,
    WantedFootprintBody,
    read_uuid,
)
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, get, post
from weighbridge.platform.tenancy import find, of_account, project_filter
from weighbridge.reporting.reports_queries import find_report_key

FOOTPRINTS: Final = Listing(
    sorts={"created_at": "f.number", "valid_from": "f.valid_from", "valid_until": "f.valid_until"},
    default_sort="-created_at",
    key=("f.number",),
    filters={
        "project_id": project_filter("f.project_id"),
        "product_id": Filter("f.product_id", read_int4, "the number of a product"),
        "status": Filter("f.status", among(STATUSES), ", ".join(STATUSES)),
        "created_at": Filter("f.created_at", read_moment, MOMENT, BOUNDS),
    },
)


def read_content(text: str, status: str) -> dict[str, Any]:
    """A footprint as it is sent."""
    content: dict[str, Any] = json.loads(text)
    return content | {"status": status}


def list_findings(content: dict[str, Any]) -> list[FootprintFinding]:
    """What is wrong with a footprint."""
    return [
        FootprintFinding(flaw.code, flaw.field, flaw.message, flaw.difference)
        for flaw in check_footprint(content)
    ]


def _write_ids(ids: Sequence[UUID]) -> list[str]:
    return [str(identifier) for identifier in ids]


FOOTPRINT: Final = row_of(
    Footprint,
    Column("id", "f.id", str),
    Column("product_id", "f.product_id"),
    Column("project_id", "f.project_id", partial(identity.of, "project")),
    Column("batch_id", ("f.project_id", "f.batch_id"), unless_null(partial(identity.of, "batch"))),
    Column("report_id", ("f.project_id", "f.report_id"), unless_null(partial(identity.of, "report"))),
    Column("status", "f.status"),
    Column("preceding_ids", "f.preceding", _write_ids),
    Column("content", ("f.content", "f.status"), read_content),
    Column("primary_data_share_reason", "f.primary_data_share_reason"),
    Derived("findings", ("content",), list_findings),
    Column("valid_from", "f.valid_from"),
    Column("valid_until", "f.valid_until"),
    Column("created_at", "f.created_at"),
    Column("deprecated_at", "f.deprecated_at"),
    Column("deprecated_reason", "f.deprecated_reason"),
)

_SOURCE: Final = "footprints f"


async def read_footprint(tx: Read, actor: Actor, text: str) -> Footprint:
    """One footprint of the actor's account; NotFound for any other text."""
    identifier = read_uuid(text)
    if identifier is None:
        raise NotFound("footprint", text)
    named = SQL("{} AND f.id = %s").format(of_account(actor, "f.account_id"))
    try:
        return await find(tx, FOOTPRINT, _SOURCE, named, (identifier,))
    except NotFound:
        raise NotFound("footprint", text) from None


@get("/footprints", permission="production_accounting:read", returns=Page[Footprint], listing=FOOTPRINTS)
async def list_footprints(call: ReadCall) -> Page[Footprint]:
    """List the account's footprints, those that are deprecated included."""
    request = list_request(call.query, FOOTPRINTS)
    owned = [of_account(call.actor, "f.account_id")]
    return await read_page(call.tx, FOOTPRINT, FOOTPRINTS, request, source=_SOURCE, where=owned)


@get("/footprints/{footprint_id}", permission="production_accounting:read", returns=Footprint)
async def get_footprint(call: ReadCall) -> Footprint:
    """Read one footprint."""
    return await read_footprint(call.tx, call.actor, call.path["footprint_id"])


@post(
    "/footprints",
    permission="production_accounting:write",
    body=WantedFootprintBody,
    returns=Footprint,
    example={"footprint": {"product_id": 1, "batch_id": "bat_0123456789abcdef01234567"}},
)
async def create_footprint(call: WriteCall, body: WantedFootprintBody) -> Footprint:
    """Make a footprint of a product from a batch or an accepted report, and tell partners of it.

    It takes the place of the footprints that were made from the same batch, or from reports that this one
    restates or came of: those are deprecated, and named as preceding.
    """
    tx, actor, new = call.tx, call.actor, body.footprint
    if problems := _check_new(new):
        raise Invalid(problems)
    await _find_source(tx, actor, new)
    product = await _read_product(tx, actor, new.product_id)
    source = await _read_source(tx, actor, new, product)
    named = await _find_named(tx, actor, new.replaces) if isinstance(new.replaces, list) else None
    identifier = await make_footprint(
        tx, actor, product, source, call.settings.address, replaces=named, comment=new.comment
    )
    return await read_footprint(tx, actor, str(identifier))


@post(
    "/footprints/{footprint_id}/deprecate",
    permission="production_accounting:write",
    body=FootprintDeprecation,
    returns=Footprint,
    status=200,
    example={"reason": "The product is no longer made."},
)
async def deprecate_footprint(call: WriteCall, body: FootprintDeprecation) -> Footprint:
    """Deprecate a footprint that nothing takes the place of, and tell partners; again, nothing changes."""
    tx, actor = call.tx, call.actor
    if problem := problem_of_unseen(body.reason, "reason"):
        raise Invalid([problem])
    if not body.reason.strip():
        raise Invalid([Problem("reason is empty; it says why.", "reason", "required")])
    before = await read_footprint(tx, actor, call.path["footprint_id"])
    gone = await retire(tx, actor, [UUID(before.id)], body.reason)
    await notify_partners(tx, actor.account_id, call.settings.address, gone)
    return await read_footprint(tx, actor, before.id)


@ask(
    "/footprints/check",
    permission="production_accounting:read",
    body=FootprintCheck,
    returns=CheckedFootprint,
    example={"content": {"id": "f4b1225a-bd44-4c8e-861d-079e4e1dfd69", "pcf": {}}},
)
async def check_sent_footprint(_: ReadCall, body: FootprintCheck) -> CheckedFootprint:
    """Check a footprint: parts against totals, dates, units, forms of identifiers; nothing is stored."""
    return CheckedFootprint(list_findings(body.content))


def _check_new(new: WantedFootprint) -> list[Problem]:
    problems = []
    if isinstance(new.batch_id, str) == isinstance(new.report_id, str):
        message = "A footprint is made from a batch or from a report: give batch_id or report_id, not both."
        problems.append(Problem(message, "footprint.batch_id", "conflict"))
        if isinstance(new.report_id, str):
            problems.append(Problem(message, "footprint.report_id", "conflict"))
    if isinstance(new.replaces, list) and len(new.replaces) > IDENTIFIERS_MAX:
        message = f"replaces names {len(new.replaces)} footprints; it takes at most {IDENTIFIERS_MAX}."
        problems.append(Problem(message, "footprint.replaces", "too_many"))
    unseen = problem_of_unseen(new.comment or "", "footprint.comment")
    return [*problems, unseen] if unseen else problems


async def _read_product(tx: Read, actor: Actor, number: int) -> FootprintProduct:
    try:
        return await read_footprint_product(tx, actor, str(number))
    except NotFound:
        message = f"product_id: product {shorten(str(number))} does not exist in this account."
        raise Invalid([Problem(message, "footprint.product_id", "unknown")]) from None


async def _find_source(tx: Read, actor: Actor, new: WantedFootprint) -> None:
    """Raise NotFound where the account has no such batch or report."""
    if isinstance(new.batch_id, str):
        await find_batch_key(tx, actor, new.batch_id)
    elif isinstance(new.report_id, str):
        await find_report_key(tx, actor, new.report_id)


async def _read_source(
    tx: Read, actor: Actor, new: WantedFootprint, product: FootprintProduct
) -> FootprintSource:
    nodes = list_nodes((product.quantity, *product.amounts.values()))
    if isinstance(new.batch_id, str):
        return await read_batch_source(tx, actor, new.batch_id, nodes)
    assert isinstance(new.report_id, str), "one of both was given"  # noqa: S101
    return await read_report_source(tx, actor, new.report_id, nodes)


async def _find_named(tx: Read, actor: Actor, named: Sequence[str]) -> list[UUID]:
    """The footprints that a new one takes the place of; Invalid where one is not the account's."""
    read = {text: read_uuid(text) for text in named}
    rows = await tx.tuples(
        "SELECT id FROM footprints WHERE account_id = %s AND id = ANY (%s)",
        (actor.account_id, [identifier for identifier in read.values() if identifier is not None]),
    )
    known = {identifier for (identifier,) in rows}
    problems = [
        Problem(f"replaces: footprint {shorten(text)!r} does not exist.", "footprint.replaces", "unknown")
        for text, identifier in read.items()
        if identifier not in known
    ]
    if problems:
        raise Invalid(problems)
    return [identifier for identifier in read.values() if identifier is not None]


ROUTES = [list_footprints, create_footprint, check_sent_footprint, get_footprint, deprecate_footprint]
