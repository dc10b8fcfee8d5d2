"""The data of a page in place of the page: `.json` is what the call answers, `.csv` its rows as a table."""

from collections.abc import Callable
from typing import Any, Final, get_args

from litestar.handlers import HTTPRouteHandler
from msgspec.structs import replace as replace_struct

from weighbridge.db.engine import Read
from weighbridge.db.listing import Page
from weighbridge.errors import NotFound
from weighbridge.exchange.export_rows.records import Query, RecordTable
from weighbridge.http.operation import Operation
from weighbridge.web.answer import Sendable, file_of
from weighbridge.web.listing import ListQuery, without_blanks
from weighbridge.web.visit import Visit

JSON: Final = ".json"
CSV: Final = ".csv"


def suffix_of(path: str) -> str:
    """The ending by which a path asks for data; empty where it asks for a page."""
    return next((suffix for suffix in (JSON, CSV) if path.endswith(suffix)), "")


async def as_data(
    visit: Visit, of: HTTPRouteHandler, suffix: str, asked: Callable[[Visit], ListQuery] | None
) -> Sendable:
    """What an operation gives, in the form that the path asks for; `asked` is what its page asks for."""
    operation: Operation = of.opt["operation"]
    answer = await visit.ask(of, asked(visit) if asked else without_blanks(visit.query))
    if suffix == JSON:
        return file_of(visit.request.app.state.encode(answer), "application/json")
    if not isinstance(answer, Page):
        raise NotFound(message="This page is no list, so it has no rows.", code="no_such_path")
    [record] = get_args(operation.returns)
    return file_of(await _rows(visit, record, answer), "text/csv; charset=utf-8", f"{operation.name}.csv")


async def _rows(visit: Visit, record: Any, page: Page[Any]) -> bytes:
    """The rows of one page, guarded against spreadsheets that would compute texts."""
    last = replace_struct(page, info=replace_struct(page.info, next_cursor=None))

    async def read(_tx: Read, _query: Query) -> Page[Any]:
        return last

    table = RecordTable(record, read, (), visit.request.app.state.encode)
    return b"".join([piece async for piece in table.csv(visit.reading, guards=True)])
