"""Read ledgers."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable, Literal

from weighbridge.core import ids
from weighbridge.core.instant import Instant
from weighbridge.core.link import Link
from weighbridge.core.number import shorten
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, page_of, read_int4
from weighbridge.errors import Malformed, NotFound
from weighbridge.resources.ledgers.records import Ledger, LedgerModel
from weighbridge.resources.models.queries import model_id
from weighbridge.resources.projects.queries import project_id as friendly_project

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


async def list_ledgers(tx: Read, actor: Actor, wanted: Wanted) -> Page[Ledger]:
    """The ledgers of every project of the actor's account."""
    return await page_of(tx, _ledger, LEDGERS, wanted, columns=_COLUMNS, source=_SOURCE, where=[_mine(actor)])


async def get_ledger(tx: Read, actor: Actor, friendly: str) -> Ledger:
    """One ledger of the actor's account."""
    key = ids.parse(ids.PREFIXES["ledger"], friendly)
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
    asked = [value for name, value in query if name == "as_of"]
    found = await get_ledger(tx, actor, friendly)
    if not asked:
        return found
    as_of = _moment(asked)
    key = ids.parse(ids.PREFIXES["ledger"], friendly)
    assert key is not None  # noqa: S101 - the ledger was found by it
    [(balance, deficit)] = await tx.tuples(
        """
        SELECT (SELECT coalesce(sum(amount), 0) FROM ledger_entries
                 WHERE project_id = %(project)s AND ledger_id = %(ledger)s AND posted_at <= %(as_of)s),
               (SELECT coalesce(sum(amount), 0) FROM deficit_entries
                 WHERE project_id = %(project)s AND ledger_id = %(ledger)s AND posted_at <= %(as_of)s)
        """,
        {"project": key.project, "ledger": key.key, "as_of": as_of},
    )
    return msgspec.structs.replace(found, balance=balance, deficit=deficit)


def _moment(asked: Sequence[str]) -> Instant:
    try:
        [text] = asked
        return Instant.of(msgspec.convert(text, datetime))
    except (ValueError, OverflowError, msgspec.ValidationError):
        given = ", ".join(repr(shorten(text)) for text in asked)
        message = f"as_of takes one time with an offset or Z, such as 2025-04-01T00:00:00Z; it is {given}."
        raise Malformed([Problem(message, "as_of", "invalid")]) from None


def ledger_id(project: int, number: int) -> str:
    """The friendly id of a ledger."""
    return ids.make(ids.PREFIXES["ledger"], ids.Key(project, number))


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
    friendly = ledger_id(project, number)
    return Ledger(
        id=friendly,
        project_id=friendly_project(project),
        name=name,
        unit=unit,
        scale=scale,
        balance=balance,
        deficit=deficit,
        system_ledger_type=system_ledger_type,
        partition_type=partition_type,
        cadence=cadence,
        latest_model=LedgerModel(model_id(model), model_name) if model and model_name else None,
        output=output,
        asset_category=asset_category,
        created_at=created,
        updated_at=updated,
        ui_url=Link(f"/projects/{friendly_project(project)}/ledgers/{friendly}"),
    )
