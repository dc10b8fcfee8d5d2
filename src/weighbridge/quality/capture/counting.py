"""Counting what was expected and what was seen, by meter and period, in slots and in time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.accounting.inputs.window import IS_LONG, LONG
from weighbridge.collection.measurements.event_row import METER_ASSET, METER_LOCATION
from weighbridge.core.collection.capture import CaptureCounts, CaptureTime
from weighbridge.core.time.cadence_slots import CadenceSlots
from weighbridge.core.time.expectation import expected_of
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.db.literal import moments
from weighbridge.quality.capture.meters import ExpectedMeter, keys_of
from weighbridge.quality.capture.question import CaptureQuestion, parameters
from weighbridge.quality.capture.seen import seen_slots, valid_event

Place = tuple[int, int]
"""A meter and a period, each by its index."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What was captured of something; without a time where no event of the range has a length."""

    counts: CaptureCounts
    time: CaptureTime | None


async def captured(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> list[list[Captured]]:
    """What was captured of each meter in each of the periods, which follow one another over the range."""
    seen = await counted(tx, question, meters, periods)
    lasting = await _lasting(tx, question, meters, periods)
    return [
        [
            Captured(
                seen[meter][period],
                None
                if lasting is None
                else CaptureTime(_expected_time(question, one, time), lasting.get((meter, period), 0)),
            )
            for period, time in enumerate(periods)
        ]
        for meter, one in enumerate(meters)
    ]


async def counted(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> list[list[CaptureCounts]]:
    """The slots of each meter in each of the periods, as they were expected and as they came."""
    seen = await _counted(tx, question, meters, periods)
    return [
        [
            _with_expected(seen.get((meter, period), CaptureCounts()), question, one, time)
            for period, time in enumerate(periods)
        ]
        for meter, one in enumerate(meters)
    ]


def multirange(slots: CadenceSlots, ranges: Sequence[range]) -> str:
    """Slots by when they begin, as the text of a multirange of moments."""
    return _multirange([Interval(slots.start(one.start), slots.start(one.stop)) for one in ranges])


def _multirange(times: Sequence[Interval]) -> str:
    return f"{{{','.join(f'[{one.start.isoformat()},{one.end.isoformat()})' for one in times)}}}"


def _with_expected(
    seen: CaptureCounts, question: CaptureQuestion, meter: ExpectedMeter, period: Interval
) -> CaptureCounts:
    begun, counted = question.slots.begun_in(period), question.counted
    inside = range(
        max(begun.start, counted.start), max(begun.start, counted.start, min(begun.stop, counted.stop))
    )
    return seen.plus(CaptureCounts(expected=expected_of(inside, meter.unexpected)))


def _expected_time(question: CaptureQuestion, meter: ExpectedMeter, period: Interval) -> int:
    time = period.overlap(question.passed)
    return 0 if time is None else sum(one.milliseconds for one in meter.expectation.stretches(time))


async def _counted(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> dict[Place, CaptureCounts]:
    """What was seen of expected slots, without what was expected."""
    slots = question.slots
    seen, values = seen_slots(question)
    values |= keys_of(meters) | {
        "unexpected": [multirange(slots, one.unexpected) for one in meters],
        "firsts": moments(slots.start(slots.from_on(period.start)) for period in periods),
    }
    rows = await tx.tuples(SQL(_COUNTED).format(seen=seen), values)
    return {
        (meter, period): CaptureCounts(0, received, valid, substituted, imputed)
        for meter, period, received, valid, substituted, imputed in rows
    }


async def _lasting(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> dict[Place, int] | None:
    """The milliseconds that valid events cover of the expected time; None where no event has a length."""
    range_ = {"begin": question.passed.start, "end": question.passed.end}
    if not await tx.value(_HAS_LENGTHS, parameters(question) | range_):
        return None
    bounds = [*(min(one.start, question.passed.end) for one in periods), question.passed.end]
    values: dict[str, Any] = parameters(question) | keys_of(meters)
    values |= {
        "expected": [_multirange(one.expectation.stretches(question.passed)) for one in meters],
        "bounds": moments(bounds),
        **range_,
    }
    query = SQL(_LASTING).format(
        asset=SQL(METER_ASSET),
        location=SQL(METER_LOCATION),
        stretches=SQL(_STRETCHES),
        valid=valid_event(question),
    )
    return {(meter, period): length for meter, period, length in await tx.tuples(query, values)}


_COUNTED: Final = """
    WITH meter AS MATERIALIZED (
        SELECT number - 1 AS number, asset, location, unexpected::tstzmultirange AS unexpected
          FROM unnest(%(assets)s::integer[], %(locations)s::integer[], %(unexpected)s::text[])
               WITH ORDINALITY AS meter (asset, location, unexpected, number)),
    seen AS ({seen})
    SELECT m.number, width_bucket(s.slot, %(firsts)s::timestamptz[]) - 1 AS period,
           count(*) FILTER (WHERE s.is_received),
           count(*) FILTER (WHERE s.is_valid),
           count(*) FILTER (WHERE s.is_substituted AND NOT s.is_valid),
           count(*) FILTER (WHERE s.is_imputed AND NOT s.is_received)
      FROM seen s JOIN meter m ON (m.asset, m.location) = (s.asset, s.location)
     WHERE NOT s.slot <@ m.unexpected
     GROUP BY m.number, period
"""

# A stretch that began before the range began within the hour, or is long and found by its end.
_STRETCHES: Final = f"""
    e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
    AND NOT e.is_imputed AND e.end_time > e.start_time AND e.end_time > %(begin)s
    AND (e.start_time >= %(begin)s - {LONG} AND e.start_time < %(end)s
         OR {IS_LONG} AND e.end_time > %(begin)s AND e.start_time < %(begin)s)"""

_HAS_LENGTHS: Final = f"SELECT EXISTS (SELECT FROM events e WHERE {_STRETCHES})"

# What is covered is united first, so that time that two events cover counts once; then it is cut by periods.
_LASTING: Final = """
    WITH meter AS MATERIALIZED (
        SELECT number - 1 AS number, asset, location, expected::tstzmultirange AS expected
          FROM unnest(%(assets)s::integer[], %(locations)s::integer[], %(expected)s::text[])
               WITH ORDINALITY AS meter (asset, location, expected, number)),
    covered AS (
        SELECT {asset} AS asset, {location} AS location,
               range_agg(tstzrange(e.start_time, e.end_time)) AS times
          FROM events e
         WHERE {stretches} AND {valid}
         GROUP BY 1, 2),
    part AS (
        SELECT m.number, unnest(c.times * m.expected) AS time
          FROM covered c JOIN meter m ON (m.asset, m.location) = (c.asset, c.location))
    SELECT p.number, period - 1,
           (1000 * sum(extract(epoch FROM least(upper(p.time), (%(bounds)s::timestamptz[])[period + 1])
                                          - greatest(lower(p.time), (%(bounds)s::timestamptz[])[period])))
           )::bigint
      FROM part p
     CROSS JOIN LATERAL generate_series(
        width_bucket(lower(p.time), %(bounds)s::timestamptz[]),
        width_bucket(upper(p.time) - interval '1 millisecond', %(bounds)s::timestamptz[])) AS period
     GROUP BY p.number, period
"""
