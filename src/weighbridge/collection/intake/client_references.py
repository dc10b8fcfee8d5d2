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

# Sent again: whether an event that comes under a known client reference says what is stored.
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
"""What a change of an event replaces without a correction beside it."""

TAGS: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}
"""The tags of an event, by the kind of record that they name."""


class HeldEvent(msgspec.Struct, frozen=True):
    """The event that has a client reference: what was captured, what is in force, and what people said."""

    reference: str
    number: int
    event_type: int
    is_voided: bool
    is_own: bool
    """Whether this very transaction has stored or changed it."""
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
    """What people ever said of it, as `manual:3=12.5` or `manual:start_time=…`, and which values came later.

    These stand there as `completion:3=12`.
    """


FieldKey = tuple[str, bool]
"""A field of an event by its name, or with True a data point by its slug."""


class Discrepancy(NamedTuple):
    """A field of an event, or a data point by its slug, of which something else is sent than is stored."""

    field: str
    stored: str | None
    """What is in force, as a text; None where nothing is stored."""
    sent: str | None
    """What was sent; None where it is left out."""
    is_value: bool = False
    """Whether it is a data point, whose slug may be as a field of the event is called."""

    @property
    def key(self) -> FieldKey:
        return self.field, self.is_value

    def describe(self, of: str) -> str:
        """The difference as a clause, between the project and what it was sent in."""
        stored, sent = (
            "no value" if one is None else repr(shorten(one, SHOWN_MAX)) for one in (self.stored, self.sent)
        )
        return f"{self.field} is {stored} in the project and {sent} in {of}"


_ARRAYS: Final = {"number": "numbers", "string": "texts", "boolean": "booleans"}
_FIELDS: Final = ("start_time", "end_time", "tracking_id", *TAGS)


def _captured_column(field: str, kind: str) -> str:
    return f"CASE WHEN e.captured ? '{field}' THEN (e.captured ->> '{field}')::{kind} ELSE e.{field} END"


# What this transaction stored itself came of an earlier row of the same file.
_HELD: Final = f"""
    SELECT e.client_reference, e.id, e.event_type_id, e.voided_at IS NOT NULL,
           e.xmin = pg_current_xact_id()::xid, e.is_revised, e.updated_at > e.created_at,
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
    sent: NewEvent, held: HeldEvent, vocabulary: EventVocabulary, given: Collection[FieldKey] | None = None
) -> list[Discrepancy]:
    """What the event says otherwise than the one that has its reference, which is of the same type.

    `given` are the fields and data points that whoever sends it says anything of; None is all of them.
    """
    if held.is_voided:
        return []
    found = [other for other in _of_fields(sent, held, vocabulary) if given is None or other.key in given]
    columns = vocabulary.schemas[sent.event_type].columns
    points = {point.slug: point.value for point in sent.data_points}
    for slug, column in columns.items():
        if (given is None or (slug, True) in given) and (
            one := _of_value(slug, column, points.get(slug), held)
        ):
            found.append(one)
    return found


def sent_differences(sent: NewEvent, held: HeldEvent, vocabulary: EventVocabulary) -> list[Discrepancy]:
    """What an event of a request says otherwise; what it leaves out says nothing."""
    number = vocabulary.schemas[sent.event_type].number
    if held.event_type != number:
        known = (slug for slug, schema in vocabulary.schemas.items() if schema.number == held.event_type)
        return [Discrepancy("event_type", next(known, "another one"), sent.event_type)]
    own = (*_FIELDS, *NOT_CORRECTED)
    given = {(name, False) for name in own if getattr(sent, name) not in (None, [])}
    return differences(sent, held, vocabulary, given | {(point.slug, True) for point in sent.data_points})


def _of_fields(sent: NewEvent, held: HeldEvent, vocabulary: EventVocabulary) -> Iterator[Discrepancy]:
    start = Instant.of(sent.start_time)
    tags: dict[str, Mapping[str, int]] = {
        "feedstock_id": vocabulary.feedstocks,
        "asset_id": vocabulary.assets,
    }
    given: dict[str, Any] = {
        "start_time": start,
        "end_time": start if sent.end_time is None else Instant.of(sent.end_time),
        "tracking_id": sent.tracking_id,
        **{
            name: None if (friendly := getattr(sent, name)) is None else known[friendly]
            for name, known in tags.items()
        },
    }
    for name in _FIELDS:
        value = given[name]
        if value == getattr(held, f"captured_{name}") or (
            held.is_revised and _is_manual_field(held, name, value)
        ):
            continue
        yield Discrepancy(name, _text(name, getattr(held, name), vocabulary), _text(name, value, vocabulary))
    if held.is_touched:
        return
    if sent.notes != held.notes:
        yield Discrepancy("notes", held.notes, sent.notes)
    locations = [vocabulary.locations[location.id] for location in sent.locations]
    if locations != held.location_ids:
        yield Discrepancy("locations", _places(held.location_ids, vocabulary), _places(locations, vocabulary))


def _is_manual_field(held: HeldEvent, name: str, value: object) -> bool:
    """Whether a person has ever given a field this value."""
    text = value.text if isinstance(value, Instant) else str(value)
    return f"{CorrectionOrigin.MANUAL}:{name}={text}" in (held.manual_values or ())


def _of_value(slug: str, column: ValueColumn, sent: object, held: HeldEvent) -> Discrepancy | None:
    array = _ARRAYS[column.value_type]
    captured = _at(getattr(held, array), column.position)
    if sent == captured and not held.is_revised:
        return None
    corrected = getattr(held, f"corrected_{array}")
    in_force = captured if corrected is None else _at(corrected, column.position)
    if sent == captured or _is_manual_value(held, column, sent):
        return None
    return Discrepancy(slug, _format_value(in_force), _format_value(sent), is_value=True)


def _is_manual_value(held: HeldEvent, column: ValueColumn, sent: object) -> bool:
    """Whether a person has ever given this value, or the first one came later."""
    for one in held.manual_values or ():
        source, _, rest = one.partition(":")
        position, _, text = rest.partition("=")
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
"""How what was said of a value is read."""


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
    taken: list[Problem] = []
    differing: list[Problem] = []
    first: dict[str, int] = {}
    for index, event in enumerate(sent):
        reference = event.client_reference
        if not reference or (reference not in namesakes and first.setdefault(reference, index) == index):
            continue
        if other := namesakes.get(reference):
            there = identity.of("event", project, other.number)
            message = f"is {reference!r}, which the {other.kind} {there} of the project has."
            EventProblems(prefix, index, taken).refuse("client_reference", message, "taken", records=(there,))
            for one in unlike.get(index, ()):
                _tell(one, event, there, EventProblems(prefix, index, differing))
        else:
            message = f"is {reference!r}, which events[{first[reference]}] has too."
            EventProblems(prefix, index, twice).refuse("client_reference", message, "taken")
    if problems or twice:
        return limit_problems([*problems, *twice, *taken], PROBLEMS_MAX)
    return [
        *_group_problems(
            taken, "{:,} more of the events have a client reference that an event of the project has."
        ),
        *_group_problems(differing, "{:,} more values differ from those of the events that are there."),
    ]


def _tell(one: Discrepancy, event: NewEvent, there: str, problems: EventProblems) -> None:
    """Note what an event says otherwise than the one that has its reference."""
    stored, sent = (
        "no value" if text is None else repr(shorten(text, SHOWN_MAX)) for text in (one.stored, one.sent)
    )
    name, of = one.field, ""
    if one.is_value:
        place = next(at for at, point in enumerate(event.data_points) if point.slug == one.field)
        name, of = f"data_points[{place}].value", f"of {one.field!r} "
    message = f"{of}is {sent}, and {stored} in the event {there} that has its client_reference."
    problems.refuse(name, message, "differs", records=(there,))


def _group_problems(problems: Sequence[Problem], message: str) -> list[Problem]:
    """The first as they are, and the rest as one problem with all its records."""
    named, rest = problems[:PROBLEMS_MAX], problems[PROBLEMS_MAX:]
    if not rest:
        return [*named]
    records = tuple(dict.fromkeys(record for problem in rest for record in problem.records))
    return [*named, Problem(message.format(len(rest)), "events", problems[0].code, records)]
