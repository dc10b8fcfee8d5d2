"""A balance over time: one step for each month, filled down to zero, below it where something is short."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

from weighbridge.web.drawing.svg import element, label, picture

STEP: Final = 56
HEIGHT: Final = 120
FOOT: Final = 18


def steps(months: Sequence[tuple[str, Decimal, str]], *, says: str) -> Markup:
    """The chart: of each month its short name, how the ledger stood at its end, and that in words."""
    levels = [Fraction(level) for _, level, _ in months]
    most, least = max([*levels, Fraction(0)]), min([*levels, Fraction(0)])
    scale = Fraction(HEIGHT) / (most - least) if most > least else Fraction(0)
    base = most * scale + 1
    parts = []
    for index, (name, _, said) in enumerate(months):
        height = levels[index] * scale
        top, tall = (base - height, height) if height >= 0 else (base, -height)
        kind = "level short" if height < 0 else "level"
        parts.append(
            element(
                "g",
                element("title", escape(said)),
                element(
                    "rect", x=index * STEP, y=top, width=STEP - 2, height=max(tall, Fraction(1)), class_=kind
                ),
            )
        )
        parts.append(
            label(name, index * STEP + (STEP - 2) // 2, HEIGHT + FOOT - 3, kind="label", anchor="middle")
        )
    width = max(len(months) * STEP, 1)
    parts.append(element("line", x1=0, x2=width, y1=base, y2=base, class_="base"))
    return picture(width, HEIGHT + FOOT, parts, says=says, kind="steps")
