"""Tenancy: which records are the actor's account's, and the project that a request names.

Each query is limited by the conditions that are made here. A project is named by its friendly id or its
number.

Invariants: a record of another account is not found, exactly as one that does not exist, whatever a
path, a body or a project filter names; no query compares an account by itself.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from psycopg.sql import SQL, Composable, Composed

from weighbridge.core import identity
from weighbridge.core.platform.file_name import name_file
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, read_int4
from weighbridge.db.row import Row
from weighbridge.db.statements import Literal
from weighbridge.errors import NotFound
from weighbridge.http.messages.operation import ReadCall, WriteCall

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


def key_named(kind: str, friendly: str) -> identity.Key:
    """The key in an id of a kind; NotFound for any other text."""
    key = identity.parse(kind, friendly)
    if key is None:
        raise NotFound(kind, friendly)
    return key


def plain_key_named(kind: str, friendly: str) -> identity.Key:
    """The key in an id of a record that has a number alone; NotFound for any other text."""
    key = key_named(kind, friendly)
    if key != identity.Key(key.project, key.key):
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
    key = identity.parse("project", text)
    return key.project if key else read_int4(text)


async def project_named(tx: Read, actor: Actor, text: str) -> int:
    """The number of the project that a friendly id or a number names; NotFound in another account."""
    number = await tx.value(
        "SELECT id FROM projects WHERE id = %s AND account_id = %s", (project_number(text), actor.account_id)
    )
    if number is None:
        raise NotFound("project", text)
    return int(number)


async def project_of(call: ReadCall | WriteCall) -> int:
    """The number of the project that the path of a request names; NotFound in another account."""
    return await project_named(call.tx, call.actor, call.path["project_id"])


def project_to_read(call: ReadCall | WriteCall) -> int:
    """The number of the project to read from; whether the account has it is asked with the next statement.

    NotFound comes from there.
    """
    text = call.path["project_id"]
    missing = NotFound("project", text)
    if not (number := project_number(text)):
        raise missing
    whole = "SELECT FROM projects WHERE id = %s AND account_id = %s"
    call.tx.require(whole, (number, call.actor.account_id), missing)
    return number


def project_number(text: str) -> int:
    """The number in a friendly id or a number's text; 0, which no project has, for any other text."""
    try:
        return read_project(text)
    except ValueError:
        return 0


async def project_for_record(tx: Read, actor: Actor, named: str | int) -> int:
    """The project that a new record names in its body; a refusal of its own when there is none."""
    try:
        return await project_named(tx, actor, str(named))
    except NotFound:
        raise NotFound("project", named, message="Project not found") from None


async def name_download(
    tx: Read,
    project: int | None,
    extension: str,
    *parts: str | None,
    moment: datetime | None = None,
    friendly: str = "",
) -> str:
    """The name of a file of a project as it is now, or of the `moment` at which it was made.

    `parts` say what is in it; `friendly` is an id that tells it from others of the same second.
    """
    statement = "SELECT (SELECT name FROM projects WHERE id = %s), transaction_timestamp()"
    [(name, now)] = await tx.tuples(statement, (project,))
    return name_file(extension, name, *parts, moment=moment or now, friendly=friendly)
