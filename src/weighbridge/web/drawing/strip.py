"""A strip of slots: what became of each slot in which a value was expected, from left to right in time.

A cell is a slot, or several where there are more than the strip has room for; then its parts stand over one
another as high as their share. Cells beside one another that say the same are one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

from weighbridge.web.drawing.svg import at, element
from weighbridge.web.showing.words import plural

WIDTH: Final = 1_096
"""The width of the strip in its own pixels, as wide as a trace without its figures."""

HEIGHT: Final = 14

KINDS: Final = ("captured", "substituted", "imputed", "unfit", "missing", "outage")
"""What may become of a slot, in the order in which they stand over one another."""

SAID: Final = {
    "captured": "captured",
    "substituted": "substituted",
    "imputed": "imputed",
    "unfit": "not valid",
    "missing": "missing",
    "outage": "in an outage or out of service",
}


@dataclass(frozen=True, slots=True)
class StripCell:
    """A stretch of time and how many of its slots were what, in the order of KINDS."""

    start: datetime
    end: datetime
    counts: tuple[int, ...]

    @property
    def only(self) -> str:
        """What all slots of the cell are; empty where they differ or there are none."""
        kinds = [kind for kind, count in zip(KINDS, self.counts, strict=True) if count]
        return kinds[0] if len(kinds) == 1 else ""


def strip(
    cells: Sequence[StripCell],
    start: datetime,
    end: datetime,
    *,
    says: str,
    span: Callable[[datetime, datetime], str],
) -> Markup:
    """The strip from start to end; `span` says a stretch of time in words."""
    whole = end - start

    def x(moment: datetime) -> Fraction:
        share = Fraction((moment - start) / whole) if whole else Fraction(0)
        return min(max(share, Fraction(0)), Fraction(1)) * WIDTH

    parts = [one for cell in joined(cells) for one in _cell(cell, x, span)]
    return element(
        "svg", element("title", escape(says)), *parts,
        class_="strip", viewBox=f"0 0 {at(WIDTH)} {at(HEIGHT)}", preserveAspectRatio="none", role="img",
        aria_label=says,
    )  # fmt: skip


def joined(cells: Sequence[StripCell]) -> Iterator[StripCell]:
    """The cells, those beside one another that are all the same as one."""
    last: StripCell | None = None
    for cell in cells:
        if last is not None and last.only and last.only == cell.only and last.end == cell.start:
            counts = tuple(one + other for one, other in zip(last.counts, cell.counts, strict=True))
            last = StripCell(last.start, cell.end, counts)
            continue
        if last is not None:
            yield last
        last = cell
    if last is not None:
        yield last


def _cell(
    cell: StripCell, x: Callable[[datetime], Fraction], span: Callable[[datetime, datetime], str]
) -> Iterator[Markup]:
    total = sum(cell.counts)
    if not total:
        return
    left, right = x(cell.start), x(cell.end)
    named = [f"{count} {SAID[kind]}" for kind, count in zip(KINDS, cell.counts, strict=True) if count]
    said = f"{span(cell.start, cell.end)}: {plural(total, 'slot')}, {', '.join(named)}"
    foot = Fraction(HEIGHT)
    bars = []
    for kind, count in zip(KINDS, cell.counts, strict=True):
        if not count:
            continue
        height = Fraction(HEIGHT * count, total)
        foot -= height
        bars.append(element("rect", x=left, y=foot, width=right - left, height=height, class_=f"slot {kind}"))
    yield element("g", element("title", escape(said)), *bars)
