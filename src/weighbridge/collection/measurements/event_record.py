"""Assemble the record of an event from its row, and look up the names that it needs.

One function assembles it, whether the event was read or has just been stored.

Invariants: what a process remembers affects the queries it sends, never the response. Names are read in
the snapshot of their events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Self

from psycopg.rows import TupleRow

from weighbridge.collection.measurements.annotations import UNCORRECTED, CorrectionSummary, is_alert
from weighbridge.collection.measurements.event_rows import (
    DataPointValue,
    EventRow,
    PositionMeaning,
    captured_at,
    value_at,
)
from weighbridge.collection.named_records.nouns import locations_by_number, locations_numbered
from weighbridge.collection.records.events import (
    DataPointResult,
    Event,
    EventAsset,
    EventDataPoint,
    EventEvidence,
    EventFeedstock,
    EventReadings,
)
from weighbridge.collection.records.projects import Location
from weighbridge.core import identity
from weighbridge.core.collection.correction import determine_value_source
from weighbridge.core.identity import Link
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.number import CONTEXT
from weighbridge.db.engine import Command
from weighbridge.db.statements import numbers

# The record of an event: what an answer makes of its row, its positions and what belongs to it.
#
# One function makes it, whether the event was read or has just been stored.


def assemble_event(
    row: EventRow,
    meanings: Sequence[PositionMeaning],
    locations: list[Location],
    evidence: list[EventEvidence],
    *,
    corrections: Mapping[tuple[int, int], CorrectionSummary] = MappingProxyType({}),
    results: Mapping[tuple[int, int], list[DataPointResult]] = MappingProxyType({}),
) -> Event:
    """An event of its row, the meaning of its positions, and what belongs to it."""
    friendly = identity.of("event", row.project, row.number)
    project = _kept_id("project", row.project)
    if corrections or results or row.is_revised or row.is_imputed:
        points = [
            _data_point(row, meaning, value, corrections.get(key, UNCORRECTED), results.get(key, []))
            for meaning in meanings
            for key in [(row.number, meaning.position)]
            if (value := value_at(row, meaning.position)) is not None
        ]
    else:
        points = _list_captured_values(row, meanings)
    missing = [] if row.is_complete else _list_missing_slugs(row, meanings)
    return Event(
        id=friendly,
        slug=row.slug,
        event_type=row.name,
        event_type_id=_kept_id("event_type", row.project, row.event_type),
        project_id=project,
        tracking_id=row.tracking_id,
        client_reference=row.client_reference,
        notes=row.notes,
        start_time=row.start_time,
        end_time=row.end_time,
        status="complete" if row.is_complete else "incomplete",
        missing=missing,
        feedstock=_feedstock(row),
        asset=_asset(row),
        data_points=points,
        locations=locations,
        evidences=evidence,
        rolled_up_from=_readings(row),
        has_rule_alerts=bool(results) and _is_alerted(row, meanings, results),
        created_at=row.created_at,
        updated_at=row.updated_at,
        ui_url=Link(f"/projects/{project}/events/{friendly}"),
    )


def _readings(row: EventRow) -> EventReadings | None:
    """The readings that an event is made of."""
    if row.readings is None or row.valid_readings is None or row.source is None or row.source_slug is None:
        return None
    covered, expected = row.covered_readings, row.expected_readings
    share = None if covered is None or not expected else CONTEXT.divide(Decimal(covered), Decimal(expected))
    return EventReadings(
        identity.of("event_type", row.project, row.source),
        row.source_slug,
        row.start_time,
        row.end_time,
        row.readings,
        row.valid_readings,
        expected,
        share,
    )


def _list_missing_slugs(row: EventRow, meanings: Sequence[PositionMeaning]) -> list[str]:
    """The slugs of what is required and has no value."""
    return [
        meaning.slug for meaning in meanings if meaning.required and value_at(row, meaning.position) is None
    ]


def _is_alerted(
    row: EventRow,
    meanings: Sequence[PositionMeaning],
    results: Mapping[tuple[int, int], list[DataPointResult]],
) -> bool:
    return any(
        is_alert(result) for meaning in meanings for result in results.get((row.number, meaning.position), ())
    )


_kept_id = lru_cache(1024)(identity.of)
"""The ids of records that many events name."""


def _list_captured_values(row: EventRow, meanings: Sequence[PositionMeaning]) -> list[EventDataPoint]:
    """Values as they were captured, with which nobody had to do since: `_data_point` by position.

    A page of events has a hundred of them, and names take half of the time that a record takes to make.
    """
    project, event, captured = row.project, row.number, ValueSource.CAPTURED
    return [
        EventDataPoint(
            identity.of("data_point", project, event, meaning.position),
            meaning.slug, meaning.name, value, value, meaning.unit, "complete", False, False, None,  # noqa: FBT003
            captured, 0, 0, [],
        )
        for meaning in meanings
        if (value := value_at(row, meaning.position)) is not None
    ]  # fmt: skip


def _data_point(
    row: EventRow,
    meaning: PositionMeaning,
    value: DataPointValue,
    corrections: CorrectionSummary,
    results: list[DataPointResult],
) -> EventDataPoint:
    return EventDataPoint(
        id=identity.of("data_point", row.project, row.number, meaning.position),
        slug=meaning.slug,
        data_point_type=meaning.name,
        value=value,
        raw_value=captured_at(row, meaning.position) if row.is_revised or row.is_imputed else value,
        unit=meaning.unit,
        status="complete",
        substituted=corrections.substitution is not None and not row.is_imputed,
        imputed=row.is_imputed,
        substitution=corrections.substitution,
        value_source=determine_value_source(corrections.origin, is_imputed=row.is_imputed),
        corrections_count=corrections.corrections_count,
        corrections_total=corrections.corrections_total,
        rule_results=results,
    )


def _feedstock(row: EventRow) -> EventFeedstock | None:
    if row.feedstock is None or row.feedstock_name is None:
        return None
    return EventFeedstock(_kept_id("feedstock", row.project, row.feedstock), row.feedstock_name)


def _asset(row: EventRow) -> EventAsset | None:
    if row.asset is None or row.asset_name is None:
        return None
    return EventAsset(_kept_id("asset", row.project, row.asset), row.asset_name)


# The names that stand with events: what their values are called, and the places they are tagged with.
#
# A page of events nearly always needs the names that the page before it needed. So these are asked for in
# the message that asks for the page, and only a page that needs others asks again.
#
# Invariants: what a process remembers decides what is asked, never what is answered; a name is read in the
# snapshot of the events that it stands with.


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
        return assemble_event(
            row,
            self.meanings.get(row.event_type, ()),
            [self.locations[number] for number in row.location_ids],
            evidence,
            corrections=corrections,
            results=results,
        )
