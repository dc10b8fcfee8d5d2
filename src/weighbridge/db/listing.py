"""A listing is one list of the interface: what it selects, and what it may be filtered and sorted by.

The table of fields is the single source: reading the query string, the SQL, the OpenAPI document and
the reference pages all derive from it. Every list is ordered totally, bounded and paged.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Generic, LiteralString, TypeVar

import msgspec
from psycopg.errors import DataError
from psycopg.sql import SQL, Composable

from weighbridge.core.identity.suggestion import did_you_mean
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db import cursor
from weighbridge.db.cursor import SortKey
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal
from weighbridge.db.row import Row
from weighbridge.errors import Malformed

Record = TypeVar("Record", bound=msgspec.Struct)

PAGE_SIZE_DEFAULT: Final = 20
PAGE_SIZE_MAX: Final = 200
PAGE_MAX: Final = 1_000_000
OFFSET_MAX: Final = 1_000_000
"""Rows that pages may lie behind; a longer list is walked by cursor, each page at the same cost."""

COUNT_MAX: Final = 10_000
"""Up to here a list is counted; beyond, the planner's estimate has to do."""

_DIGITS_READ: Final = 12
"""Digits of a whole number that are looked at; whoever sends more means a number beyond every limit."""

BOUNDS: Final = ("geq", "leq")
"""The comparators of a field that is only bounded, as times are."""

MOMENT: Final = "a time with an offset or Z, where + is sent as %2B"
"""What a filter by time takes; a query string has a space where a plus is not written so."""

PARAMETERS: Final = ("page", "page_size", "sort", "cursor", "filter")
_INT4_LARGEST: Final = 2**31 - 1

COMPARATORS: Final[Mapping[str, LiteralString]] = {"eq": "=", "geq": ">=", "leq": "<="}


@dataclass(frozen=True, slots=True)
class Filter:
    """One field to filter by: the column, how a value is read, which comparators make sense."""

    column: LiteralString
    read: Callable[[str], Any]
    expects: str
    comparators: tuple[str, ...] = ("eq",)
    contains: bool = False
    """The column is an array, and equal means that it holds the value."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list may be filtered and sorted by; `key` are the columns that make the order total."""

    sorts: Mapping[str, LiteralString]
    default_sort: str
    key: tuple[LiteralString, ...]
    filters: Mapping[str, Filter] = field(default_factory=dict)
    plain: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Parameters that stand for a filter: `start_time` for `filter[start_time][geq]`."""


class Info(msgspec.Struct, frozen=True, omit_defaults=False):
    """Where a page stands in its list."""

    items: int
    page_size: int
    total_items: int
    total_is_estimate: bool
    current_page: int | None
    next_page: int | None
    previous_page: int | None
    total_pages: int
    sort: list[str]
    filter: list[str]
    next_cursor: str | None = None


class Page(msgspec.Struct, Generic[Record], frozen=True):
    """One page of a list."""

    data: list[Record]
    info: Info


@dataclass(frozen=True, slots=True)
class ListRequest:
    """What the query string asks of a list, checked against the listing's table."""

    page: int
    page_size: int
    sort: tuple[str, ...]
    conditions: tuple[tuple[str, str, Any], ...]
    after: tuple[str, ...] | None = None
    """The sort values behind which the page begins, when the list is walked by cursor."""

    def where(self, listing: Listing) -> list[Composable]:
        """The conditions as SQL, with their values as literals."""
        return [
            _comparison(listing.filters[name], COMPARATORS[comparator], value)
            for name, comparator, value in self.conditions
        ]

    def order(self, listing: Listing) -> list[SortKey]:
        """The total order: what was asked for, and the key, which runs the way of the last."""
        keys = [SortKey(listing.sorts[name.lstrip("-")], name.startswith("-")) for name in self.sort if name]
        descends = bool(keys) and keys[-1].descends
        return keys + [SortKey(expression, descends) for expression in listing.key]


async def page_of(
    tx: Read,
    make: Callable[..., Record],
    listing: Listing,
    request: ListRequest,
    *,
    columns: LiteralString,
    source: LiteralString,
    where: Sequence[Composable],
) -> Page[Record]:
    """Read one page: count what matches, then take the rows of the page in their order."""
    condition = SQL(" AND ").join([SQL("true"), *where, *request.where(listing)])
    matching = SQL("FROM {} WHERE {}").format(SQL(source), condition)
    total, is_estimate = await _total(tx, matching)
    order = request.order(listing)
    behind = SQL("true") if request.after is None else cursor.after(order, request.after)
    statement = SQL("SELECT {}, {} {} AND {} ORDER BY {} LIMIT {} OFFSET {}").format(
        SQL(columns),
        SQL(", ").join(SQL(column.expression) for column in order),
        matching,
        behind,
        SQL(", ").join(column.sql for column in order),
        Literal(request.page_size + 1),
        Literal((request.page - 1) * request.page_size),
    )
    try:
        rows = await tx.tuples(statement)
    except DataError:
        if request.after is None:
            raise
        raise Malformed([_BAD_CURSOR]) from None
    shown = rows[: request.page_size]
    goes_on = len(rows) > len(shown)
    if is_estimate:
        total, is_estimate = _seen(request, len(rows), total, goes_on=goes_on)
    info = page_info(request, len(shown), total, is_estimate=is_estimate, goes_on=goes_on)
    if goes_on:
        values = shown[-1][-len(order) :]
        info = msgspec.structs.replace(info, next_cursor=cursor.write(request.sort, values))
    return Page([make(*row[: -len(order)]) for row in shown], info)


async def read_page(
    tx: Read, row: Row[Record], listing: Listing, request: ListRequest,
    *, source: LiteralString, where: Sequence[Composable],
) -> Page[Record]:  # fmt: skip
    """Read one page of records that are made by their table."""
    return await page_of(tx, row.make, listing, request, columns=row.columns, source=source, where=where)


def read_int4(text: str) -> int:
    """Read a number that an integer column may hold; ValueError for any other text."""
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS_READ and int(text) <= _INT4_LARGEST:
        return int(text)
    raise ValueError(text)


def read_moment(text: str) -> Instant:
    """Read a time of a query string; ValueError when it has no offset."""
    return Instant.of(datetime.fromisoformat(text))


def among(allowed: Iterable[str]) -> Callable[[str], str]:
    """Reads a filter's value that is one of a few; ValueError for any other text."""

    def read(text: str) -> str:
        if text not in set(allowed):
            raise ValueError(text)
        return text

    return read


def list_request(query: Sequence[tuple[str, str]], listing: Listing) -> ListRequest:
    """Read a query string; raise Malformed with every problem it has."""
    problems: list[Problem] = []
    page, page_size = 1, PAGE_SIZE_DEFAULT
    sort: tuple[str, ...] = (listing.default_sort,)
    marked: str | None = None
    conditions: list[tuple[str, str, Any]] = []
    for name, value in query:
        if name == "page":
            page = _whole_number(name, value, PAGE_MAX, problems)
        elif name == "page_size":
            page_size = min(_whole_number(name, value, None, problems), PAGE_SIZE_MAX)
        elif name == "sort":
            sort = _sort(value, listing, problems)
        elif name == "cursor":
            marked = value
        elif name.startswith("filter"):
            conditions += _condition(name, value, listing, problems)
        elif name in listing.plain:
            conditions += _read(name, value, listing, listing.plain[name], problems)
        else:
            hint = did_you_mean(name, (*PARAMETERS, *listing.plain), len(problems))
            problems.append(Problem(f"{name} is not a parameter of this list{hint}.", name, "unknown"))
    problems += _contradictions(query)
    problems += _conflicts(conditions)
    problems += _out_of_reach(page, page_size)
    request = ListRequest(page, page_size, sort, tuple(dict.fromkeys(conditions)))
    if marked is not None and not problems:
        request, of_cursor = _marked(request, marked, query, listing)
        problems += of_cursor
    if problems:
        raise Malformed(problems)
    return request


def _comparison(field_filter: Filter, operator: LiteralString, value: Any) -> Composable:
    if field_filter.contains:
        return SQL("{} = ANY ({})").format(Literal(value), SQL(field_filter.column))
    return SQL("{} {} {}").format(SQL(field_filter.column), SQL(operator), Literal(value))


def _whole_number(name: str, value: str, largest: int | None, problems: list[Problem]) -> int:
    digits = value.lstrip("0")
    if value.isascii() and value.isdecimal() and digits:
        number = int(digits[:_DIGITS_READ])
        if largest is None or number <= largest:
            return number
    limit = f" up to {largest}" if largest else ""
    problems.append(Problem(f"{name} is {value!r}; it takes a whole number from 1{limit}.", name, "invalid"))
    return 1


def _sort(value: str, listing: Listing, problems: list[Problem]) -> tuple[str, ...]:
    names = tuple(part.strip() for part in value.split(","))
    for name in names:
        if name.removeprefix("-") not in listing.sorts:
            allowed = ", ".join(listing.sorts)
            hint = did_you_mean(name.removeprefix("-"), listing.sorts, len(problems))
            said = f"sort by {name!r} is not possible{hint}; this list sorts by {allowed}."
            problems.append(Problem(said, "sort", "invalid"))
    return names


def _condition(
    name: str, value: str, listing: Listing, problems: list[Problem]
) -> list[tuple[str, str, Any]]:
    parts = name[len("filter") :].split("]")
    if parts[-1] or len(parts) not in {2, 3} or any(not p.startswith("[") or len(p) < 2 for p in parts[:-1]):
        problems.append(
            Problem(f"{name} is malformed; write filter[field][comparator]=value.", name, "malformed")
        )
        return []
    field_name = parts[0][1:]
    comparator = parts[1][1:] if len(parts) == 3 else "eq"
    field_filter = listing.filters.get(field_name)
    if field_filter is None:
        allowed = ", ".join(listing.filters) or "nothing"
        hint = did_you_mean(field_name, listing.filters, len(problems))
        said = f"{field_name} is not a field to filter by{hint}; this list takes {allowed}."
        problems.append(Problem(said, name, "unknown"))
        return []
    if comparator not in field_filter.comparators:
        allowed = ", ".join(field_filter.comparators)
        problems.append(
            Problem(
                f"{name} has the comparator {comparator!r}; {field_name} takes {allowed}.",
                name,
                "unsupported",
            )
        )
        return []
    return _read(name, value, listing, (field_name, comparator), problems)


def _read(
    name: str, value: str, listing: Listing, condition: tuple[str, str], problems: list[Problem]
) -> list[tuple[str, str, Any]]:
    field_name, comparator = condition
    field_filter = listing.filters[field_name]
    try:
        if "\x00" in value:
            raise ValueError(value)  # noqa: TRY301 - a value no text column can be compared with
        return [(field_name, comparator, field_filter.read(value))]
    except (ValueError, OverflowError):
        problems.append(
            Problem(f"{name} is {value!r}; {field_name} takes {field_filter.expects}.", name, "unreadable")
        )
        return []


def _out_of_reach(page: int, page_size: int) -> list[Problem]:
    if page * page_size <= OFFSET_MAX:
        return []
    message = f"page {page} begins beyond row {OFFSET_MAX:,}; walk so long a list with cursor."
    return [Problem(message, "page", "too_far")]


def _marked(
    request: ListRequest, text: str, query: Sequence[tuple[str, str]], listing: Listing
) -> tuple[ListRequest, list[Problem]]:
    """Begin behind a cursor, in the order that it was written for."""
    if any(name == "page" for name, _ in query):
        return request, [
            Problem("page and cursor are two ways to walk a list; give one.", "cursor", "conflict")
        ]
    try:
        sort, values = cursor.read(text)
    except ValueError:
        return request, [_BAD_CURSOR]
    if any(name == "sort" for name, _ in query) and sort != request.sort:
        return request, [Problem("The cursor was written for another sort.", "cursor", "conflict")]
    is_ours = bool(listing.key) and all(name.removeprefix("-") in listing.sorts for name in sort if name)
    request = replace(request, sort=sort, after=values)
    if not is_ours or len(values) != len(request.order(listing)):
        return request, [_BAD_CURSOR]
    return request, []


def _contradictions(query: Sequence[tuple[str, str]]) -> list[Problem]:
    """A parameter of paging that is given with several values."""
    times = Counter(name for name, _ in set(query) if name in {"page", "page_size", "sort", "cursor"})
    return [
        Problem(f"{name} is given with {count} values; give it once.", name, "conflict")
        for name, count in times.items()
        if count > 1
    ]


def _conflicts(conditions: Sequence[tuple[str, str, Any]]) -> list[Problem]:
    """A bound that is given twice, or two values that one field cannot both equal."""
    given: dict[tuple[str, str], list[Any]] = {}
    for name, comparator, value in conditions:
        given.setdefault((name, comparator), []).append(value)
    return [
        Problem(f"{name} is given {len(values)} times; give it once.", name, "conflict")
        for (name, comparator), values in given.items()
        if (len(values) > 1 if comparator != "eq" else len(set(values)) > 1)
    ]


async def _total(tx: Read, matching: Composable) -> tuple[int, bool]:
    counted: int = await tx.value(
        SQL("SELECT count(*) FROM (SELECT {}) AS matching").format(
            SQL("1 {} LIMIT {}").format(matching, Literal(COUNT_MAX + 1))
        )
    )
    if counted <= COUNT_MAX:
        return counted, False
    plan = await tx.value(SQL("EXPLAIN (FORMAT JSON) SELECT 1 {}").format(matching))
    return max(counted, int(plan[0]["Plan"]["Plan Rows"])), True


def _seen(request: ListRequest, rows: int, estimate: int, *, goes_on: bool) -> tuple[int, bool]:
    """The estimate, held against the rows of a page: the last one tells how many there are."""
    if request.after is not None or not rows:
        return estimate, True
    least = (request.page - 1) * request.page_size + rows
    return (max(estimate, least), True) if goes_on else (least, False)


def page_info(request: ListRequest, items: int, total: int, *, is_estimate: bool, goes_on: bool) -> Info:
    """Say where a page stands in its list; behind a cursor, pages have no number.

    Whether there is a next page is known from the rows, never from an estimate: whoever walks the pages
    meets all of the list.
    """
    pages = max(1, -(-total // request.page_size))
    is_numbered = request.after is None
    return Info(
        items=items,
        page_size=request.page_size,
        total_items=total,
        total_is_estimate=is_estimate,
        current_page=request.page if is_numbered else None,
        next_page=request.page + 1 if is_numbered and goes_on else None,
        previous_page=min(request.page - 1, pages) if is_numbered and request.page > 1 else None,
        total_pages=pages,
        sort=[name for name in request.sort if name],
        filter=[f"{name}[{comparator}]" for name, comparator, _ in request.conditions],
    )


_BAD_CURSOR: Final = Problem("cursor is no cursor of this list.", "cursor", "invalid")
