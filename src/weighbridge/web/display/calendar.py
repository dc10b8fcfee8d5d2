"""Completeness as pictures: a calendar of days for event types, and a strip of slots for a meter."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

from weighbridge.web.display.charts import at, element, label, link, picture
from weighbridge.web.display.figures import MONTHS, format_day, plural

# A calendar of completeness: one row for each event type, one cell for each day, what is missing below.
#
# A cell is filled by how much of the day was measured. What was substituted is hatched by its class, what
# was imputed has a dashed edge, a day on which all is missing has a thin line at the foot, an outage is
# grey.


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


def heat_map(rows: Sequence[CalendarRow], *, alt_text: str) -> Markup:
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
        parts += [_draw_day(cell, LABELS + x, y) for cell, x in zip(row.cells, places, strict=True)]
        parts.append(label(row.share, width, y + 12, kind="label", anchor="end"))
    return picture(width, HEAD + len(rows) * ROW, parts, alt_text=alt_text, kind="calendar")


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


def _draw_day(cell: DayCell, x: int, y: int) -> Markup:
    kind = kind_of(cell)
    title = f"{format_day(cell.day)}: {_title(cell)}"
    top, height = (y + 13, 2) if kind == "missing" else (y, 15)
    rectangle = element(
        "rect",
        element("title", escape(title)),
        x=x,
        y=top,
        width=CELL,
        height=height,
        rx=1,
        class_=f"cell {kind}",
    )
    return link(cell.address, rectangle) if cell.address else rectangle


def _title(cell: DayCell) -> str:
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
    for position, day in enumerate(days):
        if position:
            x += CELL + GAP + (MONTH_GAP if day.day == 1 else 0)
        places.append(x)
    return places


# A strip of slots: what became of each slot in which a value was expected, from left to right in time.
#
# A cell is one interval, or those of a day or a longer time, and then leads there; its parts are stacked by
# their share. Adjacent cells of one interval with the same content are merged.


WIDTH: Final = 1_096
"""The width of the strip in its own pixels, as wide as a trace without its figures."""

HEIGHT: Final = 14

KINDS: Final = ("captured", "substituted", "imputed", "unfit", "missing", "outage")
"""The states of an interval, in the order in which they are stacked."""

KIND_WORDS: Final = {
    "captured": "captured",
    "substituted": "substituted",
    "imputed": "imputed",
    "unfit": "invalid",
    "missing": "missing",
    "outage": "in an outage or out of service",
}


@dataclass(frozen=True, slots=True)
class StripCell:
    """A stretch of time and how many of its slots were what, in the order of KINDS."""

    start: datetime
    end: datetime
    counts: tuple[int, ...]
    address: str = ""
    """The page of the stretch; a cell that leads somewhere is merged with no other."""

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
    alt_text: str,
    span: Callable[[datetime, datetime], str],
) -> Markup:
    """The strip from start to end; `span` says a stretch of time in words."""
    total_time = end - start

    def x(moment: datetime) -> Fraction:
        share = Fraction((moment - start) / total_time) if total_time else Fraction(0)
        return min(max(share, Fraction(0)), Fraction(1)) * WIDTH

    parts = [slot for cell in join_cells(cells) for slot in _draw_slots(cell, x, span)]
    return element(
        "svg", element("title", escape(alt_text)), *parts,
        class_="strip", viewBox=f"0 0 {at(WIDTH)} {at(HEIGHT)}", preserveAspectRatio="none",
        role="group" if any(cell.address for cell in cells) else "img", aria_label=alt_text,
    )  # fmt: skip


def join_cells(cells: Sequence[StripCell]) -> Iterator[StripCell]:
    """Merge adjacent cells with the same content."""
    last: StripCell | None = None
    for cell in cells:
        is_joined = last is not None and not cell.address and last.end == cell.start
        if is_joined and last is not None and last.only and last.only == cell.only:
            counts = tuple(count + other for count, other in zip(last.counts, cell.counts, strict=True))
            last = StripCell(last.start, cell.end, counts)
            continue
        if last is not None:
            yield last
        last = cell
    if last is not None:
        yield last


def _draw_slots(
    cell: StripCell, x: Callable[[datetime], Fraction], span: Callable[[datetime, datetime], str]
) -> Iterator[Markup]:
    total = sum(cell.counts)
    if not total:
        return
    left, right = x(cell.start), x(cell.end)
    parts = [f"{count} {KIND_WORDS[kind]}" for kind, count in zip(KINDS, cell.counts, strict=True) if count]
    title = f"{span(cell.start, cell.end)}: {plural(total, 'interval')}, {', '.join(parts)}"
    foot = Fraction(HEIGHT)
    bars = []
    for kind, count in zip(KINDS, cell.counts, strict=True):
        if not count:
            continue
        height = Fraction(HEIGHT * count, total)
        foot -= height
        bars.append(element("rect", x=left, y=foot, width=right - left, height=height, class_=f"slot {kind}"))
    drawn = element("g", element("title", escape(title)), *bars)
    yield link(cell.address, drawn) if cell.address else drawn
