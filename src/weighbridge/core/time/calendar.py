"""The calendar: instants, intervals, and the slots that a cadence cuts time into.

An instant is a moment in UTC to the millisecond; an interval is a half-open stretch of time. A cadence cuts
time into slots: hours, days, weeks from Monday, months, quarters or years. Slots are cut where the clock on
the project's wall says so, in its IANA time zone, daylight saving included: a day may last 23 or 25 hours.

Invariants: an instant is never naive and carries no finer digits than milliseconds; an interval
`[start, end)` has `start <= end`, and a reading is one of zero length. The slots of a cadence cover all time
without gap or overlap; every slot is as long as its cadence on the wall clock; a batch belongs to a whole
slot.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from typing import Final, Self
from zoneinfo import available_timezones

from weighbridge.core.halt import proceeding
from weighbridge.core.number import CONTEXT

MILLISECOND: Final = timedelta(milliseconds=1)
"""The shortest time that values distinguish."""


class BeyondCalendarError(ValueError, OverflowError):
    """A moment has no place in the calendar of UTC, which begins with the year 1 and ends with 9999."""

    def __init__(self, moment: datetime) -> None:
        super().__init__(f"is {moment.isoformat()}, which in UTC is outside the years 1 to 9999")


def write_wire_moment(text: str) -> str:
    """The wire form of a moment of UTC as the database writes it, `2025-01-01 00:00:00.12+00`."""
    if text[19] == "+":
        return f"{text[:10]}T{text[11:19]}.000Z"
    return f"{text[:10]}T{text[11:-3][:12]:0<12}Z"


class Instant(datetime):
    """A datetime that is known to be UTC and whole milliseconds, and is written as such."""

    read_as: str | None = None
    """The text that the moment was read from, `2025-01-01 00:00:00.12+00`, which is sooner written anew."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a moment of UTC as the database writes it."""
        moment = cls.fromisoformat(text)
        moment.read_as = text
        return moment

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Take a moment with any offset; finer digits than milliseconds are cut off.

        Raises ValueError for a naive datetime, because without an offset it names no moment, and
        BeyondCalendarError for one that UTC has no year for.
        """
        if moment.tzinfo is None:
            raise ValueError("a time needs an offset or Z")
        try:
            utc = moment.astimezone(UTC)
        except OverflowError:
            raise BeyondCalendarError(moment) from None
        return cls(
            utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second,
            utc.microsecond // 1000 * 1000, UTC,
        )  # fmt: skip

    @property
    def text(self) -> str:
        """The wire form, `2025-01-01T00:00:00.000Z`."""
        if self.read_as is None:
            return self.isoformat(timespec="milliseconds")[:23] + "Z"
        return write_wire_moment(self.read_as)


@cache
def time_zone_names() -> frozenset[str]:
    """Return the names of the IANA list; it is gathered from hundreds of files, so once for each process."""
    return frozenset(available_timezones())


ZONES_OFFERED_MAX: Final = 6


def find_time_zones(text: str) -> tuple[str, ...]:
    """The time zones that a text may mean, by the end of their names first: `berlin` is Europe/Berlin."""
    if len(text) > ZONE_LENGTH_MAX:
        return ()
    wanted = text.strip().casefold().replace(" ", "_")
    matching = [name for name in time_zone_names() if wanted in name.casefold()]
    matching.sort(key=lambda name: (not name.casefold().endswith(f"/{wanted}"), len(name), name))
    if matching or not wanted:
        return tuple(matching[:ZONES_OFFERED_MAX])
    places = {name.rpartition("/")[2].casefold(): name for name in sorted(time_zone_names())}
    close = get_close_matches(wanted, places, n=1)
    return tuple(places[place] for place in close)


ZONE_LENGTH_MAX: Final = 60
"""Characters of a text that may name a zone; no name of the list is longer."""


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """The instants from start on and before end; of zero length, the reading at start."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"an interval cannot end at {self.end} before it starts at {self.start}")

    @property
    def is_reading(self) -> bool:
        return self.start == self.end

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """Its start and its end."""
        return self.start, self.end

    @property
    def milliseconds(self) -> int:
        """How long it lasts."""
        return (self.end - self.start) // MILLISECOND

    def holds(self, other: "Interval") -> bool:
        """Whether the other lies inside: a reading at this end is outside, a stretch may end with this."""
        if other.is_reading:
            return self.start <= other.start < self.end
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: "Interval") -> bool:
        """Whether the two have at least one instant in common."""
        if self.is_reading and other.is_reading:
            return self.start == other.start
        if other.is_reading:
            return self.holds(other)
        if self.is_reading:
            return other.holds(self)
        return self.start < other.end and other.start < self.end

    def overlap(self, other: "Interval") -> "Interval | None":
        """The stretch both have in common, or None."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Interval(start, end) if start < end else None


CADENCES: Final = ("event", "hourly", "daily", "weekly", "monthly", "quarterly", "annual")
"""Every cadence a model may have; `event` has a slot for each event instead of cutting time."""

BEYOND_CALENDAR: Final = "The range reaches over the ends of the calendar, the years 1 and 9999."
"""Said of a range that a clock on the wall cannot show."""

EVENT: Final = "event"
"""The cadence whose slots are events."""

SLOTS_MAX: Final = 20_000
"""Slots that one request may select: two years of hours."""

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_MONTHS: Final = {"monthly": 1, "quarterly": 3, "annual": 12}


@dataclass(frozen=True, slots=True, order=True)
class EventSlot(Interval):
    """A slot of cadence `event`: it is its event, or its tracking id and all events of it, whenever they are.

    Such slots may overlap, and one of a reading has no length.
    """

    event: int = 0
    tracking_id: str = ""
    name: str = field(default="", compare=False)

    @property
    def identity(self) -> tuple[int, str]:
        """What stays when its times are corrected."""
        return self.event, self.tracking_id


def build_slot(
    start: datetime, end: datetime, *, by_event: bool, event: int | None, tracking_id: str | None
) -> Interval:
    """The slot of a run by what is kept of the run: a stretch of time, or else its event or tracking id.

    A run of a single event may carry a tracking id too; its slot is the event all the same.
    """
    if not by_event:
        return Interval(start, end)
    return EventSlot(start, end, event=event or 0, tracking_id="" if event else tracking_id or "")


def identify_slot(slot: Interval) -> Hashable:
    """Return the identity of a slot: its times, or its event or tracking id."""
    return slot.identity if isinstance(slot, EventSlot) else slot


@dataclass(frozen=True, slots=True)
class Selection:
    """The slots that a requested range selects, and those it touches without selecting them."""

    selected: tuple[Interval, ...]
    touched: tuple[Interval, ...]


def select(cadence: str, requested: Interval, zone: tzinfo) -> Selection:
    """Select the slots of which at least half lies in the range, or the one slot that holds all of it.

    Raises ValueError when the range reaches over more than SLOTS_MAX slots, before any is listed, and
    OverflowError when it reaches over the ends of the calendar.
    """
    slots = tuple(_list_slots(cadence, requested, zone))
    if len(slots) == 1 and slots[0].start <= requested.start and requested.end <= slots[0].end:
        return Selection(slots, ())
    return Selection(
        tuple(slot for slot in slots if is_selected(slot, requested)),
        tuple(slot for slot in slots if not is_selected(slot, requested)),
    )


def count_of(cadence: str, requested: Interval, zone: tzinfo) -> int:
    """How many slots a range reaches over, by arithmetic alone; one off at most where clocks are changed."""
    last = max(requested.start, requested.end - MILLISECOND)
    if cadence == "hourly":
        return (last - _start(cadence, requested.start, zone)) // _HOUR + 1
    first, after = (_find_slot_number(cadence, moment.astimezone(zone)) for moment in (requested.start, last))
    return after - first + 1


def _find_slot_number(cadence: str, local: datetime) -> int:
    """Which of all slots holds a time of the wall clock, counted from the first year."""
    match cadence:
        case "daily":
            return local.toordinal()
        case "weekly":
            return (local.toordinal() - 1) // 7
    return (local.year * 12 + local.month - 1) // _MONTHS[cadence]


def is_selected(slot: Interval, requested: Interval) -> bool:
    """Whether at least half of a slot lies in a range; a slot of no length lies in it or does not."""
    if slot.is_reading:
        return requested.holds(slot)
    common = slot.overlap(requested)
    return common is not None and 2 * (common.end - common.start) >= slot.end - slot.start


def find_slot(cadence: str, moment: datetime, zone: tzinfo) -> Interval:
    """The slot that holds the moment."""
    return _find_slot_from(cadence, _start(cadence, moment, zone), zone)


def _find_slot_from(cadence: str, start: Instant, zone: tzinfo) -> Interval:
    """The slot that begins at a cut."""
    probe = start + _LATER[cadence]
    while (end := _start(cadence, probe, zone)) <= start:
        probe += _HOUR
    return Interval(start, end)


def label_slot(cadence: str, slot: Interval, zone: tzinfo) -> str:
    """Name a slot for people, by the wall clock at its start: 2025-03, 2025-Q1, 2025-W09."""
    if isinstance(slot, EventSlot):
        return slot.name
    return _label_by_clock(cadence, slot.start.astimezone(zone))


def _label_by_clock(cadence: str, local: datetime) -> str:
    match cadence:
        case "hourly":
            return local.strftime("%Y-%m-%dT%H:00%z")
        case "daily":
            return local.strftime("%Y-%m-%d")
        case "weekly":
            return local.strftime("%G-W%V")
        case "monthly":
            return local.strftime("%Y-%m")
        case "quarterly":
            return f"{local.year}-Q{(local.month - 1) // 3 + 1}"
        case _:
            return str(local.year)


def is_beyond_calendar(time: Interval, zone: tzinfo) -> bool:
    """Whether a clock of the zone has no day to show for the start or the end of a stretch of time."""
    try:
        find_slot("daily", time.start, zone), find_slot("daily", time.end, zone)
    except (OverflowError, ValueError):
        return True
    return False


def count_days(slot: Interval, zone: tzinfo) -> Decimal:
    """The length of a slot in days of the calendar on the wall: 31 for March, though clocks advance in it.

    Part of a day counts as what has passed of it over that day's length: an hour of a day of 23 is 1/23.
    """
    first, before = _find_day(slot.start, zone)
    last, after = _find_day(slot.end, zone)
    # No day is so long or short that midnights some days apart would count one too many or too few.
    whole_days = round((last.start - first.start) / _DAY)
    return _divide_fraction(Fraction(whole_days) + after - before)


def count_hours(slot: Interval) -> Decimal:
    """The length of a slot in hours as the clock ran: 743 for a March in which clocks advance."""
    return _divide_fraction(Fraction(slot.milliseconds, _HOUR // MILLISECOND))


def _find_day(moment: datetime, zone: tzinfo) -> tuple[Interval, Fraction]:
    """The day that holds a moment, and how much of the day has passed by then."""
    day = find_slot("daily", moment, zone)
    passed = Interval(day.start, moment)
    return day, Fraction(passed.milliseconds, day.milliseconds)


def _divide_fraction(value: Fraction) -> Decimal:
    return CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def _list_slots(cadence: str, requested: Interval, zone: tzinfo) -> Iterator[Interval]:
    count = count_of(cadence, requested, zone)
    if count <= SLOTS_MAX + 1:  # near the limit the list itself decides
        start = _start(cadence, requested.start, zone)
        for _ in proceeding(range(SLOTS_MAX)):
            slot = _find_slot_from(cadence, start, zone)
            yield slot
            if slot.end >= requested.end:
                return
            start = Instant.of(slot.end)
    raise ValueError(
        f"the range reaches over {max(count, SLOTS_MAX + 1):,} slots,"
        f" and no more than {SLOTS_MAX:,} {cadence} slots are allowed"
    )


def _start(cadence: str, moment: datetime, zone: tzinfo) -> Instant:
    """The last cut at or before the moment.

    Where clocks go back over a cut, the wall shows it twice: hours are cut both times, longer slots the
    first time. What the wall shows again after a cut belongs to the slot that had begun.
    """
    floor = _FLOORS[cadence]
    local = moment.astimezone(zone)
    here, ahead = floor(local), _to_utc(floor(local + _HOUR).replace(fold=0))
    passed = [cut for fold in (0, 1) if (cut := _to_utc(here.replace(fold=fold))) <= moment]
    latest = max(passed) if cadence == "hourly" else passed[0]
    return max(latest, ahead) if ahead <= moment else latest


def _to_utc(local: datetime) -> Instant:
    return Instant.of(local)


def _floor_to_hour(local: datetime) -> datetime:
    return local.replace(minute=0, second=0, microsecond=0)


def _floor_to_day(local: datetime) -> datetime:
    return local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def _floor_to_week(local: datetime) -> datetime:
    return _floor_to_day(local) - timedelta(days=local.weekday())


def _build_month_floor(months: int) -> Callable[[datetime], datetime]:
    return lambda local: _floor_to_day(local).replace(day=1, month=(local.month - 1) // months * months + 1)


_FLOORS: Final[dict[str, Callable[[datetime], datetime]]] = {
    "hourly": _floor_to_hour,
    "daily": _floor_to_day,
    "weekly": _floor_to_week,
    **{cadence: _build_month_floor(months) for cadence, months in _MONTHS.items()},
}

# This much after a slot's start is before the end of the next slot, for any change of the clocks. For slots
# of several lengths it is mostly after the slot's own end, so that one look is enough.
_LATER: Final = {
    "hourly": _HOUR,
    "daily": timedelta(hours=24),
    "weekly": timedelta(days=7),
    "monthly": timedelta(days=33),
    "quarterly": timedelta(days=94),
    "annual": timedelta(days=368),
}


# The slots of an event type's cadence, numbered in time, so that they are counted without being listed.
#
# Minutes and hours are counted in UTC, so clocks that change leave none out and count none twice; days,
# weeks from Monday and months begin on the project's wall. A slot is every so many of its unit, counted
# from 1970 or from the first day of the calendar, for any range. It belongs to the period in
# which it begins.
#
# A worked example. Every 4 hours in Berlin, where 30 March 2025 lasts from 29 March 23:00Z to 30 March
# 22:00Z: the slots that begin in the day are those of 00:00Z, 04:00Z, ... 20:00Z, six of them. Every day:
# one of 23 hours.
#
# Invariants: slots follow one another without gap or overlap; a later moment never has a smaller number,
# also where clocks go back over midnight; `holding(start(n)) == n`.


STEPS: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
"""The units that last as long on every clock."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Where the slots of minutes and hours are counted from."""

_FIRST: Final = Instant.of(datetime.min.replace(tzinfo=UTC))
LAST: Final = Instant.of(datetime.max.replace(tzinfo=UTC))
"""The last moment of the calendar."""

_DAYS: Final = {"day": 1, "week": 7}
_DAYS_MAX: Final = {"day": 2, "week": 8, "month": 32}
"""How many days a slot may last at most, where clocks change in it."""


@dataclass(frozen=True, slots=True)
class CadenceSlots:
    """The slots of a cadence: every so many minutes, hours, days, weeks or months."""

    amount: int
    unit: str
    zone: tzinfo

    @property
    def step(self) -> timedelta | None:
        """How long each slot lasts; None of those that the calendar cuts."""
        return self.amount * STEPS[self.unit] if self.unit in STEPS else None

    @property
    def length_max(self) -> timedelta:
        """What no slot is longer than."""
        step = self.step
        return step if step is not None else timedelta(days=self.amount * _DAYS_MAX[self.unit])

    def holding(self, moment: datetime) -> int:
        """The slot that holds a moment."""
        if (step := self.step) is not None:
            return (moment - EPOCH) // step
        number = self._of_wall(self._on_wall(moment))
        # Where clocks go back over midnight, the wall shows a day again that has ended.
        return number + 1 if self.start(number + 1) <= moment else number

    def start(self, number: int) -> Instant:
        """When a slot begins, which is when the one before ends.

        Outside the calendar, where the calendar begins or ends.
        """
        try:
            return self._start(number)
        except (OverflowError, ValueError):
            return _FIRST if number <= self._of_epoch else LAST

    def from_on(self, moment: datetime) -> int:
        """The first slot that begins at a moment or after it."""
        number = self.holding(moment)
        return number if self.start(number) >= moment else number + 1

    def begun_in(self, interval: Interval) -> range:
        """The slots that begin in a stretch of time."""
        return range(self.from_on(interval.start), self.from_on(interval.end))

    def inside(self, interval: Interval) -> range:
        """The slots that lie in a stretch of time as a whole; they may end with it."""
        first, after = self.from_on(interval.start), self.holding(interval.end)
        return range(first, max(first, after))

    @property
    def _of_epoch(self) -> int:
        return 0 if self.step is not None else self._of_wall(EPOCH.astimezone(self.zone))

    def _start(self, number: int) -> Instant:
        if (step := self.step) is not None:
            return Instant.of(EPOCH + number * step)
        if self.unit == "month":
            year, month = divmod(number * self.amount, 12)
            return self._midnight(year, month + 1, 1)
        # Day 1 of the proleptic calendar is a Monday.
        day = datetime.fromordinal(number * self.amount * _DAYS[self.unit] + 1)
        return self._midnight(day.year, day.month, day.day)

    def _on_wall(self, moment: datetime) -> datetime:
        """What the wall shows at a moment; outside of the calendar its first or last moment."""
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            return datetime.min if moment < EPOCH else datetime.max  # noqa: DTZ901 - of the wall, which has no zone

    def _of_wall(self, local: datetime) -> int:
        if self.unit == "month":
            return (local.year * 12 + local.month - 1) // self.amount
        return (local.toordinal() - 1) // (self.amount * _DAYS[self.unit])

    def _midnight(self, year: int, month: int, day: int) -> Instant:
        """When a day begins: when the wall shows midnight first, or where it never does, goes past it."""
        return Instant.of(datetime(year, month, day, tzinfo=self.zone))
