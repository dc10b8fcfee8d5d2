"""The period of a generation: the fields of its form, the usual choice, and the strip of slots to choose
from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from weighbridge.accounting.batches import list_ledger_batches
from weighbridge.accounting.records.ledgers import Ledger, RequiredInput
from weighbridge.accounting.tracing.ledger_activity import SlotState, read_slot_states
from weighbridge.collection.events import list_events
from weighbridge.core.ledger.conditions import BatchCondition, list_conditions
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import EVENT, MILLISECOND, Instant, Interval, find_slot, label_slot
from weighbridge.platform.tenancy import project_number
from weighbridge.web.display.conditions import CONDITIONS
from weighbridge.web.display.figures import plural, to_instant
from weighbridge.web.framework.visit import Visit

# What a generation is asked for: the fields of its form, in an address or as they were typed.
#
# Manual withdrawals apply to one period. If another period is selected they are dropped, so that nothing is
# drawn for a month that was meant for another one.


LATEST: Final = "latest"

DRAW: Final = "draw:"
"""What the name of a field for a draw by hand begins with; the group and the batch follow."""

_PLAIN: Final = ("from", "until", "model_version", "together")


@dataclass(frozen=True, slots=True)
class Draw:
    """So much of a batch, as it was typed."""

    field: str
    group: str
    batch: str
    text: str


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """The fields of the form."""

    values: Mapping[str, str]
    """The fields that are there once."""
    skipped: tuple[str, ...]
    """Numbers of data point types that are set aside."""
    draws: tuple[Draw, ...] | None
    """Manual withdrawals; None if unspecified, then calculations keep theirs."""
    start: Instant | None
    end: Instant | None

    @property
    def is_chosen(self) -> bool:
        """Whether a period is chosen."""
        return self.start is not None and self.end is not None

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The fields again, as the form that starts the generation carries them."""
        plain = [(name, self.values[name]) for name in _PLAIN if self.values.get(name)]
        skips = [("skip", type_id) for type_id in self.skipped]
        if self.draws is None:
            return plain + skips
        draw_pairs = [(draw.field, draw.text) for draw in self.draws]
        return [*plain, *skips, ("by_hand", self.period), ("held", "yes"), *draw_pairs]

    @property
    def address(self) -> str:
        """The same as the query of an address."""
        return urlencode(self.pairs)

    @property
    def period(self) -> str:
        """The period as a word, by which draws are known to be meant for it."""
        return f"{self.values.get('from', '')}/{self.values.get('until', '')}"

    def body(self, problems: list[Problem]) -> dict[str, Any]:
        """The body of the interface; collects what no number was typed for."""
        body: dict[str, Any] = {
            "start_time": (self.start and self.start.text) or "",
            "end_time": (self.end and self.end.text) or "",
        }
        if self.values.get("model_version") == LATEST:
            body["model_version"] = LATEST
        if self.values.get("together") == "yes":
            body["generate_concurrent_ledgers"] = True
        if self.skipped:
            body["skipped_data_point_type_ids"] = [int(type_id) for type_id in self.skipped]
        if self.draws is not None:
            amounts = [_amount(draw, problems) for draw in self.draws]
            body["batch_amounts"] = [amount for amount in amounts if amount is not None]
        return body

    def at_fields(self, problems: Sequence[Problem]) -> list[Problem]:
        """Problems of the interface, at the fields of the form that they are about."""
        return [self._at_field(problem) for problem in problems]

    def _at_field(self, problem: Problem) -> Problem:
        for index, draw in enumerate(self.draws or ()):
            if (problem.field or "").startswith(f"batch_amounts[{index}]"):
                return Problem(problem.message, draw.field, problem.code, problem.records)
        names = {"start_time": "from", "end_time": "until"}
        return Problem(
            problem.message, names.get(problem.field or "", problem.field), problem.code, problem.records
        )


def read_generation_request(visit: Visit) -> GenerationRequest:
    """Read the request from the form, or from the URL."""
    typed = [(name, value) for name, values in visit.typed.items() for value in values]
    pairs = [(name, value.strip()) for name, value in typed or visit.query]
    values = dict(pairs)
    start, end = (visit.moments.typed(values.get(name, "")) for name in ("from", "until"))
    skipped_ids = tuple(dict.fromkeys(value for name, value in pairs if name == "skip" and value.isdigit()))
    request = GenerationRequest(values, skipped_ids, None, start, end)
    if values.get("by_hand") not in {"/", request.period}:
        return request
    draws = [_draw(name, value) for name, value in pairs if name.startswith(DRAW) and value]
    if batch := values.get("other_batch"):
        name = f"{DRAW}{values.get('other_group', '')}:{batch}"
        draws.append(_draw(name, values.get("other_amount", "")))
    if not draws and values.get("held") != "yes":
        return request
    return GenerationRequest(values, skipped_ids, tuple(draws), start, end)


def _draw(name: str, text: str) -> Draw:
    group, _, batch = name.removeprefix(DRAW).partition(":")
    return Draw(name, group, batch, text)


def _amount(draw: Draw, problems: list[Problem]) -> dict[str, Any] | None:
    try:
        amount = Decimal(draw.text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        message = f"The withdrawal from {draw.batch} must be a number, but is {draw.text!r}."
        problems.append(Problem(message, draw.field, "invalid"))
        return None
    amount_body: dict[str, Any] = {"batch_id": draw.batch, "primary_output_amount": amount}
    return amount_body | ({"allocation_group": draw.group} if draw.group else {})


# The period that the form of a generation begins with: what is complete and was not generated yet.


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
class SuggestedPeriod:
    """A period to begin with, and why it is this one."""

    start: Instant
    end: Instant
    says: str


async def suggest_period(visit: Visit, ledger: Ledger, inputs: Sequence[RequiredInput]) -> SuggestedPeriod:
    """From the end of the last batch, or else from the first data, to the end of the last complete slot."""
    now, zone, cadence = visit.frame.now, ZoneInfo(visit.frame.zone), ledger.cadence
    is_cut = cadence is not None and cadence != EVENT
    slot = SLOTS.get(cadence or "", "moment")
    complete = Instant.of(find_slot(cadence, now, zone).start) if is_cut and cadence else now
    last = Instant.of(find_slot(cadence, complete - MILLISECOND, zone).start) if is_cut and cadence else None
    batches = await visit.ask(list_ledger_batches, _NEWEST, ledger_id=ledger.id)
    if batches.data:
        start, why = to_instant(batches.data[0].end_time), "From the end of the last batch"
    elif (first := await _first_data(visit, inputs)) is not None:
        start = Instant.of(find_slot(cadence, first, zone).start) if is_cut and cadence else first
        why = "No batches yet: from the first data"
    else:
        start, why = last or complete, "No batches and no data yet"
    until = f"to the end of the last complete {slot}" if is_cut else "until now"
    if start >= complete:
        if last is None:
            return SuggestedPeriod(Instant.of(start - LONGEST), start, "All data up to now have batches.")
        return SuggestedPeriod(last, complete, f"Every complete {slot} has batches. This is the last one.")
    if complete - start <= LONGEST:
        return SuggestedPeriod(start, complete, f"{why} {until}.")
    end = Instant.of(start + LONGEST)
    end = Instant.of(find_slot(cadence, end, zone).start) if is_cut and cadence else end
    return SuggestedPeriod(start, end, f"{why}, limited to one year.")


async def _first_data(visit: Visit, inputs: Sequence[RequiredInput]) -> Instant | None:
    """Return the start of the first event that the model reads; None without one or without permission."""
    if not visit.may("data_collection:read"):
        return None
    slugs = dict.fromkeys(input_.subcategory for input_ in inputs if input_.category == "event")
    oldest_events = [await visit.ask(list_events, (*_OLDEST, ("filter[slug]", slug))) for slug in slugs]
    return min((to_instant(page.data[0].start_time) for page in oldest_events if page.data), default=None)


# The slots of a ledger as a strip, each of which chooses its period.
#
# A slot was never generated, or has the conditions of its batches (`core/ledger/conditions.py`).


SLOTS_SHOWN: Final = {
    "hourly": 24, "daily": 31, "weekly": 26, "monthly": 18, "quarterly": 12, "annual": 8,
}  # fmt: skip
"""Slots of a strip, by cadence."""


@dataclass(frozen=True, slots=True)
class StripSlot:
    """A period of the strip: its name, the state of its batches, and the URL of the form for it."""

    name: str
    state: str
    """`never`, or the swatch of the most urgent condition of its batches."""
    says: str
    address: str
    is_chosen: bool
    is_reported: bool


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
    """The URL of the form for the period after the newest batches; empty without one."""


async def build_period_strip(
    visit: Visit, ledger: Ledger, request: GenerationRequest, path: str
) -> Strip | None:
    """The strip that ends with the chosen period, or with the newest data; None where slots are events."""
    cadence = ledger.cadence
    if cadence is None or cadence == EVENT or cadence not in SLOTS_SHOWN:
        return None
    zone, count = ZoneInfo(visit.frame.zone), SLOTS_SHOWN[cadence]
    slots = _slots(cadence, zone, await _until(visit, ledger, request))
    if request.start is not None and request.end is not None and "strip" not in request.values:
        is_in_sight = slots[0].start <= request.start and request.end <= slots[-1].end
        slots = slots if is_in_sight else _slots(cadence, zone, request.end)
    last = slots[-1]
    project = project_number(visit.path["project_id"])
    states = await read_slot_states(
        visit.reading, project, ledger.numeric_id, Instant.of(slots[0].start), Instant.of(last.end)
    )
    addresses = _Addresses(visit, request, path)
    strip_slots = [
        _slot(label_slot(cadence, slot, zone), slot, states, request, addresses.over(slot.start, slot.end))
        for slot in slots
    ]
    stale = [slot for slot, strip_slot in zip(slots, strip_slots, strict=True) if strip_slot.state == "stale"]
    slots_behind = _behind(slots, strip_slots)
    ahead = last
    for _ in range(count):
        ahead = find_slot(cadence, ahead.end, zone)
    return Strip(
        strip_slots,
        addresses.ending(slots[0].start),
        addresses.ending(ahead.end) if last.end < visit.frame.now else "",
        addresses.over(stale[0].start, stale[-1].end) if stale else "",
        len(stale),
        addresses.over(slots_behind[0].start, slots_behind[-1].end) if slots_behind else "",
    )


class _Addresses:
    """URLs of the form for other periods; the other fields are kept."""

    def __init__(self, visit: Visit, request: GenerationRequest, path: str) -> None:
        self.visit, self.path = visit, path
        self.kept = [
            (name, request.values[name]) for name in ("model_version", "together") if request.values.get(name)
        ]
        self.period = [(name, request.values[name]) for name in ("from", "until") if request.values.get(name)]

    def over(self, start: datetime, end: datetime) -> str:
        field = self.visit.moments.field
        period = [("from", field(start)), ("until", field(end))]
        return f"{self.path}?{urlencode([*period, *self.kept])}"

    def ending(self, end: datetime) -> str:
        strip = [("strip", self.visit.moments.field(end))]
        return f"{self.path}?{urlencode([*self.period, *self.kept, *strip])}"


def _slots(cadence: str, zone: ZoneInfo, until: datetime) -> list[Interval]:
    """So many slots as a strip has, the last of which holds the moment just before this one."""
    slots = [find_slot(cadence, until - MILLISECOND, zone)]
    while len(slots) < SLOTS_SHOWN[cadence]:
        slots.append(find_slot(cadence, slots[-1].start - MILLISECOND, zone))
    return slots[::-1]


async def _until(visit: Visit, ledger: Ledger, request: GenerationRequest) -> Instant:
    """Return the end of the strip: as requested, or after the newest batch and data."""
    if strip := visit.moments.typed(request.values.get("strip", "")):
        return strip
    batches = await visit.ask(list_ledger_batches, _NEWEST, ledger_id=ledger.id)
    end_times = [to_instant(record.end_time) for record in batches.data]
    if visit.may("data_collection:read"):
        events = await visit.ask(list_events, _NEWEST)
        end_times += [Instant.of(to_instant(record.start_time) + MILLISECOND) for record in events.data]
    return min(max(end_times, default=visit.frame.now), visit.frame.now)


def _slot(
    name: str, slot: Interval, states: Sequence[SlotState], request: GenerationRequest, address: str
) -> StripSlot:
    states_within = [slot_state for slot_state in states if slot.start <= slot_state.start < slot.end]
    conditions = _name_conditions(states_within)
    is_chosen = (
        request.start is not None
        and request.end is not None
        and request.start < slot.end
        and slot.start < request.end
    )
    # The most urgent one gives the colour.
    state = next((CONDITIONS[one].swatch for one in conditions), "never")
    says = ", ".join(conditions.values()) or "never generated"
    is_reported = BatchCondition.REPORTED in conditions
    return StripSlot(name, state, f"{name}: {says}", address, is_chosen, is_reported)


def _name_conditions(states: Sequence[SlotState]) -> dict[BatchCondition, str]:
    """What holds of the batches of slots, in words; empty where there are none."""
    batches = sum(one.batches for one in states)
    stale, waiting = sum(one.stale for one in states), sum(one.waiting for one in states)
    pending, reported = sum(one.pending for one in states), sum(one.reported for one in states)
    words = {
        BatchCondition.STALE: f"{stale} of {plural(batches, 'batch', 'batches')} out of date",
        BatchCondition.NOT_COUNTED_YET: f"{plural(waiting, 'event')} not counted yet",
        BatchCondition.WAITING_FOR_APPROVAL: f"{plural(pending, 'correction')} waiting for approval",
        BatchCondition.UP_TO_DATE: f"{plural(batches, 'batch', 'batches')} up to date",
        BatchCondition.REPORTED: f"{reported} in reports",
    }
    conditions = list_conditions(
        is_stale=stale > 0,
        waiting_event_count=waiting,
        pending_proposal_count=pending,
        is_reported=reported > 0,
    )
    return {condition: words[condition] for condition in conditions if batches}


def _behind(slots: Sequence[Interval], strip_slots: Sequence[StripSlot]) -> list[Interval]:
    """Return the periods after the last one with batches; none if no period has batches."""
    generated_indices = [at for at, strip_slot in enumerate(strip_slots) if strip_slot.state != "never"]
    return list(slots[generated_indices[-1] + 1 :]) if generated_indices else []
