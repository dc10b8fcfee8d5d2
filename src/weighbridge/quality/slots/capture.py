"""Count expected, captured and valid slots of an event type, by meter and period.

Read in this order: the request with its time range; the meters and when each was expected to measure;
the state of each slot as SQL; the counts. PostgreSQL counts captured slots; expected slots are
calculated.

Invariants: a slot counts once it has ended. A slot is one row, however many events begin in it, and is
valid if any of them is. Imputed events create no meter.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString, NamedTuple
from zoneinfo import ZoneInfo

from psycopg.sql import SQL, Composable

from weighbridge.accounting.inputs.streams import IS_LONG, LONG
from weighbridge.accounting.ledgers_queries import read_moments
from weighbridge.collection.measurements.event_records import METER_ASSET, METER_LOCATION
from weighbridge.collection.measurements.values import ValueColumn, condition_without_rules
from weighbridge.core import identity
from weighbridge.core.collection.capture import CaptureCounts, CaptureTime
from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState
from weighbridge.core.expression import parse
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import (
    BEYOND_CALENDAR,
    EPOCH,
    LAST,
    MILLISECOND,
    CadenceSlots,
    Instant,
    Interval,
    count_days,
    is_beyond_calendar,
)
from weighbridge.core.time.expectation import (
    ALWAYS,
    Expectation,
    ExpectedCadence,
    Service,
    count_expected,
    join_outages,
)
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal, moments
from weighbridge.errors import Invalid, Malformed, NotFound

# A question about an event type: its slots in a range of time, and which of its events are valid.
#
# Invariant: a slot counts once it has ended, so future slots are neither expected nor missing.


START: Final = "start_time"
END: Final = "end_time"

DETAIL_DAYS_MAX: Final = 92
"""Days of the project's calendar that gaps and substitutes are listed over: the longest quarter."""


@dataclass(frozen=True, slots=True)
class CaptureQuestion:
    """An event type with a cadence, and the time range in question."""

    project: int
    event_type: int
    slots: CadenceSlots
    time: Interval
    """The range that was asked for."""
    now: Instant
    valid: Composable
    """Whether the event `e` meets the event type's condition, by captured or manually corrected values."""

    @property
    def counted(self) -> range:
        """The slots that begin in the range and have ended; the last of them may end after the range."""
        begun = self.slots.begun_in(self.time)
        under_way = self.slots.holding(self.now)
        return range(begun.start, max(begun.start, min(begun.stop, under_way)))

    @property
    def passed(self) -> Interval:
        """As much of the range as has passed."""
        return Interval(self.time.start, max(self.time.start, min(self.time.end, self.now)))


def asked_time(query: Sequence[tuple[str, str]]) -> tuple[Interval, list[tuple[str, str]]]:
    """The range of time that a query asks for, and the rest of the query; Malformed when it names none."""
    moments, filters = read_moments(query, (START, END))
    if problems := [
        Problem(f"{name} is required.", name, "required") for name in (START, END) if name not in moments
    ]:
        raise Malformed(problems)
    start, end = moments[START], moments[END]
    if end <= start:
        message = f"end_time must be after start_time, {start.text}; it is {end.text}."
        raise Malformed([Problem(message, END, "invalid")])
    return Interval(start, end), filters


async def build_question(
    tx: Read, project: int, friendly: str, time: Interval, *, slots_max: int
) -> CaptureQuestion:
    """The question about an event type of a project; Invalid where it expects nothing, or too much."""
    values = (project, identity.number("event_type", friendly, project))
    rows = await tx.tuples(_EVENT_TYPE, values)
    if not rows:
        raise NotFound("event_type", friendly)
    [(number, slug, amount, unit, valid_when, time_zone, now, points)] = rows
    if amount is None:
        message = (
            f"Event type {slug!r} has no cadence, so nothing is expected of it; give it a cadence_amount and "
            "a cadence_unit."
        )
        raise Invalid([Problem(message, "event_type_id", "conflict")])
    zone = ZoneInfo(time_zone)
    if is_beyond_calendar(time, zone):
        raise Invalid([Problem(BEYOND_CALENDAR, START, "invalid")])
    slots = CadenceSlots(amount, unit, zone)
    if (count := len(slots.begun_in(time))) > slots_max:
        message = f"The range has {count:,} slots of the cadence. Request {slots_max:,} at most."
        raise Invalid([Problem(message, END, "too_long")])
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
    """Raise Invalid where the range is too long for a listing slot by slot."""
    if count_days(question.time, question.slots.zone) > DETAIL_DAYS_MAX:
        message = f"The range is longer than {DETAIL_DAYS_MAX} days; ask for a shorter one."
        raise Invalid([Problem(message, END, "too_long")])


def parameters(question: CaptureQuestion) -> dict[str, Any]:
    """The parameters that every statement about the question takes."""
    return {"project": question.project, "event_type": question.event_type}


_EVENT_TYPE: Final = """
    SELECT t.id, t.slug, t.cadence_amount, t.cadence_unit, t.valid_when, p.time_zone, now(),
           (SELECT jsonb_agg(jsonb_build_array(d.slug, d.position, d.value_type)) FROM data_point_types d
             WHERE (d.project_id, d.event_type_id) = (t.project_id, t.id))
      FROM event_types t JOIN projects p ON p.id = t.project_id
     WHERE t.project_id = %s AND t.id = %s
"""


# The meters of an event type, and when each of them was expected to measure.
#
# A meter is one that has sent an event of the type, at any time before the range ends; an event type that
# never had an event is its own meter, and all of its slots are missing. Imputed events make no meter.


@dataclass(frozen=True, slots=True)
class ExpectedMeter:
    """A meter by its keys, of which at most one is set, and when it was expected to measure."""

    asset: int | None
    location: int | None
    name: str | None
    expectation: Expectation
    unexpected: tuple[range, ...]
    """The counted slots in which nothing was expected of it."""


async def expected_meters(tx: Read, question: CaptureQuestion) -> list[ExpectedMeter]:
    """The meters of an event type by name, assets first, the event type itself last."""
    # The last slot may end after the range, and an outage that covers it may begin there.
    until = question.slots.start(question.counted.stop)
    values = parameters(question) | {"start": question.time.start, "end": question.time.end, "until": until}
    meter_rows, outage_rows = await tx.several((_METERS, values), (_METER_OUTAGES, values))
    outages = defaultdict(list)
    for asset, location, start, end in outage_rows:
        outages[asset, location].append((start, end))
    counted, meters = question.counted, []
    for asset, location, name, in_service_from, in_service_until in meter_rows or [_ITSELF]:
        meter_outages = outages.get((asset, location), []) if asset or location else []
        out = join_outages([*meter_outages, *outages[None, None]], max(until, question.time.end))
        expectation = Expectation(Service(in_service_from, in_service_until), out)
        unexpected = expectation.unexpected(question.slots, counted)
        meters.append(ExpectedMeter(asset, location, name, expectation, unexpected))
    return meters


def keys_of(meters: Iterable[ExpectedMeter]) -> dict[str, Any]:
    """The parameters by which a statement knows the meters: 0 for a key that a meter does not have."""
    every = list(meters)
    return {
        "assets": [meter.asset or 0 for meter in every],
        "locations": [meter.location or 0 for meter in every],
    }


_ITSELF: Final = (None, None, None, None, None)

_METERS: Final = """
    WITH meter AS (
        SELECT DISTINCT e.asset_id, CASE WHEN e.asset_id IS NULL THEN e.location_ids[1] END AS location_id
          FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
           AND NOT e.is_imputed AND e.start_time < %(end)s)
    SELECT m.asset_id, m.location_id, coalesce(a.name, l.name),
           CASE WHEN m.asset_id IS NULL THEN l.in_service_from ELSE a.in_service_from END,
           CASE WHEN m.asset_id IS NULL THEN l.in_service_until ELSE a.in_service_until END
      FROM meter m
      LEFT JOIN assets a ON (a.project_id, a.id) = (%(project)s, m.asset_id)
      LEFT JOIN locations l ON (l.project_id, l.id) = (%(project)s, m.location_id)
     ORDER BY m.asset_id IS NULL, m.location_id IS NULL, coalesce(a.name, l.name) COLLATE "C"
"""
_METER_OUTAGES: Final = """
    SELECT o.asset_id, o.location_id, o.start_time, o.end_time FROM outages o
     WHERE o.project_id = %(project)s AND (o.event_type_id IS NULL OR o.event_type_id = %(event_type)s)
       AND o.start_time < greatest(%(until)s, %(end)s) AND (o.end_time IS NULL OR o.end_time > %(start)s)
"""


# The outcome of each slot that has an event, as SQL: one row for each meter and slot.
#
# An event belongs to the slot that holds its start. A substitution is in an event where one is in force
# on a value of it; such a value is no measurement, even where `valid_when` is true.
#
# Invariant: a slot is one row however many events begin in it, and valid when any of them is.


SUBSTITUTED: Final[LiteralString] = f"""(e.is_revised AND NOT e.is_imputed AND EXISTS (
    SELECT FROM corrections c
     WHERE (c.project_id, c.event_id) = (e.project_id, e.id) AND c.position > 0
       AND c.state = '{CorrectionState.IN_FORCE}' AND c.source = '{CorrectionOrigin.SUBSTITUTION}'))"""


def valid_event(question: CaptureQuestion) -> Composable:
    """Whether the event `e` is a valid measurement."""
    return valid_measurement(question.valid)


def valid_measurement(valid: Composable) -> Composable:
    """Whether the event `e` is a valid measurement, by the condition of its type."""
    return SQL("(NOT e.is_imputed AND e.is_complete AND {} AND NOT {})").format(valid, SQL(SUBSTITUTED))


def seen_slots(question: CaptureQuestion, more: LiteralString = "") -> tuple[Composable, dict[str, Any]]:
    """A query of every meter and slot in which an event begins, and its parameters."""
    slot, values = _slot(question)
    counted = question.counted
    query = SQL(_SEEN).format(
        asset=SQL(METER_ASSET),
        location=SQL(METER_LOCATION),
        slot=slot,
        valid=valid_event(question),
        substituted=SQL(SUBSTITUTED),
        more=SQL(more),
    )
    bounds = {"first": question.slots.start(counted.start), "last": question.slots.start(counted.stop)}
    return query, parameters(question) | bounds | values


def _slot(question: CaptureQuestion) -> tuple[Composable, dict[str, Any]]:
    """When the slot begins in which the event `e` does."""
    slots = question.slots
    if slots.step is not None:
        binned = SQL("date_bin(%(step)s::interval, e.start_time, {})").format(Literal(EPOCH))
        return binned, {"step": slots.step}
    starts = moments(slots.start(number) for number in question.counted)
    cut = "(%(starts)s::timestamptz[])[width_bucket(e.start_time, %(starts)s::timestamptz[])]"
    return SQL(cut), {"starts": starts}


_SEEN: Final = """
    SELECT v.asset, v.location, v.slot,
           bool_or(NOT v.is_imputed) AS is_received,
           bool_or(v.is_valid) AS is_valid,
           bool_or(v.is_substituted) AS is_substituted,
           bool_or(v.is_imputed) AS is_imputed{more}
      FROM (SELECT e.id, {asset} AS asset, {location} AS location, {slot} AS slot, e.start_time, e.end_time,
                   e.tracking_id, e.client_reference, e.is_imputed, {valid} AS is_valid,
                   {substituted} AS is_substituted
              FROM events e
             WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
               AND e.start_time >= %(first)s AND e.start_time < %(last)s) AS v
     GROUP BY v.asset, v.location, v.slot
"""


# The meters of events as SQL, and which slots are expected of each, as `core.time` defines both.


ASSET: Final = SQL(METER_ASSET)
LOCATION: Final = SQL(METER_LOCATION)

_Times = tuple[datetime, datetime | None]


class MeterKey(NamedTuple):
    """A meter of an event type by its numbers; 0 for an asset or location that it does not have."""

    event_type: int
    asset: int
    location: int


class Expected:
    """Which slots are expected of the meters of a project."""

    def __init__(
        self, outages: Iterable[tuple[MeterKey, _Times]], services: Iterable[tuple[tuple[int, int], Service]]
    ) -> None:
        self._outages: dict[MeterKey, list[_Times]] = {}
        for meter, times in outages:
            self._outages.setdefault(meter, []).append(times)
        self._services = dict(services)
        self._known: dict[MeterKey, ExpectedCadence] = {}
        self._at_moments: dict[MeterKey, Expectation] = {}

    def slots_of(self, meter: MeterKey, cadence: CadenceSlots) -> ExpectedCadence:
        """The slots of a meter, whose event type has this cadence."""
        cadence_slots = self._known.get(meter)
        if cadence_slots is None:
            cadence_slots = self._known[meter] = ExpectedCadence(cadence, self._expectation(meter))
        return cadence_slots

    def hold(self, meter: MeterKey, moment: datetime) -> bool:
        """Whether something is expected of a meter at a moment, whose event type has no cadence."""
        expectation = self._at_moments.get(meter)
        if expectation is None:
            expectation = self._at_moments[meter] = self._expectation(meter)
        return bool(expectation.stretches(Interval(moment, moment + MILLISECOND)))

    def _expectation(self, meter: MeterKey) -> Expectation:
        keys = {
            MeterKey(kind, *place)
            for kind in (0, meter.event_type)
            for place in ((0, 0), (meter.asset, meter.location))
        }
        times = [outage for key in keys for outage in self._outages.get(key, ())]
        service = self._services.get((meter.asset, meter.location), ALWAYS)
        return Expectation(service, join_outages(times, LAST))


async def read_expected_slots(
    tx: Read, project: int, idle: Iterable[tuple[MeterKey, _Times]] = ()
) -> Expected:
    """Which slots are expected of the meters of a project; of those idle in a time, none that lie in it."""
    outages, services = await tx.several((_PROJECT_OUTAGES, (project,)), (_SERVICES, (project, project)))
    return Expected(
        (*((MeterKey(*key), (start, end)) for *key, start, end in outages), *idle),
        (((asset, location), Service(start, end)) for asset, location, start, end in services),
    )


_PROJECT_OUTAGES: Final = """
    SELECT coalesce(event_type_id, 0), coalesce(asset_id, 0), coalesce(location_id, 0), start_time, end_time
      FROM outages WHERE project_id = %s
"""
_SERVICES: Final = """
    SELECT id, 0, in_service_from, in_service_until FROM assets
     WHERE project_id = %s AND num_nonnulls(in_service_from, in_service_until) > 0
    UNION ALL
    SELECT 0, id, in_service_from, in_service_until FROM locations
     WHERE project_id = %s AND num_nonnulls(in_service_from, in_service_until) > 0
"""


# Counting expected and captured slots and time, by meter and period.


Place = tuple[int, int]
"""A meter and a period, each by its index."""


@dataclass(frozen=True, slots=True)
class Captured:
    """Captured slots and time; without a time where no event of the range has a length."""

    counts: CaptureCounts
    time: CaptureTime | None


async def read_captured(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> list[list[Captured]]:
    """The captured slots and time of each meter in each of the consecutive periods."""
    counts = await counted(tx, question, meters, periods)
    lasting = await _measure_covered(tx, question, meters, periods)
    return [
        [
            Captured(
                counts[meter][period],
                None
                if lasting is None
                else CaptureTime(
                    _expected_time(question, expected_meter, time), lasting.get((meter, period), 0)
                ),
            )
            for period, time in enumerate(periods)
        ]
        for meter, expected_meter in enumerate(meters)
    ]


async def counted(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> list[list[CaptureCounts]]:
    """The slots of each meter in each of the periods, as they were expected and as they came."""
    counts = await _count_seen(tx, question, meters, periods)
    return [
        [
            _with_expected(counts.get((meter, period), CaptureCounts()), question, expected_meter, time)
            for period, time in enumerate(periods)
        ]
        for meter, expected_meter in enumerate(meters)
    ]


def multirange(slots: CadenceSlots, ranges: Sequence[range]) -> str:
    """Slots by when they begin, as the text of a multirange of moments."""
    return _multirange(
        [Interval(slots.start(indexes.start), slots.start(indexes.stop)) for indexes in ranges]
    )


def _multirange(times: Sequence[Interval]) -> str:
    return (
        f"{{{','.join(f'[{interval.start.isoformat()},{interval.end.isoformat()})' for interval in times)}}}"
    )


def _with_expected(
    counts: CaptureCounts, question: CaptureQuestion, meter: ExpectedMeter, period: Interval
) -> CaptureCounts:
    begun, counted = question.slots.begun_in(period), question.counted
    inside = range(
        max(begun.start, counted.start), max(begun.start, counted.start, min(begun.stop, counted.stop))
    )
    return counts.plus(CaptureCounts(expected=count_expected(inside, meter.unexpected)))


def _expected_time(question: CaptureQuestion, meter: ExpectedMeter, period: Interval) -> int:
    time = period.overlap(question.passed)
    return 0 if time is None else sum(stretch.milliseconds for stretch in meter.expectation.stretches(time))


async def _count_seen(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> dict[Place, CaptureCounts]:
    """The captured slots, without the number of expected ones."""
    slots = question.slots
    slots_query, values = seen_slots(question)
    values |= keys_of(meters) | {
        "unexpected": [multirange(slots, expected_meter.unexpected) for expected_meter in meters],
        "firsts": moments(slots.start(slots.from_on(period.start)) for period in periods),
    }
    rows = await tx.tuples(SQL(_COUNTED).format(seen=slots_query), values)
    return {
        (meter, period): CaptureCounts(0, received, valid, substituted, imputed)
        for meter, period, received, valid, substituted, imputed in rows
    }


async def _measure_covered(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], periods: Sequence[Interval]
) -> dict[Place, int] | None:
    """The milliseconds that valid events cover of the expected time; None where no event has a length."""
    time_range = {"begin": question.passed.start, "end": question.passed.end}
    if not await tx.value(_HAS_LENGTHS, parameters(question) | time_range):
        return None
    bounds = [*(min(period.start, question.passed.end) for period in periods), question.passed.end]
    values: dict[str, Any] = parameters(question) | keys_of(meters)
    values |= {
        "expected": [_multirange(meter.expectation.stretches(question.passed)) for meter in meters],
        "bounds": moments(bounds),
        **time_range,
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

# Covered times are united first, so that time that two events cover counts once; then it is cut by periods.
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
