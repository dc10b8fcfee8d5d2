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
from dataclasses import dataclass
from typing import Any, Final, Generic, LiteralString, TypeVar

import msgspec
from psycopg.errors import DataError
from psycopg.sql import SQL, Composable, Composed
from psycopg.sql import Literal as AnyLiteral

from weighbridge.core.problem import Problem
from weighbridge.db import cursor
from weighbridge.db.cursor import SortKey
from weighbridge.db.engine import Command, Read
from weighbridge.db.list_table import Approach, Listing, ListRequest, comparison, hidden
from weighbridge.db.row import Row
from weighbridge.errors import Invalid, Malformed

Record = TypeVar("Record", bound=msgspec.Struct)

COUNT_MAX: Final = 1_000
"""Rows that are looked at to count a list; of a longer one the total is kept, or an estimate."""

SORTED_MAX: Final = 10_000
"""Rows that are put in an order which no index gives; a longer list needs filters that leave fewer."""

BAD_CURSOR: Final = Problem("cursor is no cursor of this list.", "cursor", "invalid")

_IN_ORDER: Final[Command] = (
    """
    SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
           set_config('enable_bitmapscan', 'off', true),
           set_config('plan_cache_mode', 'force_generic_plan', true)
    """,
    (),
)
"""What leaves the planner only the index that gives the order, and lets it plan a statement once."""

_BY_INDEX: Final[Command] = (
    "SELECT set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'off', true)",
    (),
)


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
class Source:
    """Where the rows of a list come from.

    With `cut`, what of `table` is taken along when the page is cut; what is `joined` then names that by the
    alias of the table. `branches` are conditions of which each row meets one, each with an index of its own.
    """

    table: LiteralString
    cut: LiteralString = ""
    joined: LiteralString = ""
    branches: tuple[Composable, ...] = (SQL("true"),)
    branched: str = ""
    """The filter that they stand for."""
    is_expanded: bool = False
    """Whether the last column of the key is a position inside the row that an index finds."""
    implied: tuple[Composable, ...] = ()
    """What follows from the conditions and narrows what is read."""
    kept: Composable | None = None
    """The total, where it is kept: a statement that gives one number, and whether that is an estimate."""

    @property
    def alias(self) -> LiteralString:
        return self.table.split()[1]


@dataclass(frozen=True, slots=True)
class _Cutting:
    """The rows of one list that a request asks for, as SQL."""

    source: Source
    found: Composable
    """What an index finds."""
    narrowed: Composable
    """What is asked of each row that was found."""
    branches: Sequence[Composable]
    order: Sequence[SortKey]
    behind: Composable

    def rows(self, *, in_order: bool, most: int) -> Composed:
        """The rows behind the cursor with their sort values, up to so many of each branch in their order."""
        ordered = SQL(" ORDER BY {} LIMIT {}").format(_order(self.order), SQL(str(most)))
        return SQL(" UNION ALL ").join(
            SQL("(SELECT {}, {} FROM {} WHERE {} AND {} AND {} AND {}{})").format(
                SQL(self.source.cut),
                SQL(", ").join(
                    SQL("{} AS sort_{}").format(SQL(key.expression), SQL(str(index)))
                    for index, key in enumerate(self.order)
                ),
                SQL(self.source.table),
                self.found,
                branch,
                self.narrowed,
                self.behind,
                ordered if in_order else SQL(""),
            )
            for branch in self.branches
        )

    def count(self, most: int) -> Composed:
        """How many of the first so many rows that were found are asked for, and whether those were all."""
        looked_at = SQL(" UNION ALL ").join(
            SQL("(SELECT {} AS fits FROM {} WHERE {} AND {} LIMIT {})").format(
                self.narrowed,
                SQL(self.source.table),
                self.found,
                branch,
                SQL(str(most + 1)),
            )
            for branch in self.branches
        )
        return SQL("SELECT count(*) FILTER (WHERE fits), count(*) <= {} FROM ({}) AS looked_at").format(
            SQL(str(most)),
            looked_at,
        )


async def page_of(
    tx: Read,
    make: Callable[..., Record],
    listing: Listing,
    request: ListRequest,
    *,
    columns: LiteralString,
    source: LiteralString | Source,
    where: Sequence[Composable],
) -> Page[Record]:
    """Read one page of a list."""
    whole = source if isinstance(source, Source) else Source(source)
    approach = request.approach(listing)
    selection = _selection(listing, request, whole, where, approach)
    order = request.order(listing)
    counted: tuple[int, bool] | None = None
    if listing.indexes and not approach.is_in_order:
        counted = await _sortable(tx, listing, selection, approach)
    statement = _statement(request, columns, selection, is_sorted=counted is not None and counted[1])
    counting = [] if counted else [lifted(whole.kept or selection.count(COUNT_MAX))]
    switched = [_IN_ORDER if approach.is_in_order else _BY_INDEX] if listing.indexes else []
    try:
        *_, rows = found = await tx.several(*switched, *counting, lifted(statement))
    except DataError:
        if request.after is None:
            raise
        raise Malformed([BAD_CURSOR]) from None
    total, is_whole = counted or found[-2][0]
    if not is_whole and whole.kept is None:
        total = max(total, await _estimate(tx, selection))
    shown = rows[: request.page_size]
    info = _info(request, len(rows), total, is_estimate=not is_whole)
    if len(rows) > len(shown):
        info = msgspec.structs.replace(info, next_cursor=cursor.write(request.sort, shown[-1][-len(order) :]))
    return Page([make(*row[: -len(order)]) for row in shown], info)


async def read_page(
    tx: Read, row: Row[Record], listing: Listing, request: ListRequest,
    *, source: LiteralString | Source, where: Sequence[Composable],
) -> Page[Record]:  # fmt: skip
    """Read one page of records that are made by their table."""
    return await page_of(tx, row.make, listing, request, columns=row.columns, source=source, where=where)


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


def lifted(statement: Composable) -> Command:
    """A statement whose values stand beside it, so that its text is the same for all values."""
    values: list[Any] = []

    def lift(part: Composable) -> Composable:
        if isinstance(part, AnyLiteral):
            values.append(part._obj)  # noqa: SLF001 - psycopg has no other way to what a literal holds
            return SQL("%s")
        if isinstance(part, Composed):
            return Composed([lift(one) for one in part])
        return part

    return Composed([lift(statement)]), values


def _selection(
    listing: Listing, request: ListRequest, source: Source, where: Sequence[Composable], approach: Approach
) -> _Cutting:
    found: list[Composable] = [SQL("true"), *where, *source.implied]
    narrowed: list[Composable] = [SQL("true")]
    branches = source.branches
    for name, comparator, value in request.conditions:
        one = listing.filters[name]
        if name == source.branched:
            continue
        if name == approach.field and one.places:
            branches = tuple(SQL(place).format(AnyLiteral(value)) for place in one.places)
        elif name == approach.field or not listing.indexes:
            found.append(comparison(one, comparator, value))
        elif comparator == "eq":
            narrowed.append(hidden(one, value))
        elif one.column in {listing.sorts.get(index.sort) for index in listing.indexes}:
            found.append(comparison(one, comparator, value))
        else:
            narrowed.append(comparison(one, comparator, value))
    order = request.order(listing)
    behind = SQL("true") if request.after is None else cursor.after(order, request.after)
    if request.after is not None and source.is_expanded and approach.is_in_order:
        behind = SQL("{} AND {}").format(behind, cursor.not_before(order[:-1], request.after))
    return _Cutting(source, SQL(" AND ").join(found), SQL(" AND ").join(narrowed), branches, order, behind)


async def _sortable(tx: Read, listing: Listing, selection: _Cutting, approach: Approach) -> tuple[int, bool]:
    """Count the rows to be put in order; refuse more than can be, unless an index gives their order."""
    [_, [(total, is_whole)]] = await tx.several(_BY_INDEX, lifted(selection.count(SORTED_MAX)))
    if not is_whole and not approach.is_given:
        filters = ", ".join(dict.fromkeys(one.field for one in listing.indexes if one.field))
        orders = ", ".join(dict.fromkeys(one.sort for one in listing.indexes))
        said = (
            f"This order is made of at most {SORTED_MAX:,} records, and the filters leave more; narrow them "
            f"by a range of time or by {filters}, or sort by {orders} alone."
        )
        raise Invalid([Problem(said, "sort", "too_many")])
    return total, is_whole


def _statement(
    request: ListRequest, columns: LiteralString, selection: _Cutting, *, is_sorted: bool
) -> Composed:
    source, order = selection.source, selection.order
    offset = (request.page - 1) * request.page_size
    limit = request.page_size + 1
    if not source.cut:
        return SQL("SELECT {}, {} FROM {} WHERE {} AND {} AND {} ORDER BY {} LIMIT {} OFFSET {}").format(
            SQL(columns), SQL(", ").join(SQL(key.expression) for key in order), SQL(source.table),
            selection.found, selection.narrowed, selection.behind, _order(order),
            SQL(str(limit)), SQL(str(offset)),
        )  # fmt: skip
    values = [SortKey(f"sort_{index}", key.descends) for index, key in enumerate(order)]
    cut = SQL("SELECT * FROM ({}) AS found ORDER BY {} LIMIT {} OFFSET {}").format(
        selection.rows(in_order=not is_sorted, most=limit + offset),
        _order(values), SQL(str(limit)), SQL(str(offset)),
    )  # fmt: skip
    if is_sorted:
        cut = SQL(
            "WITH found AS MATERIALIZED ({}) SELECT * FROM found ORDER BY {} LIMIT {} OFFSET {}"
        ).format(
            selection.rows(in_order=False, most=0),
            _order(values), SQL(str(limit)), SQL(str(offset)),
        )  # fmt: skip
    return SQL("SELECT {}, {} FROM ({}) AS {} {} ORDER BY {}").format(
        SQL(columns), SQL(", ").join(SQL(key.expression) for key in values), cut, SQL(source.alias),
        SQL(source.joined), _order(values),
    )  # fmt: skip


def _order(order: Sequence[SortKey]) -> Composed:
    return SQL(", ").join(key.sql for key in order)


async def _estimate(tx: Read, selection: _Cutting) -> int:
    """What the planner thinks that a list comes to."""
    statement, values = lifted(
        SQL("EXPLAIN (FORMAT JSON) SELECT FROM {} WHERE {} AND {}").format(
            SQL(selection.source.table), selection.found, selection.narrowed
        )
    )
    plan = await tx.value(statement, values)
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
