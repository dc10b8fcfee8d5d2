"""Totalisers: what their readings counted from one to the next, meter by meter, in every partition.

A step from a reading to the meter's next one belongs to whatever the later reading is tagged with: a meter
that read 100 for straw, 120 for wood and 150 for straw counted 20 of wood and 30 of straw. So whatever tags
change, what the partitions have adds up to what the meters went on by.

Invariants: a step counts once; a reading that no step begins or ends with counts for nothing, and is named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.core.engine.element import Element, Measure
from weighbridge.core.engine.measured.inputs import Term, latest, of_terms
from weighbridge.core.engine.setting import EngineSetting, SlotData
from weighbridge.core.engine.statistics import Group
from weighbridge.core.ledger.contributions import Contributions
from weighbridge.core.model import Aggregate, Input
from weighbridge.core.model.aggregates import Reading, steps, stretches_of
from weighbridge.core.quantity.number import total
from weighbridge.core.time.instant import Interval


@dataclass(frozen=True, slots=True)
class Counted:
    """What the readings of a group counted, and the elements that it follows from; None of no steps."""

    amount: Decimal | None
    elements: tuple[Element, ...]
    contributions: Contributions = field(default_factory=dict)
    """What contributes to the amount, in its unit: each step, as the later source of its readings."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Readings of a slot that an input cannot use, whatever partitions run."""

    node: str
    source: int
    aggregate: Aggregate
    elements: tuple[Element, ...]


def counted(groups: Sequence[Group], measure: Measure, slot: Interval) -> list[Counted]:
    """What totalisers counted in a slot, group by group."""
    placed = sorted(
        (
            (element, index)
            for index, group in enumerate(groups)
            for element in group.elements
            if element.values[measure.value] is not None
        ),
        key=lambda one: one[0].rank,
    )
    amounts: list[list[Decimal]] = [[] for _ in groups]
    terms: list[list[Term]] = [[] for _ in groups]
    used: list[dict[int, Element]] = [{} for _ in groups]
    for step in steps(readings_of([element for element, _ in placed], measure), slot):
        (late, group), (early, _) = placed[step.late], placed[step.early]
        amounts[group].append(step.amount)
        terms[group].append((step.amount, latest([early.source(measure.value), late.source(measure.value)])))
        used[group] |= {early.event: early, late.event: late}
    return [
        Counted(total(parts) if parts else None, tuple(elements.values()), of_terms(of_group))
        for parts, elements, of_group in zip(amounts, used, terms, strict=True)
    ]


def readings_of(elements: Sequence[Element], measure: Measure) -> list[Reading]:
    """Elements that have a number, as their readings."""
    return [
        Reading(element.time, number, meter=element.meter)
        for element in elements
        if (number := element.number(measure.value)) is not None
    ]


def unusable(setting: EngineSetting, data: SlotData) -> Iterator[Unusable]:
    """The readings of a slot of which its inputs can make nothing, such as a totaliser's only one."""
    for node in setting.program.nodes:
        body = node.body
        if not isinstance(body, Input) or node.slug in data.skipped or body.join is not None:
            continue
        if body.aggregate not in _USABLE:
            continue
        measure = setting.measures[node.slug]
        elements = [
            element
            for group in data.groups
            if node.slug in group.by_input
            for element in group.elements
            if element.values[measure.value] is not None
        ]
        elements.sort(key=lambda one: one.rank)
        used = _USABLE[body.aggregate](elements, measure, data.slot)
        left = tuple(one for index, one in enumerate(elements) if index not in used and one.is_of_slot)
        if left:
            yield Unusable(node.slug, measure.source, body.aggregate, left)


def _in_steps(elements: Sequence[Element], measure: Measure, slot: Interval) -> set[int]:
    counting = steps(readings_of(elements, measure), slot)
    return {index for step in counting for index in (step.early, step.late)}


def _in_stretches(elements: Sequence[Element], measure: Measure, slot: Interval) -> set[int]:
    """The indices of the readings that stand for some time inside the slot."""
    numbered = [
        Reading(reading.time, Decimal(index), meter=reading.meter)
        for index, reading in enumerate(readings_of(elements, measure))
    ]
    return {int(one.value) for one in stretches_of(numbered, slot) if slot.overlap(one.time) is not None}


_USABLE = {Aggregate.DELTA: _in_steps, Aggregate.TIME_WEIGHTED: _in_stretches}
"""The aggregates that need more of a reading than its value, and the indices of those that they can use."""
