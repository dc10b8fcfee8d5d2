"""The table of a list: its filters, its order, the indexes that pages are cut by, and cursors into it.

Invariants: a list that names its indexes costs the same however long it is; walking by cursor meets
each row that was there all the time exactly once; `read(write(order, values))` gives order and values
back.
"""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.db.statements import Literal, Part, to_json_form

# A cursor marks a position in an ordered list: after the row whose sort values it holds.
#
# Walking by cursor costs the same for every page, and rows that come or go meanwhile shift nothing: each
# row that was there all the time is met exactly once.
#
# Invariants: `read(write(order, values))` gives order and values back; the values are never null, because
# every column that a list is sorted by has a value in every row.


CURSOR_LENGTH_MAX: Final = 4000
"""Characters of a cursor; those that we write are far shorter."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """One column of an order, and which way it runs."""

    expression: LiteralString
    descends: bool

    @property
    def sql(self) -> Composable:
        return SQL("{} DESC" if self.descends else "{}").format(SQL(self.expression))


class _Position(msgspec.Struct, array_like=True, frozen=True):
    order: list[str]
    values: list[str]


def write(order: Sequence[str], values: Sequence[Any]) -> str:
    """Write the cursor of a row in an order."""
    position = _Position(list(order), [_text(value) for value in values])
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def read(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the order and the values of a cursor; ValueError for a text that is none."""
    if len(text) > CURSOR_LENGTH_MAX:
        raise ValueError(text)
    try:
        decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        position = msgspec.json.decode(decoded, type=_Position)
    except (binascii.Error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(text) from error
    if any("\x00" in value for value in position.values):
        raise ValueError(text)
    return tuple(position.order), tuple(position.values)


def after(order: Sequence[SortKey], values: Sequence[str]) -> Composable:
    """The condition that a row stands behind the cursor's in the order.

    The values are untyped literals, which PostgreSQL reads as what they are compared with.
    """
    if len({column.descends for column in order}) == 1:
        return _compare_rows(order, "<" if order[0].descends else ">", values)
    alternatives = []
    for index, column in enumerate(order):
        equal = [
            SQL("{} = {}").format(SQL(before.expression), Literal(value))
            for before, value in zip(order[:index], values[:index], strict=True)
        ]
        beyond = SQL("{} {} {}").format(
            SQL(column.expression), SQL("<" if column.descends else ">"), Literal(values[index])
        )
        alternatives.append(SQL("({})").format(SQL(" AND ").join([*equal, beyond])))
    return SQL("({})").format(SQL(" OR ").join(alternatives))


def not_before(order: Sequence[SortKey], values: Sequence[str]) -> Composable:
    """The condition that a row does not stand before the cursor's, by the first columns of one direction."""
    return _compare_rows(order, "<=" if order[0].descends else ">=", values)


def _compare_rows(order: Sequence[SortKey], operator: LiteralString, values: Sequence[str]) -> Composable:
    return SQL("({}) {} ({})").format(
        SQL(", ").join(SQL(column.expression) for column in order),
        SQL(operator),
        SQL(", ").join(Literal(value) for value in values[: len(order)]),
    )


def _text(value: Any) -> str:
    assert value is not None, "a list is sorted by columns that always have a value"  # noqa: S101
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(to_json_form(value))


# The table of a list: what it may be filtered and sorted by, and by which indexes it is cut into pages.
#
# A list may lie in several tables, and belong to several records (the batches of an account to its
# projects). What each of them has is cut in the order of the page, and the page is merged from the pieces:
# it costs what it shows times the pieces.
#
# Invariant: a list that names its indexes costs the same however long it is. Either an index gives its rows
# in the order of the page, or they are counted first and put in order if they are few enough.


BOUNDS: Final = ("geq", "leq")
"""The comparators of a field that is only bounded, as times are."""

MOMENT: Final = "a time with an offset or Z, where + is sent as %2B"
"""What a filter by time takes; a query string has a space where a plus is not written so."""

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
    is_range: bool = False
    """The column is a range, and equal means that it holds the value."""
    places: tuple[LiteralString, ...] = ()
    """The places of an array, each with an index of its own: a condition for each, with the value as {}."""
    spelled: Mapping[Any, LiteralString] = field(default_factory=dict)
    """Values that have an index of their own rows only: the condition in which its own is recognised."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index by which a list is cut into pages: by one sort, behind equality of a field or of none.

    Without a sort it finds so few that they can be put in any order. With a range, it finds by bounds of the
    field that it sorts by; in another order, only so many of those are put.
    """

    sort: str
    field: str | None = None
    is_range: bool = False

    def finds(self, filter_: Filter, comparator: str, value: Any) -> bool:
        """Whether a condition of the index's field is one that it looks up."""
        return self.is_range or (comparator == "eq" and (not filter_.spelled or value in filter_.spelled))


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list may be filtered and sorted by; `key` are the columns that make the order total."""

    sorts: Mapping[str, LiteralString]
    default_sort: str
    key: tuple[LiteralString, ...]
    filters: Mapping[str, Filter] = field(default_factory=dict)
    plain: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Parameters that stand for a filter: `start_time` for `filter[start_time][geq]`."""
    indexes: tuple[Index, ...] = ()
    """Those whose field leaves fewest come first. A list without any is short, or of one record's own."""
    is_exported: bool = False
    """Whether it is written to files when that is asked for."""
    needs: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """The filters without which a sort is refused, as `[field][comparator]`: one of each group."""

    @property
    def bounded_sorts(self) -> list[str]:
        """The sorts that no index gives: they put only so many rows in order."""
        given = {index.sort for index in self.indexes if index.sort}
        return [name for name in self.sorts if self.indexes and name not in given]

    @property
    def ranges(self) -> list[str]:
        """The fields whose bounds an index finds in the order of that field; other orders are bounded."""
        return [index.field for index in self.indexes if index.is_range and index.field]


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
    kept: Composable | Part | None = None
    """The total, where it is kept: a statement that gives one number, and whether that is an estimate."""
    others: tuple[LiteralString, ...] = ()
    """Further tables, each with the columns and the alias of the first."""
    owners: Composable | None = None
    """A statement that gives records of each of which the rows are cut; conditions name them as `owner`."""
    name: LiteralString = ""
    """The alias, where it is not the second word of the table."""
    by_sort: Mapping[str, "Source"] = field(default_factory=dict)
    """Where the rows are cut out instead, when the index that finds them is that of a sort."""
    by_field: Mapping[str, "Source"] = field(default_factory=dict)
    """Where they are cut out instead, when a filter finds them: its rows and no others."""

    @property
    def alias(self) -> LiteralString:
        return self.name or self.table.split()[1]

    @property
    def tables(self) -> tuple[LiteralString, ...]:
        return self.table, *self.others

    def of_owners(self, rows: Part, most: int | None = None) -> Part:
        """The rows of each owner in turn, where there are owners."""
        if self.owners is None:
            return rows
        owners = Part.of(self.owners)
        limited = "" if most is None else f" LIMIT {most}"
        text = f"SELECT own.* FROM ({owners.text}) AS owner CROSS JOIN LATERAL ({rows.text}) AS own{limited}"
        return Part(text, owners.values + rows.values)


def join_row(table: LiteralString, condition: LiteralString, *, is_there: bool = True) -> LiteralString:
    """Join the row that belongs to a row of a page, by an index; `is_there` says that each has one.

    OFFSET 0 keeps the join as it is written. The planner knows that columns are equal all through a join, and
    else it may look a row up by its project alone, which is a look at all of that where statistics are old.
    """
    alias = table.split()[-1]
    join = "JOIN" if is_there else "LEFT JOIN"
    return f"{join} LATERAL (SELECT {alias}.* FROM {table} WHERE {condition} OFFSET 0) AS {alias} ON true"


@dataclass(frozen=True, slots=True)
class Approach:
    """How the rows of a page are found: the field that an index looks up, and the sort that one gives."""

    field: str | None
    """The field whose index finds the rows, when they are not just read in their order."""
    is_in_order: bool
    """Whether the index that finds the rows gives them in the order of the page."""
    bound: str = ""
    """The sort of the index: bounds of what it sorts by are looked up as well."""
    otherwise: "Approach | None" = None
    """What is tried when there are too many rows to put in order."""


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
        return [compare(listing.filters[name], *rest) for name, *rest in self.conditions]

    def order(self, listing: Listing) -> list[SortKey]:
        """The total order: what was asked for, and the key, which runs the way of the last."""
        keys = [SortKey(listing.sorts[name.lstrip("-")], name.startswith("-")) for name in self.sort if name]
        descends = bool(keys) and keys[-1].descends
        return keys + [SortKey(expression, descends) for expression in listing.key]

    def approach(self, listing: Listing) -> Approach:
        """How the rows of the page are found, whatever the database knows of its tables."""
        sort = self.sort[0].removeprefix("-") if len(self.sort) == 1 else ""
        fronts = [index for index in listing.indexes if self._finds(index, listing)]
        if not fronts:
            return Approach(None, is_in_order=False)
        front = fronts[0]
        is_given = any(index.sort == sort and index.field is None for index in listing.indexes)
        in_order = Approach(None, is_in_order=True, bound=sort) if is_given else None
        if in_order is not None and not self.conditions:
            return in_order
        if front.is_range:
            return _approach_range(front, [one for one in fronts if not one.is_range], sort)
        if sort and sort == front.sort:
            return Approach(front.field, is_in_order=True, bound=sort)
        return Approach(front.field, is_in_order=False, bound=front.sort, otherwise=in_order)

    def _finds(self, index: Index, listing: Listing) -> bool:
        if index.field is None:
            return True
        return any(
            name == index.field and index.finds(listing.filters[name], comparator, value)
            for name, comparator, value in self.conditions
        )


def _approach_range(front: Index, others: Sequence[Index], sort: str) -> Approach:
    """Rows in the order of a range are read in it; in another they are put, if either index finds few."""
    in_order = Approach(front.field, is_in_order=True, bound=front.sort) if sort == front.sort else None
    if in_order is not None and others[0].field is None:
        return in_order
    by_other = Approach(others[0].field, is_in_order=False, bound=others[0].sort, otherwise=in_order)
    if in_order is not None:
        return by_other
    return Approach(front.field, is_in_order=False, bound=front.sort, otherwise=by_other)


def start_implied(request: ListRequest, start: LiteralString, longest: Composable) -> tuple[Composable, ...]:
    """What bounds of an end say of the start: it is not after the end, nor longer before than the longest."""
    implied: list[Composable] = []
    for name, comparator, value in request.conditions:
        if name == "end_time" and comparator != "geq":
            implied.append(SQL("{} <= {}").format(SQL(start), Literal(value)))
        if name == "end_time" and comparator != "leq":
            implied.append(SQL("{} >= {}::timestamptz - {}").format(SQL(start), Literal(value), longest))
    return tuple(implied)


def compare(filter_: Filter, comparator: str, value: Any) -> Composable:
    """A condition as SQL."""
    if filter_.contains:
        return SQL("{} = ANY ({})").format(Literal(value), SQL(filter_.column))
    if filter_.is_range:
        return SQL("{} @> {}").format(SQL(filter_.column), Literal(value))
    if value in filter_.spelled:
        return SQL(filter_.spelled[value])
    return SQL("{} {} {}").format(SQL(filter_.column), SQL(COMPARATORS[comparator]), Literal(value))


def compare_without_index(filter_: Filter, comparator: str, value: Any) -> Composable:
    """A condition that no index is used for: another one finds the rows."""
    if filter_.contains or filter_.is_range:
        return compare(filter_, comparator, value)
    if comparator == "eq":
        return SQL("{} IS NOT DISTINCT FROM {}").format(SQL(filter_.column), Literal(value))
    return SQL("({}) IS NOT DISTINCT FROM true").format(compare(filter_, comparator, value))
