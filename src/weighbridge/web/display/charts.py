"""Charts as SVG: the parts that all pictures share, bars, sparklines, balances over time, and traces of
values.

No colour is written into a picture, only classes; the stylesheet has the colours. Each picture says in
words what it shows (`title`, `desc`).
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from weighbridge.core.time.calendar import find_slot
from weighbridge.web.display.figures import MINUS, format_clock, format_day, round_figure

# The parts that pictures share: an element of SVG, a picture with its words, coordinates as text.


Length = int | Decimal | Fraction
"""A coordinate; the unit is a pixel of the picture's own size."""

_TENTH: Final = 10


def at(length: Length) -> str:
    """A coordinate as SVG has it, to a tenth of a pixel."""
    if isinstance(length, Decimal):
        tenths = int(length.scaleb(1).to_integral_value(ROUND_HALF_EVEN))
    else:
        tenths = round(length * _TENTH)
    units, tenth = divmod(abs(tenths), _TENTH)
    sign = "-" if tenths < 0 else ""
    return f"{sign}{units}.{tenth}" if tenth else f"{sign}{units}"


def element(name: str, *inside: Markup | str, **attributes: object) -> Markup:
    """Return an element; `class_` is its class, and an underscore in a name is a hyphen."""
    attributes_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    body = Markup("").join(inside)
    return Markup(f"<{name}{attributes_text}>{body}</{name}>" if body else f"<{name}{attributes_text}/>")  # noqa: S704 - escaped


def picture(
    width: Length, height: Length, parts: Iterable[Markup], *, alt_text: str, kind: str = ""
) -> Markup:
    """A picture of a size that says in words what it shows; one with links in it is a group of them."""
    inside = Markup("").join(parts)
    return element(
        "svg", element("title", escape(alt_text)), inside,
        class_=f"picture {kind}".strip(), viewBox=f"0 0 {at(width)} {at(height)}", width=at(width),
        height=at(height), role="group" if "<a " in inside else "img", aria_label=alt_text,
    )  # fmt: skip


def label(text: str, x: Length, y: Length, *, kind: str = "", anchor: str = "") -> Markup:
    """A text at a place."""
    return element("text", escape(text), x=x, y=y, class_=kind, text_anchor=anchor)


def link(address: str, *inside: Markup, is_current: bool = False) -> Markup:
    """Parts that lead somewhere, or to where one is already."""
    return element("a", *inside, href=address, aria_current="true" if is_current else None)


def path_of(points: Iterable[tuple[Length, Length]]) -> str:
    """A line through points."""
    return " ".join(f"{'L' if index else 'M'}{at(x)} {at(y)}" for index, (x, y) in enumerate(points))


def _text(value: object) -> str:
    return at(value) if isinstance(value, Decimal | Fraction) else str(value)


# One bar for the withdrawn amount, the balance and the deficit.


SHARES_WIDTH: Final = 520
SHARES_HEIGHT: Final = 10


def stacked_bar(
    parts: Sequence[tuple[str, Decimal]],
    *,
    alt_text: str,
    width: int = SHARES_WIDTH,
    height: int = SHARES_HEIGHT,
) -> Markup:
    """Parts by their kinds (`drawn`, `remaining`, `deficit`) side by side, as long as their amounts.

    An amount that is there is seen: it is a pixel wide at least. Zero has no part.
    """
    sizes = [(kind, abs(Fraction(amount))) for kind, amount in parts if amount]
    total = sum((amount for _, amount in sizes), Fraction(0))
    bars, x = [], Fraction(0)
    for kind, amount in sizes:
        length = max(amount / total * width, Fraction(1))
        bars.append(element("rect", x=x, y=0, width=length, height=height, class_=kind))
        x += length
    return picture(width, height, bars, alt_text=alt_text, kind="shares")


# A sparkline: one bar for each period of a year or so, as high as its amount; what is missing has none.


BAR: Final = 9
GAP: Final = 2
SPARKLINE_HEIGHT: Final = 22


def sparkline(amounts: Sequence[Decimal | None], *, alt_text: str, newest: int = 0) -> Markup:
    """Bars in their order, the last `newest` of them stronger; what is below zero hangs from the line."""
    numbers = [Fraction(amount) for amount in amounts if amount is not None]
    most, least = max([*numbers, Fraction(0)]), min([*numbers, Fraction(0)])
    scale = (SPARKLINE_HEIGHT - 1) / (most - least) if most > least else Fraction(0)
    base = most * scale if scale else Fraction(SPARKLINE_HEIGHT - 1)
    width = max(len(amounts) * (BAR + GAP) - GAP, 1)
    bars = [
        _bar(index, Fraction(amount) * scale, base, is_newest=index >= len(amounts) - newest)
        for index, amount in enumerate(amounts)
        if amount
    ]
    line = element("line", x1=0, x2=width, y1=base + Fraction(1, 2), y2=base + Fraction(1, 2), class_="base")
    return picture(width, SPARKLINE_HEIGHT, [*bars, line], alt_text=alt_text, kind="sparkline")


def _bar(index: int, height: Fraction, base: Fraction, *, is_newest: bool) -> Markup:
    visible_height = max(abs(height), Fraction(1))
    top: Length = base - visible_height if height > 0 else base
    kind = "bar now" if is_newest else "bar"
    return element("rect", x=index * (BAR + GAP), y=top, width=BAR, height=visible_height, class_=kind)


# A balance over time: one step per month, filled to zero.


STEP: Final = 56
STEPS_HEIGHT: Final = 120
FOOT: Final = 18


def steps(months: Sequence[tuple[str, Decimal, str]], *, alt_text: str) -> Markup:
    """Draw the balance at the end of each month; each month has a short name, the balance and a title."""
    levels = [Fraction(level) for _, level, _ in months]
    most, least = max([*levels, Fraction(0)]), min([*levels, Fraction(0)])
    scale = Fraction(STEPS_HEIGHT) / (most - least) if most > least else Fraction(0)
    base = most * scale + 1
    parts = []
    for index, (name, _, title) in enumerate(months):
        height = levels[index] * scale
        top, tall = (base - height, height) if height >= 0 else (base, -height)
        kind = "level short" if height < 0 else "level"
        parts.append(
            element(
                "g",
                element("title", escape(title)),
                element(
                    "rect", x=index * STEP, y=top, width=STEP - 2, height=max(tall, Fraction(1)), class_=kind
                ),
            )
        )
        parts.append(
            label(
                name, index * STEP + (STEP - 2) // 2, STEPS_HEIGHT + FOOT - 3, kind="label", anchor="middle"
            )
        )
    width = max(len(months) * STEP, 1)
    parts.append(element("line", x1=0, x2=width, y1=base, y2=base, class_="base"))
    return picture(width, STEPS_HEIGHT + FOOT, parts, alt_text=alt_text, kind="steps")


# A trace: values over time as a line, the extremes of buckets as a band, each correction as a pin.
#
# Marks are those of every page: adjusted ink, substituted a hollow dot, imputed a hollow square; an outage
# is a grey band; what is missing is a gap, never a line across.


TRACE_WIDTH: Final = 1_160
TRACE_HEIGHT: Final = 240
LEFT: Final = 64
BOTTOM: Final = 22
LINES: Final = 4
"""Lines across that carry a number."""


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


_PRECISE: Final = Context(prec=100, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""Values of 34 digits that differ in the last one lie apart. Thousands of points are drawn while others wait:
fractions, which are exact, took five times as long."""

_MILLISECOND: Final = timedelta(milliseconds=1)


class _Scale:
    def __init__(self, series: TracedSeries, width: int, proposed: Decimal | None) -> None:
        self.width = width
        self._start = series.start
        self._span = Decimal(max((series.end - series.start) // _MILLISECOND, 1))
        extremes = [extreme for point in series.points for extreme in (point.low, point.high, point.captured)]
        values = [value for value in (*extremes, proposed) if value is not None] or [Decimal(0)]
        least, most = min(values), max(values)
        extent = _PRECISE.subtract(most, least) or abs(most) or Decimal(12)
        room = _PRECISE.divide(extent, Decimal(12))
        self.least = _PRECISE.subtract(least, room)
        self.extent = _PRECISE.subtract(_PRECISE.add(most, room), self.least)

    def x(self, moment: datetime) -> Decimal:
        share = _PRECISE.divide(Decimal((moment - self._start) // _MILLISECOND), self._span)
        return LEFT + min(max(share, Decimal(0)), Decimal(1)) * (self.width - LEFT)

    def y(self, value: Decimal) -> Decimal:
        share = _PRECISE.divide(_PRECISE.subtract(value, self.least), self.extent)
        return (TRACE_HEIGHT - BOTTOM) * (1 - share)


def trace(
    series: TracedSeries,
    *,
    alt_text: str,
    ticks: Sequence[tuple[datetime, str]],
    breaks: timedelta | None = None,
    chosen_time: datetime | None = None,
    proposed: Decimal | None = None,
    width: int = TRACE_WIDTH,
) -> Markup:
    """The picture of a series; the line is broken wherever a pause is longer than `breaks`.

    A chosen moment is marked, and with it the value that is proposed there.
    """
    scale = _Scale(series, width, proposed)
    parts = [*_outages(series, scale), *_lines(scale), *_times(scale, ticks)]
    if chosen_time is not None:
        x = scale.x(chosen_time)
        parts.append(element("line", x1=x, x2=x, y1=0, y2=TRACE_HEIGHT - BOTTOM, class_="chosen"))
    for segment in _stretches(series.points, breaks):
        parts += _stretch(segment, scale)
    parts += [_pin(scale, point.start, point.high, "imputed") for point in series.points if point.is_imputed]
    parts += [
        _pin(scale, pin.start, pin.value, "substituted" if pin.source == "substitution" else "adjusted")
        for pin in series.pins
    ]
    if chosen_time is not None and proposed is not None:
        parts.append(_pin(scale, chosen_time, proposed, "substituted"))
    return picture(width, TRACE_HEIGHT, parts, alt_text=alt_text, kind="trace wide")


def _stretches(points: Sequence[TracedPoint], breaks: timedelta | None) -> Iterator[list[TracedPoint]]:
    segment: list[TracedPoint] = []
    for point in points:
        if segment and breaks is not None and point.start - segment[-1].start > breaks:
            yield segment
            segment = []
        segment.append(point)
    if segment:
        yield segment


def _stretch(points: list[TracedPoint], scale: _Scale) -> Iterator[Markup]:
    times = [scale.x(point.start) for point in points]
    highs = [(x, scale.y(point.high)) for x, point in zip(times, points, strict=True)]
    lows = [(x, scale.y(point.low)) for x, point in zip(times, points, strict=True)]
    captured = [
        (x, scale.y(point.captured))
        for x, point in zip(times, points, strict=True)
        if point.captured is not None
    ]
    if lows != highs:
        yield element("path", d=path_of([*highs, *reversed(lows)]) + " Z", class_="band")
    if captured:
        yield element("path", d=path_of(captured), class_="captured")
    yield element(
        "path",
        d=path_of(highs if len(highs) > 1 else [*highs, (highs[0][0] + 2, highs[0][1])]),
        class_="line",
    )


def _pin(scale: _Scale, moment: datetime, value: Decimal, kind: str) -> Markup:
    x, y = scale.x(moment), scale.y(value)
    if kind == "imputed":
        return element("rect", x=x - 3, y=y - 3, width=6, height=6, class_=f"pin {kind}")
    return element("circle", cx=x, cy=y, r=Fraction(7, 2), class_=f"pin {kind}")


def _outages(series: TracedSeries, scale: _Scale) -> Iterator[Markup]:
    for outage in series.outages:
        first, last = scale.x(outage.start), scale.x(outage.end or series.end)
        yield element(
            "rect",
            element("title", escape(outage.reason)),
            x=first,
            y=0,
            width=max(last - first, Decimal(1)),
            height=TRACE_HEIGHT - BOTTOM,
            class_="out",
        )


def _lines(scale: _Scale) -> Iterator[Markup]:
    for at in range(1, LINES + 1):
        value = _PRECISE.fma(scale.extent, Decimal(at) / (LINES + 1), scale.least)
        y = scale.y(value)
        yield element("line", x1=LEFT, x2=scale.width, y1=y, y2=y, class_="base")
        yield label(_axis_label(value), LEFT - 8, y + 4, kind="axis", anchor="end")


def _axis_label(value: Decimal) -> str:
    digits = max(3 - value.adjusted(), 0) if value else 0
    text = format(round_figure(value.quantize(Decimal(1).scaleb(-min(digits, 9)), context=_PRECISE)), "f")
    return text.replace("-", MINUS)


def _times(scale: _Scale, ticks: Sequence[tuple[datetime, str]]) -> Iterator[Markup]:
    for moment, words in ticks:
        yield label(words, scale.x(moment), TRACE_HEIGHT - 5, kind="axis")


# Ticks of time: whole hours, days, months or years of the local calendar, so many as there is room for.


TICKS_MAX: Final = 7
"""Ticks below a picture of values, at most."""

_STEPS: Final = (
    ("hourly", 1, 3_600), ("hourly", 3, 10_800), ("hourly", 6, 21_600), ("hourly", 12, 43_200),
    ("daily", 1, 86_400), ("daily", 2, 172_800), ("weekly", 1, 604_800), ("monthly", 1, 2_678_400),
    ("quarterly", 1, 7_948_800), ("annual", 1, 31_622_400), ("annual", 5, 157_766_400),
)  # fmt: skip
"""Cadences, each how many of it lie between two ticks, and at most how many seconds that takes."""


def whole_moments(start: datetime, end: datetime, zone: str) -> list[tuple[datetime, str]]:
    """Moments of a range at which something whole begins, with their words; even steps where nothing does.

    A range that spans more than so many steps of five years, or reaches the ends of the calendar, has even
    steps too.
    """
    place, seconds = ZoneInfo(zone), (end - start).total_seconds()
    fitting = [step for step in _STEPS if seconds / step[2] <= TICKS_MAX]
    if not fitting or seconds < 2 * _STEPS[0][2] or start.year == MINYEAR or end.year == MAXYEAR:
        moments = [start + (end - start) / TICKS_MAX * number for number in range(TICKS_MAX)]
        return [(moment, _words(moment.astimezone(place), is_day=seconds > 2 * 86_400)) for moment in moments]
    cadence, every, _ = fitting[0]
    found: list[tuple[datetime, str]] = []
    slot = find_slot(cadence, start, place)
    while slot.start < end:
        local = slot.start.astimezone(place)
        number = {"hourly": local.hour, "daily": local.toordinal(), "annual": local.year}.get(cadence, 0)
        if slot.start >= start and number % every == 0:
            found.append((slot.start, _words(local, is_day=cadence != "hourly" or local.hour == 0)))
        slot = find_slot(cadence, slot.end, place)
    return found


def _words(local: datetime, *, is_day: bool) -> str:
    return format_day(local) if is_day else format_clock(local)
