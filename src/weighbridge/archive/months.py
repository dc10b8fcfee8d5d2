"""Calendar months in UTC: the pieces in which events are archived, by their start."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Self

import msgspec

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.errors import Refusal

SETTLES_AFTER: Final = timedelta(days=7)
"""How long a month must have been over before it is archived: late data mostly come within days."""

_FORM: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True, order=True)
class CalendarMonth:
    """A month of a year; it begins at its first instant in UTC."""

    year: int
    month: int

    @classmethod
    def read(cls, text: str, option: str) -> Self:
        """Read `2025-12`; raises Refusal, which names the option."""
        found = _FORM.fullmatch(text)
        if found is None or found[1] == "0000":
            raise Refusal(f"{option} is {text!r}; it takes a month such as 2025-12.")
        return cls(int(found[1]), int(found[2]))

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """The month that a moment lies in."""
        there = moment.astimezone(UTC)
        return cls(there.year, there.month)

    @property
    def text(self) -> str:
        """The month as it is written: 2025-12."""
        return f"{self.year:04d}-{self.month:02d}"

    @property
    def start(self) -> datetime:
        """Its first instant."""
        return datetime(self.year, self.month, 1, tzinfo=UTC)

    @property
    def end(self) -> datetime:
        """The first instant that is not in it any more."""
        return self.next.start

    @property
    def next(self) -> "CalendarMonth":
        """The month behind it."""
        return CalendarMonth(self.year + self.month // 12, self.month % 12 + 1)

    def refuse_unsettled(self, now: datetime) -> None:
        """Raise Refusal unless the month has been over for long enough."""
        if now < self.end + SETTLES_AFTER:
            settled = self.end + SETTLES_AFTER
            raise Refusal(
                f"{self.text} cannot be archived yet: it may be from {settled:%Y-%m-%d} on, when it has been"
                f" over for {SETTLES_AFTER.days} days."
            )


# The vocabulary of a project: what its events name by number or slug, as it was when a month was archived.
#
# It stands in the manifest, and rows are made with it: so an archived month compares with the database
# although somebody has renamed a data point type since, and that it was renamed is told once and not for
# each event.


class ArchivedPoint(msgspec.Struct, frozen=True):
    """A data point type of an event type."""

    position: Annotated[int, msgspec.Meta(ge=1, lt=2**15)]
    slug: str
    name: str
    value_type: str
    unit: str | None


class ArchivedType(msgspec.Struct, frozen=True):
    """An event type."""

    id: str
    number: int
    slug: str
    name: str
    data_points: list[ArchivedPoint]


class ArchivedName(msgspec.Struct, frozen=True):
    """A location, feedstock or asset."""

    id: str
    name: str


class ArchivedVocabulary(msgspec.Struct, frozen=True):
    """All that events of a project refer to."""

    event_types: list[ArchivedType]
    locations: list[ArchivedName]
    feedstocks: list[ArchivedName]
    assets: list[ArchivedName]


async def read_vocabulary(tx: Read, project: int) -> ArchivedVocabulary:
    """The vocabulary as it stands."""
    types, points, *named = await tx.several(
        ("SELECT id, slug, name FROM event_types WHERE project_id = %s ORDER BY id", (project,)),
        (
            """
            SELECT event_type_id, position, slug, name, value_type, unit FROM data_point_types
             WHERE project_id = %s ORDER BY event_type_id, position
            """,
            (project,),
        ),
        ("SELECT id, name FROM locations WHERE project_id = %s ORDER BY id", (project,)),
        ("SELECT id, name FROM feedstocks WHERE project_id = %s ORDER BY id", (project,)),
        ("SELECT id, name FROM assets WHERE project_id = %s ORDER BY id", (project,)),
    )
    by_type: dict[int, list[ArchivedPoint]] = {}
    for number, *point in points:
        by_type.setdefault(number, []).append(ArchivedPoint(*point))
    locations, feedstocks, assets = (
        [ArchivedName(ids.of(kind, project, number), name) for number, name in rows]
        for kind, rows in zip(("location", "feedstock", "asset"), named, strict=True)
    )
    return ArchivedVocabulary(
        [
            ArchivedType(ids.of("event_type", project, number), number, slug, name, by_type.get(number, []))
            for number, slug, name in types
        ],
        locations,
        feedstocks,
        assets,
    )


def changes_since(archived: ArchivedVocabulary, now: ArchivedVocabulary) -> Iterator[str]:
    """What is called otherwise now, or is not there any more; what came later is no difference."""
    types = {event_type.number: event_type for event_type in now.event_types}
    for was in archived.event_types:
        yield from _changes_of_type(was, types.get(was.number))
    for kind, held, there in (
        ("location", archived.locations, now.locations),
        ("feedstock", archived.feedstocks, now.feedstocks),
        ("asset", archived.assets, now.assets),
    ):
        names = {one.id: one.name for one in there}
        for one in held:
            if names.get(one.id) != one.name:
                yield f"{kind} {one.id} was {one.name!r}, and {_now(names.get(one.id))}"


def _changes_of_type(was: ArchivedType, now: ArchivedType | None) -> Iterator[str]:
    if now is None or (now.slug, now.name) != (was.slug, was.name):
        is_now = _now(None if now is None else f"{now.name} ({now.slug})")
        yield f"event type {was.id} was {f'{was.name} ({was.slug})'!r}, and {is_now}"
    points = {} if now is None else {point.position: point for point in now.data_points}
    for point in was.data_points if now is not None else ():
        if (there := points.get(point.position)) != point:
            yield f"data point type {was.slug}.{point.slug} was {_form(point)}, and {_now(_form(there))}"


def _form(point: ArchivedPoint | None) -> str | None:
    if point is None:
        return None
    unit = f" in {point.unit}" if point.unit else ""
    return f"{point.name} ({point.slug}), a {point.value_type}{unit}"


def _now(said: str | None) -> str:
    return "is gone" if said is None else f"is {said!r} now"
