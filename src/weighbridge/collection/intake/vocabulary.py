"""The vocabulary: what events of a project may name, as the process last read it.

Requests with one event usually name the same event type, locations and tags as the one before. What was
found for one is remembered, each row with its revision, and a later event is checked by it without asking.

Invariants: nothing is stored by a remembered row alone: the statement that stores an event asks for these
revisions (`shortcut.py`), and every change of a row raises its revision, by triggers of the database.
"""

from collections.abc import Mapping
from typing import Any

from weighbridge.collection.events.records import NewEvent
from weighbridge.collection.intake.lookup import ResolvedNames, vocabulary_of
from weighbridge.db.memory import Memory


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
    """What the event names as it was when it was looked up; None unless all of it is remembered."""
    of_type = memory.recall(("event type", project, event.event_type))
    named = {
        "location": [location.id for location in event.locations],
        "feedstock": [] if event.feedstock_id is None else [event.feedstock_id],
        "asset": [] if event.asset_id is None else [event.asset_id],
    }
    records: Mapping[str, Mapping[str, Any]] = {
        noun: {friendly: memory.recall((noun, project, friendly)) for friendly in of_noun}
        for noun, of_noun in named.items()
    }
    if of_type is None or any(row is None for of_noun in records.values() for row in of_noun.values()):
        return None
    schema, kind = of_type
    vocabulary = vocabulary_of(project, {event.event_type: schema}, records)
    return ResolvedNames(vocabulary, {event.event_type: kind}, records, namesakes={}, moment=None)
