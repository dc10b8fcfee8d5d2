"""A window says which events of a source a slot has, by their times.

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


# A reading at the end is outside, a stretch may end with the slot. Conditions are written so that each arm
# finds its events by one index: by the start, or, for a stretch, by the end.
_CONDITIONS: Final[Mapping[Reach, LiteralString]] = {
    Reach.INSIDE: """(e.start_time >= slot.start_time AND e.start_time < slot.end_time
        AND e.end_time <= slot.end_time)""",
    Reach.STARTING: "(e.start_time >= slot.start_time AND e.start_time < slot.end_time)",
    Reach.ENDING: """(e.start_time >= slot.start_time AND e.start_time < slot.end_time
            AND e.end_time = e.start_time
        OR e.end_time > slot.start_time AND e.end_time <= slot.end_time AND e.end_time > e.start_time)""",
    Reach.MEETING: """(e.start_time >= slot.start_time AND e.start_time < slot.end_time
        OR e.end_time > slot.start_time AND e.start_time < slot.start_time AND e.end_time > e.start_time)""",
    Reach.COUNTED: """(e.start_time > slot.start_time AND e.start_time <= slot.end_time
            AND e.end_time = e.start_time
        OR e.end_time > slot.start_time AND e.end_time <= slot.end_time AND e.end_time > e.start_time)""",
    Reach.ANY: "false",
}
