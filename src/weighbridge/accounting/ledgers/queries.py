"""Read ledgers."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

import msgspec

from weighbridge.accounting.inputs.required import required_inputs
from weighbridge.accounting.ledgers.records import Ledger, LedgerModel, RequiredInputs
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.ledger.rounding import LedgerRounding, coarseness
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, list_request, read_int4, read_page
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.errors import Malformed
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.versions.stored import stored_model
from weighbridge.platform.tenancy.scope import find, key_named, of_key, of_projects

LEDGERS: Final = Listing(
    sorts={"id": "l.id", "name": "l.name", "created_at": "l.created_at", "updated_at": "l.updated_at"},
    default_sort="id",
    key=("l.project_id", "l.id"),
    filters={
        "name": Filter("l.name", str, "a name"),
        "project_id": Filter("l.project_id", read_int4, "a project's number"),
    },
)


def _latest_model(number: int, name: str) -> LedgerModel:
    return LedgerModel(ids.of("model", 0, number), name)


def _warnings(
    name: str, unit: str, scale: int, rounding: LedgerRounding, share_places: int | None
) -> list[str]:
    if share_places is None:
        return []
    warning = coarseness(name, unit, scale, rounding, share_places)
    return [] if warning is None else [warning]


def _page_of_ledger(project: str, ledger: str) -> Link:
    return Link(f"/projects/{project}/ledgers/{ledger}")


_SOURCE: Final = """
    ledgers l
    LEFT JOIN model_families f ON f.id = l.family_id
    LEFT JOIN models m ON m.id = f.active_model_id
"""
# Where slots are not cut into partitions, nothing is shared.
_SHARES: Final = "CASE WHEN m.partition_type <> 'time' THEN m.share_places END"
LEDGER: Final = row_of(
    Ledger,
    Column("id", ("l.project_id", "l.id"), partial(ids.of, "ledger")),
    Column("project_id", "l.project_id", partial(ids.of, "project")),
    Column("name", "l.name"),
    Column("unit", "l.unit"),
    Column("scale", "l.scale"),
    Column("rounding", "l.rounding"),
    Column(
        "balance",
        """(SELECT coalesce(sum(b.balance), 0) FROM batches b
             WHERE (b.project_id, b.ledger_id) = (l.project_id, l.id))""",
    ),
    Column(
        "deficit",
        """(SELECT coalesce(sum(d.amount), 0) FROM deficits d
             WHERE (d.project_id, d.ledger_id) = (l.project_id, l.id))""",
    ),
    Column("system_ledger_type", "l.system_ledger_type"),
    Column("partition_type", "m.partition_type"),
    Column("cadence", "m.cadence"),
    Column("latest_model", ("m.id", "m.name"), unless_null(_latest_model)),
    Column("output", "l.output"),
    Column("asset_category", "l.asset_category"),
    Column("warnings", ("l.name", "l.unit", "l.scale", "l.rounding", _SHARES), _warnings),
    Column("created_at", "l.created_at"),
    Column("updated_at", "l.updated_at"),
    Derived("ui_url", ("project_id", "id"), _page_of_ledger),
)


AS_OF: Final = "as_of"
"""The parameter that reads balances and deficits by what had been posted at a time."""


async def list_ledgers(tx: Read, actor: Actor, query: Sequence[tuple[str, str]]) -> Page[Ledger]:
    """The ledgers of every project of the actor's account, as of the time that the query names or now."""
    as_of, rest = _read_as_of(query)
    page = await read_page(
        tx,
        LEDGER,
        LEDGERS,
        list_request(rest, LEDGERS),
        source=_SOURCE,
        where=[of_projects(actor, "l.project_id")],
    )
    return page if as_of is None else Page(await _then(tx, page.data, as_of), page.info)


async def get_ledger(tx: Read, actor: Actor, friendly: str) -> Ledger:
    """One ledger of the actor's account."""
    key = key_named("ledger", friendly)
    return await find(tx, LEDGER, _SOURCE, of_key(actor, "l.project_id", "l.id"), (key.project, key.key))


async def list_required_inputs(tx: Read, actor: Actor, friendly: str) -> RequiredInputs:
    """The inputs of the ledger's active model, with the data point types and ledgers that serve them."""
    ledger = await get_ledger(tx, actor, friendly)
    if ledger.latest_model is None:
        return RequiredInputs([])
    model = read_model((await stored_model(tx, ids.number("model", ledger.latest_model.id))).document)
    return RequiredInputs(await required_inputs(tx, key_named("ledger", friendly).project, model))


async def get_ledger_as_of(tx: Read, actor: Actor, friendly: str, query: Sequence[tuple[str, str]]) -> Ledger:
    """One ledger, with what had been posted to it by the time that the query names, or by now."""
    as_of, _ = _read_as_of(query)
    found = await get_ledger(tx, actor, friendly)
    return found if as_of is None else (await _then(tx, [found], as_of))[0]


async def _then(tx: Read, ledgers: Sequence[Ledger], as_of: Instant) -> list[Ledger]:
    """Ledgers with what had been posted to them by a time."""
    keys = [key for one in ledgers if (key := ids.parse("ledger", one.id)) is not None]
    rows = await tx.tuples(
        """
        SELECT (SELECT coalesce(sum(e.amount), 0) FROM ledger_entries e
                 WHERE (e.project_id, e.ledger_id) = (asked.project, asked.ledger)
                   AND e.posted_at <= %(as_of)s),
               (SELECT coalesce(sum(d.amount), 0) FROM deficit_entries d
                 WHERE (d.project_id, d.ledger_id) = (asked.project, asked.ledger)
                   AND d.posted_at <= %(as_of)s)
          FROM unnest(%(projects)s::integer[], %(ledgers)s::integer[])
               WITH ORDINALITY AS asked (project, ledger, place)
         ORDER BY place
        """,
        {"projects": [key.project for key in keys], "ledgers": [key.key for key in keys], "as_of": as_of},
    )
    return [
        msgspec.structs.replace(one, balance=balance, deficit=deficit)
        for one, (balance, deficit) in zip(ledgers, rows, strict=True)
    ]


def _read_as_of(query: Sequence[tuple[str, str]]) -> tuple[Instant | None, list[tuple[str, str]]]:
    """The time that a query names, and the rest of the query."""
    asked = [value for name, value in query if name == AS_OF]
    return _moment(asked) if asked else None, [pair for pair in query if pair[0] != AS_OF]


def _moment(asked: Sequence[str]) -> Instant:
    try:
        [text] = asked
        return Instant.of(msgspec.convert(text, datetime))
    except (ValueError, OverflowError, msgspec.ValidationError):
        given = ", ".join(repr(shorten(text)) for text in asked)
        message = f"as_of takes one time with an offset or Z, such as 2025-04-01T00:00:00Z; it is {given}."
        raise Malformed([Problem(message, "as_of", "invalid")]) from None
