"""A series of slots, each beginning where the last one ended: one scan of the events finds those of all.

The start of an event tells its slot, so no event is held against every slot; and each value is taken out of
its array once, however many statistics are made of it. Both count when there are millions of events.

Invariant: a series has the events that the window's condition gives its slots one by one.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from psycopg.sql import SQL, Composable, Identifier

from weighbridge.accounting.inputs.streams import InputStream, matching
from weighbridge.accounting.inputs.used_corrections import origins
from weighbridge.collection.measurements.condition import value_of
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.time.cadence import EventSlot
from weighbridge.core.time.instant import Interval
from weighbridge.db.literal import Literal


def is_series(slots: Sequence[Interval]) -> bool:
    """Whether slots make one series; slots of events are found by other things than their times."""
    return (
        bool(slots)
        and not any(isinstance(slot, EventSlot) for slot in slots)
        and all(one.end == following.start for one, following in pairwise(slots))
    )


def events_of_series(
    each_slot: Composable, slots: Sequence[Interval], stream: InputStream, chosen: Composable
) -> Composable:
    """The slots and their events as a FROM clause; `chosen` says which events may be used."""
    values = [
        SQL(", {} AS {}").format(value_of(column), _name(column)) for column in dict.fromkeys(stream.columns)
    ]
    return _SERIES.format(
        slots=each_slot,
        values=SQL("").join(values),
        origins=origins(stream.positions),
        stream=matching(stream),
        start=Literal(slots[0].start),
        end=Literal(slots[-1].end),
        rest=stream.window.rest,
        chosen=chosen,
    )


def value_of_series(column: ValueColumn) -> Composable:
    """The value of a data point of an event `e` of a series."""
    return SQL("e.{}").format(_name(column))


def origins_of_series(_positions: Sequence[int]) -> Composable:
    """The origins of what is in force on the values of an event `e` of a series."""
    return SQL("e.origins")


def _name(column: ValueColumn) -> Identifier:
    return Identifier(f"{column.value_type} {column.position}")


# OFFSET has the values taken out where the events are read; without it they are worked out again for every
# statistic, and the planner, which sees that origins are found by the event's number, expects as many groups
# as events and sums nothing in parallel. It is quoted because a number would be converted, and what is no
# constant keeps PostgreSQL from reading in parallel. The ends stand in the text, so that a plan made once is
# not kept for other lengths.
_SERIES: Final = SQL("""
    {slots}
    JOIN (SELECT e.*{values}, {origins} AS origins FROM {stream}
           WHERE e.start_time >= {start} AND e.start_time < {end} OFFSET '0') AS e
      ON slot.number = width_bucket(e.start_time, %(starts)s::timestamptz[]) AND {rest} AND {chosen}
""")
