"""Capture rates: of what an event type's meters were expected to measure, how much is valid, by period.

They are worked out when they are asked for, from the events, outages and times in service as they are
then, and nothing is stored. Permission: data collection; the account needs the feature
`data_capture_rate`.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import reduce
from typing import Final

from weighbridge.core import identity
from weighbridge.core.collection.capture import (
    FIGURES_MAX,
    PERIODS,
    PERIODS_MAX,
    SLOTS_OF_METER_MAX,
    CaptureCounts,
    CaptureTime,
)
from weighbridge.core.number import EXACT, plain, shorten
from weighbridge.core.platform.settings import Feature
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BEYOND_CALENDAR, Instant, Interval, count_of, find_slot, label_slot
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, Malformed
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.platform.feature_flags import need_feature
from weighbridge.platform.tenancy import project_of
from weighbridge.quality.records.availability import CaptureFigures, CaptureRate, MeterCapture, PeriodCapture
from weighbridge.quality.slots.capture import (
    END,
    Captured,
    CaptureQuestion,
    ExpectedMeter,
    asked_time,
    build_question,
    expected_meters,
    read_captured,
)

# Work out capture rates, by period and meter.


PERIOD: Final = "period"


async def read_capture_rate(
    tx: Read, project: int, event_type: str, query: Sequence[tuple[str, str]]
) -> CaptureRate:
    """The capture rate of an event type over the range of the query, cut by its period."""
    time, rest = asked_time(query)
    period = _period(rest)
    question = await build_question(tx, project, event_type, time, slots_max=SLOTS_OF_METER_MAX)
    periods = _periods(question, PERIODS[period])
    meters = await expected_meters(tx, question)
    if len(meters) * len(periods) > FIGURES_MAX:
        message = (
            f"{len(meters):,} meters and {len(periods):,} periods make more than {FIGURES_MAX:,} figures; "
            "ask for a shorter range or longer periods."
        )
        raise Invalid([Problem(message, END, "too_long")])
    by_meter = await read_captured(tx, question, meters, periods)
    return CaptureRate(
        event_type_id=identity.of("event_type", project, question.event_type),
        period=period,
        start_time=Instant.of(time.start),
        end_time=Instant.of(time.end),
        total=_figures(one for row in by_meter for one in row),
        meters=[_meter(project, meter, row) for meter, row in zip(meters, by_meter, strict=True)],
        data=[
            PeriodCapture(
                slot=label_slot(
                    PERIODS[period],
                    find_slot(PERIODS[period], one.start, question.slots.zone),
                    question.slots.zone,
                ),
                start_time=Instant.of(one.start),
                end_time=Instant.of(one.end),
                total=_figures(row[index] for row in by_meter),
                meters=[
                    _meter(project, meter, [row[index]]) for meter, row in zip(meters, by_meter, strict=True)
                ],
            )
            for index, one in enumerate(periods)
        ],
    )


def _period(rest: Sequence[tuple[str, str]]) -> str:
    problems = [
        Problem(
            f"{name} is no parameter of a capture rate; it takes start_time, end_time and period.",
            name,
            "unknown",
        )
        for name, _ in rest
        if name != PERIOD
    ]
    sent = [text for name, text in rest if name == PERIOD]
    if not sent:
        problems.append(Problem("period is required.", PERIOD, "required"))
    elif len(sent) > 1 or sent[0] not in PERIODS:
        message = ", ".join(repr(shorten(text)) for text in sent)
        problems.append(Problem(f"period is {message}; allowed are {', '.join(PERIODS)}.", PERIOD, "invalid"))
    if problems:
        raise Malformed(problems)
    return sent[0]


def _periods(question: CaptureQuestion, cadence: str) -> list[Interval]:
    """The periods that the range reaches over, the first and last cut where it begins and ends."""
    time, zone = question.time, question.slots.zone
    if (count := count_of(cadence, time, zone)) > PERIODS_MAX:
        message = f"The range reaches over {count:,} periods; at most {PERIODS_MAX:,} are told at once."
        raise Invalid([Problem(message, END, "too_long")])
    try:
        find_slot(cadence, time.start, zone), find_slot(cadence, time.end, zone)
    except (OverflowError, ValueError):
        raise Invalid([Problem(BEYOND_CALENDAR, END, "invalid")]) from None
    periods, start = [], time.start
    while start < time.end:
        end = min(find_slot(cadence, start, zone).end, time.end)
        periods.append(Interval(start, end))
        start = end
    return periods


def _meter(project: int, meter: ExpectedMeter, parts: Iterable[Captured]) -> MeterCapture:
    return MeterCapture(
        asset_id=None if meter.asset is None else identity.of("asset", project, meter.asset),
        location_id=None if meter.location is None else identity.of("location", project, meter.location),
        name=meter.name,
        figures=_figures(parts),
    )


def _figures(parts: Iterable[Captured]) -> CaptureFigures:
    """Parts added up, with the rate of the sum."""
    every = list(parts)
    counts = reduce(CaptureCounts.plus, (one.counts for one in every), CaptureCounts())
    times = [one.time for one in every if one.time is not None]
    time = reduce(CaptureTime.plus, times) if times else None
    return CaptureFigures(
        expected=counts.expected,
        received=counts.received,
        valid=counts.valid,
        substituted=counts.substituted,
        missing=counts.missing,
        imputed=counts.imputed,
        capture_rate=counts.rate,
        seconds_expected=None if time is None else _seconds(time.expected),
        seconds_valid=None if time is None else _seconds(time.valid),
        capture_rate_by_time=None if time is None else time.rate,
    )


def _seconds(milliseconds: int) -> Decimal:
    return Decimal(plain(Decimal(milliseconds).scaleb(-3, EXACT)))


# Paths of capture rates.


@get(
    "/projects/{project_id}/event_types/{event_type_id}/capture_rate",
    permission="data_collection:read",
    returns=CaptureRate,
    refuses=(Invalid,),
    query={
        "start_time": "The moment at which the range begins: slots that begin earlier are not in it.",
        "end_time": "The moment at which it ends: slots that begin then or later are not in it.",
        "period": "How the range is cut in the project's time zone: `day`, `month` or `quarter`.",
    },
    computes=True,
)
async def get_capture_rate(call: ReadCall) -> CaptureRate:
    """Read how much of what an event type's meters were expected to measure is valid.

    Slots of the cadence count that begin in the range and have ended. They are expected of a meter that is in
    service when they begin, unless declared outages cover all of one. Imputed slots are never valid.
    """
    await need_feature(call.tx, call.actor.account_id, Feature.DATA_CAPTURE_RATE)
    return await read_capture_rate(call.tx, await project_of(call), call.path["event_type_id"], call.query)


ROUTES = [get_capture_rate]
