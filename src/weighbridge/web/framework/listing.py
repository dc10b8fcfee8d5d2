"""A list on a page: its filters and order are part of its URL; `.json` and `.csv` give its data in place
of the page.

The names of the fields are those of the interface, so that the URL of a page and that of the request
differ only in their beginning.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, get_args
from urllib.parse import urlencode

from msgspec.structs import replace as replace_struct

from weighbridge.core.platform.file_name import describe_query, name_file
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Info, Page
from weighbridge.errors import NotFound
from weighbridge.exchange.export.record_table import Query, RecordTable
from weighbridge.http.messages.operation import Endpoint
from weighbridge.web.display.figures import TimeFormat
from weighbridge.web.framework.columns import (
    PRESENTATION,
    VIEW,
    Grouping,
    find_grouping,
    join_columns,
    sort_grouped,
)
from weighbridge.web.framework.responses import Sendable, build_file
from weighbridge.web.framework.visit import Visit

PAGE_SIZE: Final = "50"
"""Records of one page of a list: as many as an API process writes without a computing process."""

ListQuery = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ListView:
    """A list on its page: the query, and the URLs of its other pages and orders."""

    path: str
    query: ListQuery
    info: Info
    group_sort: str = ""
    """The field that only keeps the groups of the list together."""

    @property
    def next(self) -> str:
        """The URL of the next page; empty on the last one."""
        if self.info.next_cursor is None:
            return ""
        return self._with(("cursor", self.info.next_cursor), removed=("cursor", "page"))

    @property
    def first(self) -> str:
        """The URL of the first page; empty on it."""
        return self._with(removed=("cursor", "page")) if self._has("cursor", "page") else ""

    @property
    def is_filtered(self) -> bool:
        """Whether the query has filters, or times of a field for them."""
        return any(name.startswith("filter") or name in {"from", "until"} for name, _ in self.query)

    @property
    def total(self) -> str:
        """The number of records, as text."""
        count = f"{self.info.total_items:,}".replace(",", "\u202f")
        return f"about {count}" if self.info.total_is_estimate else count

    def sorted_by(self, name: str) -> str:
        """Return the URL of the list sorted by a field; in reverse if it is sorted so already."""
        turned = f"-{name}" if self.order == name else name
        return self._with(("sort", turned), removed=("sort", "cursor", "page"))

    @property
    def order(self) -> str:
        """The field that the list is sorted by, with a minus if it is descending."""
        names = [name for name in self.info.sort if name.removeprefix("-") != self.group_sort]
        return next(iter([*names, *self.info.sort]), "")

    def direction(self, name: str) -> str:
        """Return the order of a column for its header: `ascending`, `descending` or `none`."""
        if self.order == name:
            return "ascending"
        return "descending" if self.order == f"-{name}" else "none"

    def replacing(self, name: str, value: str) -> str:
        """Return the URL of this page of the list with another value of a parameter."""
        return self._with((name, value), removed=(name,))

    def without(self, *names: str) -> str:
        """Return the URL of the list without some parameters."""
        return self._with(removed=(*names, "cursor", "page"))

    def value(self, name: str) -> str:
        """Return the value of a parameter of the query; empty if it is missing."""
        return next((value for key, value in self.query if key == name), "")

    def kept(self, *own_names: str) -> ListQuery:
        """The parameters that a form of the list passes on: all but its own fields and the page."""
        left_out = {*own_names, "cursor", "page"}
        return tuple(pair for pair in join_columns(self.query) if pair[0] not in left_out)

    @property
    def is_changed(self) -> bool:
        """Whether the URL says anything of the list."""
        return any(name != VIEW for name, _ in self.query)

    def _has(self, *names: str) -> bool:
        return any(key in names for key, _ in self.query)

    def _with(self, *added: tuple[str, str], removed: Sequence[str]) -> str:
        pairs = [(key, value) for key, value in join_columns(self.query) if key not in removed]
        text = urlencode([*pairs, *added], safe=",")
        return f"{self.path}?{text}" if text else self.path


def build_query(query: ListQuery, *, sort: str = "") -> ListQuery:
    """Return a query as the interface takes it: without empty fields, with a page size and an order."""
    pairs = drop_presentation(drop_blanks(query))
    names = {name for name, _ in pairs}
    usual = (("page_size", PAGE_SIZE), *((("sort", sort),) if sort and "cursor" not in names else ()))
    return pairs + tuple(pair for pair in usual if pair[0] not in names)


def list_query(
    visit: Visit,
    *,
    sort: str = "",
    times: Mapping[str, str] = MappingProxyType({}),
    groupings: Sequence[Grouping] = (),
) -> ListQuery:
    """Return the query of a list whose filters are those of the URL.

    `times` are fields with times in the project's zone, each with its filter; `groupings` are those of the
    list, which keep their groups together where the interface sorts by them.
    """
    query = build_query(convert_times(visit.query, times, visit.moments), sort=sort)
    return sort_groups(query, find_grouping(visit.query, groupings), sort)


def sort_groups(query: ListQuery, grouping: Grouping | None, sort: str) -> ListQuery:
    """Return the query in an order that keeps groups together; a cursor knows its order."""
    if grouping is None or not grouping.sort:
        return query
    wanted = next((value for name, value in query if name == "sort"), sort)
    others = tuple(pair for pair in query if pair[0] != "sort")
    if any(name == "cursor" for name, _ in query):
        return others
    return (*others, ("sort", sort_grouped(wanted, grouping)))


def convert_times(query: ListQuery, filters: Mapping[str, str], when: TimeFormat) -> ListQuery:
    """Return the query with fields for times, in the project's zone, replaced by their filters."""
    return tuple(
        (filters[name], moment.text) if name in filters and (moment := when.typed(value)) else (name, value)
        for name, value in query
    )


def drop_presentation(query: ListQuery) -> ListQuery:
    """Return the query without what only concerns the page."""
    return tuple(pair for pair in query if pair[0] not in PRESENTATION)


def drop_blanks(query: ListQuery) -> ListQuery:
    """Return the query without empty fields."""
    return tuple((name, value) for name, value in query if value.strip())


# The data of a page: `.json` is the response of the operation, `.csv` its records as a table.


JSON: Final = ".json"
CSV: Final = ".csv"


def data_suffix(path: str) -> str:
    """Return the suffix by which a path requests data; empty for a page."""
    return next((suffix for suffix in (JSON, CSV) if path.endswith(suffix)), "")


async def render_data(
    visit: Visit, of: Endpoint, suffix: str, query_of: Callable[[Visit], ListQuery] | None
) -> Sendable:
    """Return the data of an operation in the requested form; `asked` builds the query of its page."""
    operation = of.operation
    answer = await visit.ask(of, query_of(visit) if query_of else drop_presentation(drop_blanks(visit.query)))
    if suffix == JSON:
        return build_file(visit.request.app.state.encode(answer), "application/json")
    if not isinstance(answer, Page):
        raise NotFound(message="This page is not a list, so it has no CSV.", code="no_such_path")
    [record] = get_args(operation.returns)
    return build_file(
        await _rows(visit, record, answer), "text/csv; charset=utf-8", _name_list(visit, operation.name)
    )


def _name_list(visit: Visit, operation: str) -> str:
    """What the CSV of a page is called: project, list, filters, and when it was so."""
    project = visit.frame.project.name if visit.frame.project else None
    asked = [pair for pair in drop_presentation(drop_blanks(visit.query)) if pair[0] not in visit.path]
    listed = operation.removeprefix("list_").replace("_", "-")
    return name_file("csv", project, listed, *describe_query(asked), moment=visit.frame.now)


async def _rows(visit: Visit, record: Any, page: Page[Any]) -> bytes:
    """Return the records of one page as CSV, guarded against spreadsheets that would evaluate texts."""
    last = replace_struct(page, info=replace_struct(page.info, next_cursor=None))

    async def read(_tx: Read, _query: Query) -> Page[Any]:
        return last

    table = RecordTable(record, read, (), visit.request.app.state.encode)
    return b"".join([piece async for piece in table.csv(visit.reading, guards=True)])
