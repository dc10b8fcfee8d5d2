"""The months that a chart shows, by the clock on the project's wall."""

from zoneinfo import ZoneInfo

from weighbridge.core.time.cadence import slot_at
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.web.showing.moments import MONTHS

YEAR = 12
"""Months that a chart shows unless it is said."""


def months_until(moment: Instant, zone: str, count: int = YEAR) -> list[Instant]:
    """The edges of so many whole months, the last of which holds the moment just before this one."""
    wall = ZoneInfo(zone)
    slot = slot_at("monthly", moment - MILLISECOND, wall)
    edges = [slot.end, slot.start]
    for _ in range(count - 1):
        edges.append(slot_at("monthly", edges[-1] - MILLISECOND, wall).start)
    return [Instant.of(edge) for edge in reversed(edges)]


def month_of(moment: Instant, zone: str) -> str:
    """March 2025."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{MONTHS[local.month - 1]} {local.year}"
