"""A store keeps the events of an import: the database itself, or a running service.

Invariants: a batch is stored whole or not at all, save for the events whose client reference the project
has already, which are left alone and counted, or with other values told of, and corrected where that is
asked for; a refusal names the lines that it is about.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

import msgspec

from weighbridge.collection.intake.checking import EventSchema, EventVocabulary
from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.collection.records.data_points import EXPECTED_LOCATIONS
from weighbridge.collection.records.events import LOCATIONS_MAX
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.tabular.given import GivenFields, outcome_said
from weighbridge.exchange.tabular.row import BadRow, NumberedEvent

STAYS: Final = "mend the file, correct the event {event}, or import it with --on-difference correct"

_EVENT_FIELD: Final = re.compile(r"events\[(\d+)\]\.?")


class DataPointFacts(msgspec.Struct, frozen=True):
    """What an import needs to know of a data point type."""

    slug: str
    value_type: str
    required: bool


class TypeFacts(msgspec.Struct, frozen=True):
    """What an import needs to know of an event type."""

    slug: str
    expected_locations: str
    requires_tracking_id: bool
    data_point_types: list[DataPointFacts]


class IdAndName(msgspec.Struct, frozen=True):
    """A record by its id and its name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the events go: a project, one of its event types, and what else events may name."""

    project: str
    event_type: TypeFacts
    locations: Mapping[str, str]
    """Names by id."""
    feedstocks: Mapping[str, str]
    """Ids by name, and by themselves."""
    assets: Mapping[str, str]
    """As the feedstocks."""

    @property
    def value_types(self) -> dict[str, str]:
        return {point.slug: point.value_type for point in self.event_type.data_point_types}

    def vocabulary(self) -> EventVocabulary:
        """What the intake needs to check an event; records are numbered by their positions in the lists."""
        points = self.event_type.data_point_types
        schema = EventSchema(
            number=0,
            columns={
                point.slug: ValueColumn(number, point.value_type) for number, point in enumerate(points, 1)
            },
            width=len(points),
            required=frozenset(point.slug for point in points if point.required),
            locations_min=EXPECTED_LOCATIONS[self.event_type.expected_locations],
            requires_tracking_id=self.event_type.requires_tracking_id,
        )
        return EventVocabulary(
            0,
            {self.event_type.slug: schema},
            {friendly: number for number, friendly in enumerate(self.locations, 1)},
            {friendly: number for number, friendly in enumerate(self.feedstocks.values(), 1)},
            {friendly: number for number, friendly in enumerate(self.assets.values(), 1)},
        )


@dataclass(frozen=True, slots=True)
class Comparing:
    """How rows are compared with the events that the project has of them, and what becomes of those."""

    given: GivenFields
    """What the rows say something about."""
    reason: str
    """Why events are corrected."""
    is_correcting: bool = False
    is_dry_run: bool = False
    """Whether nothing is stored or corrected, and it is told what would be."""


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """What became of a batch: how many events are new, and how many the project had already."""

    stored: int
    already_there: int
    differing: tuple[BadRow, ...] = ()
    """Rows that say otherwise than their events."""
    corrected: int = 0
    """How many of those events were corrected, or of a dry run would be."""


class Store(Protocol):
    """Where an import finds its destination and puts its events."""

    def destination(self, project: str, event_type: str) -> Destination:
        """Find the project and the event type; raise a refusal that names what is missing."""

    def keep(self, batch: Sequence[NumberedEvent], comparing: Comparing) -> StoredBatch:
        """Store the events that the project does not have, and compare those that it has."""


def destination_of(
    project: str,
    types: Sequence[TypeFacts],
    slug: str,
    *,
    locations: Sequence[IdAndName],
    feedstocks: Sequence[IdAndName],
    assets: Sequence[IdAndName],
) -> Destination:
    """Choose the event type of this slug among those of the project."""
    for event_type in types:
        if event_type.slug == slug:
            locations_by_id = {one.id: one.name for one in locations}
            return Destination(project, event_type, locations_by_id, _by_name(feedstocks), _by_name(assets))
    allowed = ", ".join(sorted(one.slug for one in types)) or "none"
    raise Invalid(
        [Problem(f"The project has no event type {slug!r}; it has {allowed}.", "event_type", "unknown")]
    )


def _by_name(records: Sequence[IdAndName]) -> dict[str, str]:
    """Ids by name and by themselves; a name stands back behind an id."""
    return {one.name: one.id for one in records} | {one.id: one.id for one in records}


def check_locations(destination: Destination, ids: Sequence[str]) -> list[Problem]:
    """Check the locations that every event of the import will name."""
    there = ", ".join(f"{friendly} ({name})" for friendly, name in destination.locations.items()) or "none"
    problems = [
        Problem(
            f"--location {friendly!r} is no location of the project, which has {there}.",
            "location",
            "unknown",
        )
        for friendly in ids
        if friendly not in destination.locations
    ]
    problems += [
        Problem(f"--location {friendly!r} is given {times} times; once is enough.", "location", "invalid")
        for friendly, times in Counter(ids).items()
        if times > 1
    ]
    least = EXPECTED_LOCATIONS[destination.event_type.expected_locations]
    if not least <= len(ids) <= LOCATIONS_MAX:
        problems.append(
            Problem(
                f"Events of type {destination.event_type.slug!r} name {least} to {LOCATIONS_MAX} locations; "
                f"--location is given {len(ids)} times, and the project has {there}.",
                "location",
                "invalid",
            )
        )
    return problems


def said_of(event: str, comparing: Comparing, *, is_correctable: bool) -> str:
    """What becomes of an event that a row differs from, as the end of a sentence."""
    return outcome_said(
        event, STAYS, is_correcting=comparing.is_correcting, is_correctable=is_correctable,
        is_dry_run=comparing.is_dry_run,
    )  # fmt: skip


def told_by_line(refusal: Refusal, batch: Sequence[NumberedEvent]) -> Refusal:
    """Say of which lines a refusal of the batch speaks."""
    return Invalid([_told_by_line(problem, batch) for problem in refusal.problems])


def other_type(line: int, reference: str, stored: str, sent: str) -> Refusal:
    """Refuse a reference that stands on an event of another type: that event is not this row."""
    return Invalid(
        f"Line {line}: the project has the client reference {reference!r} on an event of type {stored!r}, "
        f"not {sent!r}. To import the same file into a second event type, name that import with --reference."
    )


def other_time(numbered: NumberedEvent, stored: datetime) -> Refusal | None:
    """Refuse a reference made of the line that stands on an event of another time: that is another row."""
    sent, there = Instant.of(numbered.event.start_time), Instant.of(stored)
    if not numbered.is_known_by_line or sent == there:
        return None
    return Invalid(
        f"Line {numbered.line}: the project has the client reference "
        f"{numbered.event.client_reference!r} on an event that starts at {there.text}, not {sent.text}. "
        "To import another file, or this one with other times, name that import with another --reference."
    )


def _told_by_line(problem: Problem, batch: Sequence[NumberedEvent]) -> Problem:
    match = _EVENT_FIELD.match(problem.field or "")
    if match is None or int(match[1]) >= len(batch):
        return problem
    line = batch[int(match[1])].line
    return Problem(f"Line {line}: {problem.message.removeprefix(match[0])}", problem.field, problem.code)
