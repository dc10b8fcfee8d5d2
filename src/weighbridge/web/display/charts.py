"""Charts as SVG: the parts that all pictures share, bars, sparklines and balances over time.

No colour is written into a picture, only classes; the stylesheet has the colours. Each picture says in
words what it shows (`title`, `desc`).
"""

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

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
