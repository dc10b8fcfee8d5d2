"""Saved views: queries of lists that people save under a name, each for themselves.

In: a list of the web app, a name, and a query as in the URL of the list: filters, order, columns, groups.
Out: the caller's own views; those of anybody else are not found. One view of a list may be the default, which
the web app opens where its URL has no query.

Invariants: names of one user are unique in a list, and a list has one default at most; the query is kept as
text, and what it names may no longer exist: the list says so when it is opened.
"""

from typing import Final

from msgspec import UNSET, structs
from psycopg.sql import SQL, Composed

from weighbridge.core.identity import problem_of_unseen
from weighbridge.core.platform.permission import ANY, Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, among, list_request, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.records import (
    LISTS_WITH_VIEWS,
    VIEW_NAME_LENGTH_MAX,
    VIEW_QUERY_LENGTH_MAX,
    NewSavedView,
    NewSavedViewBody,
    SavedView,
    SavedViewChangeBody,
)
from weighbridge.platform.tenancy import find, number_named, of_account

SAVED_VIEWS_OF_USER_MAX: Final = 200
"""Saved views of one user."""

SAVED_VIEWS: Final = Listing(
    sorts={"id": "v.id", "name": "v.name", "created_at": "v.created_at", "updated_at": "v.updated_at"},
    default_sort="id",
    key=("v.id",),
    filters={"list_name": Filter("v.list_name", among(LISTS_WITH_VIEWS), ", ".join(LISTS_WITH_VIEWS))},
)

_SOURCE: Final = "saved_views v"

_SAVED_VIEW: Final = row_of(
    SavedView,
    Column("id", "v.id"),
    Column("list_name", "v.list_name"),
    Column("name", "v.name"),
    Column("query", "v.query"),
    Column("is_default", "v.is_default"),
    Column("created_at", "v.created_at"),
    Column("updated_at", "v.updated_at"),
)

_INSERT: Final = """
    INSERT INTO saved_views (account_id, user_id, list_name, name, query, is_default)
    VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
"""


async def read_saved_view(tx: Read, actor: Actor, text: str) -> SavedView:
    """One view of the actor's user; NotFound for any other."""
    number = number_named("saved_view", text)
    try:
        return await find(tx, _SAVED_VIEW, _SOURCE, SQL("{} AND v.id = %s").format(_own(actor)), (number,))
    except NotFound:
        raise NotFound("saved_view", text) from None


def _own(actor: Actor) -> Composed:
    return SQL("{} AND v.user_id = {}").format(of_account(actor, "v.account_id"), Literal(actor.user_id))


async def _lock_user(tx: Write, actor: Actor) -> None:
    """Have the views of a user change one after another: they are counted, and one is the default."""
    await tx.execute(
        "SELECT FROM users WHERE account_id = %s AND id = %s FOR NO KEY UPDATE",
        (actor.account_id, actor.user_id),
    )


async def _list_problems(
    tx: Read, actor: Actor, wanted: NewSavedView | SavedView, number: int = 0
) -> list[Problem]:
    """What is wrong with a view as it is wanted; 0 is the number of a new one."""
    problems = [
        problem
        for problem in (
            _problem_of_length(wanted.name, "name", VIEW_NAME_LENGTH_MAX),
            _problem_of_length(wanted.query, "query", VIEW_QUERY_LENGTH_MAX),
            problem_of_unseen(wanted.name, "saved_view.name"),
            problem_of_unseen(wanted.query, "saved_view.query"),
        )
        if problem is not None
    ]
    if not wanted.name:
        problems.append(Problem("A saved view needs a name.", "saved_view.name", "required"))
    if wanted.list_name not in LISTS_WITH_VIEWS:
        allowed = ", ".join(LISTS_WITH_VIEWS)
        said = f"saved_view.list_name is {wanted.list_name!r}, which has no views; there are {allowed}."
        problems.append(Problem(said, "saved_view.list_name", "invalid"))
    if problems:
        return problems
    [(count, is_taken)] = await tx.tuples(
        """
        SELECT count(*),
               coalesce(bool_or((list_name, name) = (%(list_name)s, %(name)s) AND id <> %(id)s), false)
          FROM saved_views WHERE account_id = %(account)s AND user_id = %(user)s
        """,
        {
            "list_name": wanted.list_name, "name": wanted.name, "id": number,
            "account": actor.account_id, "user": actor.user_id,
        },
    )  # fmt: skip
    if is_taken:
        said = f"There is a view {wanted.name!r} of this list already. Choose another name."
        problems.append(Problem(said, "saved_view.name", "taken"))
    if not number and count >= SAVED_VIEWS_OF_USER_MAX:
        said = f"You have {count} saved views, which is all that a user may have. Delete one first."
        problems.append(Problem(said, None, "too_many"))
    return problems


def _problem_of_length(text: str, field: str, most: int) -> Problem | None:
    if len(text) <= most:
        return None
    said = f"saved_view.{field} must have at most {most:,} characters, but has {len(text):,}."
    return Problem(said, f"saved_view.{field}", "invalid")


async def _clear_default(tx: Write, actor: Actor, of_list: str) -> None:
    await tx.execute(
        """
        UPDATE saved_views SET is_default = false, updated_at = now()
         WHERE account_id = %s AND user_id = %s AND list_name = %s AND is_default
        """,
        (actor.account_id, actor.user_id, of_list),
    )


@get("/saved_views", permission=ANY, returns=Page[SavedView], listing=SAVED_VIEWS)
async def list_saved_views(call: ReadCall) -> Page[SavedView]:
    """List the saved views of the caller's own user."""
    request = list_request(call.query, SAVED_VIEWS)
    return await read_page(
        call.tx, _SAVED_VIEW, SAVED_VIEWS, request, source=_SOURCE, where=[_own(call.actor)]
    )


@get("/saved_views/{saved_view_id}", permission=ANY, returns=SavedView)
async def get_saved_view(call: ReadCall) -> SavedView:
    """Read one saved view of the caller's own user."""
    return await read_saved_view(call.tx, call.actor, call.path["saved_view_id"])


@post(
    "/saved_views",
    permission=ANY,
    body=NewSavedViewBody,
    returns=SavedView,
    example={
        "saved_view": {
            "list_name": "events",
            "name": "Deliveries by day",
            "query": "filter[slug]=delivery&group=day",
        }
    },
)
async def create_saved_view(call: WriteCall, body: NewSavedViewBody) -> SavedView:
    """Save a view of a list for the caller's own user; a default takes the place of the one before."""
    tx, actor, new = call.tx, call.actor, body.saved_view
    await _lock_user(tx, actor)
    wanted = structs.replace(new, name=new.name.strip())
    if problems := await _list_problems(tx, actor, wanted):
        raise Invalid(problems)
    if wanted.is_default:
        await _clear_default(tx, actor, wanted.list_name)
    number = await tx.value(
        _INSERT,
        (actor.account_id, actor.user_id, wanted.list_name, wanted.name, wanted.query, wanted.is_default),
    )
    made = await read_saved_view(tx, actor, str(number))
    changes.record(tx, actor, action="saved_view.create", target=str(number), after=made)
    return made


@patch(
    "/saved_views/{saved_view_id}",
    permission=ANY,
    body=SavedViewChangeBody,
    returns=SavedView,
    example={"saved_view": {"name": "Deliveries", "is_default": True}},
)
async def update_saved_view(call: WriteCall, body: SavedViewChangeBody) -> SavedView:
    """Change the name or the query of a saved view, or whether the web app opens its list with it."""
    tx, actor, change = call.tx, call.actor, body.saved_view
    await _lock_user(tx, actor)
    before = await read_saved_view(tx, actor, call.path["saved_view_id"])
    wanted = structs.replace(
        before,
        name=before.name if change.name is UNSET else change.name.strip(),
        query=before.query if change.query is UNSET else change.query,
        is_default=before.is_default if change.is_default is UNSET else change.is_default,
    )
    if problems := await _list_problems(tx, actor, wanted, before.id):
        raise Invalid(problems)
    if wanted.is_default and not before.is_default:
        await _clear_default(tx, actor, before.list_name)
    await tx.execute(
        "UPDATE saved_views SET name = %s, query = %s, is_default = %s, updated_at = now() WHERE id = %s",
        (wanted.name, wanted.query, wanted.is_default, before.id),
    )
    after = await read_saved_view(tx, actor, str(before.id))
    changes.record(tx, actor, action="saved_view.update", target=str(before.id), before=before, after=after)
    return after


@delete("/saved_views/{saved_view_id}", permission=ANY)
async def delete_saved_view(call: WriteCall) -> None:
    """Delete a saved view of the caller's own user."""
    before = await read_saved_view(call.tx, call.actor, call.path["saved_view_id"])
    await call.tx.execute("DELETE FROM saved_views WHERE id = %s", (before.id,))
    changes.record(call.tx, call.actor, action="saved_view.delete", target=str(before.id), before=before)


ROUTES = [list_saved_views, get_saved_view, create_saved_view, update_saved_view, delete_saved_view]
