"""A list in another mode than by page: its count and samples, and a file of its rows if that is asked for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast

import msgspec

from weighbridge.core.platform.export_format import ResponseMode
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.http.call import ReadCall, call_of, query_of
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.lists.response_mode import SAMPLES, AskedFile, ListSummary, StartExport, asked
from weighbridge.http.operation import Operation


class Answering(Protocol):
    """Carries out a reading for whoever the request's token acts for."""

    async def __call__(self, read: Callable[[Read, Actor], Awaitable[Any]], *, computes: bool) -> Any:
        """What was read."""


async def summarised(
    request: WebRequest, function: Callable[[ReadCall], Awaitable[Any]], answered: Answering
) -> Any:
    """A list in the mode that the query names: a page of it, or a summary, whose rows may go into a file."""
    operation: Operation = request.route_handler.opt["operation"]
    way = asked(query_of(request), is_exported=operation.listing.is_exported)
    of_samples = () if way.mode is ResponseMode.DEFAULT else (("page_size", str(SAMPLES)),)
    asking: list[Actor] = []

    async def read(tx: Read, actor: Actor) -> Any:
        asking.append(actor)
        return await function(replace(call_of(request, tx, actor), query=(*way.query, *of_samples)))

    page = await answered(read, computes=False)
    if way.mode is ResponseMode.DEFAULT:
        return page
    summary = ListSummary(page.info.total_items, page.info.total_is_estimate, page.data, way.mode)
    if way.mode is ResponseMode.SUMMARY:
        return summary
    [actor] = asking
    start: StartExport = request.app.state.start_export
    async with shares(request).turn(actor.account_id), database(request).write() as tx:
        path = cast("Mapping[str, str]", request.path_params)
        export = await start(tx, actor, AskedFile(operation, path, way.query, way.export_format))
    return msgspec.structs.replace(summary, export=export)
