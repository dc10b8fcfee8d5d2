"""Data feeds: how the files of one source are read.

A feed belongs to a project and makes events of one event type; it says which column gives what, in
which unit, and how times and numbers are written. Files are uploaded to it (`data_feed_uploads`), or
found in the place that it watches. Permission: data collection.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final
from zoneinfo import available_timezones

import msgspec
from msgspec.structs import asdict
from psycopg.errors import UniqueViolation
from psycopg.sql import SQL, Identifier, Placeholder

from weighbridge.collection.event_types import read_event_type
from weighbridge.collection.named_records.names import project_named, project_to_read
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import (
    BadRows,
    DecimalMark,
    Formulas,
    OnDifference,
    OtherColumns,
    ReferenceRule,
    check_watch,
)
from weighbridge.core.identity import ids
from weighbridge.core.identity.names import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Read, Write
from weighbridge.db.json import jsonb
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_int4,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, changed, remove_unused, row_of, unless_null
from weighbridge.errors import Invalid, NotFound
from weighbridge.exchange.feeding.mapping import check_columns, check_values
from weighbridge.exchange.feeding.sample import suggest_fields
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
from weighbridge.exchange.tabular.cell import DURATION, is_time_format
from weighbridge.exchange.tabular.table import is_encoding
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.settings import Settings

# Read data feeds.


DATA_FEEDS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    filters={"name": Filter("name", str, "a name")},
)


def _columns(stored: Any) -> list[FeedColumn]:
    return msgspec.convert(stored, list[FeedColumn])


def _locations(project: int, numbers: list[int]) -> list[str]:
    return [ids.of("location", project, number) for number in numbers]


DATA_FEED_ROW: Final = row_of(
    DataFeed,
    Column("id", "id"),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("event_type_id", ("project_id", "event_type_id"), partial(ids.of, "event_type")),
    Column("columns", "columns", _columns),
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
    Column("location_ids", ("project_id", "location_ids"), _locations),
    Column("feedstock_id", ("project_id", "feedstock_id"), unless_null(partial(ids.of, "feedstock"))),
    Column("asset_id", ("project_id", "asset_id"), unless_null(partial(ids.of, "asset"))),
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


async def read_data_feed(tx: Read, project: int, named: str) -> DataFeed:
    """One data feed by its number."""
    missing = NotFound("data_feed", named)
    try:
        number = read_int4(named)
    except ValueError:
        raise missing from None
    statement = f"SELECT {DATA_FEED_ROW.columns} FROM data_feeds WHERE project_id = %s AND id = %s"
    found = await tx.row(DATA_FEED_ROW.make, statement, (project, number))
    if found is None:
        raise missing
    return found


# Make data feeds, change and remove them.


_WORDS: Final = {
    "other_columns": OtherColumns,
    "decimal_mark": DecimalMark,
    "formulas": Formulas,
    "client_reference": ReferenceRule,
    "bad_rows": BadRows,
    "on_difference": OnDifference,
}
"""The fields that take one of some words."""

_NAMED: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}


async def insert_data_feed(
    tx: Write, actor: Actor, project: int, new: NewDataFeed, settings: Settings
) -> DataFeed:
    """Say how the files of one source are read."""
    values = await _checked(tx, actor, project, new, settings) | _watched_by(actor, new)
    statement = SQL("INSERT INTO data_feeds (project_id, {}) VALUES ({}, {}) RETURNING id").format(
        SQL(", ").join(map(Identifier, values)), Placeholder(), SQL(", ").join([Placeholder()] * len(values))
    )
    try:
        number: int = await tx.value(statement, (project, *values.values()))
    except UniqueViolation as error:
        raise _taken(new, error) from None
    made = await read_data_feed(tx, project, str(number))
    changes.record(tx, actor, action="data_feed.create", target=str(number), project_id=project, after=made)
    return made


async def change_data_feed(
    tx: Write, actor: Actor, project: int, named: str, change: DataFeedChange, *, settings: Settings
) -> DataFeed:
    """Change how files are read from now on."""
    before = await _locked(tx, project, named)
    desired = changed(before, change)
    values = await _checked(tx, actor, project, desired, settings)
    if desired.watch != before.watch:
        values |= {**_watched_by(actor, desired), "watch_problem": None}
    if desired == before:
        return before
    statement = SQL("UPDATE data_feeds SET {}, updated_at = now() WHERE project_id = {} AND id = {}").format(
        SQL(", ").join(SQL("{} = {}").format(Identifier(one), Placeholder()) for one in values),
        Placeholder(),
        Placeholder(),
    )
    try:
        await tx.execute(statement, (*values.values(), project, before.id))
    except UniqueViolation as error:
        raise _taken(desired, error) from None
    after = await read_data_feed(tx, project, named)
    changes.record(
        tx, actor, action="data_feed.update", target=named, project_id=project, before=before, after=after
    )
    return after


async def remove_data_feed(tx: Write, actor: Actor, project: int, named: str) -> None:
    """Remove a data feed to which no file was ever uploaded."""
    before = await _locked(tx, project, named)
    said = (
        f"Files were uploaded to the data feed {before.name!r}, and events say so; it stays. "
        "It looks for files no more when its watch is null."
    )
    await remove_unused(tx, "data_feeds", project, before.id, used=said)
    changes.record(tx, actor, action="data_feed.delete", target=named, project_id=project, before=before)


async def _locked(tx: Write, project: int, named: str) -> DataFeed:
    """A data feed that nobody else changes or removes until the transaction ends."""
    found = await read_data_feed(tx, project, named)
    statement = "SELECT FROM data_feeds WHERE project_id = %s AND id = %s FOR UPDATE"
    await tx.execute(statement, (project, found.id))
    return await read_data_feed(tx, project, named)


def _watched_by(actor: Actor, said: NewDataFeed | DataFeed) -> dict[str, Any]:
    """For whom files are taken up that are found."""
    is_watching = said.watch is not None
    return {
        "watch_user_id": actor.user_id if is_watching else None,
        "watch_token_id": actor.token_id if is_watching else None,
    }


def _taken(said: NewDataFeed | DataFeed, error: UniqueViolation) -> Invalid:
    if error.diag.constraint_name == "data_feeds_one_watches":
        text = (
            f"data_feed.watch is {said.watch!r}, which another data feed watches; a file goes to one of them."
        )
        return Invalid([Problem(text, "data_feed.watch", "taken")])
    text = f"data_feed.name is {said.name!r}, as another data feed of the project is called."
    return Invalid([Problem(text, "data_feed.name", "taken")])


async def _checked(
    tx: Read, actor: Actor, project: int, said: NewDataFeed | DataFeed, settings: Settings
) -> dict[str, Any]:
    """The columns of the row; Invalid with everything that is wrong."""
    problems = [*_problems_of_form(said), *check_values(said)]
    event_type = await _event_type(tx, project, said, problems)
    if event_type is not None:
        problems += await tx.in_thread(_listed_problems_of_columns, said, event_type)
    numbers = await _numbers(tx, project, said, problems)
    if said.watch is not None:
        account: str = await tx.value("SELECT name FROM accounts WHERE id = %s", (actor.account_id,))
        problems += check_watch(said.watch, settings.watched_roots, account)
    if problems:
        raise Invalid(problems)
    stored = {
        name: value
        for name, value in asdict(said).items()
        if name in NewDataFeed.__struct_fields__ and not name.endswith(("_id", "_ids"))
    }
    stored |= {
        "name": said.name.strip(),
        "columns": jsonb(said.columns),
        "event_type_id": ids.number("event_type", said.event_type_id, project),
        **numbers,
    }
    return stored


def _problems_of_form(said: NewDataFeed | DataFeed) -> Iterator[Problem]:
    if problem := problem_of_name(said.name, "A data feed", "data_feed.name"):
        yield problem
    for field, words in _WORDS.items():
        if (word := getattr(said, field)) not in {*words}:
            allowed = ", ".join(words)
            text = f"data_feed.{field} is {shorten(word)!r}; it takes one of {allowed}."
            yield Problem(text, f"data_feed.{field}", "invalid")
    yield from _problems_of_times(said)
    if len(said.delimiter) != 1 or said.delimiter in '"\r\n\0':
        text = f"data_feed.delimiter is {said.delimiter!r}; it takes one character, such as ; or a tab."
        yield Problem(text, "data_feed.delimiter", "invalid")
    if not is_encoding(said.encoding):
        text = f"data_feed.encoding is {said.encoding!r}; examples are utf-8 and windows-1252."
        yield Problem(text, "data_feed.encoding", "invalid")
    texts = {"time_format": said.time_format, "sheet": said.sheet, **dict.fromkeys(said.missing, "x")}
    for field, text_of_field in texts.items():
        if text_of_field is not None and (
            "\0" in text_of_field or "\0" in field or not text_of_field.strip()
        ):
            name = field if field in {"time_format", "sheet"} else "missing"
            yield Problem(f"data_feed.{name} is blank or holds a NUL.", f"data_feed.{name}", "invalid")


def _problems_of_times(said: NewDataFeed | DataFeed) -> Iterator[Problem]:
    if said.time_zone is not None and said.time_zone not in available_timezones():
        text = f"data_feed.time_zone is {said.time_zone!r}, which is not on the IANA list, such as UTC."
        yield Problem(text, "data_feed.time_zone", "invalid")
    if said.duration is not None and not DURATION.fullmatch(said.duration):
        text = (
            f"data_feed.duration is {said.duration!r}; "
            "it takes a whole number with s, m, h or d, such as 15m or 1h."
        )
        yield Problem(text, "data_feed.duration", "invalid")
    if said.time_format is not None and said.time_format.strip() and not is_time_format(said.time_format):
        text = (
            f"data_feed.time_format is {shorten(said.time_format)!r}, by which no time can be read; "
            "it takes a form such as %d.%m.%Y %H:%M, with each part once."
        )
        yield Problem(text, "data_feed.time_format", "invalid")


async def _event_type(
    tx: Read, project: int, said: NewDataFeed | DataFeed, problems: list[Problem]
) -> EventType | None:
    try:
        found = await read_event_type(tx, project, said.event_type_id)
    except NotFound:
        text = f"data_feed.event_type_id is {said.event_type_id!r}, which is no event type of the project."
        problems.append(Problem(text, "data_feed.event_type_id", "unknown"))
        return None
    if found.rolled_up_from is not None:
        text = (
            f"data_feed.event_type_id is {said.event_type_id!r}, whose events the service rolls up; "
            "feed those that they are made of."
        )
        problems.append(Problem(text, "data_feed.event_type_id", "rolled_up"))
    return found


def _listed_problems_of_columns(said: NewDataFeed | DataFeed, event_type: EventType) -> list[Problem]:
    """Reading a unit may take a while, the first time."""
    return [*check_columns(said.columns, event_type)]


async def _numbers(
    tx: Read, project: int, said: NewDataFeed | DataFeed, problems: list[Problem]
) -> dict[str, Any]:
    """The numbers of the records that every event names."""
    named = [ids.number("location", friendly, project) for friendly in said.location_ids]
    numbers = {
        field: None if (friendly := getattr(said, field)) is None else ids.number(kind, friendly, project)
        for field, kind in _NAMED.items()
    }
    [[there, feedstock, asset]] = await tx.tuples(
        """
        SELECT ARRAY(SELECT id FROM locations WHERE project_id = %(project)s AND id = ANY (%(locations)s)),
               (SELECT id FROM feedstocks WHERE project_id = %(project)s AND id = %(feedstock)s),
               (SELECT id FROM assets WHERE project_id = %(project)s AND id = %(asset)s)
        """,
        {
            "project": project, "locations": named, "feedstock": numbers["feedstock_id"],
            "asset": numbers["asset_id"],
        },
    )  # fmt: skip
    for friendly, number in zip(said.location_ids, named, strict=True):
        if number not in there or named.count(number) > 1:
            text = (
                f"data_feed.location_ids names {friendly!r}, which is no location of the project, or twice."
            )
            problems.append(Problem(text, "data_feed.location_ids", "unknown"))
    for field, found in (("feedstock_id", feedstock), ("asset_id", asset)):
        friendly = getattr(said, field)
        if friendly is not None and found is None:
            text = f"data_feed.{field} is {friendly!r}, which is no {_NAMED[field]} of the project."
            problems.append(Problem(text, f"data_feed.{field}", "unknown"))
    return {"location_ids": named, **numbers}


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
    project = await project_named(call.tx, call.actor, call.path["project_id"])
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
    project = await project_named(call.tx, call.actor, call.path["project_id"])
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
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await change_data_feed(
        call.tx, call.actor, project, call.path["data_feed_id"], body.data_feed, settings=call.settings
    )


@delete(_ONE, permission="data_collection:write")
async def delete_data_feed(call: WriteCall) -> None:
    """Remove a data feed to which no file was ever uploaded."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await remove_data_feed(call.tx, call.actor, project, call.path["data_feed_id"])


ROUTES = [
    list_data_feeds, create_data_feed, suggest_columns, get_data_feed, update_data_feed, delete_data_feed,
]  # fmt: skip
