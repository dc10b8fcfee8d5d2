"""A window says which events of a stream a slot has, by their times.

Most inputs take the events that lie inside the slot; others take those that begin or end in it, all that
reach into it, or those whose reading at the end counts. Some also need the reading that stands when the slot
begins, and some take events whatever their date.

Invariant: the condition of a window speaks of a slot `slot` and an event `e`, and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, LiteralString

from psycopg.sql import SQL

from weighbridge.core.model import Aggregate, Input, Straddle


class Reach(StrEnum):
    """Which events a slot has."""

    INSIDE = "inside"
    STARTING = "starting"
    ENDING = "ending"
    MEETING = "meeting"
    COUNTED = "counted"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Window:
    """Which events a slot has, and whether the last reading before it is needed too."""

    reach: Reach
    is_held: bool = False

    @property
    def condition(self) -> SQL:
        """What holds for the events of a slot."""
        return SQL(_CONDITIONS[self.reach])

    @property
    def is_by_start(self) -> bool:
        """Whether the start of an event tells the only slot that can have it."""
        return self.reach in _RESTS

    @property
    def rest(self) -> SQL:
        """What else holds for the events of a slot, when they begin in it."""
        return SQL(_RESTS[self.reach])


INSIDE: Final = Window(Reach.INSIDE)

_BY_STRADDLE: Final = {
    Straddle.REPORT: Reach.INSIDE,
    Straddle.START: Reach.STARTING,
    Straddle.END: Reach.ENDING,
    Straddle.PRORATE: Reach.MEETING,
}


def window_of(body: Input) -> Window:
    """The window that an input looks through."""
    if body.is_any_period:
        return Window(Reach.ANY)
    if body.aggregate is Aggregate.DELTA:
        return Window(Reach.COUNTED, is_held=True)
    return Window(_BY_STRADDLE[body.straddle], is_held=body.aggregate is Aggregate.TIME_WEIGHTED)


LONG: Final = "interval '1 hour'"
"""Of events that are longer there is an index by their end; `events_long` of the database says the same."""

IS_LONG: Final = f"e.end_time - e.start_time > {LONG}"

_STRETCH_ENDS_INSIDE: Final = f"""
    e.start_time >= slot.start_time - {LONG} AND e.start_time < slot.end_time
            AND e.end_time > slot.start_time AND e.end_time <= slot.end_time AND e.end_time > e.start_time
        OR {IS_LONG} AND e.end_time > slot.start_time AND e.end_time <= slot.end_time"""

_REACHES_IN: Final = f"""
    e.start_time >= slot.start_time - {LONG} AND e.start_time < slot.start_time
            AND e.end_time > slot.start_time
        OR {IS_LONG} AND e.start_time < slot.start_time AND e.end_time > slot.start_time"""

REACHES_IN: Final = SQL(f"({_REACHES_IN})")
"""Whether an event begins before a slot and ends after its start."""

# A reading at the end is outside, a stretch may end with the slot. Conditions are written so that each arm
# finds its events by one index: by the start, or, for a long stretch, by the end. Where a stretch counts that
# began before the slot, it began within the hour or is long.
_CONDITIONS: Final[Mapping[Reach, LiteralString]] = {
    Reach.INSIDE: """(e.start_time >= slot.start_time AND e.start_time < slot.end_time
        AND e.end_time <= slot.end_time)""",
    Reach.STARTING: "(e.start_time >= slot.start_time AND e.start_time < slot.end_time)",
    Reach.ENDING: f"""(e.start_time >= slot.start_time AND e.start_time < slot.end_time
            AND e.end_time = e.start_time
        OR {_STRETCH_ENDS_INSIDE})""",
    Reach.MEETING: f"""(e.start_time >= slot.start_time AND e.start_time < slot.end_time
        OR {_REACHES_IN})""",
    Reach.COUNTED: f"""(e.start_time > slot.start_time AND e.start_time <= slot.end_time
            AND e.end_time = e.start_time
        OR {_STRETCH_ENDS_INSIDE})""",
    Reach.ANY: "false",
}

_RESTS: Final[Mapping[Reach, LiteralString]] = {
    Reach.INSIDE: "e.end_time <= slot.end_time",
    Reach.STARTING: "true",
}
