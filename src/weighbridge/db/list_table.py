"""The table of a list: what it may be filtered and sorted by, and by which indexes it is cut into pages.

Invariant: a list that names its indexes costs the same however long it is. Either an index gives its rows in
the order of the page, or they are counted first and put in order if they are few enough.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composable

from weighbridge.db.cursor import SortKey
from weighbridge.db.literal import Literal

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
    places: tuple[LiteralString, ...] = ()
    """The places of an array, each with an index of its own: a condition for each, with the value as {}."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index by which a list is cut into pages: by one sort, behind equality of a field or of none.

    Without a sort it finds so few that they can be put in any order.
    """

    sort: str
    field: str | None = None


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
    needs: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """The filters without which a sort is refused, as `[field][comparator]`: one of each group."""

    @property
    def bounded_sorts(self) -> list[str]:
        """The sorts that no index gives: they put only so many rows in order."""
        given = {index.sort for index in self.indexes if index.sort}
        return [name for name in self.sorts if self.indexes and name not in given]


@dataclass(frozen=True, slots=True)
class Approach:
    """How the rows of a page are found: the field that an index looks up, and the sort that one gives."""

    field: str | None
    """The field whose index finds the rows, when they are not just read in their order."""
    is_in_order: bool
    """Whether the index that finds the rows gives them in the order of the page."""
    is_given: bool = True
    """Whether some index gives the order, were there too many rows to sort."""


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
        return [comparison(listing.filters[name], *rest) for name, *rest in self.conditions]

    def order(self, listing: Listing) -> list[SortKey]:
        """The total order: what was asked for, and the key, which runs the way of the last."""
        keys = [SortKey(listing.sorts[name.lstrip("-")], name.startswith("-")) for name in self.sort if name]
        descends = bool(keys) and keys[-1].descends
        return keys + [SortKey(expression, descends) for expression in listing.key]

    def approach(self, listing: Listing) -> Approach:
        """How the rows of the page are found, whatever the database knows of its tables."""
        equal = {name for name, comparator, _ in self.conditions if comparator == "eq"}
        sort = self.sort[0].removeprefix("-") if len(self.sort) == 1 else None
        front = next((one for one in listing.indexes if one.field is None or one.field in equal), None)
        if front is None:
            return Approach(None, is_in_order=False)
        is_given = any(one.sort == sort and one.field is None for one in listing.indexes)
        if sort == front.sort or (is_given and not self.conditions):
            return Approach(front.field, is_in_order=True)
        return Approach(front.field, is_in_order=False, is_given=is_given)


def comparison(one: Filter, comparator: str, value: Any) -> Composable:
    """A condition as SQL."""
    if one.contains:
        return SQL("{} = ANY ({})").format(Literal(value), SQL(one.column))
    return SQL("{} {} {}").format(SQL(one.column), SQL(COMPARATORS[comparator]), Literal(value))


def hidden(one: Filter, value: Any) -> Composable:
    """A condition of equality that no index is used for: another one finds the rows."""
    if one.contains:
        return comparison(one, "eq", value)
    return SQL("{} IS NOT DISTINCT FROM {}").format(SQL(one.column), Literal(value))
