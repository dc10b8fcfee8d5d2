"""Data feeds: how the files of one source are read.

A feed belongs to a project and makes events of one event type; it says which column gives what, in
which unit, and how times and numbers are written. Files are uploaded to it (`data_feed_uploads`), or
found in the place that it watches. Permission: data collection.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from msgspec import Struct
from psycopg.errors import UniqueViolation

from weighbridge.collection.event_types import read_event_type
from weighbridge.collection.named_records.noun import ProjectNoun
from weighbridge.collection.records.data_points import EventType
from weighbridge.core import identity
from weighbridge.core.collection.data_feed import (
    COUNTED_FORMATS,
    HEADER_SEARCHED,
    HEADER_SEARCHED_MAX,
    AboveLimit,
    BadRows,
    BelowLimit,
    DecimalMark,
    Formulas,
    OnDifference,
    OtherColumns,
    ReferenceRule,
    ThousandsSeparator,
    check_watch,
    is_value,
)
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import time_zone_names
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    Page,
)
from weighbridge.db.row import remove_unused
from weighbridge.errors import Invalid, NotFound
from weighbridge.exchange.records.data_feeds import (
    DATA_FEED_BODIES,
    DataFeed,
    HeaderQuestion,
    SuggestedColumns,
)
from weighbridge.exchange.tables.cell import DURATION, is_time_format
from weighbridge.exchange.tables.columns import check_columns, check_values
from weighbridge.exchange.tables.sample import suggest_fields
from weighbridge.exchange.tables.table import is_encoding
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import project_to_read
from weighbridge.settings import Settings

DATA_FEEDS: Final = ProjectNoun(DATA_FEED_BODIES, "data_feeds")

# Make data feeds, change and remove them.


_CHOICES: Final = {
    "other_columns": OtherColumns,
    "decimal_mark": DecimalMark,
    "thousands_separator": ThousandsSeparator,
    "below_limit": BelowLimit,
    "above_limit": AboveLimit,
    "formulas": Formulas,
    "client_reference": ReferenceRule,
    "bad_rows": BadRows,
    "on_difference": OnDifference,
}
"""The fields that take one of some words."""


async def insert_data_feed(
    tx: Write, actor: Actor, project: int, new: DataFeed, settings: Settings
) -> DataFeed:
    """Say how the files of one source are read."""
    await _check_data_feed(tx, actor, project, new, settings)
    with _explained_conflicts(new):
        made = await DATA_FEEDS.insert(tx, project, new, _find_watcher(actor, new))
    changes.record(tx, actor, action="data_feed.create", target=str(made.id), project_id=project, after=made)
    return made


def _find_watcher(actor: Actor, feed: DataFeed) -> dict[str, Any]:
    """For whom files are taken up that are found."""
    is_watching = feed.watch is not None
    return {
        "watch_user_id": actor.user_id if is_watching else None,
        "watch_token_id": actor.token_id if is_watching else None,
    }


@contextmanager
def _explained_conflicts(feed: DataFeed) -> Iterator[None]:
    """Raise Invalid where another feed has its name or watches its place."""
    try:
        yield
    except UniqueViolation as error:
        field, does = "name", "as another data feed of the project is called."
        # On a node of a cluster a number follows the name.
        if (error.diag.constraint_name or "").startswith("data_feeds_one_watches"):
            field, does = "watch", "which another data feed watches; a file goes to one of them."
        message = f"data_feed.{field} is {getattr(feed, field)!r}, {does}"
        raise Invalid([Problem(message, f"data_feed.{field}", "taken")]) from None


async def _check_data_feed(tx: Read, actor: Actor, project: int, feed: DataFeed, settings: Settings) -> None:
    """Raise Invalid with everything that is wrong, for which the database is asked once."""
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


def _list_form_problems(feed: DataFeed) -> Iterator[Problem]:
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
    texts = [(name, getattr(feed, name)) for name in _TEXTS]
    texts += [("skip_rows", pattern) for pattern in feed.skip_rows]
    texts += [("missing", f"x{text}") for text in feed.missing]
    for name, text_of_field in texts:
        if text_of_field is not None and ("\0" in text_of_field or not text_of_field.strip()):
            yield Problem(f"data_feed.{name} is blank or holds a NUL.", f"data_feed.{name}", "invalid")
    yield from _list_table_problems(feed)


_TEXTS: Final = ("time_format", "sheet", "archive_files", "tag_column", "value_column")


def _list_table_problems(feed: DataFeed) -> Iterator[Problem]:
    """What is wrong with the form of the table, which several settings say together."""
    if feed.thousands_separator == feed.decimal_mark:
        text = (
            f"data_feed.thousands_separator is {feed.thousands_separator!r}, as decimal_mark is; decimals "
            "have another mark before them."
        )
        yield Problem(text, "data_feed.thousands_separator", "conflict")
    if (feed.tag_column is None) != (feed.value_column is None):
        lacking = "tag_column" if feed.tag_column is None else "value_column"
        text = f"data_feed.{lacking} is required: a long file has both tag_column and value_column."
        yield Problem(text, f"data_feed.{lacking}", "required")
    elif feed.tag_column is not None and feed.tag_column == feed.value_column:
        text = f"data_feed.value_column is {feed.value_column!r}, as tag_column is; they are two columns."
        yield Problem(text, "data_feed.value_column", "conflict")
    if feed.tag_column is not None and feed.units_line:
        text = "data_feed.units_line is true, but a long file has no line of units; give each tag its unit."
        yield Problem(text, "data_feed.units_line", "conflict")
    has_names = feed.tag_column is not None or any(
        column.column.strip() and not is_value(column.column, column.field) for column in feed.columns
    )
    if feed.header_line == HEADER_SEARCHED and not has_names:
        text = (
            f"data_feed.header_line is 0, so that the header is looked for among the first "
            f"{HEADER_SEARCHED_MAX} lines by the columns that data_feed.columns names; it names none."
        )
        yield Problem(text, "data_feed.header_line", "conflict")
    if feed.files_in_order and not feed.rows_in_order:
        text = "data_feed.files_in_order is true, but rows_in_order is not; files are in order by their rows."
        yield Problem(text, "data_feed.files_in_order", "conflict")


def _list_time_problems(feed: DataFeed) -> Iterator[Problem]:
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
            "it takes a form such as %d.%m.%Y %H:%M, with each part once, or one of "
            f"{', '.join(COUNTED_FORMATS)}."
        )
        yield Problem(text, "data_feed.time_format", "invalid")


async def _find_event_type(tx: Read, project: int, feed: DataFeed) -> EventType | None:
    try:
        return await read_event_type(tx, project, feed.event_type_id)
    except NotFound:
        return None


def _list_event_type_problems(feed: DataFeed, event_type: EventType | None) -> Iterator[Problem]:
    if event_type is None:
        text = f"data_feed.event_type_id is {feed.event_type_id!r}, which is no event type of the project."
        yield Problem(text, "data_feed.event_type_id", "unknown")
    elif event_type.rolled_up_from is not None:
        text = (
            f"data_feed.event_type_id is {feed.event_type_id!r}, whose events the service rolls up; "
            "feed those that they are made of."
        )
        yield Problem(text, "data_feed.event_type_id", "rolled_up")


def _list_column_problems(feed: DataFeed, event_type: EventType) -> list[Problem]:
    return [*check_columns(feed.columns, event_type)]


_KNOWN: Final = """
    SELECT ARRAY(SELECT id FROM locations WHERE project_id = %(project)s AND id = ANY (%(location_ids)s)),
           (SELECT id FROM feedstocks WHERE project_id = %(project)s AND id = %(feedstock_id)s),
           (SELECT id FROM assets WHERE project_id = %(project)s AND id = %(asset_id)s)
"""
"""Which of the records that every event names there are."""


def _parse_ids(project: int, feed: DataFeed) -> dict[str, Any]:
    """The numbers of the records that every event names, by field."""
    return {
        "feedstock_id": identity.number("feedstock", feed.feedstock_id or "", project),
        "asset_id": identity.number("asset", feed.asset_id or "", project),
        "location_ids": [identity.number("location", friendly, project) for friendly in feed.location_ids],
    }


def _list_unknown_ids(
    feed: DataFeed,
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
    for kind, named, found in (
        ("feedstock", feed.feedstock_id, feedstock),
        ("asset", feed.asset_id, asset),
    ):
        if named is not None and found is None:
            text = f"data_feed.{kind}_id is {named!r}, which is no {kind} of the project."
            yield Problem(text, f"data_feed.{kind}_id", "unknown")


# Paths of data feeds.


_PATH = "/projects/{project_id}/data_feeds"
_ONE = _PATH + "/{data_feed_id}"


@get(_PATH, permission="data_collection:read", returns=Page[DataFeed], listing=DATA_FEEDS.listing)
async def list_data_feeds(call: ReadCall) -> Page[DataFeed]:
    """List a project's data feeds."""
    return await DATA_FEEDS.list_of_project(call)


@post(_PATH, permission="data_collection:write", body=DATA_FEED_BODIES.new_body, returns=DataFeed)
async def create_data_feed(call: WriteCall, body: Struct) -> DataFeed:
    """Say how the files of one source are read, once for all of them.

    Columns that `columns` does not name give what their names say: a slug, or a field of the event.
    """
    return await insert_data_feed(
        call.tx, call.actor, project_to_read(call), DATA_FEED_BODIES.created(body), call.settings
    )


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
    project = project_to_read(call)
    event_type = await read_event_type(call.tx, project, body.event_type_id)
    return await call.tx.in_thread(suggest_fields, body.header, event_type)


@get(_ONE, permission="data_collection:read", returns=DataFeed)
async def get_data_feed(call: ReadCall) -> DataFeed:
    """Read one data feed."""
    return await DATA_FEEDS.get(call)


@patch(_ONE, permission="data_collection:write", body=DATA_FEED_BODIES.change_body, returns=DataFeed)
async def update_data_feed(call: WriteCall, body: Struct) -> DataFeed:
    """Change how files are read from now on; what was stored stays as it is."""
    tx, actor, project, named = call.tx, call.actor, project_to_read(call), call.path["data_feed_id"]
    before = await DATA_FEEDS.read(tx, project, named, locks=True)
    desired = DATA_FEED_BODIES.changed(before, body)
    await _check_data_feed(tx, actor, project, desired, call.settings)
    if desired == before:
        return before
    watcher = (
        {} if desired.watch == before.watch else {**_find_watcher(actor, desired), "watch_problem": None}
    )
    with _explained_conflicts(desired):
        after = await DATA_FEEDS.replace(tx, project, before.id, desired, watcher)
    changes.record(
        tx, actor, action="data_feed.update", target=named, project_id=project, before=before, after=after
    )
    return after


@delete(_ONE, permission="data_collection:write")
async def delete_data_feed(call: WriteCall) -> None:
    """Remove a data feed to which no file was ever uploaded."""
    project = project_to_read(call)
    tx, named = call.tx, call.path["data_feed_id"]
    before = await DATA_FEEDS.read(tx, project, named, locks=True)
    used = (
        f"Files were uploaded to the data feed {before.name!r}, and events say so; it stays. "
        "It looks for files no more when its watch is null."
    )
    await remove_unused(tx, "data_feeds", project, before.id, used=used)
    changes.record(tx, call.actor, action="data_feed.delete", target=named, project_id=project, before=before)


ROUTES = [
    list_data_feeds, create_data_feed, suggest_columns, get_data_feed, update_data_feed, delete_data_feed,
]  # fmt: skip
