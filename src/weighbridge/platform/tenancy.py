"""Tenancy: the conditions that limit each query to the records of the actor's account.

Invariants: a record of another account is not found, exactly as one that does not exist, whatever a
path, a body or a project filter names; no query compares an account by itself.
"""

from collections.abc import Sequence
from typing import Any, LiteralString, TypeVar

from psycopg.sql import SQL, Composable, Composed

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, read_int4
from weighbridge.db.literal import Literal
from weighbridge.db.row import Row
from weighbridge.errors import NotFound

Record = TypeVar("Record")


def of_account(actor: Actor, account: LiteralString) -> Composed:
    """The condition that a record is of the actor's account, by the column that names its account."""
    return SQL("{} = {}").format(SQL(account), Literal(actor.account_id))


def of_projects(actor: Actor, project: LiteralString) -> Composed:
    """The condition that a record is of a project of the actor's account, by the column of its project."""
    return SQL("{} IN (SELECT id FROM projects WHERE account_id = {})").format(
        SQL(project), Literal(actor.account_id)
    )


def of_key(actor: Actor, project: LiteralString, number: LiteralString) -> Composed:
    """The condition that a record of the actor's projects has a key, whose parts are parameters.

    They are no literals, so that the server plans a statement once, whichever record it is asked for.
    """
    return SQL("{} AND {} = %s AND {} = %s").format(of_projects(actor, project), SQL(project), SQL(number))


def key_named(kind: str, friendly: str) -> ids.Key:
    """The key in an id of a kind; NotFound for any other text."""
    key = ids.parse(kind, friendly)
    if key is None:
        raise NotFound(kind, friendly)
    return key


def plain_key_named(kind: str, friendly: str) -> ids.Key:
    """The key in an id of a record that has a number alone; NotFound for any other text."""
    key = key_named(kind, friendly)
    if key != ids.Key(key.project, key.key):
        raise NotFound(kind, friendly)
    return key


def number_named(kind: str, text: str) -> int:
    """The number that a text is, of a record that answers to it; NotFound for any other text."""
    try:
        return read_int4(text)
    except ValueError:
        raise NotFound(kind, text) from None


async def find(
    tx: Read, row: Row[Record], source: LiteralString, where: Composable, values: Sequence[Any] = ()
) -> Record:
    """The one record that meets a condition; NotFound when there is none."""
    statement = SQL("SELECT {} FROM {} WHERE {}").format(SQL(row.columns), SQL(source), where)
    record = await tx.row(row.make, statement, values)
    if record is None:
        raise NotFound
    return record


async def need(
    tx: Read,
    source: LiteralString,
    where: Composable,
    values: Sequence[Any] = (),
    named: tuple[str, str] | tuple[()] = (),
) -> None:
    """Raise NotFound when no record meets a condition; `named` are the type and the id asked for."""
    if not await tx.value(SQL("SELECT true FROM {} WHERE {} LIMIT 1").format(SQL(source), where), values):
        raise NotFound(*named)


def project_filter(column: LiteralString) -> Filter:
    """The filter by the column that has a record's project."""
    return Filter(column, read_project, "an id prj_… or a project's number")


def read_project(text: str) -> int:
    """The number in a friendly id or a number's text; ValueError for any other text."""
    key = ids.parse("project", text)
    return key.project if key else read_int4(text)
