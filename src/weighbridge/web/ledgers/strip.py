"""The slots of a ledger as a strip, each of which chooses its period.

A slot was never generated, is stale, has events that are not counted yet, or is up to date.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from weighbridge.accounting.batches.routes import list_ledger_batches
from weighbridge.accounting.ledgers.records import Ledger
from weighbridge.accounting.tracing.slot_states import SlotState, slot_states
from weighbridge.collection.events.routes import list_events
from weighbridge.collection.tenancy.project import project_number
from weighbridge.core.time.cadence import EVENT, label, slot_at
from weighbridge.core.time.instant import MILLISECOND, Instant, Interval
from weighbridge.web.ledgers.asked import GenerationAsked
from weighbridge.web.showing.moments import moment_of
from weighbridge.web.showing.words import plural
from weighbridge.web.visit import Visit

SLOTS_SHOWN: Final = {
    "hourly": 24, "daily": 31, "weekly": 26, "monthly": 18, "quarterly": 12, "annual": 8,
}  # fmt: skip
"""Slots of a strip, by cadence."""

_NEWEST: Final = (("page_size", "1"), ("sort", "-start_time"))


@dataclass(frozen=True, slots=True)
class StripSlot:
    """One slot: what it is called, how its batches stand, and the form with its period."""

    name: str
    state: str
    """`never`, `stale`, `waiting` or `fresh`."""
    says: str
    address: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Strip:
    """The slots, with the ways along them."""

    slots: Sequence[StripSlot]
    earlier: str
    later: str
    stale: str
    """The form with the period of all stale slots of the strip; empty where none is."""
    stale_count: int
    ungenerated: str
    """The form with the period behind the newest slot with batches; empty where there is none."""


async def strip_of(visit: Visit, ledger: Ledger, asked: GenerationAsked, path: str) -> Strip | None:
    """The strip that ends with the chosen period, or with the newest data; None where slots are events."""
    cadence = ledger.cadence
    if cadence is None or cadence == EVENT or cadence not in SLOTS_SHOWN:
        return None
    zone, count = ZoneInfo(visit.frame.zone), SLOTS_SHOWN[cadence]
    slots = _slots(cadence, zone, await _until(visit, ledger, asked))
    if asked.start is not None and asked.end is not None and "strip" not in asked.values:
        is_in_sight = slots[0].start <= asked.start and asked.end <= slots[-1].end
        slots = slots if is_in_sight else _slots(cadence, zone, asked.end)
    last = slots[-1]
    project = project_number(visit.path["project_id"])
    states = await slot_states(
        visit.reading, project, ledger.numeric_id, Instant.of(slots[0].start), Instant.of(last.end)
    )
    addresses = _Addresses(visit, asked, path)
    shown = [
        _slot(label(cadence, slot, zone), slot, states, asked, addresses.over(slot.start, slot.end))
        for slot in slots
    ]
    stale = [slot for slot, one in zip(slots, shown, strict=True) if one.state == "stale"]
    behind = _behind(slots, shown)
    ahead = last
    for _ in range(count):
        ahead = slot_at(cadence, ahead.end, zone)
    return Strip(
        shown,
        addresses.ending(slots[0].start),
        addresses.ending(ahead.end) if last.end < visit.frame.now else "",
        addresses.over(stale[0].start, stale[-1].end) if stale else "",
        len(stale),
        addresses.over(behind[0].start, behind[-1].end) if behind else "",
    )


class _Addresses:
    """Addresses of the form with another period; what is chosen beside it stays."""

    def __init__(self, visit: Visit, asked: GenerationAsked, path: str) -> None:
        self.visit, self.path = visit, path
        self.kept = [
            (name, asked.values[name]) for name in ("model_version", "together") if asked.values.get(name)
        ]
        self.period = [(name, asked.values[name]) for name in ("from", "until") if asked.values.get(name)]

    def over(self, start: datetime, end: datetime) -> str:
        field = self.visit.moments.field
        period = [("from", field(start)), ("until", field(end))]
        return f"{self.path}?{urlencode([*period, *self.kept])}"

    def ending(self, end: datetime) -> str:
        strip = [("strip", self.visit.moments.field(end))]
        return f"{self.path}?{urlencode([*self.period, *self.kept, *strip])}"


def _slots(cadence: str, zone: ZoneInfo, until: datetime) -> list[Interval]:
    """So many slots as a strip has, the last of which holds the moment just before this one."""
    slots = [slot_at(cadence, until - MILLISECOND, zone)]
    while len(slots) < SLOTS_SHOWN[cadence]:
        slots.append(slot_at(cadence, slots[-1].start - MILLISECOND, zone))
    return slots[::-1]


async def _until(visit: Visit, ledger: Ledger, asked: GenerationAsked) -> Instant:
    """Where the strip ends: where it was asked to, or behind the newest batch and the newest data."""
    if strip := visit.moments.typed(asked.values.get("strip", "")):
        return strip
    batches = await visit.ask(list_ledger_batches, _NEWEST, ledger_id=ledger.id)
    known = [moment_of(one.end_time) for one in batches.data]
    if visit.may("data_collection:read"):
        events = await visit.ask(list_events, _NEWEST)
        known += [Instant.of(moment_of(one.start_time) + MILLISECOND) for one in events.data]
    return min(max(known, default=visit.frame.now), visit.frame.now)


def _slot(
    name: str, slot: Interval, states: Sequence[SlotState], asked: GenerationAsked, address: str
) -> StripSlot:
    there = [one for one in states if slot.start <= one.start < slot.end]
    count, stale = sum(one.batches for one in there), sum(one.stale for one in there)
    waiting = sum(one.waiting for one in there)
    state = "stale" if stale else "waiting" if waiting else "fresh" if count else "never"
    says = {
        "waiting": f"{plural(waiting, 'event')} not counted yet",
        "stale": f"{stale} of {plural(count, 'batch', 'batches')} stale",
        "fresh": f"{plural(count, 'batch', 'batches')} up to date",
        "never": "never generated",
    }[state]
    is_chosen = (
        asked.start is not None
        and asked.end is not None
        and asked.start < slot.end
        and slot.start < asked.end
    )
    return StripSlot(name, state, f"{name}: {says}", address, is_chosen)


def _behind(slots: Sequence[Interval], shown: Sequence[StripSlot]) -> list[Interval]:
    """The slots behind the last one that holds batches; none where no slot of the strip does."""
    made = [at for at, one in enumerate(shown) if one.state != "never"]
    return list(slots[made[-1] + 1 :]) if made else []
