"""What the model of a ledger needs for a period, input by input: what is there, and what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.accounting.ledgers.records import Ledger, RequiredInput
from weighbridge.collection.events.routes import list_events
from weighbridge.core.quantity.number import plain
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.modelling.static_inputs.routes import list_static_inputs
from weighbridge.web.ledgers.asked import GenerationAsked
from weighbridge.web.visit import Visit

_ONE: Final = ("page_size", "1")


@dataclass(frozen=True, slots=True)
class InputInPeriod:
    """An input that the model needs, and what there is of it in the period."""

    input: RequiredInput
    count: int | None = None
    """Events in the period, or values that hold by its beginning; None where nobody looked."""
    is_estimate: bool = False
    value: Decimal | None = None
    """The value of a static input that holds, or what remains of a ledger."""
    unit: str = ""
    skips: str = ""
    """The number of its data point type, by which it is set aside; empty where it cannot be."""
    is_skipped: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether there is nothing of it, and it is not set aside."""
        return self.count == 0 and not self.is_skipped


async def needs_of(
    visit: Visit, inputs: Sequence[RequiredInput], asked: GenerationAsked, ledgers: Mapping[str, Ledger]
) -> list[InputInPeriod]:
    """What there is of each input in the period that was asked for."""
    types = {(one.subcategory, one.slug): str(one.id) for one in inputs if one.id > 0}
    found: list[InputInPeriod] = []
    for one in inputs:
        if one.category == "ledger":
            balance = sum(
                (ledgers[it.id].balance for it in one.output_of_ledgers if it.id in ledgers), Decimal(0)
            )
            unit = one.output_of_ledgers[0].unit if one.output_of_ledgers else ""
            found.append(
                InputInPeriod(one, len(one.output_of_ledgers), value=Decimal(plain(balance)), unit=unit)
            )
        elif not visit.may("data_collection:read") or asked.start is None or asked.end is None:
            found.append(_skippable(InputInPeriod(one), types, asked))
        elif one.category == "event":
            found.append(_skippable(await _events(visit, one, asked.start, asked.end), types, asked))
        else:
            found.append(await _static(visit, one, asked.start))
    return found


def _skippable(
    need: InputInPeriod, types: Mapping[tuple[str, str], str], asked: GenerationAsked
) -> InputInPeriod:
    number = types.get((need.input.subcategory, need.input.slug), "")
    if need.input.category != "event":
        return need
    return InputInPeriod(
        need.input,
        need.count,
        need.is_estimate,
        skips=number,
        is_skipped=number in asked.skipped and bool(number),
    )


async def _events(visit: Visit, one: RequiredInput, start: Instant, end: Instant) -> InputInPeriod:
    query = (
        ("filter[slug]", one.subcategory),
        ("filter[start_time][geq]", start.text),
        ("filter[start_time][leq]", Instant.of(end - MILLISECOND).text),
        _ONE,
    )
    info = (await visit.ask(list_events, query)).info
    return InputInPeriod(one, info.total_items, info.total_is_estimate)


async def _static(visit: Visit, one: RequiredInput, start: Instant) -> InputInPeriod:
    query = (
        ("filter[slug]", one.slug), ("filter[effective_from][leq]", start.text), ("sort", "-effective_from"),
        _ONE,
    )  # fmt: skip
    found = await visit.ask(list_static_inputs, query)
    newest = found.data[0] if found.data and one.subcategory == "project" else None
    return InputInPeriod(
        one,
        found.info.total_items,
        value=newest.value if newest else None,
        unit=(newest and newest.unit) or "",
    )
