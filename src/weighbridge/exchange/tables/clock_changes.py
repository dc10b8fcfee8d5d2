"""The nights in which the clocks of a zone change, and what a feed then does with the files of these nights.

Invariant: what is foretold is what the reading of rows does: a local time that comes twice is never guessed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from weighbridge.core.time.calendar import time_zone_names
from weighbridge.exchange.records.data_feeds import DataFeed
from weighbridge.exchange.tables.columns import RowValues

AHEAD: Final = timedelta(days=370)
"""How far ahead nights are told of: every zone that changes its clocks does so within a year."""

_STEP: Final = timedelta(hours=1)


class NightOutcome(StrEnum):
    """What becomes of a file of such a night."""

    REFUSED = "refused"
    """Rows in the hour that comes twice are bad."""
    BY_ROWS = "by_rows"
    """The order of rows decides, unless only one of the two hours has rows."""
    BY_LENGTH = "by_length"
    """The length of each row decides, unless it lies within one hour."""
    BY_OFFSET = "by_offset"
    """A column says the offset."""
    SKIPPED = "skipped"
    """Rows in the hour that does not exist are bad; a source whose clock is right has none."""


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A night: the local times that come twice or never, from the first to the one behind the last."""

    start: datetime
    end: datetime
    goes_back: bool


def list_clock_changes(zone: ZoneInfo, after: datetime) -> Iterator[ClockChange]:
    """The changes of a zone within a year, each by its local times without a zone."""
    moment = after.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    before = moment.astimezone(zone).utcoffset()
    end = moment + AHEAD
    while moment < end:
        later = moment + _STEP
        offset = later.astimezone(zone).utcoffset()
        if before is not None and offset is not None and offset != before:
            change = _find_moment(zone, moment, before)
            old, new = (change + before).replace(tzinfo=None), (change + offset).replace(tzinfo=None)
            yield ClockChange(min(old, new), max(old, new), offset < before)
        moment, before = later, offset


def _find_moment(zone: ZoneInfo, moment: datetime, before: timedelta) -> datetime:
    """The minute of a change in the hour behind a moment."""
    for minutes in range(61):
        later = moment + timedelta(minutes=minutes)
        if later.astimezone(zone).utcoffset() != before:
            return later
    return moment + _STEP


def foresee_outcome(feed: DataFeed, change: ClockChange) -> NightOutcome:
    """What becomes of the files of a night as a feed reads them now."""
    if not change.goes_back:
        return NightOutcome.SKIPPED
    fields = {column.field for column in feed.columns}
    if "utc_offset" in fields:
        return NightOutcome.BY_OFFSET
    if feed.rows_in_order:
        return NightOutcome.BY_ROWS
    return NightOutcome.BY_LENGTH if feed.duration and "end_time" in fields else NightOutcome.REFUSED


def list_nights(feed: DataFeed, after: datetime) -> list[tuple[ClockChange, NightOutcome]]:
    """The nights ahead in which local times come twice or never; none where times are not local."""
    is_local = feed.time_zone in time_zone_names() and not (feed.time_format or "").startswith("epoch_")
    if not is_local or RowValues.of(feed.columns).start is not None or "%z" in (feed.time_format or ""):
        return []
    zone = ZoneInfo(feed.time_zone or "UTC")
    return [(change, foresee_outcome(feed, change)) for change in list_clock_changes(zone, after)]
