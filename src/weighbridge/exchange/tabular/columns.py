"""Columns: what each column of the file gives, a field of the event, a data point or nothing.

Invariants: every column is accounted for, either mapped or left out by name; no two columns give the
same, but for a date and a time of day that are asked to give one time together; where an event type has
a data point with the slug of an event's field, the data point stands first.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.core.identity.names import slug_of
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import Conversion
from weighbridge.errors import Invalid

EVENT_FIELDS: Final = (
    "start_time",
    "end_time",
    "tracking_id",
    "feedstock",
    "asset",
    "client_reference",
    "notes",
)
"""What a column may give of the event itself."""

LOCATION_FIELD: Final = "location"
"""What a column of a data feed may give beside these."""

TIME_FIELDS: Final = ("start_time", "end_time")
"""What several columns may give together, with a space between their cells."""

LEFT_OUT: Final = "-"
"""The field of a column that gives nothing."""


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


def map_columns(header: Sequence[str], options: Sequence[str], value_types: Mapping[str, str]) -> Columns:
    """Map the columns as asked (`COLUMN=FIELD`), the others by their names; raise with every problem."""
    mapped, problems = _read_options(options)
    by_name = meanings_of_names(value_types, EVENT_FIELDS)
    chosen = [mapped.get(name, by_name.get(plain_name(name))) for name in header]
    problems += [
        *_unknown_columns(mapped, header),
        *_unknown_fields(mapped, value_types),
        *_unmapped(header, chosen, value_types),
        *_repeated(header, chosen, mapped),
    ]
    if problems:
        raise Invalid(problems)
    fields: dict[str, tuple[int, ...]] = {}
    points = []
    for index, field in enumerate(chosen):
        if field is not None and field in value_types:
            points.append(Point(index, field, value_types[field]))
        elif field is not None and field != LEFT_OUT:
            fields[field] = (*fields.get(field, ()), index)
    return Columns(tuple(header), fields, tuple(points))


def _read_options(options: Sequence[str]) -> tuple[dict[str, str], list[Problem]]:
    mapped: dict[str, str] = {}
    problems = []
    for text in options:
        column, equals, field = text.rpartition("=")
        if not equals:
            problems.append(
                Problem(f"--map {text!r} has no equals sign; write COLUMN=FIELD.", "map", "invalid")
            )
        elif column.strip() in mapped:
            problems.append(Problem(f"--map names the column {column.strip()!r} twice.", "map", "invalid"))
        else:
            mapped[column.strip()] = field.strip()
    return mapped, problems


def meanings_of_names(value_types: Iterable[str], fields: Iterable[str]) -> dict[str, str]:
    """What a column gives by its name alone; hyphens and underscores count as the same."""
    slugs = list(value_types)
    times = Counter(map(plain_name, slugs))
    by_name = {plain_name(field): field for field in fields}
    by_name |= {plain_name(slug): slug for slug in slugs if times[plain_name(slug)] == 1}
    return by_name


def plain_name(name: str) -> str:
    return slug_of(name).replace("_", "-")


def _unknown_columns(mapped: Mapping[str, str], header: Sequence[str]) -> list[Problem]:
    there = ", ".join(map(repr, header))
    return [
        Problem(f"--map names the column {column!r}; the file has {there}.", "map", "unknown")
        for column in mapped
        if column not in header
    ]


def _unknown_fields(mapped: Mapping[str, str], value_types: Mapping[str, str]) -> list[Problem]:
    return [
        Problem(
            f"--map gives {column!r} the field {field!r}; there are {_allowed(value_types)}.",
            "map",
            "unknown",
        )
        for column, field in mapped.items()
        if field not in value_types and field not in EVENT_FIELDS and field != LEFT_OUT
    ]


def _unmapped(
    header: Sequence[str], chosen: Sequence[str | None], value_types: Mapping[str, str]
) -> list[Problem]:
    unmapped = [name for name, field in zip(header, chosen, strict=True) if field is None]
    if len(header) == 1 and unmapped:
        return [
            Problem(
                f"The file has a single column {unmapped[0]!r} that maps nowhere;"
                " is another --delimiter needed?",
                "map",
                "unknown",
            )
        ]
    return [
        Problem(
            f"The column {name!r} maps nowhere; give it one of {_allowed(value_types)} with --map "
            f"'{name}=FIELD', or leave it out with --map '{name}={LEFT_OUT}'.",
            "map",
            "required",
        )
        for name in unmapped
    ]


def _repeated(
    header: Sequence[str], chosen: Sequence[str | None], mapped: Mapping[str, str]
) -> list[Problem]:
    givers: dict[str, list[str]] = defaultdict(list)
    for name, field in zip(header, chosen, strict=True):
        if field is not None and field != LEFT_OUT:
            givers[field].append(name)
    return [
        Problem(
            f"{len(names)} columns are named {names[0]!r}; a column that is used has a name of its own."
            if len(set(names)) == 1
            else f"The columns {', '.join(map(repr, names))} all give {field}; leave all but one out with "
            f"--map 'COLUMN={LEFT_OUT}'.",
            "map",
            "invalid",
        )
        for field, names in givers.items()
        if len(names) > 1 and not _give_together(field, names, mapped)
    ]


def _give_together(field: str, names: Sequence[str], mapped: Mapping[str, str]) -> bool:
    """Whether the columns are asked to give one time, such as a date and a time of day."""
    return field in TIME_FIELDS and len(set(names)) == len(names) and mapped.keys() >= set(names)


def _allowed(value_types: Mapping[str, str]) -> str:
    return ", ".join(dict.fromkeys([*value_types, *EVENT_FIELDS]))
