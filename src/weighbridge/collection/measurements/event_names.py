"""The names that stand with events: what their values are called, and the places they are tagged with.

A page of events nearly always needs the names that the page before it needed. So these are asked for in the
message that asks for the page, and only a page that needs others asks again.

Invariants: what a process remembers decides what is asked, never what is answered; a name is read in the
snapshot of the events that it stands with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from psycopg.rows import TupleRow

from weighbridge.collection.events.records import Event
from weighbridge.collection.evidence.records import EventEvidence
from weighbridge.collection.locations.records import Location
from weighbridge.collection.measurements.corrected import CorrectionSummary
from weighbridge.collection.measurements.event_record import assembled
from weighbridge.collection.measurements.event_row import EventRow, PositionMeaning
from weighbridge.collection.measurements.findings import DataPointResult
from weighbridge.collection.named_records.location import locations_by_number, locations_numbered
from weighbridge.db.engine import Command
from weighbridge.db.literal import numbers

EXPECTED_MAX: Final = 100
"""Event types and locations whose names are asked for before it is known that they are needed, at most."""

_MEANINGS: Final = """
    SELECT event_type_id, position, slug, name, unit, required FROM data_point_types
     WHERE project_id = %s AND event_type_id = ANY (%s::integer[]) ORDER BY event_type_id, position
"""


@dataclass(frozen=True, slots=True)
class Named:
    """The event types and locations that some events name."""

    types: frozenset[int]
    locations: frozenset[int]

    @classmethod
    def by(cls, rows: Sequence[EventRow]) -> Self:
        return cls(
            frozenset(row.event_type for row in rows),
            frozenset(number for row in rows for number in row.location_ids),
        )

    def covers(self, rows: Sequence[EventRow]) -> bool:
        """Whether the events name nothing else."""
        return all(
            row.event_type in self.types and self.locations.issuperset(row.location_ids) for row in rows
        )

    def joined(self, other: Self) -> Self:
        """What both name; the other's alone where that is too much to ask for on suspicion."""
        both = type(self)(self.types | other.types, self.locations | other.locations)
        return both if len(both.types) + len(both.locations) <= EXPECTED_MAX else other

    def questions(self, project: int) -> tuple[Command, Command]:
        """What asks for the names, in the order in which `Names` takes the answers."""
        return (_MEANINGS, (project, numbers(self.types))), locations_numbered(project, self.locations)


@dataclass(frozen=True, slots=True)
class Names:
    """The meaning of positions by event type, and locations by their numbers."""

    meanings: Mapping[int, Sequence[PositionMeaning]]
    locations: Mapping[int, Location]

    @classmethod
    def read(cls, meanings: Sequence[TupleRow], locations: Sequence[TupleRow]) -> Self:
        of_type: dict[int, list[PositionMeaning]] = {}
        for row in meanings:
            meaning = PositionMeaning(*row)
            of_type.setdefault(meaning.event_type, []).append(meaning)
        return cls(of_type, locations_by_number(locations))

    def event(
        self,
        row: EventRow,
        evidence: list[EventEvidence],
        corrections: Mapping[tuple[int, int], CorrectionSummary],
        results: Mapping[tuple[int, int], list[DataPointResult]],
    ) -> Event:
        """The event of a row, with what people, rules and files have to do with it."""
        return assembled(
            row,
            self.meanings.get(row.event_type, ()),
            [self.locations[number] for number in row.location_ids],
            evidence,
            corrections=corrections,
            results=results,
        )
