"""What a list shows: the columns that somebody chose, and the headings under which its rows are grouped.

Both are part of the URL of the page and no part of the request to the interface (`PRESENTATION`), so the
data of a page are the same however it is shown.

Invariants: the first column, which leads to the record, is always shown; what a list does not have is named
on the page and shown as nothing else; a heading counts only the rows of its page.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from weighbridge.core.number import shorten
from weighbridge.web.display.figures import TimeFormat

COLUMNS: Final = "columns"
"""The parameter with the names of columns, joined by commas."""

GROUP: Final = "group"
"""The parameter with the name of a grouping."""

VIEW: Final = "view"
"""The parameter with the number of the saved view that a list was opened by."""

PRESENTATION: Final = frozenset({COLUMNS, GROUP, VIEW})
"""Parameters of a page that the interface does not know."""

NAMES_SHOWN_MAX: Final = 5
"""Unknown names of columns that a page repeats."""

NAME_LENGTH_MAX: Final = 40
"""Characters of an unknown name that a page repeats."""

Query = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ListColumn:
    """One column that a list can show."""

    name: str
    words: str
    is_numeric: bool = False
    is_usual: bool = True
    """Whether it is shown as long as nobody chooses."""
    sort: str = ""
    """The field of the interface that its header sorts by."""
    unit: str = ""
    """The unit of all of its values, as the header names it."""
    kind: str = ""
    """How it is shown, where several columns of a list are shown alike."""

    @property
    def key(self) -> str:
        """The name behind its kind, such as the slug of a data point."""
        return self.name.removeprefix(f"{self.kind}.") if self.kind else self.name


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns that a list offers, and those that it shows."""

    offered: Sequence[ListColumn]
    shown: Sequence[ListColumn]
    unknown: Sequence[str] = ()
    """Names in the URL that the list has no column for."""

    @property
    def usual(self) -> str:
        """The names of the columns that are shown without a choice."""
        return ",".join(_usual(self.offered))

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns that are shown."""
        return [column.name for column in self.shown]


def _usual(offered: Sequence[ListColumn]) -> list[str]:
    return [column.name for at, column in enumerate(offered) if column.is_usual or not at]


def choose_columns(query: Query, offered: Sequence[ListColumn]) -> ColumnChoice:
    """Return the columns that a URL names, in the order in which the list offers them."""
    named = read_names(query)
    known = {column.name for column in offered}
    if not named:
        named = _usual(offered)
    shown = [column for at, column in enumerate(offered) if column.name in named or not at]
    return ColumnChoice(offered, shown, [name for name in named if name not in known])


def read_names(query: Query) -> list[str]:
    """Return the names of columns in a URL: joined by commas, or one by one as a form sends them."""
    texts = [value for name, value in query if name == COLUMNS]
    return [*dict.fromkeys(filter(None, (part.strip() for text in texts for part in text.split(","))))]


def join_columns(query: Query) -> tuple[tuple[str, str], ...]:
    """Return the query of a page with its columns in one parameter."""
    named = read_names(query)
    others = tuple(pair for pair in query if pair[0] != COLUMNS)
    return (*others, (COLUMNS, ",".join(named))) if named else others


# Grouping: the rows of a page under headings.


@dataclass(frozen=True, slots=True)
class Grouping:
    """A way to group the rows of a list."""

    name: str
    words: str
    title: Callable[[Any, TimeFormat], str]
    """The heading of a record; empty for those without one."""
    without: str = "None"
    """The heading of the records that have none."""
    sort: str = ""
    """The field of the interface that makes the groups follow one another on all pages, if there is one."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of a page below one heading; without a heading where a list is not grouped."""

    title: str
    rows: Sequence[Any]


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """The groupings that a list offers, and its rows below the headings of one of them."""

    offered: Sequence[Grouping]
    chosen: Grouping | None
    groups: Sequence[RowGroup]
    unknown: str = ""
    """The name in the URL that the list has no grouping for."""

    @property
    def name(self) -> str:
        """The name of the grouping; empty where the list is not grouped."""
        return self.chosen.name if self.chosen else ""


def find_grouping(query: Query, offered: Sequence[Grouping]) -> Grouping | None:
    """Return the grouping that a URL names; None without one."""
    wanted = next((value for name, value in query if name == GROUP), "")
    return next((grouping for grouping in offered if grouping.name == wanted), None)


def group_rows(
    query: Query, offered: Sequence[Grouping], rows: Iterable[Any], moments: TimeFormat
) -> GroupChoice:
    """Return the rows of a page, below headings if its URL asks for them."""
    wanted = next((value for name, value in query if name == GROUP), "")
    chosen = find_grouping(query, offered)
    if chosen is None:
        return GroupChoice(offered, None, [RowGroup("", [*rows])], shorten(wanted, NAME_LENGTH_MAX))
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(chosen.title(row, moments) or chosen.without, []).append(row)
    return GroupChoice(offered, chosen, [RowGroup(title, within) for title, within in groups.items()])


def sort_grouped(sort: str, grouping: Grouping | None) -> str:
    """Return an order in which groups follow one another: that of the grouping, then the wanted one."""
    if grouping is None or not grouping.sort:
        return sort
    names = [name for name in sort.split(",") if name]
    own = [name for name in names if name.removeprefix("-") == grouping.sort]
    return ",".join([*(own or [grouping.sort]), *(name for name in names if name not in own)])


# What a page says of its presentation.


@dataclass(frozen=True, slots=True)
class ListTools:
    """How a list is shown, for its template: columns, groups, and sentences on what it does not have."""

    columns: ColumnChoice
    grouping: GroupChoice
    remarks: Sequence[str] = field(default=())

    @property
    def groups(self) -> Sequence[RowGroup]:
        """The rows of the page, below their headings."""
        return self.grouping.groups

    @property
    def group_sort(self) -> str:
        """The field that keeps the groups together; empty without one."""
        return self.grouping.chosen.sort if self.grouping.chosen else ""


def build_tools(
    query: Query,
    columns: Sequence[ListColumn],
    groupings: Sequence[Grouping],
    rows: Iterable[Any],
    moments: TimeFormat,
    remarks: Sequence[str] = (),
) -> ListTools:
    """Return how a list is shown that has these columns and groupings."""
    choice = choose_columns(query, columns)
    grouped = group_rows(query, groupings, rows, moments)
    said = [*remarks]
    if choice.unknown:
        named = ", ".join(shorten(name, NAME_LENGTH_MAX) for name in choice.unknown[:NAMES_SHOWN_MAX])
        more = len(choice.unknown) - NAMES_SHOWN_MAX
        said.append(
            f"Columns that this list does not have were ignored: {named}"
            f"{f' and {more} more' if more > 0 else ''}."
        )
    if grouped.unknown:
        said.append(f"This list cannot be grouped by {grouped.unknown}.")
    return ListTools(choice, grouped, said)
