"""A trace: values over time as a line, the extremes of buckets as a band, each correction as a pin.

Marks are those of every page: adjusted ink, substituted a hollow dot, imputed a hollow square; an outage is a
grey band; what is missing is a gap, never a line across.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Final, Protocol

from markupsafe import Markup, escape

from weighbridge.web.drawing.svg import element, label, path_of, picture
from weighbridge.web.showing.figures import MINUS, rounded

WIDTH: Final = 1_160
HEIGHT: Final = 240
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


class _Scale:
    def __init__(self, drawn: TracedSeries) -> None:
        self.start, self.span = drawn.start, max(drawn.end - drawn.start, timedelta(milliseconds=1))
        values = [one for point in drawn.points for one in (point.low, point.high, point.captured)]
        known = [Fraction(one) for one in values if one is not None] or [Fraction(0)]
        least, most = min(known), max(known)
        room = (most - least) / 12 or abs(most) / 12 or Fraction(1)
        self.least, self.most = least - room, most + room

    def x(self, moment: datetime) -> Fraction:
        share = Fraction(
            (moment - self.start) // timedelta(milliseconds=1), self.span // timedelta(milliseconds=1)
        )
        return LEFT + min(max(share, Fraction(0)), Fraction(1)) * (WIDTH - LEFT)

    def y(self, value: Decimal | Fraction) -> Fraction:
        share = (Fraction(value) - self.least) / (self.most - self.least)
        return (HEIGHT - BOTTOM) * (1 - share)


def trace(
    drawn: TracedSeries,
    *,
    says: str,
    ticks: Sequence[tuple[datetime, str]],
    breaks: timedelta | None = None,
    chosen: datetime | None = None,
) -> Markup:
    """The picture of a series; the line is broken wherever a pause is longer than `breaks`."""
    scale = _Scale(drawn)
    parts = [*_outages(drawn, scale), *_lines(scale), *_times(scale, ticks)]
    if chosen is not None:
        x = scale.x(chosen)
        parts.append(element("line", x1=x, x2=x, y1=0, y2=HEIGHT - BOTTOM, class_="chosen"))
    for stretch in _stretches(drawn.points, breaks):
        parts += _stretch(stretch, scale)
    parts += [_pin(scale, point.start, point.high, "imputed") for point in drawn.points if point.is_imputed]
    parts += [
        _pin(scale, one.start, one.value, "substituted" if one.source == "substitution" else "adjusted")
        for one in drawn.pins
    ]
    return picture(WIDTH, HEIGHT, parts, says=says, kind="trace wide")


def _stretches(points: Sequence[TracedPoint], breaks: timedelta | None) -> Iterator[list[TracedPoint]]:
    stretch: list[TracedPoint] = []
    for point in points:
        if stretch and breaks is not None and point.start - stretch[-1].start > breaks:
            yield stretch
            stretch = []
        stretch.append(point)
    if stretch:
        yield stretch


def _stretch(points: list[TracedPoint], scale: _Scale) -> Iterator[Markup]:
    highs = [(scale.x(one.start), scale.y(one.high)) for one in points]
    lows = [(scale.x(one.start), scale.y(one.low)) for one in points]
    captured = [(scale.x(one.start), scale.y(one.captured)) for one in points if one.captured is not None]
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


def _outages(drawn: TracedSeries, scale: _Scale) -> Iterator[Markup]:
    for one in drawn.outages:
        first, last = scale.x(one.start), scale.x(one.end or drawn.end)
        yield element(
            "rect", element("title", escape(one.reason)), x=first, y=0, width=max(last - first, Fraction(1)),
            height=HEIGHT - BOTTOM, class_="out",
        )  # fmt: skip


def _lines(scale: _Scale) -> Iterator[Markup]:
    for at in range(1, LINES + 1):
        value = scale.least + (scale.most - scale.least) * Fraction(at, LINES + 1)
        y = scale.y(value)
        yield element("line", x1=LEFT, x2=WIDTH, y1=y, y2=y, class_="base")
        yield label(_said(value), LEFT - 8, y + 4, kind="axis", anchor="end")


def _said(value: Fraction) -> str:
    number = Decimal(value.numerator) / Decimal(value.denominator)
    digits = max(3 - number.adjusted(), 0) if number else 0
    text = format(rounded(number.quantize(Decimal(1).scaleb(-min(digits, 9)))), "f")
    return text.replace("-", MINUS)


def _times(scale: _Scale, ticks: Sequence[tuple[datetime, str]]) -> Iterator[Markup]:
    for moment, words in ticks:
        yield label(words, scale.x(moment), HEIGHT - 5, kind="axis")
