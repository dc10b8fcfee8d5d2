"""A calendar of completeness: one row for each event type, one cell for each day, what is missing below.

A cell is filled by how much of the day was measured. What was substituted is hatched by its class, what was
imputed has a dashed edge, a day on which all is missing has a thin line at the foot, an outage is grey.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

from weighbridge.web.drawing.svg import element, label, link, picture
from weighbridge.web.showing.moments import MONTHS, day_of

CELL: Final = 7
ROW: Final = 22
GAP: Final = 1
MONTH_GAP: Final = 4
LABELS: Final = 150
SHARES: Final = 52
HEAD: Final = 18


@dataclass(frozen=True, slots=True)
class DayCell:
    """One day of one row: how many slots were expected and how they came."""

    day: date
    expected: int
    measured: int = 0
    substituted: int = 0
    imputed: int = 0
    outage: int = 0
    address: str = ""


@dataclass(frozen=True, slots=True)
class CalendarRow:
    """One event type: its cells in the order of days, and the share of it that was measured, in words."""

    title: str
    cells: Sequence[DayCell]
    share: str = ""


def heat_map(rows: Sequence[CalendarRow], *, says: str) -> Markup:
    """The calendar; every row has the same days."""
    days = [cell.day for cell in rows[0].cells] if rows else []
    places = _places(days)
    width = LABELS + (places[-1] + CELL if places else 0) + SHARES
    parts = [
        label(MONTHS[day.month - 1], LABELS + x, 11, kind="label")
        for at, (day, x) in enumerate(zip(days, places, strict=True))
        if at == 0 or day.day == 1
    ]
    for index, row in enumerate(rows):
        y = HEAD + index * ROW
        parts.append(label(row.title, 0, y + 12))
        parts += [_cell(cell, LABELS + x, y) for cell, x in zip(row.cells, places, strict=True)]
        parts.append(label(row.share, width, y + 12, kind="label", anchor="end"))
    return picture(width, HEAD + len(rows) * ROW, parts, says=says, kind="calendar")


def kind_of(cell: DayCell) -> str:
    """What a day is, by its class: the worst that is true of a part of it comes first."""
    if cell.expected <= 0:
        return "outage" if cell.outage else "ahead"
    if not (cell.measured or cell.substituted or cell.imputed):
        return "missing"
    if cell.substituted * 2 >= cell.expected:
        return "substituted"
    if cell.imputed * 2 >= cell.expected:
        return "imputed"
    share = Fraction(cell.measured, cell.expected)
    return (
        "full"
        if share >= 1
        else "most"
        if share >= Fraction(3, 4)
        else "some"
        if share >= Fraction(1, 4)
        else "few"
    )


def _cell(cell: DayCell, x: int, y: int) -> Markup:
    kind = kind_of(cell)
    said = f"{day_of(cell.day)}: {_said(cell)}"
    top, height = (y + 13, 2) if kind == "missing" else (y, 15)
    drawn = element(
        "rect",
        element("title", escape(said)),
        x=x,
        y=top,
        width=CELL,
        height=height,
        rx=1,
        class_=f"cell {kind}",
    )
    return link(cell.address, drawn) if cell.address else drawn


def _said(cell: DayCell) -> str:
    if cell.expected <= 0:
        return "outage" if cell.outage else "nothing expected"
    parts = [f"{cell.measured} of {cell.expected} measured"]
    parts += [
        f"{count} {word}"
        for count, word in (
            (cell.substituted, "substituted"), (cell.imputed, "imputed"), (cell.outage, "in an outage"),
        )
        if count
    ]  # fmt: skip
    return ", ".join(parts)


def _places(days: Sequence[date]) -> list[int]:
    places, x = [], 0
    for at, day in enumerate(days):
        if at:
            x += CELL + GAP + (MONTH_GAP if day.day == 1 else 0)
        places.append(x)
    return places
