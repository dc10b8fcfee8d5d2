"""Tenancy: which records are the actor's account's, and the project that a request names.

Each query is limited by the conditions that are made here. A project is named by its friendly id or its
number.

Invariants: a record of another account, or of a project that the actor does not see, is not found, exactly
as one that does not exist, whatever a path, a body or a project filter names; no query compares an account by
itself.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from psycopg.sql import SQL, Composable, Composed

from weighbridge.core import identity
from weighbridge.core.number import shorten
from weighbridge.core.platform.file_name import name_file
from weighbridge.core.platform.permission import ALL_PERMISSIONS, IN_PROJECT, Actor, is_permission
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, read_int4
from weighbridge.db.row import Row
from weighbridge.db.statements import Literal
from weighbridge.errors import Forbidden, NotFound
from weighbridge.http.messages.operation import ReadCall, WriteCall

Record = TypeVar("Record")


def of_account(actor: Actor, account: LiteralString) -> Composed:
    """The condition that a record is of the actor's account, by the column that names its account."""
    return SQL("{} = {}").format(SQL(account), Literal(actor.account_id))


def of_projects(actor: Actor, project: LiteralString) -> Composed:
    """The condition that a record is of a project that the actor sees, by the column of its project."""
    return SQL("{} IN (SELECT id FROM projects WHERE {})").format(
        SQL(project), seen_of_account(actor, "account_id", "id")
    )


def seen_of_account(actor: Actor, account: LiteralString, project: LiteralString) -> Composed:
    """The condition that a record is of the actor's account and of a project that the actor sees.

    The columns are those that name its account and its project.
    """
    seen = actor.projects
    if seen is None:
        return of_account(actor, account)
    return SQL("{} AND {} = ANY ({})").format(of_account(actor, account), SQL(project), Literal(sorted(seen)))


def limit_to_projects(
    condition: Composable, project: LiteralString, projects: frozenset[int] | None
) -> Composable:
    """A condition, in these projects alone, by the column of the project; None stands for all."""
    if projects is None:
        return condition
    return SQL("({} AND {} = ANY ({}::integer[]))").format(condition, SQL(project), Literal(sorted(projects)))


def shared_or_seen(actor: Actor, account: LiteralString, project: LiteralString) -> Composed:
    """The same for records that may be of no project: those are there for everybody."""
    seen = actor.projects
    if seen is None:
        return of_account(actor, account)
    return SQL("{} AND ({} IS NULL OR {} = ANY ({}))").format(
        of_account(actor, account), SQL(project), SQL(project), Literal(sorted(seen))
    )


def refuse_shared(actor: Actor, project: int | None, what: str) -> None:
    """Raise Forbidden where somebody limited to projects would write what all projects share."""
    if project is None and actor.projects is not None:
        raise Forbidden(
            f"{what} is of no single project; to write it takes the permission in the account.",
            "permission_missing",
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
    """The number of the project that a friendly id or a number names; NotFound where the actor sees none."""
    number, seen = project_number(text), actor.projects
    owned = "SELECT true FROM projects WHERE id = %s AND account_id = %s"
    if (seen is not None and number not in seen) or not await tx.value(owned, (number, actor.account_id)):
        raise NotFound("project", text)
    return number


async def find_missing_projects(tx: Read, actor: Actor, named: Sequence[str]) -> list[str]:
    """Those of some friendly ids that are of no project which the actor sees."""
    if not named:
        return []
    numbers = {text: key.project if (key := identity.parse("project", text)) else 0 for text in named}
    statement = SQL("SELECT id FROM projects WHERE id = ANY (%s) AND {}").format(
        seen_of_account(actor, "account_id", "id")
    )
    there = {number for (number,) in await tx.tuples(statement, ([*numbers.values()],))}
    return [text for text, number in numbers.items() if number not in there]


async def problems_of_permissions(
    tx: Read, actor: Actor, permissions: Sequence[str], field: str = "permissions"
) -> list[Problem]:
    """What is wrong with permissions that somebody is to be given: unknown ones, or of unknown projects."""
    if not permissions:
        return [Problem(f"{field} must name at least one permission.", field, "required")]
    problems = [
        Problem(
            f"The permission {shorten(permission)!r} does not exist; there are {', '.join(ALL_PERMISSIONS)}, "
            f"and except for administration each followed by {IN_PROJECT} and the id of a project.",
            field,
            "invalid",
        )
        for permission in dict.fromkeys(permissions)
        if not is_permission(permission)
    ]
    named = {one.partition(IN_PROJECT)[2] for one in permissions if IN_PROJECT in one and is_permission(one)}
    return problems + [
        Problem(f"{field}: {text!r} is no project of the account.", field, "unknown")
        for text in await find_missing_projects(tx, actor, sorted(named))
    ]


async def project_of(call: ReadCall | WriteCall) -> int:
    """The number of the project that the path of a request names; NotFound in another account."""
    return await project_named(call.tx, call.actor, call.path["project_id"])


def project_to_read(call: ReadCall | WriteCall) -> int:
    """The number of the project to read from; whether the account has it is asked with the next statement.

    NotFound comes from there.
    """
    text = call.path["project_id"]
    missing, seen = NotFound("project", text), call.actor.projects
    number = project_number(text)
    if not number or (seen is not None and number not in seen):
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
