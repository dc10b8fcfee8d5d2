"""What is asked of an event type: its slots in a range of time, and which of its events are valid.

Invariant: a slot counts once it has ended, so what is still to come is neither expected nor missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo

from psycopg.sql import SQL, Composable

from weighbridge.accounting.ledgers.queries import read_moments
from weighbridge.collection.measurements.condition import condition_without_rules
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.expression import parse
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.time.cadence import BEYOND_CALENDAR, days_of, reaches_over_calendar
from weighbridge.core.time.cadence_slots import CadenceSlots
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, Malformed, NotFound

START: Final = "start_time"
END: Final = "end_time"

DETAIL_DAYS_MAX: Final = 92
"""Days of the project's calendar that gaps and what stands in them are listed over: the longest quarter."""


@dataclass(frozen=True, slots=True)
class CaptureQuestion:
    """An event type with a cadence, and the time for which it is looked at."""

    project: int
    event_type: int
    slots: CadenceSlots
    time: Interval
    """The range that was asked for."""
    now: Instant
    valid: Composable
    """Whether the event `e` meets the event type's condition, by what was captured or a person corrected."""

    @property
    def counted(self) -> range:
        """The slots that begin in the range and have ended; the last of them may end behind the range."""
        begun = self.slots.begun_in(self.time)
        under_way = self.slots.holding(self.now)
        return range(begun.start, max(begun.start, min(begun.stop, under_way)))

    @property
    def passed(self) -> Interval:
        """As much of the range as has passed."""
        return Interval(self.time.start, max(self.time.start, min(self.time.end, self.now)))


def asked_time(query: Sequence[tuple[str, str]]) -> tuple[Interval, list[tuple[str, str]]]:
    """The range of time that a query asks for, and the rest of the query; Malformed when it names none."""
    moments, rest = read_moments(query, (START, END))
    if problems := [
        Problem(f"{name} is required.", name, "required") for name in (START, END) if name not in moments
    ]:
        raise Malformed(problems)
    start, end = moments[START], moments[END]
    if end <= start:
        message = f"end_time must be after start_time, {start.text}; it is {end.text}."
        raise Malformed([Problem(message, END, "invalid")])
    return Interval(start, end), rest


async def question_of(
    tx: Read, project: int, friendly: str, time: Interval, *, slots_max: int
) -> CaptureQuestion:
    """The question about an event type of a project; Invalid where it expects nothing, or too much."""
    values = (project, ids.number("event_type", friendly, project))
    rows = await tx.tuples(_EVENT_TYPE, values)
    if not rows:
        raise NotFound("event_type", friendly)
    [(number, slug, amount, unit, valid_when, time_zone, now, points)] = rows
    if amount is None:
        said = (
            f"Event type {slug!r} has no cadence, so nothing is expected of it; give it a cadence_amount and "
            "a cadence_unit."
        )
        raise Invalid([Problem(said, "event_type_id", "conflict")])
    zone = ZoneInfo(time_zone)
    if reaches_over_calendar(time, zone):
        raise Invalid([Problem(BEYOND_CALENDAR, START, "invalid")])
    slots = CadenceSlots(amount, unit, zone)
    if (count := len(slots.begun_in(time))) > slots_max:
        said = f"The range holds {count:,} slots of the cadence; at most {slots_max:,} are counted at once."
        raise Invalid([Problem(said, END, "too_long")])
    columns = {point: ValueColumn(position, kind) for point, position, kind in points or ()}
    return CaptureQuestion(
        project,
        number,
        slots,
        time,
        Instant.of(now),
        SQL("true") if valid_when is None else condition_without_rules(parse(valid_when), columns),
    )


def refuse_over_a_quarter(question: CaptureQuestion) -> None:
    """Raise Invalid where the range is too long for what is listed slot by slot."""
    if days_of(question.time, question.slots.zone) > DETAIL_DAYS_MAX:
        said = f"The range is longer than {DETAIL_DAYS_MAX} days; ask for a shorter one."
        raise Invalid([Problem(said, END, "too_long")])


def parameters(question: CaptureQuestion) -> dict[str, Any]:
    """What every statement about the question takes."""
    return {"project": question.project, "event_type": question.event_type}


_EVENT_TYPE: Final = """
    SELECT t.id, t.slug, t.cadence_amount, t.cadence_unit, t.valid_when, p.time_zone, now(),
           (SELECT jsonb_agg(jsonb_build_array(d.slug, d.position, d.value_type)) FROM data_point_types d
             WHERE (d.project_id, d.event_type_id) = (t.project_id, t.id))
      FROM event_types t JOIN projects p ON p.id = t.project_id
     WHERE t.project_id = %s AND t.id = %s
"""
