"""The service that an import goes to: where rows may go, the data feed of an import, and its upload."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from weighbridge.client.made.records import DataFeedUpload
from weighbridge.collection.records.data_points import EXPECTED_LOCATIONS
from weighbridge.collection.records.events import LOCATIONS_MAX
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES, DataFeed

ProgressReport = Callable[[str, int, int], None]
"""Hears of progress: what is being done, how far it is, and how far it goes."""


class TypeFacts(msgspec.Struct, frozen=True):
    """What an import needs to know of an event type."""

    id: str
    slug: str
    expected_locations: str


@dataclass(frozen=True, slots=True)
class Target:
    """Where the events go: a project and one of its event types, and the locations that they may name."""

    project: str
    event_type: TypeFacts
    locations: Mapping[str, str]
    """Names by id."""


class ImportService(Protocol):
    """A service that takes files, reached in one way or the other."""

    def find_target(self, project: str, event_type: str) -> Target:
        """Find the project and the event type; raise a refusal that names what is missing."""

    def find_feed(self, wanted: DataFeed) -> int:
        """Find the data feed of this name, or create it; raise a refusal where it says otherwise."""

    def upload(self, feed: int, file: Path, *, is_dry_run: bool, report: ProgressReport) -> DataFeedUpload:
        """Upload a file and wait for what becomes of it; an interruption cancels its task."""

    def read_upload(self, feed: int, number: int) -> DataFeedUpload:
        """Read an upload."""

    def count_corrections(self, upload: DataFeedUpload) -> int:
        """Count the events that a dry run would correct."""

    def list_missing(self, upload: DataFeedUpload, event_type: str) -> list[str]:
        """List the values that events of an upload lack, once for each event."""


def choose_target(project: str, types: Sequence[Any], slug: str, locations: Sequence[Any]) -> Target:
    """Choose the event type of this slug among the records of the project."""
    for event_type in types:
        if event_type.slug == slug:
            known = msgspec.convert(event_type, TypeFacts, from_attributes=True)
            return Target(project, known, {place.id: place.name for place in locations})
    allowed = ", ".join(sorted(each.slug for each in types)) or "none"
    raise Invalid(
        [Problem(f"The project has no event type {slug!r}; it has {allowed}.", "event_type", "unknown")]
    )


def check_locations(target: Target, ids: Sequence[str]) -> list[Problem]:
    """Check the locations that every event of the import will name."""
    there = ", ".join(f"{friendly} ({name})" for friendly, name in target.locations.items()) or "none"
    problems = [
        Problem(
            f"--location {friendly!r} is no location of the project, which has {there}.",
            "location",
            "unknown",
        )
        for friendly in ids
        if friendly not in target.locations
    ]
    problems += [
        Problem(f"--location {friendly!r} is given {times} times; once is enough.", "location", "invalid")
        for friendly, times in Counter(ids).items()
        if times > 1
    ]
    least = EXPECTED_LOCATIONS[target.event_type.expected_locations]
    if not least <= len(ids) <= LOCATIONS_MAX:
        problems.append(
            Problem(
                f"Events of type {target.event_type.slug!r} name {least} to {LOCATIONS_MAX} locations; "
                f"--location is given {len(ids)} times, and the project has {there}.",
                "location",
                "invalid",
            )
        )
    return problems


def check_feed(found: object, wanted: DataFeed) -> None:
    """Raise Refusal when the feed of the name is no more as the import made it."""
    stored = msgspec.convert(found, DATA_FEED_BODIES.new, from_attributes=True)
    changed = [
        name
        for name in DATA_FEED_BODIES.fields
        if name != "watch" and getattr(stored, name) != getattr(wanted, name)
    ]
    if changed:
        raise Refusal(
            f"The data feed {wanted.name!r} is that of this import, and was changed since in "
            f"{', '.join(changed)}. Give it another name, and the import makes one of its own."
        )
