"""Read ledgers."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable, Literal

from weighbridge.accounting.ledgers.records import Ledger, LedgerModel
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, list_request, page_of, read_int4
from weighbridge.errors import Malformed, NotFound

LEDGERS: Final = Listing(
    sorts={"id": "l.id", "name": "l.name", "created_at": "l.created_at", "updated_at": "l.updated_at"},
    default_sort="id",
    key=("l.project_id", "l.id"),
    filters={
        "name": Filter("l.name", str, "a name"),
        "project_id": Filter("l.project_id", read_int4, "a project's number"),
    },
)

_SOURCE: Final = """
    ledgers l
    LEFT JOIN model_families f ON f.id = l.family_id
    LEFT JOIN models m ON m.id = f.active_model_id
"""
_COLUMNS: Final = """
    l.project_id, l.id, l.name, l.unit, l.scale,
    (SELECT coalesce(sum(b.balance), 0) FROM batches b
      WHERE (b.project_id, b.ledger_id) = (l.project_id, l.id)),
    (SELECT coalesce(sum(d.amount), 0) FROM deficits d
      WHERE (d.project_id, d.ledger_id) = (l.project_id, l.id)),
    l.system_ledger_type, m.partition_type, m.cadence, m.id, m.name, l.output, l.asset_category,
    l.created_at, l.updated_at
"""


AS_OF: Final = "as_of"
"""The parameter that reads balances and deficits by what had been posted at a time."""


async def list_ledgers(tx: Read, actor: Actor, query: Sequence[tuple[str, str]]) -> Page[Ledger]:
    """The ledgers of every project of the actor's account, as of the time that the query names or now."""
    as_of, rest = _read_as_of(query)
    page = await page_of(
        tx,
        _ledger,
        LEDGERS,
        list_request(rest, LEDGERS),
        columns=_COLUMNS,
        source=_SOURCE,
        where=[_mine(actor)],
    )
    return page if as_of is None else Page(await _then(tx, page.data, as_of), page.info)


async def get_ledger(tx: Read, actor: Actor, friendly: str) -> Ledger:
    """One ledger of the actor's account."""
    key = ids.parse("ledger", friendly)
    if key is None:
        raise NotFound
    found = await tx.row(
        _ledger,
        SQL("SELECT {} FROM {} WHERE {} AND l.project_id = %s AND l.id = %s").format(
            SQL(_COLUMNS), SQL(_SOURCE), _mine(actor)
        ),
        (key.project, key.key),
    )
    if found is None:
        raise NotFound
    return found


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


def _mine(actor: Actor) -> Composable:
    return SQL("l.project_id IN (SELECT id FROM projects WHERE account_id = {})").format(
        Literal(actor.account_id)
    )


def _ledger(
    project: int, number: int, name: str, unit: str, scale: int, balance: Decimal, deficit: Decimal,
    system_ledger_type: str | None, partition_type: str | None, cadence: str | None,
    model: int | None, model_name: str | None, output: str | None, asset_category: str | None,
    created: Instant, updated: Instant,
) -> Ledger:  # fmt: skip
    friendly = ids.of("ledger", project, number)
    return Ledger(
        id=friendly,
        project_id=ids.of("project", project),
        name=name,
        unit=unit,
        scale=scale,
        balance=balance,
        deficit=deficit,
        system_ledger_type=system_ledger_type,
        partition_type=partition_type,
        cadence=cadence,
        latest_model=LedgerModel(ids.of("model", 0, model), model_name) if model and model_name else None,
        output=output,
        asset_category=asset_category,
        created_at=created,
        updated_at=updated,
        ui_url=Link(f"/projects/{ids.of('project', project)}/ledgers/{friendly}"),
    )
