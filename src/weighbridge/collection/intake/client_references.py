"""Compare events that arrive under a known client reference with what is stored, and report the existing
ones.

Values that were captured, or given by a person at any time, agree with the stored event; any other
value differs. So importing a file again never undoes a correction.

Invariants: numbers are compared by value, times to the millisecond. A voided event differs from
nothing. A client reference is unique in its project, voided events included.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

import msgspec

from weighbridge.collection.intake.checking import PROBLEMS_MAX, EventProblems, EventVocabulary
from weighbridge.collection.intake.lookup import ExistingReference
from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.collection.records.events import NewEvent
from weighbridge.core import identity
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read

# Sent again: whether an event under a known client reference equals the stored one.
#
# What was captured counts first: who sends that says nothing new, whatever a person has corrected since.
# What people said since counts as well, also where another correction stands above it or it was taken back:
# it was heard, and somebody has answered. So a file agrees with the books once they are corrected, and one
# that comes again and again does not undo what a person makes of it.
#
# Example: captured is 10, a file said 11, and a person corrected it to 12. Sent again as 10, as 11 or as
# 12.00 it does not differ; sent as 13 it does, from the 12 that is in force.
#
# Invariants: numbers are compared by value, times to the millisecond; a voided event differs from nothing,
# for it stands in no books; nothing is read event by event.


SHOWN_MAX: Final = 60
"""Characters of a value that a message shows."""

NOT_CORRECTED: Final = ("locations", "notes")
"""The fields that a change of an event replaces without recording a correction."""

TAGS: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}
"""The tags of an event, by the kind of record that they name."""


class HeldEvent(msgspec.Struct, frozen=True):
    """The event that has a client reference: its captured, current and manually corrected values."""

    reference: str
    number: int
    event_type: int
    is_voided: bool
    is_revised: bool
    is_touched: bool
    """Whether anything of it was ever changed; what its notes and locations were before is not with it."""
    start_time: datetime
    end_time: datetime
    tracking_id: str | None
    feedstock_id: int | None
    asset_id: int | None
    captured_start_time: datetime
    captured_end_time: datetime
    captured_tracking_id: str | None
    captured_feedstock_id: int | None
    captured_asset_id: int | None
    notes: str | None
    location_ids: list[int]
    numbers: list[Decimal | None]
    texts: list[str | None]
    booleans: list[bool | None]
    corrected_numbers: list[Decimal | None] | None
    corrected_texts: list[str | None] | None
    corrected_booleans: list[bool | None] | None
    manual_values: list[str] | None
    """All manual corrections, as `manual:3=12.5` or `manual:start_time=…`, and later first values.

    Later first values are written `completion:3=12`.
    """


FieldKey = tuple[str, bool]
"""A field of an event by its name, or with True a data point by its slug."""


class Discrepancy(NamedTuple):
    """A field of an event, or a data point by its slug, of which something else is sent than is stored."""

    field: str
    stored: str | None
    """The current value, as a text; None where nothing is stored."""
    sent: str | None
    """The value that was sent; None where it was omitted."""
    is_value: bool = False
    """Whether it is a data point, whose slug may be as a field of the event is called."""

    @property
    def key(self) -> FieldKey:
        return self.field, self.is_value

    def describe(self, of: str) -> str:
        """The difference as a clause, between the project and what it was sent in."""
        stored_text, sent_text = (
            "no value" if value is None else repr(shorten(value, SHOWN_MAX))
            for value in (self.stored, self.sent)
        )
        return f"{self.field} is {stored_text} in the project and {sent_text} in {of}"


_ARRAYS: Final = {"number": "numbers", "string": "texts", "boolean": "booleans"}
_FIELDS: Final = ("start_time", "end_time", "tracking_id", *TAGS)


def _captured_column(field: str, kind: str) -> str:
    return f"CASE WHEN e.captured ? '{field}' THEN (e.captured ->> '{field}')::{kind} ELSE e.{field} END"


_HELD: Final = f"""
    SELECT e.client_reference, e.id, e.event_type_id, e.voided_at IS NOT NULL,
           e.is_revised, e.updated_at > e.created_at,
           e.start_time, e.end_time, e.tracking_id, e.feedstock_id, e.asset_id,
           {_captured_column("start_time", "timestamptz")}, {_captured_column("end_time", "timestamptz")},
           {_captured_column("tracking_id", "text")}, {_captured_column("feedstock_id", "integer")},
           {_captured_column("asset_id", "integer")}, e.notes, e.location_ids, e.numbers, e.texts, e.booleans,
           e.corrected_numbers, e.corrected_texts, e.corrected_booleans,
           CASE WHEN e.is_revised THEN ARRAY(
               SELECT concat(c.source, ':', CASE c.position WHEN 0 THEN c.field ELSE c.position::text END,
                             '=', c.to_value #>> '{{}}')
                 FROM corrections c
                WHERE (c.project_id, c.event_id) = (e.project_id, e.id)
                  AND c.source IN ('{CorrectionOrigin.COMPLETION}', '{CorrectionOrigin.MANUAL}'))
           END
      FROM events e WHERE e.project_id = %s AND e.client_reference = ANY (%s)
"""


async def held_events(tx: Read, project: int, references: Sequence[str]) -> dict[str, HeldEvent]:
    """The events of the project that have these client references, voided ones too, by those."""
    if not references:
        return {}
    rows = await tx.rows(HeldEvent, _HELD, (project, list(references)))
    return {row.reference: row for row in rows}


def differences(
    sent: NewEvent,
    stored_event: HeldEvent,
    vocabulary: EventVocabulary,
    field_keys: Collection[FieldKey] | None = None,
) -> list[Discrepancy]:
    """The differences between an event and the stored one with its reference, of the same type.

    `field_keys` are the fields and data points that the request has; None is all of them.
    """
    if stored_event.is_voided:
        return []
    discrepancies = [
        field_discrepancy
        for field_discrepancy in _of_fields(sent, stored_event, vocabulary)
        if field_keys is None or field_discrepancy.key in field_keys
    ]
    columns = vocabulary.schemas[sent.event_type].columns
    points = {point.slug: point.value for point in sent.data_points}
    for slug, column in columns.items():
        if (field_keys is None or (slug, True) in field_keys) and (
            discrepancy := _of_value(slug, column, points.get(slug), stored_event)
        ):
            discrepancies.append(discrepancy)
    return discrepancies


def sent_differences(
    sent: NewEvent, stored_event: HeldEvent, vocabulary: EventVocabulary
) -> list[Discrepancy]:
    """The differences of an event of a request from the stored one; omitted fields are not compared."""
    number = vocabulary.schemas[sent.event_type].number
    if stored_event.event_type != number:
        type_slugs = (
            slug for slug, schema in vocabulary.schemas.items() if schema.number == stored_event.event_type
        )
        return [Discrepancy("event_type", next(type_slugs, "another one"), sent.event_type)]
    own = (*_FIELDS, *NOT_CORRECTED)
    field_keys = {(name, False) for name in own if getattr(sent, name) not in (None, [])}
    return differences(
        sent, stored_event, vocabulary, field_keys | {(point.slug, True) for point in sent.data_points}
    )


def _of_fields(sent: NewEvent, stored_event: HeldEvent, vocabulary: EventVocabulary) -> Iterator[Discrepancy]:
    start = Instant.of(sent.start_time)
    tags: dict[str, Mapping[str, int]] = {
        "feedstock_id": vocabulary.feedstocks,
        "asset_id": vocabulary.assets,
    }
    sent_fields: dict[str, Any] = {
        "start_time": start,
        "end_time": start if sent.end_time is None else Instant.of(sent.end_time),
        "tracking_id": sent.tracking_id,
        **{
            name: None if (friendly := getattr(sent, name)) is None else ids[friendly]
            for name, ids in tags.items()
        },
    }
    for name in _FIELDS:
        value = sent_fields[name]
        if value == getattr(stored_event, f"captured_{name}") or (
            stored_event.is_revised and _is_manual_field(stored_event, name, value)
        ):
            continue
        yield Discrepancy(
            name, _text(name, getattr(stored_event, name), vocabulary), _text(name, value, vocabulary)
        )
    if stored_event.is_touched:
        return
    if sent.notes != stored_event.notes:
        yield Discrepancy("notes", stored_event.notes, sent.notes)
    locations = [vocabulary.locations[location.id] for location in sent.locations]
    if locations != stored_event.location_ids:
        yield Discrepancy(
            "locations", _places(stored_event.location_ids, vocabulary), _places(locations, vocabulary)
        )


def _is_manual_field(stored_event: HeldEvent, name: str, value: object) -> bool:
    """Whether a person has ever given a field this value."""
    text = value.text if isinstance(value, Instant) else str(value)
    return f"{CorrectionOrigin.MANUAL}:{name}={text}" in (stored_event.manual_values or ())


def _of_value(slug: str, column: ValueColumn, sent: object, stored_event: HeldEvent) -> Discrepancy | None:
    array = _ARRAYS[column.value_type]
    captured = _at(getattr(stored_event, array), column.position)
    if sent == captured and not stored_event.is_revised:
        return None
    if captured is None and sent is not None:  # what stands there was filled in, or corrected since
        return Discrepancy(slug, None, _format_value(sent), is_value=True)
    corrected = getattr(stored_event, f"corrected_{array}")
    in_force = captured if corrected is None else _at(corrected, column.position)
    if sent == captured or _is_manual_value(stored_event, column, sent):
        return None
    return Discrepancy(slug, _format_value(in_force), _format_value(sent), is_value=True)


def _is_manual_value(stored_event: HeldEvent, column: ValueColumn, sent: object) -> bool:
    """Whether a person has ever given this value, or the first one came later."""
    for manual_value in stored_event.manual_values or ():
        source, _, place_and_text = manual_value.partition(":")
        position, _, text = place_and_text.partition("=")
        if position != str(column.position):
            continue
        if source == CorrectionOrigin.COMPLETION and sent is None:
            return True
        if sent == _READ[column.value_type](text):
            return True
    return False


_READ: Final[Mapping[str, Callable[[str], object]]] = {
    "number": Decimal,
    "string": str,
    "boolean": lambda text: text == "true",
}
"""How the text of a manual value is parsed."""


def _at(values: Sequence[Any], position: int) -> Any:
    return values[position - 1] if position <= len(values) else None


def _text(name: str, value: Any, vocabulary: EventVocabulary) -> str | None:
    if name in TAGS and value is not None:
        return identity.of(TAGS[name], vocabulary.project, value)
    return _format_value(value)


def _places(numbers: Sequence[int], vocabulary: EventVocabulary) -> str | None:
    return ", ".join(identity.of("location", vocabulary.project, number) for number in numbers) or None


def _format_value(value: Any) -> str | None:
    """A value as the interface writes it."""
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case datetime():
            return Instant.of(value).text
        case Decimal():
            return format(value, "f")
        case _:
            return str(value)


# Client references: the names that senders give to events, each once in a project, voided events included.
#
# Whoever sends events again, after an answer that was lost, hears which events are there already: the first
# by sentences, and all of them as records; and of which of them something else was sent than is stored.


def with_references(
    problems: Sequence[Problem],
    sent: Sequence[NewEvent],
    namesakes: Mapping[str, ExistingReference],
    project: int,
    prefix: str,
    *,
    unlike: Mapping[int, Sequence[Discrepancy]],
) -> list[Problem]:
    """What was found wrong with new events and what is wrong with their references, as far as it is said.

    `unlike` is what the events say otherwise than those that have their references, by their places.
    """
    twice: list[Problem] = []
    taken_problems: list[Problem] = []
    differing: list[Problem] = []
    first: dict[str, int] = {}
    for index, event in enumerate(sent):
        reference = event.client_reference
        if not reference or (reference not in namesakes and first.setdefault(reference, index) == index):
            continue
        if namesake := namesakes.get(reference):
            record_id = identity.of("event", project, namesake.number)
            message = f"is {reference!r}, which the {namesake.kind} {record_id} of the project has."
            EventProblems(prefix, index, taken_problems).refuse(
                "client_reference", message, "taken", records=(record_id,)
            )
            for discrepancy in unlike.get(index, ()):
                _tell(discrepancy, event, record_id, EventProblems(prefix, index, differing))
        else:
            message = f"is {reference!r}, which events[{first[reference]}] has too."
            EventProblems(prefix, index, twice).refuse("client_reference", message, "taken")
    if problems or twice:
        return limit_problems([*problems, *twice, *taken_problems], PROBLEMS_MAX)
    return [
        *_group_problems(
            taken_problems,
            "{:,} more of the events have a client reference that an event of the project has.",
        ),
        *_group_problems(differing, "{:,} more values differ from those of the events that are there."),
    ]


def _tell(discrepancy: Discrepancy, event: NewEvent, event_id: str, problems: EventProblems) -> None:
    """Report a difference between an event and the stored one with its reference."""
    stored_text, sent_text = (
        "no value" if text is None else repr(shorten(text, SHOWN_MAX))
        for text in (discrepancy.stored, discrepancy.sent)
    )
    name, of = discrepancy.field, ""
    if discrepancy.is_value:
        place = next(at for at, point in enumerate(event.data_points) if point.slug == discrepancy.field)
        name, of = f"data_points[{place}].value", f"of {discrepancy.field!r} "
    message = f"{of}is {sent_text}, and {stored_text} in the event {event_id} that has its client_reference."
    problems.refuse(name, message, "differs", records=(event_id,))


def _group_problems(problems: Sequence[Problem], message: str) -> list[Problem]:
    """The first as they are, and the rest as one problem with all its records."""
    shown_problems, more_problems = problems[:PROBLEMS_MAX], problems[PROBLEMS_MAX:]
    if not more_problems:
        return [*shown_problems]
    records = tuple(dict.fromkeys(record for problem in more_problems for record in problem.records))
    return [*shown_problems, Problem(message.format(len(more_problems)), "events", problems[0].code, records)]
