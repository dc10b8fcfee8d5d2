"""Paths of data feeds."""

from weighbridge.collection.event_types import read_event_type
from weighbridge.collection.named_records.names import project_named, project_to_read
from weighbridge.db.lists.listing import Page, list_request
from weighbridge.exchange.data_feeds import actions, queries
from weighbridge.exchange.data_feeds.records import (
    DataFeed,
    DataFeedChangeBody,
    HeaderQuestion,
    NewDataFeedBody,
    SuggestedColumns,
)
from weighbridge.exchange.feeding.suggestion import suggested
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, delete, get, patch, post

_PATH = "/projects/{project_id}/data_feeds"
_ONE = _PATH + "/{data_feed_id}"


@get(_PATH, permission="data_collection:read", returns=Page[DataFeed], listing=queries.DATA_FEEDS)
async def list_data_feeds(call: ReadCall) -> Page[DataFeed]:
    """List a project's data feeds."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_data_feeds(call.tx, project, list_request(call.query, queries.DATA_FEEDS))


@post(_PATH, permission="data_collection:write", body=NewDataFeedBody, returns=DataFeed)
async def create_data_feed(call: WriteCall, body: NewDataFeedBody) -> DataFeed:
    """Say how the files of one source are read, once for all of them.

    Columns that `columns` does not name give what their names say: a slug, or a field of the event.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_data_feed(call.tx, call.actor, project, body.data_feed, call.settings)


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
    return await call.tx.in_thread(suggested, body.header, event_type)


@get(_ONE, permission="data_collection:read", returns=DataFeed)
async def get_data_feed(call: ReadCall) -> DataFeed:
    """Read one data feed."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.get_data_feed(call.tx, project, call.path["data_feed_id"])


@patch(_ONE, permission="data_collection:write", body=DataFeedChangeBody, returns=DataFeed)
async def update_data_feed(call: WriteCall, body: DataFeedChangeBody) -> DataFeed:
    """Change how files are read from now on; what was stored stays as it is."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.update_data_feed(
        call.tx, call.actor, project, call.path["data_feed_id"], body.data_feed, settings=call.settings
    )


@delete(_ONE, permission="data_collection:write")
async def delete_data_feed(call: WriteCall) -> None:
    """Remove a data feed to which no file was ever uploaded."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await actions.delete_data_feed(call.tx, call.actor, project, call.path["data_feed_id"])


ROUTES = [
    list_data_feeds, create_data_feed, suggest_columns, get_data_feed, update_data_feed, delete_data_feed,
]  # fmt: skip
