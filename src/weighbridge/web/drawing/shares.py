"""One bar for what is drawn, what remains and what is short; figures stand beside it, not in it."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup

from weighbridge.web.drawing.svg import element, picture

WIDTH: Final = 520
HEIGHT: Final = 10


def stacked_bar(
    parts: Sequence[tuple[str, Decimal]], *, says: str, width: int = WIDTH, height: int = HEIGHT
) -> Markup:
    """Parts by their kinds (`drawn`, `remaining`, `deficit`) side by side, as long as their amounts.

    An amount that is there is seen: it is a pixel wide at least. Zero has no part.
    """
    shown = [(kind, abs(Fraction(amount))) for kind, amount in parts if amount]
    total = sum((amount for _, amount in shown), Fraction(0))
    drawn, x = [], Fraction(0)
    for kind, amount in shown:
        length = max(amount / total * width, Fraction(1))
        drawn.append(element("rect", x=x, y=0, width=length, height=height, class_=kind))
        x += length
    return picture(width, height, drawn, says=says, kind="shares")
