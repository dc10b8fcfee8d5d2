"""A page of a list: its rows in their order, where it stands, and how long the list is.

The rows of a page are cut out first, by one index and in its order, and what stands beside them is joined
afterwards. How an index is found does not depend on what the database knows of its tables, which is nothing
while they have just been loaded: the conditions are written so that one index fits, and sorting is switched
off where it gives the order.

Invariants: no page counts its list. A total is kept, or counted up to `COUNT_MAX` rows, or an estimate that
says so. The text of a statement is the same for the same question, whatever it asks for, so that the server
plans it once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Generic, LiteralString, TypeVar

import msgspec
from psycopg.errors import DataError
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable

from weighbridge.core.problem import Problem
from weighbridge.db.engine import Command, Read, Write
from weighbridge.db.lists import table as cursor
from weighbridge.db.lists.table import (
    Approach,
    Listing,
    ListRequest,
    SortKey,
    Source,
    compare,
    compare_without_index,
)
from weighbridge.db.row import Row
from weighbridge.db.statements import Literal, Part
from weighbridge.errors import Invalid, Malformed

Record = TypeVar("Record", bound=msgspec.Struct)

COUNT_MAX: Final = 1_000
"""Rows that are looked at to count a list; of a longer one the total is kept, or an estimate."""

SORTED_MAX: Final = 10_000
"""Rows that are put in an order which no index gives; a longer list needs filters that leave fewer."""

BAD_CURSOR: Final = Problem("cursor is no cursor of this list.", "cursor", "invalid")

_IN_ORDER: Final = (
    "set_config('enable_sort', 'off', true)",
    "set_config('enable_seqscan', 'off', true)",
    "set_config('enable_bitmapscan', 'off', true)",
    "set_config('plan_cache_mode', 'force_generic_plan', true)",
)
"""What leaves the planner only the index that gives the order, and lets it plan a statement once."""

BY_INDEX: Final = _IN_ORDER[:2]
"""What has rows found by an index, however many of a table they are: the others are other people's."""

ANY_WAY: Final[Command] = (
    """
    SELECT set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'on', true),
           set_config('enable_bitmapscan', 'on', true), set_config('plan_cache_mode', 'auto', true)
    """,
    (),
)
"""Leaves the planner its ways again, for statements that sort and join, and for those that write.

A node of a cluster plans no write for values that it does not know yet.
"""


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


_ALWAYS: Final = Part("true")


@dataclass(frozen=True, slots=True)
class _Cutting:
    """The rows of one list that a request asks for, as SQL."""

    source: Source
    found: Part
    """What an index finds."""
    narrowed: Part
    """What is asked of each row that was found."""
    branches: Sequence[Part]
    order: Sequence[SortKey]
    behind: Part
    of_index: Sequence[SortKey]
    """The order in which only the index that finds the rows gives them; empty where it has none."""

    def rows(self, *, in_order: bool, most: int) -> Part:
        """The rows behind the cursor with their sort values, up to so many of each branch in their order."""
        sorts = ", ".join(f"{key.expression} AS sort_{index}" for index, key in enumerate(self.order))
        ordered = self._ordered(in_order=in_order) + (f" LIMIT {most}" if in_order else "")
        each = [
            Part(
                f"(SELECT {self.source.cut}, {sorts} FROM {table} WHERE {condition.text}{ordered})",
                condition.values,
            )
            for table in self.source.tables
            for condition in (
                Part.joined(" AND ", [self.found, branch, self.narrowed, self.behind])
                for branch in self.branches
            )
        ]
        return self.source.of_owners(Part.joined(" UNION ALL ", each))

    def every(self) -> Part:
        """All rows that are asked for, of every page."""
        rows = Part.joined(" AND ", [self.found, self.narrowed])
        each = [
            Part(f"(SELECT 1 AS one FROM {table} WHERE {rows.text})", rows.values)
            for table in self.source.tables
        ]
        return self.source.of_owners(Part.joined(" UNION ALL ", each))

    def count(self, most: int, *, in_order: bool = False) -> Part:
        """How many of the first so many rows that were found are asked for, and whether those were all.

        In the order of an index they are found by that, and by no other.
        """
        ordered = self._ordered(in_order=in_order)
        each = [
            Part.joined("", [
                Part("(SELECT "), self.narrowed, Part(f" AS fits FROM {table} WHERE "), self.found,
                Part(" AND "), branch, Part(f"{ordered} LIMIT {most + 1})"),
            ])
            for table in self.source.tables
            for branch in self.branches
        ]  # fmt: skip
        looked_at = self.source.of_owners(Part.joined(" UNION ALL ", each), most + 1)
        return Part(
            f"SELECT count(*) FILTER (WHERE fits), count(*) <= {most} FROM ({looked_at.text}) AS looked_at",
            looked_at.values,
        )

    def _ordered(self, *, in_order: bool) -> str:
        keys = self.order if in_order else self.of_index
        return f" ORDER BY {_order(keys)}" if keys else ""


async def page_of(
    tx: Read,
    make: Callable[..., Record],
    listing: Listing,
    request: ListRequest,
    *,
    columns: LiteralString,
    source: LiteralString | Source,
    where: Sequence[Composable | Part],
    is_last: bool = False,
) -> Page[Record]:
    """Read one page of a list; with `is_last`, nothing else is read in the transaction."""
    page, _ = await page_with_rows(
        tx, make, listing, request, columns=columns, source=source, where=where, is_last=is_last
    )
    return page


async def page_with_rows(
    tx: Read,
    make: Callable[..., Record],
    listing: Listing,
    request: ListRequest,
    *,
    columns: LiteralString,
    source: LiteralString | Source,
    where: Sequence[Composable | Part],
    beside: Sequence[Command] = (),
    is_last: bool = False,
) -> tuple[Page[Record], list[list[TupleRow]]]:
    """Read one page of a list, and the rows of what is asked beside it in the same message."""
    whole = _forget_count(tx, source if isinstance(source, Source) else Source(source))
    select = partial(_selection, listing, request, whole, where)
    approach: Approach | None = request.approach(listing)
    counted: tuple[int, bool] | None = None
    while listing.indexes and approach is not None and not approach.is_in_order:
        counted = await _countable(tx, select(approach))
        if counted is not None:
            break
        approach = approach.otherwise
    if approach is None:
        raise Invalid([_too_many(listing, request)])
    selection = select(approach)
    statement = _statement(request, columns, whole, selection, is_sorted=counted is not None)
    kept = (
        Part.of(whole.kept)
        if whole.kept is not None
        else selection.count(COUNT_MAX, in_order=approach.is_in_order)
    )
    counting = [] if counted else [kept.command]
    if listing.indexes:
        tx.beforehand(*_IN_ORDER if approach.is_in_order else BY_INDEX)
    try:
        asked = (*counting, statement.command, *beside, *_before_writing(tx))
        found = await (tx.lastly(*asked) if is_last else tx.several(*asked))
    except DataError:
        if request.after is None:
            raise
        raise Malformed([BAD_CURSOR]) from None
    of_page = len(counting) + 1
    total, is_whole = counted or found[of_page - 2][0]
    if not is_whole and whole.kept is None:
        total = max(total, await _estimate(tx, selection))
    return _page(make, listing, request, found[of_page - 1], total, is_whole=is_whole), found[
        of_page : of_page + len(beside)
    ]


def _forget_count(tx: Read, source: Source) -> Source:
    """The source without the count that is kept, which is that of now, where a page is read as known then."""
    return source if tx.then is None else replace(source, kept=None)


def _page(
    make: Callable[..., Record],
    listing: Listing,
    request: ListRequest,
    rows: Sequence[TupleRow],
    total: int,
    *,
    is_whole: bool,
) -> Page[Record]:
    """The page of rows that end with their sort values; one row more than it holds says that it goes on."""
    sorts = len(request.order(listing))
    shown = rows[: request.page_size]
    info = _info(request, len(rows), total, is_estimate=not is_whole)
    if len(rows) > len(shown):
        info = msgspec.structs.replace(info, next_cursor=cursor.write(request.sort, shown[-1][-sorts:]))
    return Page([make(*row[:-sorts]) for row in shown], info)


async def read_page(
    tx: Read, row: Row[Record], listing: Listing, request: ListRequest,
    *, source: LiteralString | Source, where: Sequence[Composable | Part], is_last: bool = False,
) -> Page[Record]:  # fmt: skip
    """Read one page of records that are made by their table."""
    return await page_of(
        tx, row.make, listing, request, columns=row.columns, source=source, where=where, is_last=is_last
    )


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


def _selection(
    listing: Listing,
    request: ListRequest,
    source: Source,
    where: Sequence[Composable | Part],
    approach: Approach,
) -> _Cutting:
    found = [_ALWAYS, *map(Part.of, (*where, *source.implied))]
    narrowed = [_ALWAYS]
    branches = [*map(Part.of, source.branches)]
    bounded = listing.sorts.get(approach.bound)
    cut = source.by_field.get(approach.field or "", source.by_sort.get(approach.bound, source))
    for name, comparator, value in request.conditions:
        filter_ = listing.filters[name]
        if name == source.branched or (name == approach.field and name in source.by_field):
            continue
        if name == approach.field and filter_.places:
            places = [Part.of(SQL(place).format(Literal(value))) for place in filter_.places]
            branches = [Part.joined(" AND ", [branch, place]) for branch in branches for place in places]
        elif not listing.indexes or name == approach.field or filter_.column == bounded:
            found.append(Part.of(compare(filter_, comparator, value)))
        else:
            narrowed.append(Part.of(compare_without_index(filter_, comparator, value)))
    order = request.order(listing)
    behind = [_ALWAYS]
    if request.after is not None:
        behind.append(Part.of(cursor.after(order, request.after)))
        if source.is_expanded and approach.is_in_order:
            behind.append(Part.of(cursor.not_before(order[:-1], request.after)))
    every = partial(Part.joined, " AND ")
    of_index = [SortKey(bounded, descends=False), SortKey(listing.key[0], descends=False)] if bounded else []
    return _Cutting(cut, every(found), every(narrowed), branches, order, every(behind), of_index)


async def _countable(tx: Read, selection: _Cutting) -> tuple[int, bool] | None:
    """Count the rows to be put in order, and say that those are all; None where there are too many."""
    tx.beforehand(*BY_INDEX)
    [[(total, is_whole)], *_] = await tx.several(selection.count(SORTED_MAX).command, *_before_writing(tx))
    return (total, True) if is_whole else None


def _before_writing(tx: Read) -> tuple[Command, ...]:
    """What follows a list in a transaction that may write after it."""
    return (ANY_WAY,) if isinstance(tx, Write) else ()


def _too_many(listing: Listing, request: ListRequest) -> Problem:
    """Why an order is refused, and what leads out: a range has an order of its own."""
    filters = ", ".join(dict.fromkeys(index.field for index in listing.indexes if index.field))
    given = {name for name, *_ in request.conditions}
    ranges = [index.sort for index in listing.indexes if index.is_range and index.field in given]
    orders = ", ".join(index.sort for index in listing.indexes if index.field is None) + " alone"
    message = (
        f"This order is made of at most {SORTED_MAX:,} records, and the filters leave more; narrow them "
        f"by a range of time or by {filters}, or sort by {', '.join(ranges) or orders}."
    )
    return Problem(message, "sort", "too_many")


def _statement(
    request: ListRequest, columns: LiteralString, source: Source, selection: _Cutting, *, is_sorted: bool
) -> Part:
    order = selection.order
    offset = (request.page - 1) * request.page_size
    ending = f" LIMIT {request.page_size + 1} OFFSET {offset}"
    if not source.cut:
        expressions = ", ".join(key.expression for key in order)
        rows = Part.joined(" AND ", [selection.found, selection.narrowed, selection.behind])
        text = f"SELECT {columns}, {expressions} FROM {source.table} WHERE {rows.text}"
        return Part(f"{text} ORDER BY {_order(order)}{ending}", rows.values)
    values = [SortKey(f"sort_{index}", key.descends) for index, key in enumerate(order)]
    if is_sorted:
        rows = selection.rows(in_order=False, most=0)
        cut = f"WITH found AS MATERIALIZED ({rows.text}) SELECT * FROM found"
    else:
        rows = selection.rows(in_order=True, most=request.page_size + 1 + offset)
        cut = f"SELECT * FROM ({rows.text}) AS found"
    sorts = ", ".join(key.expression for key in values)
    return Part(
        f"SELECT {columns}, {sorts} FROM ({cut} ORDER BY {_order(values)}{ending}) AS {source.alias} "
        f"{source.joined} ORDER BY {_order(values)}",
        rows.values,
    )


def _order(order: Sequence[SortKey]) -> str:
    return ", ".join(f"{key.expression}{' DESC' if key.descends else ''}" for key in order)


async def _estimate(tx: Read, selection: _Cutting) -> int:
    """What the planner thinks that a list comes to."""
    rows = selection.every()
    plan = await tx.value(SQL(f"EXPLAIN (FORMAT JSON) {rows.text}"), rows.values)
    return int(plan[0]["Plan"]["Plan Rows"])


def _info(request: ListRequest, rows: int, total: int, *, is_estimate: bool) -> Info:
    """Where the page stands: its last row tells how many there are, whatever the estimate."""
    items = min(rows, request.page_size)
    goes_on = rows > items
    if request.after is None and rows:
        least = (request.page - 1) * request.page_size + rows
        if is_estimate:
            total, is_estimate = (max(total, least), True) if goes_on else (least, False)
    return page_info(request, items, total, is_estimate=is_estimate, goes_on=goes_on)
