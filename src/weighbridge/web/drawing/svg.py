"""The parts that pictures share: an element of SVG, a picture with its words, coordinates as text."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

Length = int | Decimal | Fraction
"""A coordinate; the unit is a pixel of the picture's own size."""

_TENTH: Final = 10


def at(length: Length) -> str:
    """A coordinate as SVG has it, to a tenth of a pixel."""
    tenths = round(Fraction(length) * _TENTH)
    whole, rest = divmod(abs(tenths), _TENTH)
    sign = "-" if tenths < 0 else ""
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def element(name: str, *inside: Markup | str, **attributes: object) -> Markup:
    """An element; `class_` is its class, and an underscore in a name stands for a hyphen."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    body = Markup("").join(inside)
    return Markup(f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>")  # noqa: S704 - escaped


def picture(width: Length, height: Length, parts: Iterable[Markup], *, says: str, kind: str = "") -> Markup:
    """A picture of a size that says in words what it shows; one with links in it is a group of them."""
    inside = Markup("").join(parts)
    return element(
        "svg", element("title", escape(says)), inside,
        class_=f"picture {kind}".strip(), viewBox=f"0 0 {at(width)} {at(height)}", width=at(width),
        height=at(height), role="group" if "<a " in inside else "img", aria_label=says,
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
