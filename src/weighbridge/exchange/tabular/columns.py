"""Columns: what each column of the file gives, a field of the event, a data point or nothing.

Invariants: every column is accounted for, either mapped or left out by name; no two columns give the
same, but for a date and a time of day that are asked to give one time together; where an event type has
a data point with the slug of an event's field, the data point stands first.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.core.identity.names import make_slug
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.quantity.unit import Conversion

EVENT_FIELDS: Final = (
    "start_time",
    "end_time",
    "tracking_id",
    "feedstock",
    "asset",
    "client_reference",
    "notes",
)
LOCATION_FIELD: Final = "location"
FIELDS: Final = (*EVENT_FIELDS, LOCATION_FIELD)
"""What a column may give of the event itself."""

TIME_FIELDS: Final = ("start_time", "end_time")
"""What several columns may give together, with a space between their cells."""

LEFT_OUT: Final = "-"
"""The field of a column that gives nothing."""


COLUMNS_SHOWN: Final = 50
"""Columns of a header that a message shows."""

HEADER_LENGTH_SHOWN: Final = 600
"""Characters of a header that a message shows."""

NAMES_LENGTH_SHOWN: Final = 300
"""Characters of the names of columns that a message shows."""


@dataclass(frozen=True, slots=True)
class Point:
    """A column whose cells are values of a data point."""

    index: int
    slug: str
    value_type: str
    conversion: Conversion | None = None
    """How a number comes from the unit of the column to that of the data point; None leaves it as it is."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The header, and what its columns give, by their position in the row."""

    header: tuple[str, ...]
    fields: Mapping[str, tuple[int, ...]]
    points: tuple[Point, ...]

    @property
    def has_references(self) -> bool:
        return "client_reference" in self.fields

    def as_mapping(self) -> dict[str, str]:
        """Name what each column gives; a column that was left out gives `-`."""
        given = {index: field for field, indexes in self.fields.items() for index in indexes}
        given |= {point.index: point.slug for point in self.points}
        return {name: given.get(index, LEFT_OUT) for index, name in enumerate(self.header)}


def choose_fields(
    header: Sequence[str],
    named: Mapping[str, str],
    value_types: Mapping[str, str],
    *,
    header_line: int = 1,
    leaves_out: bool = False,
) -> tuple[list[str | None], list[Problem]]:
    """Choose what each column gives, as it is named or else by its name, and collect what is wrong with that.

    With `leaves_out` a column about which nothing is known gives nothing.
    """
    by_name = meanings_of_names(value_types, FIELDS)
    chosen = [named.get(name, by_name.get(plain_name(name))) for name in header]
    if leaves_out:
        chosen = [LEFT_OUT if field is None else field for field in chosen]
    problems = [
        *_unknown_columns(named, header, header_line),
        *_unknown_fields(named, value_types),
        *_unmapped(header, chosen, value_types),
        *_repeated(header, chosen, named),
    ]
    return chosen, problems


def build_columns(
    header: Sequence[str],
    chosen: Sequence[str | None],
    value_types: Mapping[str, str],
    conversions: Mapping[str, Conversion | None] = {},
) -> Columns:
    """Build the columns of what was chosen; `conversions` are by the names of columns."""
    fields: dict[str, tuple[int, ...]] = {}
    points = []
    for index, (name, field) in enumerate(zip(header, chosen, strict=True)):
        if field is not None and field in value_types:
            points.append(Point(index, field, value_types[field], conversions.get(name)))
        elif field is not None and field != LEFT_OUT:
            fields[field] = (*fields.get(field, ()), index)
    return Columns(tuple(header), fields, tuple(points))


def meanings_of_names(value_types: Iterable[str], fields: Iterable[str]) -> dict[str, str]:
    """What a column gives by its name alone; hyphens and underscores count as the same."""
    slugs = list(value_types)
    times = Counter(map(plain_name, slugs))
    by_name = {plain_name(field): field for field in fields}
    by_name |= {plain_name(slug): slug for slug in slugs if times[plain_name(slug)] == 1}
    return by_name


def plain_name(name: str) -> str:
    return make_slug(name).replace("_", "-")


def list_fields(value_types: Iterable[str]) -> str:
    """List what a column may give, for a message."""
    return ", ".join(dict.fromkeys([*value_types, *FIELDS]))


def _unknown_columns(named: Mapping[str, str], header: Sequence[str], header_line: int) -> Iterator[Problem]:
    there = shorten(", ".join(map(repr, header[:COLUMNS_SHOWN])), HEADER_LENGTH_SHOWN)
    for column in named:
        if column not in header:
            text = f"The data feed names the column {column!r}; line {header_line} of the file has {there}."
            yield Problem(text, "columns", "unknown")


def _unknown_fields(named: Mapping[str, str], value_types: Mapping[str, str]) -> Iterator[Problem]:
    for column, field in named.items():
        if field not in value_types and field not in FIELDS and field != LEFT_OUT:
            text = f"The column {column!r} gives {field!r}, which the event type does not have."
            yield Problem(text, "columns", "unknown")


def _unmapped(
    header: Sequence[str], chosen: Sequence[str | None], value_types: Mapping[str, str]
) -> Iterator[Problem]:
    unmapped = [name for name, field in zip(header, chosen, strict=True) if field is None]
    if len(header) == 1 and unmapped:
        text = f"The file has a single column {shorten(unmapped[0])!r}; is another delimiter needed?"
        yield Problem(text, "columns", "unknown")
        return
    for name in unmapped:
        text = (
            f"The column {shorten(name)!r} gives nothing; say in columns of the data feed which of "
            f"{list_fields(value_types)} it gives, leave it out there with {LEFT_OUT!r}, or let "
            "other_columns be leave_out."
        )
        yield Problem(text, "columns", "required")


def _repeated(
    header: Sequence[str], chosen: Sequence[str | None], named: Mapping[str, str]
) -> Iterator[Problem]:
    givers: dict[str, list[str]] = defaultdict(list)
    for name, field in zip(header, chosen, strict=True):
        if field is not None and field != LEFT_OUT:
            givers[field].append(name)
    for field, names in givers.items():
        is_one_time = field in TIME_FIELDS and len({*names}) == len(names) and named.keys() >= {*names}
        if len(names) == 1 or is_one_time:
            continue
        shown = shorten(", ".join(map(repr, names)), NAMES_LENGTH_SHOWN)
        text = f"The columns {shown} all give {field}; leave all but one out with {LEFT_OUT!r}."
        if len({*names}) == 1:
            text = (
                f"{len(names)} columns are named {names[0]!r}; a column that is used has a name of its own."
            )
        yield Problem(text, "columns", "invalid")
