"""Times and periods in the project's zone, with UTC behind: 12 Mar 2025 14:05; March 2025.

Records of lists hold times as the texts that go on the wire; those are shown like any other.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from markupsafe import Markup

from weighbridge.core.time.instant import Instant
from weighbridge.web.showing.figures import nothing

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

_DASH: Final = "\N{EN DASH}"


Shown = Instant | datetime | str
"""A time as a record holds it: a moment, or its text on the wire."""


class Moments:
    """Writes times in one zone, as seen from now."""

    def __init__(self, zone: str, now: Instant) -> None:
        self.zone = zone
        self._zone = ZoneInfo(zone)
        self.now = now

    def __call__(self, shown: Shown | None) -> Markup:
        """A moment: date and time, with seconds where it has any; milliseconds stand behind it, with UTC."""
        if shown is None:
            return nothing()
        moment = moment_of(shown)
        local = moment.astimezone(self._zone)
        clock = f"{local:%H:%M:%S}" if local.second or local.microsecond else f"{local:%H:%M}"
        return Markup('<time datetime="{}" title="{} · {}">{}</time>').format(
            moment.text, _utc(moment), self.zone, f"{day_of(local)} {clock}"
        )

    def day(self, shown: Shown | None) -> Markup:
        """The day of a moment."""
        if shown is None:
            return nothing()
        moment = moment_of(shown)
        local = moment.astimezone(self._zone)
        return Markup('<time datetime="{}" title="{} · {}">{}</time>').format(
            moment.text, _utc(moment), self.zone, day_of(local)
        )

    def span(self, began: Shown, ended: Shown | None) -> Markup:
        """A stretch of time: a period as people say it, or from when to when."""
        start, end = moment_of(began), None if ended is None else moment_of(ended)
        if end is None or end == start:
            return self(start)
        first, last = start.astimezone(self._zone), end.astimezone(self._zone)
        said = period_of(first, last)
        if said is None:
            if first.date() == last.date():
                said = f"{day_of(first)} {clock_of(first)}{_DASH}{clock_of(last)}"
            else:
                said = f"{day_of(first)} {clock_of(first)} {_DASH} {day_of(last)} {clock_of(last)}"
        return Markup('<time datetime="{}" title="{} to {} · {}">{}</time>').format(
            f"{start.text}/{end.text}", _utc(start), _utc(end), self.zone, said
        )

    def local(self, shown: Shown) -> datetime:
        """A moment by the clock on the project's wall."""
        return moment_of(shown).astimezone(self._zone)

    def field(self, shown: Shown | None) -> str:
        """A moment as a field for date and time takes it, in the zone."""
        return "" if shown is None else f"{moment_of(shown).astimezone(self._zone):%Y-%m-%dT%H:%M}"

    def typed(self, text: str) -> Instant | None:
        """What was typed into such a field; None for other texts. Of an hour that comes twice, the first.

        A time with an offset is that moment, whatever the zone.
        """
        try:
            read = datetime.fromisoformat(text)
            return Instant.of(read if read.tzinfo else read.replace(tzinfo=self._zone))
        except (ValueError, OverflowError):
            return None

    def is_skipped(self, text: str) -> bool:
        """Whether a time that can be read never comes in the zone, for the clocks are put forward over it."""
        read = datetime.fromisoformat(text)
        if read.tzinfo:
            return False
        return (
            read.replace(tzinfo=self._zone).astimezone(UTC).astimezone(self._zone).replace(tzinfo=None)
            != read
        )


def moment_of(shown: Shown) -> Instant:
    """The moment of a record's time; ValueError for a text that is none."""
    if isinstance(shown, Instant):
        return shown
    return Instant.of(shown if isinstance(shown, datetime) else datetime.fromisoformat(shown))


def day_of(moment: datetime | date) -> str:
    """12 Mar 2025."""
    return f"{moment.day} {MONTHS[moment.month - 1][:3]} {moment.year}"


def clock_of(moment: datetime) -> str:
    """14:05, with seconds and milliseconds where there are any."""
    text = f"{moment:%H:%M}"
    if moment.second or moment.microsecond:
        text += f":{moment.second:02d}"
    if moment.microsecond:
        text += f".{moment.microsecond // 1000:03d}"
    return text


def period_of(first: datetime, last: datetime) -> str | None:
    """A year, a quarter, a month, a day or a run of whole months or days as people say it; else None."""
    if clock_of(first) != "00:00" or clock_of(last) != "00:00":
        return None
    begins, ends = first.date(), last.date()
    months = (ends.year - begins.year) * 12 + ends.month - begins.month
    if begins.day == ends.day == 1 and months > 0:
        if months == 12 and begins.month == 1:
            return str(begins.year)
        if months == 3 and begins.month % 3 == 1:
            return f"Q{(begins.month + 2) // 3} {begins.year}"
        name = f"{MONTHS[begins.month - 1]} {begins.year}"
        if months == 1:
            return name
        until = ends - timedelta(days=1)
        return f"{name} {_DASH} {MONTHS[until.month - 1]} {until.year}"
    until = ends - timedelta(days=1)
    return day_of(begins) if until == begins else f"{day_of(begins)} {_DASH} {day_of(until)}"


def _utc(moment: Instant) -> str:
    return f"{moment.text[:10]} {moment.text[11:23].removesuffix('.000')} UTC"
