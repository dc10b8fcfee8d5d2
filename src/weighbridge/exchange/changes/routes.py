"""Paths of the feed of changes."""

from weighbridge.core.platform.change import LATEST
from weighbridge.core.platform.permission import ANY
from weighbridge.exchange.changes import queries
from weighbridge.exchange.changes.records import ChangePage
from weighbridge.http.following.request import FollowCall, LookResult, follow
from weighbridge.http.following.stream import StreamLook


@follow("/changes", permission=ANY, returns=ChangePage, options=queries.OPTIONS, begins=("after", LATEST))
async def list_changes(call: FollowCall) -> LookResult:
    """Follow what changes: events, corrections, batches, tasks, rule results and reports, in one order.

    Send the `cursor` of the last answer as `after`, again and again: each change is told once, and none is
    left out, also when many write at a time. With `wait` an answer that would be empty comes as soon as
    there is a change. With `Accept: text/event-stream` they come as Server-Sent Events, each as soon as it is
    there, from now on or behind `after` or the `Last-Event-ID`. A token is told of kinds that it may read.
    Changes are kept for some days; 410 says that those behind the cursor are not.
    """
    request = queries.change_request(call.actor, call.query)
    page, newest = await queries.read_changes(call.database, call.actor, request)
    others = tuple(pair for pair in call.query if pair[0] != "after")
    return LookResult(
        page,
        newest,
        is_worth_telling=bool(page.data) or page.has_more or request.is_latest,
        next_query=(("after", page.cursor), *others),
        stream=StreamLook([(one.cursor, one) for one in page.data], page.cursor, newest, page.has_more),
    )


ROUTES = [list_changes]
"""The slice's paths."""
