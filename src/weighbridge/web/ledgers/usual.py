"""The period that the form of a generation begins with: what is complete and was not generated yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from weighbridge.accounting.batches.routes import list_ledger_batches
from weighbridge.accounting.ledgers.records import Ledger, RequiredInput
from weighbridge.collection.events.routes import list_events
from weighbridge.core.time.cadence import EVENT, slot_at
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.web.showing.moments import moment_of
from weighbridge.web.visit import Visit

LONGEST: Final = timedelta(days=366)
"""The longest period that is offered at once."""

SLOTS: Final = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "annual": "year",
}  # fmt: skip
"""What a slot of a cadence is called."""

_NEWEST: Final = (("page_size", "1"), ("sort", "-start_time"))
_OLDEST: Final = (("page_size", "1"), ("sort", "start_time"))


@dataclass(frozen=True, slots=True)
class UsualPeriod:
    """A period to begin with, and why it is this one."""

    start: Instant
    end: Instant
    says: str


async def usual_period(visit: Visit, ledger: Ledger, inputs: Sequence[RequiredInput]) -> UsualPeriod:
    """From the end of the last batch, or else from the first data, to the end of the last complete slot."""
    now, zone, cadence = visit.frame.now, ZoneInfo(visit.frame.zone), ledger.cadence
    is_cut = cadence is not None and cadence != EVENT
    slot = SLOTS.get(cadence or "", "moment")
    complete = Instant.of(slot_at(cadence, now, zone).start) if is_cut and cadence else now
    last = Instant.of(slot_at(cadence, complete - MILLISECOND, zone).start) if is_cut and cadence else None
    batches = await visit.ask(list_ledger_batches, _NEWEST, ledger_id=ledger.id)
    if batches.data:
        start, why = moment_of(batches.data[0].end_time), "From the end of the last batch"
    elif (first := await _first_data(visit, inputs)) is not None:
        start = Instant.of(slot_at(cadence, first, zone).start) if is_cut and cadence else first
        why = "Nothing is generated yet: from the first data"
    else:
        start, why = last or complete, "There are neither batches nor data yet"
    until = f"to the end of the last complete {slot}" if is_cut else "until now"
    if start >= complete:
        if last is None:
            return UsualPeriod(Instant.of(start - LONGEST), start, "There are batches up to now.")
        return UsualPeriod(last, complete, f"Every complete {slot} has batches; this is the last one.")
    if complete - start <= LONGEST:
        return UsualPeriod(start, complete, f"{why} {until}.")
    end = Instant.of(start + LONGEST)
    end = Instant.of(slot_at(cadence, end, zone).start) if is_cut and cadence else end
    return UsualPeriod(start, end, f"{why}, the first year of what is complete.")


async def _first_data(visit: Visit, inputs: Sequence[RequiredInput]) -> Instant | None:
    """When the first event began that the model reads; None where there is none, or it may not be seen."""
    if not visit.may("data_collection:read"):
        return None
    slugs = dict.fromkeys(one.subcategory for one in inputs if one.category == "event")
    found = [await visit.ask(list_events, (*_OLDEST, ("filter[slug]", slug))) for slug in slugs]
    return min((moment_of(page.data[0].start_time) for page in found if page.data), default=None)
