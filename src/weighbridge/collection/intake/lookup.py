"""Look up what events name in one round trip, and remember it for later requests.

Everything is locked until the transaction ends, so nothing that a new row refers to is removed or
redefined.

Invariant: no event is stored by remembered rows alone. The storing statement checks their revisions,
and every change of a row raises its revision.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg.rows import TupleRow

from weighbridge.collection.intake.checking import EventSchema, EventVocabulary
from weighbridge.collection.measurements.event_records import PositionMeaning
from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.collection.named_records.nouns import LOCATION_ROW
from weighbridge.collection.records.data_points import EXPECTED_LOCATIONS
from weighbridge.collection.records.events import NewEvent
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Command, Write
from weighbridge.db.transaction import Memory
from weighbridge.errors import NotFound

# What events name, looked up for all events of a request in one round trip.
#
# All of it is held as it is until the transaction ends, so that nobody removes or redefines what a row is
# being written for.


IdsByKind = Mapping[str, Collection[str]]
"""Friendly ids by the kind of record that they are to name."""

# A statement of its own: the next one then sees what a change that this one waited for has made.
_HOLD_TYPES: Final = """
    SELECT p.id, ARRAY(SELECT id FROM event_types WHERE project_id = p.id AND slug = ANY (%s) FOR KEY SHARE)
      FROM projects p WHERE p.id = %s AND p.account_id = %s
"""
_TYPES: Final = """
    SELECT et.slug, et.id, et.name, et.expected_locations, et.requires_tracking_id, et.revision,
           now()::timestamptz(3), source.slug, dpt.position, dpt.slug, dpt.name, dpt.unit, dpt.required,
           dpt.value_type
      FROM event_types et
      LEFT JOIN roll_ups ru ON (ru.project_id, ru.event_type_id) = (et.project_id, et.id)
      LEFT JOIN event_types source ON (source.project_id, source.id) = (ru.project_id, ru.source_id)
      LEFT JOIN data_point_types dpt ON (dpt.project_id, dpt.event_type_id) = (et.project_id, et.id)
     WHERE et.project_id = %s AND et.slug = ANY (%s)
     ORDER BY et.id, dpt.position
"""
_NAMED: Final = {
    "location": (
        f"SELECT {LOCATION_ROW.columns}, revision FROM locations"
        " WHERE project_id = %s AND id = ANY (%s) FOR KEY SHARE"
    ),
    "feedstock": (
        "SELECT project_id, id, name, revision FROM feedstocks"
        " WHERE project_id = %s AND id = ANY (%s) FOR KEY SHARE"
    ),
    "asset": (
        "SELECT project_id, id, name, revision FROM assets"
        " WHERE project_id = %s AND id = ANY (%s) FOR KEY SHARE"
    ),
}
_REFERENCES: Final = """
    SELECT client_reference, id, voided_at IS NOT NULL FROM events
     WHERE project_id = %s AND client_reference = ANY (%s)
"""


@dataclass(frozen=True, slots=True)
class KindOfEvent:
    """An event type as an event shows it, and how often it had changed."""

    name: str
    meanings: Sequence[PositionMeaning]
    revision: int


@dataclass(frozen=True, slots=True)
class ExistingReference:
    """The event that has a client reference already; a voided one keeps its own."""

    number: int
    is_voided: bool

    @property
    def kind(self) -> str:
        return "voided event" if self.is_voided else "event"


@dataclass(frozen=True, slots=True)
class ResolvedNames:
    """The records that events refer to, by the names they use."""

    vocabulary: EventVocabulary
    kinds: Mapping[str, KindOfEvent]
    records: Mapping[str, Mapping[str, TupleRow]]
    """The rows of locations, feedstocks and assets by their friendly ids: project, number, …, revision."""
    namesakes: Mapping[str, ExistingReference]
    """The events of the project by their client references, as far as they were requested."""
    moment: Instant | None
    """When the transaction began, if any event type was found."""


async def look_up(
    tx: Write,
    actor: Actor,
    project: int,
    *,
    slugs: Collection[str],
    named: IdsByKind,
    references: Collection[str] = (),
) -> ResolvedNames:
    """Find and hold what events name; NotFound when the actor's account has no such project."""
    types = list(slugs)
    numbers = {kind: _numbers(project, kind, named.get(kind, ())) for kind in _NAMED}
    commands: list[Command] = [
        (_HOLD_TYPES, (types, project, actor.account_id)),
        (_TYPES, (project, types)),
    ]
    commands += [(_NAMED[kind], (project, list(of_kind))) for kind, of_kind in numbers.items() if of_kind]
    if references:
        commands.append((_REFERENCES, (project, list(references))))
    project_rows, type_rows, *answers = await tx.several(*commands)
    if not project_rows:
        raise NotFound
    references_taken = {
        reference: ExistingReference(*columns)
        for reference, *columns in (answers.pop() if references else ())
    }
    rows_of_kinds = iter(answers)
    records = {
        kind: {of_kind[row[1]]: row for row in next(rows_of_kinds)} if of_kind else {}
        for kind, of_kind in numbers.items()
    }
    return _resolve_names(project, type_rows, records, references_taken)


def _numbers(project: int, kind: str, friendly_ids: Collection[str]) -> dict[int, str]:
    """The friendly ids that are such as the project gives to this kind, by the numbers in them."""
    return {
        key.key: friendly
        for friendly in friendly_ids
        if (key := identity.parse(kind, friendly)) and key.project == project
    }


def _resolve_names(
    project: int,
    type_rows: Sequence[TupleRow],
    records: Mapping[str, Mapping[str, TupleRow]],
    namesakes: Mapping[str, ExistingReference],
) -> ResolvedNames:
    grouped: dict[str, list[TupleRow]] = {}
    for row in type_rows:
        grouped.setdefault(row[0], []).append(row)
    return ResolvedNames(
        vocabulary_of(project, {slug: _schema(rows) for slug, rows in grouped.items()}, records),
        {slug: _kind(rows) for slug, rows in grouped.items()},
        records,
        namesakes,
        type_rows[0][6] if type_rows else None,
    )


def vocabulary_of(
    project: int, schemas: Mapping[str, EventSchema], records: Mapping[str, Mapping[str, TupleRow]]
) -> EventVocabulary:
    """Resolve the rows that were read into what intake needs."""
    numbers = {
        kind: {friendly: row[1] for friendly, row in of_kind.items()} for kind, of_kind in records.items()
    }
    return EventVocabulary(project, schemas, numbers["location"], numbers["feedstock"], numbers["asset"])


def _schema(rows: Sequence[TupleRow]) -> EventSchema:
    """The schema of an event type, from its row joined with those of its data points."""
    _, number, _, expected_locations, requires_tracking_id, _, _, source, *_ = rows[0]
    points = [row[8:] for row in rows if row[8] is not None]
    return EventSchema(
        number=number,
        columns={slug: ValueColumn(position, value_type) for position, slug, *_, value_type in points},
        width=max((position for position, *_ in points), default=0),
        required=frozenset(slug for _, slug, _, _, required, _ in points if required),
        locations_min=EXPECTED_LOCATIONS[expected_locations],
        requires_tracking_id=requires_tracking_id,
        rolled_up_from=source,
        units={slug: unit for _, slug, _, unit, _, _ in points},
    )


def _kind(rows: Sequence[TupleRow]) -> KindOfEvent:
    _, number, name, _, _, revision, *_ = rows[0]
    meanings = [PositionMeaning(number, *row[8:13]) for row in rows if row[8] is not None]
    return KindOfEvent(name, meanings, revision)


# The vocabulary: what events of a project may name, as the process last read it.
#
# Requests with one event usually name the same event type, locations and tags as the one before. What was
# found for one is remembered, each row with its revision, and a later event is checked by it without
# asking.
#
# Invariants: nothing is stored by a remembered row alone: the statement that stores an event asks for these
# revisions (`shortcut.py`), and every change of a row raises its revision, by triggers of the database.


def remember(memory: Memory, names: ResolvedNames) -> None:
    """Remember what was looked up for an event."""
    project = names.vocabulary.project
    for slug, kind in names.kinds.items():
        parts = len(kind.meanings)
        memory.keep(("event type", project, slug), (names.vocabulary.schemas[slug], kind), parts)
    for noun, of_noun in names.records.items():
        for friendly, row in of_noun.items():
            memory.keep((noun, project, friendly), row)


def recall(memory: Memory, project: int, event: NewEvent) -> ResolvedNames | None:
    """The records that the event names, as last read; None unless all of them are remembered."""
    of_type = memory.recall(("event type", project, event.event_type))
    friendly_ids = {
        "location": [location.id for location in event.locations],
        "feedstock": [] if event.feedstock_id is None else [event.feedstock_id],
        "asset": [] if event.asset_id is None else [event.asset_id],
    }
    records: Mapping[str, Mapping[str, Any]] = {
        noun: {friendly: memory.recall((noun, project, friendly)) for friendly in of_noun}
        for noun, of_noun in friendly_ids.items()
    }
    if of_type is None or any(row is None for of_noun in records.values() for row in of_noun.values()):
        return None
    schema, kind = of_type
    vocabulary = vocabulary_of(project, {event.event_type: schema}, records)
    return ResolvedNames(vocabulary, {event.event_type: kind}, records, namesakes={}, moment=None)
