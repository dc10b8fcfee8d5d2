"""Traces as SVG: values over time as lines, with round numbers beside them and whole moments below.

Marks are those of every page: adjusted ink, substituted a hollow dot, imputed a hollow square; an outage
is a grey band; what is missing is a gap, never a line across. Each further line has a colour and a dash of
its own, by its class.

Invariants: an axis has one unit; every tick is a round number or a whole moment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from weighbridge.core.time.calendar import find_slot
from weighbridge.web.display.charts import element, label, path_of, picture
from weighbridge.web.display.figures import MINUS, format_clock, format_day

# Ticks of values: multiples of 1, 2 or 5 times a power of ten.


_PRECISE: Final = Context(prec=100, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""Values of 34 digits that differ in the last one lie apart. Thousands of points are drawn while others wait:
fractions, which are exact, took five times as long."""

VALUE_TICKS_MAX: Final = 7
"""Numbers beside a picture of values, at most."""

_LABEL_LENGTH: Final = 8
"""Characters of a number for which there is room beside a picture; a longer one has a power of ten."""

_TIME_WIDTH: Final = 80
"""How wide the words of a moment are at most."""

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def round_values(least: Decimal, most: Decimal) -> list[Decimal]:
    """The round numbers between two different ones: multiples of 1, 2 or 5 times a power of ten."""
    rough = _PRECISE.divide(_PRECISE.subtract(most, least), Decimal(VALUE_TICKS_MAX - 1))
    power = Decimal(1).scaleb(rough.adjusted(), _PRECISE)
    step = next(size for factor in (1, 2, 5, 10) if (size := _PRECISE.multiply(factor, power)) >= rough)
    number = _PRECISE.divide(least, step).to_integral_value(ROUND_CEILING, _PRECISE)
    values = []
    while (value := _PRECISE.multiply(number, step)) <= most:
        values.append(value)
        number += 1
    return values


def axis_label(value: Decimal) -> str:
    """A number beside a picture: with all digits where there is room, otherwise with a power of ten."""
    text = format(value.normalize(_PRECISE) if value else Decimal(0), "f")
    if len(text.lstrip("-")) > _LABEL_LENGTH:
        power = value.adjusted()
        digits = value.scaleb(-power, _PRECISE).quantize(Decimal("0.001"), ROUND_HALF_EVEN, _PRECISE)
        text = f"{digits.normalize():f}\u202f·\u202f10{str(power).translate(_RAISED)}"
    return text.replace("-", MINUS)


# A trace: values over time as a line, the extremes of buckets as a band, each correction as a pin.


TRACE_WIDTH: Final = 1_160
TRACE_HEIGHT: Final = 240
LEFT: Final = 64
RIGHT: Final = 64
"""Room for the numbers of a second unit."""

TOP: Final = 18
"""Room for the units, above their numbers."""

BOTTOM: Final = 22
AXES_MAX: Final = 2
"""Units of a picture: one has its numbers to the left, the other to the right."""


class TracedSeries(Protocol):
    """What a trace is drawn of: a series over a range."""

    @property
    def start(self) -> datetime: ...
    @property
    def end(self) -> datetime: ...
    @property
    def points(self) -> Sequence["TracedPoint"]: ...
    @property
    def pins(self) -> Sequence["TracedPin"]: ...
    @property
    def outages(self) -> Sequence["TracedOutage"]: ...


class TracedPoint(Protocol):
    """A value, or the extremes of a bucket."""

    @property
    def start(self) -> datetime: ...
    @property
    def low(self) -> Decimal: ...
    @property
    def high(self) -> Decimal: ...
    @property
    def captured(self) -> Decimal | None: ...
    @property
    def is_imputed(self) -> bool: ...


class TracedPin(Protocol):
    """A corrected value."""

    @property
    def start(self) -> datetime: ...
    @property
    def value(self) -> Decimal: ...
    @property
    def source(self) -> str: ...


class TracedOutage(Protocol):
    """A stretch in which nothing was expected."""

    @property
    def start(self) -> datetime: ...
    @property
    def end(self) -> datetime | None: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True, slots=True)
class TracedLine:
    """A series with its unit as people write it; the line is broken where a pause is longer than `breaks`."""

    series: TracedSeries
    unit: str = ""
    breaks: timedelta | None = None


_MILLISECOND: Final = timedelta(milliseconds=1)


class _TimeAxis:
    def __init__(self, series: TracedSeries, width: int, axes: int, *, has_units: bool) -> None:
        self.left, self.right = LEFT, width - (RIGHT if axes > 1 else 0)
        self.top, self.foot = TOP if has_units else 0, TRACE_HEIGHT - BOTTOM
        self.width = width
        self._start = series.start
        self._span = Decimal(max((series.end - series.start) // _MILLISECOND, 1))

    def x(self, moment: datetime) -> Decimal:
        share = _PRECISE.divide(Decimal((moment - self._start) // _MILLISECOND), self._span)
        return self.left + min(max(share, Decimal(0)), Decimal(1)) * (self.right - self.left)


class _ValueAxis:
    def __init__(self, lines: Sequence[TracedLine], time: _TimeAxis, proposed: Decimal | None) -> None:
        extremes = [
            extreme
            for line in lines
            for point in line.series.points
            for extreme in (point.low, point.high, point.captured)
        ]
        values = [value for value in (*extremes, proposed) if value is not None] or [Decimal(0)]
        least, most = min(values), max(values)
        extent = _PRECISE.subtract(most, least) or abs(most) or Decimal(12)
        room = _PRECISE.divide(extent, Decimal(12))
        self.unit = lines[0].unit
        self.least, self.most = _PRECISE.subtract(least, room), _PRECISE.add(most, room)
        self._extent = _PRECISE.subtract(self.most, self.least)
        self._top, self._height = time.top, time.foot - time.top

    def y(self, value: Decimal) -> Decimal:
        share = _PRECISE.divide(_PRECISE.subtract(value, self.least), self._extent)
        return self._top + self._height * (1 - share)


def trace(
    lines: Sequence[TracedLine],
    *,
    alt_text: str,
    ticks: Sequence[tuple[datetime, str]],
    chosen_time: datetime | None = None,
    proposed: Decimal | None = None,
    width: int = TRACE_WIDTH,
) -> Markup:
    """The picture of one series or of several over the same range, of two units at most.

    A chosen moment is marked, and with it the value that is proposed there.
    """
    units = list(dict.fromkeys(line.unit for line in lines))
    time = _TimeAxis(lines[0].series, width, len(units), has_units=any(units))
    axes = {unit: _ValueAxis([line for line in lines if line.unit == unit], time, proposed) for unit in units}
    parts = list(_outages(lines, time))
    for side, axis in enumerate(axes.values()):
        parts += _draw_values(axis, time, is_right=side > 0)
    parts += _times(time, ticks)
    if chosen_time is not None:
        x = time.x(chosen_time)
        parts.append(element("line", x1=x, x2=x, y1=time.top, y2=time.foot, class_="chosen"))
    for number, line in enumerate(lines):
        parts += _draw_line(line, time, axes[line.unit], f" also-{number}" if number else "")
    if chosen_time is not None and proposed is not None:
        first_axis = axes[units[0]]
        parts.append(_pin(time.x(chosen_time), first_axis.y(proposed), "substituted"))
    return picture(width, TRACE_HEIGHT, parts, alt_text=alt_text, kind="trace wide")


def _draw_line(line: TracedLine, time: _TimeAxis, axis: _ValueAxis, kind: str) -> Iterator[Markup]:
    for segment in _stretches(line.series.points, line.breaks):
        yield from _stretch(segment, time, axis, kind)
    for point in line.series.points:
        if point.is_imputed:
            yield _pin(time.x(point.start), axis.y(point.high), "imputed")
    for pin in line.series.pins:
        how = "substituted" if pin.source == "substitution" else "adjusted"
        yield _pin(time.x(pin.start), axis.y(pin.value), how)


def _stretches(points: Sequence[TracedPoint], breaks: timedelta | None) -> Iterator[list[TracedPoint]]:
    segment: list[TracedPoint] = []
    for point in points:
        if segment and breaks is not None and point.start - segment[-1].start > breaks:
            yield segment
            segment = []
        segment.append(point)
    if segment:
        yield segment


def _stretch(points: list[TracedPoint], time: _TimeAxis, axis: _ValueAxis, kind: str) -> Iterator[Markup]:
    times = [time.x(point.start) for point in points]
    highs = [(x, axis.y(point.high)) for x, point in zip(times, points, strict=True)]
    lows = [(x, axis.y(point.low)) for x, point in zip(times, points, strict=True)]
    captured = [
        (x, axis.y(point.captured))
        for x, point in zip(times, points, strict=True)
        if point.captured is not None
    ]
    if lows != highs:
        yield element("path", d=path_of([*highs, *reversed(lows)]) + " Z", class_=f"band{kind}")
    if captured:
        yield element("path", d=path_of(captured), class_="captured")
    yield element(
        "path",
        d=path_of(highs if len(highs) > 1 else [*highs, (highs[0][0] + 2, highs[0][1])]),
        class_=f"line{kind}",
    )


def _pin(x: Decimal, y: Decimal, kind: str) -> Markup:
    if kind == "imputed":
        return element("rect", x=x - 3, y=y - 3, width=6, height=6, class_=f"pin {kind}")
    return element("circle", cx=x, cy=y, r=Fraction(7, 2), class_=f"pin {kind}")


def _outages(lines: Sequence[TracedLine], time: _TimeAxis) -> Iterator[Markup]:
    end = lines[0].series.end
    outages = {
        (outage.start, outage.end, outage.reason): outage for line in lines for outage in line.series.outages
    }
    for outage in outages.values():
        first, last = time.x(outage.start), time.x(outage.end or end)
        yield element(
            "rect",
            element("title", escape(outage.reason)),
            x=first,
            y=time.top,
            width=max(last - first, Decimal(1)),
            height=time.foot - time.top,
            class_="out",
        )


def _draw_values(axis: _ValueAxis, time: _TimeAxis, *, is_right: bool) -> Iterator[Markup]:
    """Round numbers with their unit above; those to the left have lines across."""
    x, anchor = (time.right + 8, "start") if is_right else (time.left - 8, "end")
    for value in round_values(axis.least, axis.most):
        y = axis.y(value)
        if not is_right:
            yield element("line", x1=time.left, x2=time.right, y1=y, y2=y, class_="base")
        number = element("title", escape(format(value, "f")))
        yield element(
            "text", escape(axis_label(value)), number, x=x, y=y + 4, class_="axis", text_anchor=anchor
        )
    if axis.unit:
        edge = time.width if is_right else 0
        yield label(axis.unit, edge, 10, kind="axis unit", anchor="end" if is_right else "start")


def _times(time: _TimeAxis, ticks: Sequence[tuple[datetime, str]]) -> Iterator[Markup]:
    for moment, words in ticks:
        x = time.x(moment)
        is_at_edge = x > time.width - _TIME_WIDTH
        yield label(words, x, TRACE_HEIGHT - 5, kind="axis", anchor="end" if is_at_edge else "")


# Ticks of time: whole minutes, hours, days, months or years of the local calendar, as many as fit.


TICKS_MAX: Final = 7
"""Ticks below a picture of values, at most."""

_STEPS: Final = (
    *(("second", amount, amount) for amount in (1, 5, 10, 15, 30)),
    *(("second", 60 * minutes, 60 * minutes) for minutes in (1, 5, 10, 15, 30)),
    ("hourly", 1, 3_600), ("hourly", 3, 10_800), ("hourly", 6, 21_600), ("hourly", 12, 43_200),
    ("daily", 1, 86_400), ("daily", 2, 172_800), ("weekly", 1, 604_800), ("monthly", 1, 2_678_400),
    ("quarterly", 1, 7_948_800),
    *(("annual", years, years * 31_622_400) for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000)),
)  # fmt: skip
"""Cadences, each how many of it lie between two ticks, and at most how many seconds that takes."""

_SHORT: Final = 2 * 3_600
"""Seconds of a range below which ticks are minutes."""


def whole_moments(start: datetime, end: datetime, zone: str) -> list[tuple[datetime, str]]:
    """Moments of a range at which something whole begins, with their words.

    A range that reaches the first or the last year of the calendar has even steps, for nothing begins beyond.
    """
    place, seconds = ZoneInfo(zone), (end - start).total_seconds()
    if start.year == MINYEAR or end.year == MAXYEAR:
        moments = [start + (end - start) / TICKS_MAX * number for number in range(TICKS_MAX)]
        return [(moment, _words(moment.astimezone(place), is_day=seconds > 2 * 86_400)) for moment in moments]
    cadence, every, _ = next(
        step for step in _STEPS if seconds / step[2] <= TICKS_MAX and (step[2] >= 3_600 or seconds < _SHORT)
    )
    is_clock = cadence in {"second", "hourly"}
    if cadence == "second":
        found = _short_steps(start, end, place, every)
    elif cadence == "annual":
        years = range(-(-start.astimezone(place).year // every) * every, end.year + 2, every)
        found = (datetime(year, 1, 1, tzinfo=place) for year in years if MINYEAR < year < MAXYEAR)
    else:
        found = _slot_starts(cadence, every, start, end, place)
    return [
        (moment, _words(local, is_day=not is_clock or not (local.hour or local.minute or local.second)))
        for moment in found
        if start <= moment < end
        for local in (moment.astimezone(place),)
    ]


def _short_steps(start: datetime, end: datetime, place: ZoneInfo, seconds: int) -> Iterator[datetime]:
    """Every so many seconds, counted on the wall."""
    local = start.astimezone(place)
    passed = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    moment = start - passed % timedelta(seconds=seconds)
    while moment < end:
        yield moment
        moment += timedelta(seconds=seconds)


def _slot_starts(
    cadence: str, every: int, start: datetime, end: datetime, place: ZoneInfo
) -> Iterator[datetime]:
    slot = find_slot(cadence, start, place)
    while slot.start < end:
        local = slot.start.astimezone(place)
        number = {"hourly": local.hour, "daily": local.toordinal()}.get(cadence, 0)
        if number % every == 0:
            yield slot.start
        slot = find_slot(cadence, slot.end, place)


def _words(local: datetime, *, is_day: bool) -> str:
    return format_day(local) if is_day else format_clock(local)
