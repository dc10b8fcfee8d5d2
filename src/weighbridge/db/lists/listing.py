"""A listing is one list of the interface: what it selects, and what it may be filtered and sorted by.

The table of fields is the single source: reading the query string, the SQL, the OpenAPI document and
the reference pages all derive from it. Every list is ordered totally, bounded and paged. `table.py`
has the table of a list, `page.py` reads a page, and this file reads the query string.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.identity import did_you_mean
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists import table
from weighbridge.db.lists.page import BAD_CURSOR, Info, Page, page_info, page_of, page_with_rows, read_page
from weighbridge.db.lists.table import (
    BOUNDS,
    COMPARATORS,
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Source,
    join_row,
    start_implied,
)
from weighbridge.errors import Invalid, Malformed

__all__ = [
    "BOUNDS",
    "COMPARATORS",
    "MOMENT",
    "Filter",
    "Index",
    "Info",
    "ListRequest",
    "Listing",
    "Page",
    "Source",
    "among",
    "join_row",
    "list_request",
    "page_info",
    "page_of",
    "page_with_rows",
    "read_int4",
    "read_moment",
    "read_page",
    "start_implied",
]  # fmt: skip

PAGE_SIZE_DEFAULT: Final = 20
PAGE_SIZE_MAX: Final = 200
PAGE_MAX: Final = 1_000_000
OFFSET_MAX: Final = 1_000_000
"""Rows that pages may lie behind; a longer list is walked by cursor, each page at the same cost."""

_DIGITS_READ: Final = 12
"""Digits of a whole number that are looked at; whoever sends more means a number beyond every limit."""

SORT_COLUMNS_MAX: Final = 20
"""Columns that `sort` names, at most."""

PARAMETERS: Final = ("page", "page_size", "sort", "cursor", "filter")
INT4_LARGEST: Final = 2**31 - 1


def read_int4(text: str) -> int:
    """Read a number that an integer column may hold; ValueError for any other text."""
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS_READ and int(text) <= INT4_LARGEST:
        return int(text)
    raise ValueError(text)


def read_key(kind: str) -> Callable[[str], int]:
    """A reader of the number in the friendly id of a record of a kind; ValueError for any other text."""

    def read(text: str) -> int:
        key = identity.parse(kind, text)
        if key is None:
            raise ValueError(text)
        return key.key

    return read


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
            hint = _hint_of_filter(name, listing) or did_you_mean(
                name, (*PARAMETERS, *listing.plain), len(problems)
            )
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
    return _bounded(request, listing)


def _hint_of_filter(name: str, listing: Listing) -> str:
    """What a message says behind a field that was sent bare, where it is one to filter by."""
    if name not in listing.filters:
        return ""
    comparators = listing.filters[name].comparators
    comparator = "" if "eq" in comparators else f"[{comparators[0]}]"
    return f" (did you mean filter[{name}]{comparator}?)"


def _bounded(request: ListRequest, listing: Listing) -> ListRequest:
    """The request, if it has the filters that its order needs; they bound how much is put into it."""
    given = {f"[{name}][{comparator}]" for name, comparator, _ in request.conditions}
    problems = []
    for name in dict.fromkeys(sort.removeprefix("-") for sort in request.sort):
        if lacking := [group for group in listing.needs.get(name, ()) if given.isdisjoint(group)]:
            filters = " and ".join(" or ".join(f"filter{one}" for one in group) for group in lacking)
            said = f"sort by {name} needs {filters}, which bound how much is put in order."
            problems.append(Problem(said, "sort", "unbounded"))
    if problems:
        raise Invalid(problems)
    return request


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
    names = tuple(dict.fromkeys(part.strip() for part in value.split(",", SORT_COLUMNS_MAX)))
    if value.count(",") >= SORT_COLUMNS_MAX:
        count = value.count(",") + 1
        said = f"sort names {count:,} columns; it takes at most {SORT_COLUMNS_MAX}."
        problems.append(Problem(said, "sort", "too_many"))
        return (listing.default_sort,)
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
        sort, values = table.read(text)
    except ValueError:
        return request, [BAD_CURSOR]
    if any(name == "sort" for name, _ in query) and sort != request.sort:
        return request, [Problem("The cursor was written for another sort.", "cursor", "conflict")]
    is_ours = bool(listing.key) and all(name.removeprefix("-") in listing.sorts for name in sort if name)
    request = replace(request, sort=sort, after=values)
    if not is_ours or len(values) != len(request.order(listing)):
        return request, [BAD_CURSOR]
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
