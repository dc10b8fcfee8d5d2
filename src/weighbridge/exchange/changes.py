"""Changes: the feed of what was changed, in an order that everybody sees alike.

In: what triggers of the database told of each statement (`db/migrations`, step 36) in the transaction
that changed the records. The function `number_changes` gives an entry its number after its commit:
readers call it before they look, and workers each second. Out: pages of changes behind a cursor, at
once or when there are any.

Invariants: numbers of an account have no gap, and whoever sees one sees all before it; an entry is one
transaction's changes of one kind by one action, however many records they are; a reader is refused who
asks for what was removed because of its age, so nothing is skipped unseen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from psycopg.sql import SQL, Composable

from weighbridge.core import identity
from weighbridge.core.number import shorten
from weighbridge.core.platform.audit import (
    BEGINNING,
    LATEST,
    PERMISSIONS,
    ChangeCursor,
    ChangeKind,
    read_cursor,
)
from weighbridge.core.platform.permission import ANY, Actor
from weighbridge.core.platform.tasks import AREA_OF_KIND, list_readable_kinds
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.statements import Literal
from weighbridge.errors import Gone, Malformed
from weighbridge.exchange.change_feed import number_changes
from weighbridge.exchange.records.changes import (
    IDS_OF_KEYS,
    SHOWN_KINDS,
    ChangeEntry,
    ChangePage,
    FeedChange,
    IssuedTicket,
    TicketQuestion,
    id_of_changed,
    stored_kinds,
)
from weighbridge.http.endpoints.endpoint import ReadCall, ask
from weighbridge.http.endpoints.long_polling import FollowCall, LookResult, StreamLook, follow
from weighbridge.platform import authentication
from weighbridge.platform.async_tasks import list_readable
from weighbridge.platform.tenancy import limit_to_projects, read_project

PAGE_SIZE_DEFAULT: Final = 200
PAGE_SIZE_MAX: Final = 1_000
ENTRIES_MAX: Final = 100_000
"""Entries that one request looks through for changes that meet its filters."""

OPTIONS: Final = {
    "after": (
        "The `cursor` of a change or of the page before: what comes behind it. Without it the feed begins "
        f"with the oldest change that is kept; `{LATEST}` gives the cursor for what comes from now on."
    ),
    "kind": f"Only changes of these kinds, separated by commas: {', '.join(ChangeKind)}.",
    "project_id": "Only changes in this project, by its id prj_… or its number.",
    "page_size": (
        f"How many changes an answer holds at most, 1 to {PAGE_SIZE_MAX:,}; by default {PAGE_SIZE_DEFAULT}."
    ),
}
"""What stands in the query, and what it means."""

_BOUNDS: Final = """
    SELECT coalesce((SELECT max(number) FROM changes WHERE account_id = %(account)s), 0),
           coalesce((SELECT number FROM change_horizons WHERE account_id = %(account)s), 0)
"""
_ENTRIES: Final = f"""
    SELECT number, kind, action, project_id, at, ARRAY(SELECT lower(part) FROM unnest(keys) AS part),
           ARRAY(SELECT upper(part) FROM unnest(keys) AS part), {IDS_OF_KEYS}
      FROM changes told
     WHERE account_id = %(account)s AND number BETWEEN %(first)s AND %(last)s AND kind = ANY (%(kinds)s)
       AND (task_type IS NULL OR task_type = ANY (%(task_types)s))
       AND (%(project)s::integer IS NULL OR project_id = %(project)s::integer)
       AND {{}}
     ORDER BY number
     LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What a reader asks for; without a cursor from the beginning, or behind everything."""

    after: ChangeCursor | None
    is_latest: bool
    kinds: Sequence[ChangeKind]
    project: int | None
    page_size: int


async def read_changes(database: Database, actor: Actor, request: ChangeRequest) -> tuple[ChangePage, int]:
    """The changes behind a cursor, and the number of the newest entry there was; Gone behind the horizon."""
    await number_changes(database)
    async with database.read() as tx:
        [(head, horizon)] = await tx.tuples(_BOUNDS, {"account": actor.account_id})
        newest = max(head, horizon)
        start = _find_start(request, newest, horizon)
        if request.is_latest or not request.kinds:
            return ChangePage([], ChangeCursor(newest + 1, 0).text, has_more=False), newest
        last = min(newest, start.number + ENTRIES_MAX - 1)
        return await _read_page(tx, actor, request, start, last, has_more=last < newest), newest


async def _read_page(
    tx: Read, actor: Actor, request: ChangeRequest, start: ChangeCursor, last: int, *, has_more: bool
) -> ChangePage:
    values = {
        "account": actor.account_id,
        "first": start.number,
        "last": last,
        "kinds": stored_kinds(request.kinds),
        "task_types": list_readable_kinds(actor) if not actor.is_limited else [*AREA_OF_KIND],
        "project": request.project,
        "limit": request.page_size + 1,
    }
    statement = SQL(_ENTRIES).format(_limit_to_readable(actor, request.kinds))
    entries = await tx.rows(ChangeEntry, statement, values)
    every = (
        change
        for entry in entries
        for change in _list_changes(entry, start.position if entry.number == start.number else 0)
    )
    data = [*islice(every, request.page_size)]
    if next(every, None) is not None:
        return ChangePage(data, data[-1].cursor, has_more=True)
    return ChangePage(data, max(start, ChangeCursor(last + 1, 0)).text, has_more)


def _limit_to_readable(actor: Actor, kinds: Sequence[ChangeKind]) -> Composable:
    """The condition that an entry is of a project in which the actor may read changes of its kind."""
    if not actor.is_limited:
        return SQL("true")
    conditions: list[Composable] = [SQL("false")]
    for kind in kinds:
        if kind in PERMISSIONS:
            named = SQL("kind = ANY ({})").format(Literal(stored_kinds([kind])))
            conditions.append(limit_to_projects(named, "project_id", _find_readable(actor, kind)))
    if ChangeKind.ASYNC_TASK in kinds:
        conditions += list_readable(actor, "task_type", "project_id")
    return SQL("({})").format(SQL(" OR ").join(conditions))


def _find_readable(actor: Actor, kind: ChangeKind) -> frozenset[int] | None:
    """The projects in which the actor may read changes of a kind; None where that is a right of the account.

    Footprints belong to products of the account.
    """
    projects = actor.find_projects(PERMISSIONS[kind])
    return frozenset() if kind is ChangeKind.FOOTPRINT and projects is not None else projects


def _find_start(request: ChangeRequest, newest: int, horizon: int) -> ChangeCursor:
    start = request.after
    if start is None:
        return max(BEGINNING, ChangeCursor(horizon + 1, 0))
    if start.number <= horizon or start.number > newest + 1:
        lost = "was removed because of its age" if start.number <= horizon else "is not known here"
        raise Gone(
            [
                Problem(
                    f"after is {start.text!r}, and what comes behind it {lost}; read the lists anew, and the "
                    f"feed after={LATEST} before.",
                    "after",
                    "cursor_expired",
                )
            ]
        )
    return start


def _list_changes(entry: ChangeEntry, position: int) -> Iterator[FeedChange]:
    """The changes of an entry behind so many of them."""
    last, at = entry.size, Instant.of(entry.at)
    project = None if entry.project is None else identity.of("project", entry.project)
    keys = (key for keys in entry.ranges(position) for key in keys)
    for index, key in enumerate(keys, position + 1):
        goes_on = ChangeCursor(entry.number, index) if index < last else ChangeCursor(entry.number + 1, 0)
        named = (
            id_of_changed(entry.kind, entry.project, key) if entry.named is None else entry.named[index - 1]
        )
        yield FeedChange(goes_on.text, SHOWN_KINDS[entry.kind], entry.action, named, project, at)


def change_request(actor: Actor, query: Sequence[tuple[str, str]]) -> ChangeRequest:
    """Read what a reader asks for; Malformed with everything that cannot be read.

    Kinds that the actor may not read are left out.
    """
    problems: list[Problem] = []
    given: dict[str, str] = {}
    for name, text in query:
        if name in given:
            problems.append(Problem(f"{name} is given twice; it takes one value.", name, "conflict"))
        given[name] = text

    def read(name: str, how: Callable[[str], Any], takes: str) -> Any:
        if name not in given:
            return None
        try:
            return how(given[name])
        except ValueError:
            message = f"{name} is {shorten(given[name])!r}; it takes {takes}."
            problems.append(Problem(message, name, "invalid"))
            return None

    is_latest = given.get("after") == LATEST
    if is_latest:
        del given["after"]
    request = ChangeRequest(
        after=read("after", read_cursor, f"the cursor of a change or a page, or {LATEST}"),
        is_latest=is_latest,
        kinds=_select_readable(
            actor, read("kind", _parse_kinds, f"some of {', '.join(ChangeKind)}, with commas")
        ),
        project=read("project_id", read_project, "an id prj_… or a project's number"),
        page_size=read("page_size", _parse_page_size, f"a whole number from 1 to {PAGE_SIZE_MAX:,}")
        or PAGE_SIZE_DEFAULT,
    )
    if problems:
        raise Malformed(problems)
    return request


def _parse_kinds(text: str) -> list[ChangeKind]:
    return [ChangeKind(word) for word in text.split(",")]


def _parse_page_size(text: str) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(PAGE_SIZE_MAX))
    if is_number and 1 <= int(text) <= PAGE_SIZE_MAX:
        return int(text)
    raise ValueError(text)


def _select_readable(actor: Actor, kinds: Sequence[ChangeKind] | None) -> list[ChangeKind]:
    return [
        kind
        for kind in (kinds if kinds is not None else [*ChangeKind])
        if kind not in PERMISSIONS or _find_readable(actor, kind) != frozenset()
    ]


# Two statements: an INSERT in a WITH has a node of a cluster call every other one.
_FORGET: Final = """
    WITH removed AS (
        DELETE FROM changes c
         WHERE at < now() - make_interval(days => %s) AND NOT EXISTS (
                   SELECT FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id
                    WHERE w.account_id = c.account_id AND w.is_enabled AND l.next_number <= c.number)
        RETURNING account_id, number)
    SELECT account_id, max(number), count(*) FROM removed GROUP BY account_id
"""
_SHORTEN: Final = """
    INSERT INTO change_horizons AS h (account_id, number) SELECT * FROM unnest(%s::integer[], %s::bigint[])
    ON CONFLICT (account_id) DO UPDATE SET number = greatest(h.number, excluded.number)
"""


async def number_all(database: Database) -> None:
    """Give numbers to whatever was committed, some at a time."""
    while await number_changes(database):
        pass


async def forget_changes(tx: Write, days: int) -> int:
    """Remove changes that are older than so many days; gives how many entries that were.

    Those that a webhook has still to be told of stay, unless it is disabled.
    """
    removed = await tx.tuples(_FORGET, (days,))
    if removed:
        accounts, numbers, _ = zip(*removed, strict=True)
        await tx.execute(_SHORTEN, ([*accounts], [*numbers]))
    return sum(count for _, _, count in removed)


@follow("/changes", permission=ANY, returns=ChangePage, options=OPTIONS, begins=("after", LATEST))
async def list_changes(call: FollowCall) -> LookResult:
    """Follow what changes: events, corrections, batches, tasks, rule results, reports and footprints, in one
    order.

    Send the `cursor` of the last answer as `after`, again and again: each change is told once, and none is
    left out, also when many write at a time. With `wait` an answer that would be empty comes as soon as
    there is a change. With `Accept: text/event-stream` they come as Server-Sent Events, each as soon as it is
    there, from now on or behind `after` or the `Last-Event-ID`. A token is told of kinds that it may read.
    Changes are kept for some days; 410 says that those behind the cursor are not.
    """
    request = change_request(call.actor, call.query)
    page, newest = await read_changes(call.database, call.actor, request)
    others = tuple(pair for pair in call.query if pair[0] != "after")
    return LookResult(
        page,
        newest,
        is_worth_telling=bool(page.data) or page.has_more or request.is_latest,
        next_query=(("after", page.cursor), *others),
        stream=StreamLook([(one.cursor, one) for one in page.data], page.cursor, newest, page.has_more),
    )


@ask("/changes/issue_ticket", permission=ANY, body=TicketQuestion, returns=IssuedTicket)
async def issue_ticket(call: ReadCall, body: TicketQuestion) -> IssuedTicket:
    """Issue a ticket, which opens the stream of changes in place of the token until it expires.

    For `EventSource` of a browser, which sends no headers. Nothing is stored of it: it reads what the token
    may read, and ends with the token.
    """
    ticket, expires_at = await authentication.issue_ticket(call.tx, call.actor, body.expires_in_seconds)
    return IssuedTicket(ticket, expires_at)


ROUTES = [list_changes, issue_ticket]
"""The slice's paths."""
