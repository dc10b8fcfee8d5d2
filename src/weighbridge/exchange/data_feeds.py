"""Data feeds: how the files of one source are read.

A feed belongs to a project and makes events of one event type; it says which column gives what, in
which unit, and how times and numbers are written. Files are uploaded to it (`data_feed_uploads`), or
found in the place that it watches. Permission: data collection.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from msgspec.structs import asdict
from psycopg.errors import UniqueViolation
from psycopg.sql import SQL, Composed, Identifier, Placeholder

from weighbridge.collection.event_types import read_event_type
from weighbridge.collection.records.data_points import EventType
from weighbridge.core import identity
from weighbridge.core.collection.data_feed import (
    BadRows,
    DecimalMark,
    Formulas,
    OnDifference,
    OtherColumns,
    ReferenceRule,
    check_watch,
)
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import time_zone_names
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_page,
)
from weighbridge.db.row import Column, changed, remove_unused, row_of, unless_null
from weighbridge.db.statements import Literal, jsonb
from weighbridge.errors import Invalid, NotFound
from weighbridge.exchange.records.data_feeds import (
    DataFeed,
    DataFeedChange,
    DataFeedChangeBody,
    FeedColumn,
    HeaderQuestion,
    NewDataFeed,
    NewDataFeedBody,
    SuggestedColumns,
)
from weighbridge.exchange.tables.cell import DURATION, is_time_format
from weighbridge.exchange.tables.columns import check_columns, check_values
from weighbridge.exchange.tables.sample import suggest_fields
from weighbridge.exchange.tables.table import is_encoding
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import number_named, project_to_read
from weighbridge.settings import Settings

# Read data feeds.


DATA_FEEDS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    filters={"name": Filter("name", str, "a name")},
)


def _read_columns(stored: Any) -> list[FeedColumn]:
    return msgspec.convert(stored, list[FeedColumn])


def _build_location_ids(project: int, numbers: list[int]) -> list[str]:
    return [identity.of("location", project, number) for number in numbers]


DATA_FEED_ROW: Final = row_of(
    DataFeed,
    Column("id", "id"),
    Column("project_id", "project_id", partial(identity.of, "project")),
    Column("name", "name"),
    Column("event_type_id", ("project_id", "event_type_id"), partial(identity.of, "event_type")),
    Column("columns", "columns", _read_columns),
    Column("other_columns", "other_columns"),
    Column("time_zone", "time_zone"),
    Column("time_format", "time_format"),
    Column("rows_in_order", "rows_in_order"),
    Column("duration", "duration"),
    Column("decimal_mark", "decimal_mark"),
    Column("encoding", "encoding"),
    Column("delimiter", "delimiter"),
    Column("header_line", "header_line"),
    Column("units_line", "units_line"),
    Column("sheet", "sheet"),
    Column("missing", "missing"),
    Column("formulas", "formulas"),
    Column("location_ids", ("project_id", "location_ids"), _build_location_ids),
    Column("feedstock_id", ("project_id", "feedstock_id"), unless_null(partial(identity.of, "feedstock"))),
    Column("asset_id", ("project_id", "asset_id"), unless_null(partial(identity.of, "asset"))),
    Column("client_reference", "client_reference"),
    Column("bad_rows", "bad_rows"),
    Column("on_difference", "on_difference"),
    Column("watch", "watch"),
    Column("watch_problem", "watch_problem"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def select_data_feeds(tx: Read, project: int, request: ListRequest) -> Page[DataFeed]:
    """The data feeds of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await read_page(tx, DATA_FEED_ROW, DATA_FEEDS, request, source="data_feeds", where=[of_project])


async def read_data_feed(tx: Read, project: int, named: str, *, locks: bool = False) -> DataFeed:
    """One data feed by its number; locked, nobody else changes or removes it until the transaction ends."""
    number = number_named("data_feed", named)
    statement = f"SELECT {DATA_FEED_ROW.columns} FROM data_feeds WHERE project_id = %s AND id = %s"
    found = await tx.row(
        DATA_FEED_ROW.make, f"{statement} FOR UPDATE" if locks else statement, (project, number)
    )
    if found is None:
        raise NotFound("data_feed", named)
    return found


# Make data feeds, change and remove them.


_CHOICES: Final = {
    "other_columns": OtherColumns,
    "decimal_mark": DecimalMark,
    "formulas": Formulas,
    "client_reference": ReferenceRule,
    "bad_rows": BadRows,
    "on_difference": OnDifference,
}
"""The fields that take one of some words."""

_NAMED: Final = {"event_type_id": "event_type", "feedstock_id": "feedstock", "asset_id": "asset"}


async def insert_data_feed(
    tx: Write, actor: Actor, project: int, new: NewDataFeed, settings: Settings
) -> DataFeed:
    """Say how the files of one source are read."""
    values = await _build_row(tx, actor, project, new, settings) | _find_watcher(actor, new)
    statement = SQL("INSERT INTO data_feeds (project_id, {}) VALUES ({}, {}) RETURNING {}").format(
        SQL(", ").join(map(Identifier, values)), Placeholder(), SQL(", ").join([Placeholder()] * len(values)),
        SQL(DATA_FEED_ROW.columns),
    )  # fmt: skip
    made = await _store(tx, new, statement, (project, *values.values()))
    changes.record(tx, actor, action="data_feed.create", target=str(made.id), project_id=project, after=made)
    return made


async def change_data_feed(
    tx: Write, actor: Actor, project: int, named: str, change: DataFeedChange, *, settings: Settings
) -> DataFeed:
    """Change how files are read from now on."""
    before = await read_data_feed(tx, project, named, locks=True)
    desired = changed(before, change)
    values = await _build_row(tx, actor, project, desired, settings)
    if desired.watch != before.watch:
        values |= {**_find_watcher(actor, desired), "watch_problem": None}
    if desired == before:
        return before
    statement = SQL(
        "UPDATE data_feeds SET {}, updated_at = now() WHERE project_id = {} AND id = {} RETURNING {}"
    ).format(
        SQL(", ").join(SQL("{} = {}").format(Identifier(column), Placeholder()) for column in values),
        Placeholder(), Placeholder(), SQL(DATA_FEED_ROW.columns),
    )  # fmt: skip
    after = await _store(tx, desired, statement, (*values.values(), project, before.id))
    changes.record(
        tx, actor, action="data_feed.update", target=named, project_id=project, before=before, after=after
    )
    return after


async def _store(
    tx: Write, feed: NewDataFeed | DataFeed, statement: Composed, values: Sequence[Any]
) -> DataFeed:
    """Write the row of a feed and return it; Invalid where another has its name or watches its place."""
    try:
        [stored] = await tx.rows(DATA_FEED_ROW.make, statement, values)
    except UniqueViolation as error:
        raise _explain_conflict(feed, error) from None
    return stored


async def remove_data_feed(tx: Write, actor: Actor, project: int, named: str) -> None:
    """Remove a data feed to which no file was ever uploaded."""
    before = await read_data_feed(tx, project, named, locks=True)
    used = (
        f"Files were uploaded to the data feed {before.name!r}, and events say so; it stays. "
        "It looks for files no more when its watch is null."
    )
    await remove_unused(tx, "data_feeds", project, before.id, used=used)
    changes.record(tx, actor, action="data_feed.delete", target=named, project_id=project, before=before)


def _find_watcher(actor: Actor, feed: NewDataFeed | DataFeed) -> dict[str, Any]:
    """For whom files are taken up that are found."""
    is_watching = feed.watch is not None
    return {
        "watch_user_id": actor.user_id if is_watching else None,
        "watch_token_id": actor.token_id if is_watching else None,
    }


def _explain_conflict(feed: NewDataFeed | DataFeed, error: UniqueViolation) -> Invalid:
    if error.diag.constraint_name == "data_feeds_one_watches":
        text = (
            f"data_feed.watch is {feed.watch!r}, which another data feed watches; a file goes to one of them."
        )
        return Invalid([Problem(text, "data_feed.watch", "taken")])
    text = f"data_feed.name is {feed.name!r}, as another data feed of the project is called."
    return Invalid([Problem(text, "data_feed.name", "taken")])


async def _build_row(
    tx: Read, actor: Actor, project: int, feed: NewDataFeed | DataFeed, settings: Settings
) -> dict[str, Any]:
    """The columns of the row; Invalid with everything that is wrong, for which the database is asked once."""
    numbers = _parse_ids(project, feed)
    account, event_type, known = await tx.together(
        tx.value("SELECT name FROM accounts WHERE id = %s", (actor.account_id,)),
        _find_event_type(tx, project, feed),
        tx.tuples(_KNOWN, {"project": project} | numbers),
    )
    problems = [
        *_list_form_problems(feed),
        *check_values(feed),
        *_list_event_type_problems(feed, event_type),
        *_list_unknown_ids(feed, numbers["location_ids"], *known[0]),
    ]
    if event_type is not None and feed.columns:
        # Reading a unit may take a while, the first time.
        problems += await tx.in_thread(_list_column_problems, feed, event_type)
    if feed.watch is not None:
        problems += check_watch(feed.watch, settings.watched_roots, account)
    if problems:
        raise Invalid(problems)
    stored = {name: value for name, value in asdict(feed).items() if name in NewDataFeed.__struct_fields__}
    return stored | numbers | {"name": feed.name.strip(), "columns": jsonb(feed.columns)}


def _list_form_problems(feed: NewDataFeed | DataFeed) -> Iterator[Problem]:
    if problem := problem_of_name(feed.name, "A data feed", "data_feed.name"):
        yield problem
    for field, words in _CHOICES.items():
        if (word := getattr(feed, field)) not in {*words}:
            allowed = ", ".join(words)
            text = f"data_feed.{field} is {shorten(word)!r}; it takes one of {allowed}."
            yield Problem(text, f"data_feed.{field}", "invalid")
    yield from _list_time_problems(feed)
    if len(feed.delimiter) != 1 or feed.delimiter in '"\r\n\0':
        text = f"data_feed.delimiter is {feed.delimiter!r}; it takes one character, such as ; or a tab."
        yield Problem(text, "data_feed.delimiter", "invalid")
    if not is_encoding(feed.encoding):
        text = f"data_feed.encoding is {feed.encoding!r}; examples are utf-8 and windows-1252."
        yield Problem(text, "data_feed.encoding", "invalid")
    texts = {"time_format": feed.time_format, "sheet": feed.sheet, **dict.fromkeys(feed.missing, "x")}
    for field, text_of_field in texts.items():
        if text_of_field is not None and (
            "\0" in text_of_field or "\0" in field or not text_of_field.strip()
        ):
            name = field if field in {"time_format", "sheet"} else "missing"
            yield Problem(f"data_feed.{name} is blank or holds a NUL.", f"data_feed.{name}", "invalid")


def _list_time_problems(feed: NewDataFeed | DataFeed) -> Iterator[Problem]:
    if feed.time_zone is not None and feed.time_zone not in time_zone_names():
        text = f"data_feed.time_zone is {feed.time_zone!r}, which is not on the IANA list, such as UTC."
        yield Problem(text, "data_feed.time_zone", "invalid")
    if feed.duration is not None and not DURATION.fullmatch(feed.duration):
        text = (
            f"data_feed.duration is {feed.duration!r}; "
            "it takes a whole number with s, m, h or d, such as 15m or 1h."
        )
        yield Problem(text, "data_feed.duration", "invalid")
    if feed.time_format is not None and feed.time_format.strip() and not is_time_format(feed.time_format):
        text = (
            f"data_feed.time_format is {shorten(feed.time_format)!r}, by which no time can be read; "
            "it takes a form such as %d.%m.%Y %H:%M, with each part once."
        )
        yield Problem(text, "data_feed.time_format", "invalid")


async def _find_event_type(tx: Read, project: int, feed: NewDataFeed | DataFeed) -> EventType | None:
    try:
        return await read_event_type(tx, project, feed.event_type_id)
    except NotFound:
        return None


def _list_event_type_problems(
    feed: NewDataFeed | DataFeed, event_type: EventType | None
) -> Iterator[Problem]:
    if event_type is None:
        text = f"data_feed.event_type_id is {feed.event_type_id!r}, which is no event type of the project."
        yield Problem(text, "data_feed.event_type_id", "unknown")
    elif event_type.rolled_up_from is not None:
        text = (
            f"data_feed.event_type_id is {feed.event_type_id!r}, whose events the service rolls up; "
            "feed those that they are made of."
        )
        yield Problem(text, "data_feed.event_type_id", "rolled_up")


def _list_column_problems(feed: NewDataFeed | DataFeed, event_type: EventType) -> list[Problem]:
    return [*check_columns(feed.columns, event_type)]


_KNOWN: Final = """
    SELECT ARRAY(SELECT id FROM locations WHERE project_id = %(project)s AND id = ANY (%(location_ids)s)),
           (SELECT id FROM feedstocks WHERE project_id = %(project)s AND id = %(feedstock_id)s),
           (SELECT id FROM assets WHERE project_id = %(project)s AND id = %(asset_id)s)
"""
"""Which of the records that every event names there are."""


def _parse_ids(project: int, feed: NewDataFeed | DataFeed) -> dict[str, Any]:
    """The numbers of the records that every event names, by the columns of the row."""
    numbers: dict[str, Any] = {
        field: None
        if (friendly := getattr(feed, field)) is None
        else identity.number(kind, friendly, project)
        for field, kind in _NAMED.items()
    }
    return numbers | {
        "location_ids": [identity.number("location", friendly, project) for friendly in feed.location_ids]
    }


def _list_unknown_ids(
    feed: NewDataFeed | DataFeed,
    numbers: list[int],
    locations: list[int],
    feedstock: int | None,
    asset: int | None,
) -> Iterator[Problem]:
    """What is wrong with the ids that every event names, of which these records were found."""
    for friendly, number in zip(feed.location_ids, numbers, strict=True):
        if number not in locations or numbers.count(number) > 1:
            text = (
                f"data_feed.location_ids names {friendly!r}, which is no location of the project, or twice."
            )
            yield Problem(text, "data_feed.location_ids", "unknown")
    for field, found in (("feedstock_id", feedstock), ("asset_id", asset)):
        friendly = getattr(feed, field)
        if friendly is not None and found is None:
            text = f"data_feed.{field} is {friendly!r}, which is no {_NAMED[field]} of the project."
            yield Problem(text, f"data_feed.{field}", "unknown")


# Paths of data feeds.


_PATH = "/projects/{project_id}/data_feeds"
_ONE = _PATH + "/{data_feed_id}"


@get(_PATH, permission="data_collection:read", returns=Page[DataFeed], listing=DATA_FEEDS)
async def list_data_feeds(call: ReadCall) -> Page[DataFeed]:
    """List a project's data feeds."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await select_data_feeds(call.tx, project, list_request(call.query, DATA_FEEDS))


@post(_PATH, permission="data_collection:write", body=NewDataFeedBody, returns=DataFeed)
async def create_data_feed(call: WriteCall, body: NewDataFeedBody) -> DataFeed:
    """Say how the files of one source are read, once for all of them.

    Columns that `columns` does not name give what their names say: a slug, or a field of the event.
    """
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await insert_data_feed(call.tx, call.actor, project, body.data_feed, call.settings)


@ask(
    "/projects/{project_id}/data_feed_suggestions",
    permission="data_collection:read",
    body=HeaderQuestion,
    returns=SuggestedColumns,
)
async def suggest_columns(call: ReadCall, body: HeaderQuestion) -> SuggestedColumns:
    """Suggest what the columns of a header give to events of a type, and in which units they are.

    Nothing is stored; look through the suggestion and send it as `columns` of a data feed.
    """
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    event_type = await read_event_type(call.tx, project, body.event_type_id)
    return await call.tx.in_thread(suggest_fields, body.header, event_type)


@get(_ONE, permission="data_collection:read", returns=DataFeed)
async def get_data_feed(call: ReadCall) -> DataFeed:
    """Read one data feed."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await read_data_feed(call.tx, project, call.path["data_feed_id"])


@patch(_ONE, permission="data_collection:write", body=DataFeedChangeBody, returns=DataFeed)
async def update_data_feed(call: WriteCall, body: DataFeedChangeBody) -> DataFeed:
    """Change how files are read from now on; what was stored stays as it is."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await change_data_feed(
        call.tx, call.actor, project, call.path["data_feed_id"], body.data_feed, settings=call.settings
    )


@delete(_ONE, permission="data_collection:write")
async def delete_data_feed(call: WriteCall) -> None:
    """Remove a data feed to which no file was ever uploaded."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    await remove_data_feed(call.tx, call.actor, project, call.path["data_feed_id"])


ROUTES = [
    list_data_feeds, create_data_feed, suggest_columns, get_data_feed, update_data_feed, delete_data_feed,
]  # fmt: skip
