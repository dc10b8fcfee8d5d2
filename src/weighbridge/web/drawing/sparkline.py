"""A sparkline: one bar for each period of a year or so, as high as its amount; what is missing has none."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup

from weighbridge.web.drawing.svg import Length, element, picture

BAR: Final = 9
GAP: Final = 2
HEIGHT: Final = 22


def sparkline(amounts: Sequence[Decimal | None], *, says: str, newest: int = 0) -> Markup:
    """Bars in their order, the last `newest` of them stronger; what is below zero hangs from the line."""
    known = [Fraction(amount) for amount in amounts if amount is not None]
    most, least = max([*known, Fraction(0)]), min([*known, Fraction(0)])
    scale = (HEIGHT - 1) / (most - least) if most > least else Fraction(0)
    base = most * scale if scale else Fraction(HEIGHT - 1)
    width = max(len(amounts) * (BAR + GAP) - GAP, 1)
    bars = [
        _bar(index, Fraction(amount) * scale, base, is_newest=index >= len(amounts) - newest)
        for index, amount in enumerate(amounts)
        if amount
    ]
    line = element("line", x1=0, x2=width, y1=base + Fraction(1, 2), y2=base + Fraction(1, 2), class_="base")
    return picture(width, HEIGHT, [*bars, line], says=says, kind="sparkline")


def _bar(index: int, height: Fraction, base: Fraction, *, is_newest: bool) -> Markup:
    seen = max(abs(height), Fraction(1))
    top: Length = base - seen if height > 0 else base
    kind = "bar now" if is_newest else "bar"
    return element("rect", x=index * (BAR + GAP), y=top, width=BAR, height=seen, class_=kind)
