"""Lineage: what each batch was made of, and which batches were computed together, line by line.

A line of `lineage.jsonl` is a batch: the events that its nodes read, static inputs, draws, inputs set aside,
and the corrections that were in force. A line of `slots.jsonl` is a slot as one generation computed it by one
version: the batches that it made, and those that stood beside them already and have a part of what was
shared.

Invariants: a line is written one way only; numbers of events stand as ranges, `3-7,9`, ascending and as few
as can be.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeVar

from weighbridge.core.bundle.form.fault import UnreadableError
from weighbridge.core.bundle.form.record import read_record
from weighbridge.core.bundle.form.tables import lines_of

LINEAGE: Final = "lineage.jsonl"
SLOTS: Final = "slots.jsonl"

EVENTS_MAX: Final = 100_000_000
"""Events that the ranges of one line may name."""


@dataclass(frozen=True, slots=True)
class SetRead:
    """Events of one type that some nodes read alike."""

    event_type: str
    nodes: list[str]
    events: str
    """As ranges."""
    versions: dict[str, int]
    """By event the state in which the batch saw it, where that is not its state 0."""


@dataclass(frozen=True, slots=True)
class DrawRead:
    """What a node drew of one batch of another ledger, in that ledger's unit."""

    node: str
    source: int
    amount: str
    attributes: list[str]
    """What travelled along, in the order in which the node lists it."""
    units: list[str]
    contributions: list[str | None] | None


@dataclass(frozen=True, slots=True)
class BatchLineage:
    """What a batch was made of."""

    batch: int
    inputs: list[SetRead]
    static_inputs: dict[str, list[int]]
    """The values that each node read."""
    skipped: list[str]
    """Inputs whose data were set aside."""
    draws: list[DrawRead]
    corrections: str
    """As ranges."""


@dataclass(frozen=True, slots=True)
class SlotLine:
    """A slot as one generation computed it by one version of a model."""

    generation: int
    model: int
    batches: list[int]
    """Those that it made there."""
    alongside: list[int]
    """The newest of the slot's other runs, and of its runs on other ledgers, when the generation ended."""


Line = TypeVar("Line")


def read_lines(kind: type[Line], content: memoryview, part: str) -> Iterator[Line]:
    """The lines of a part; UnreadableError when one is not written as it should be."""
    for text in lines_of(content, part):
        try:
            yield read_record(kind, text.encode() + b"\n")
        except UnreadableError as error:
            raise UnreadableError(f"A line of {part} is wrong: {error}") from None


def ranges_of(numbers: Iterable[int]) -> str:
    """Ascending numbers as ranges."""
    ranges: list[str] = []
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None:
            ranges.append(_range(first, last))
        first = last = number
    if first is not None:
        ranges.append(_range(first, last))
    return ",".join(ranges)


def _range(first: int, last: int | None) -> str:
    return str(first) if first == last else f"{first}-{last}"


def numbers_of(ranges: str) -> list[int]:
    """The numbers of ranges; UnreadableError when they are not written as they should be."""
    numbers: list[int] = []
    try:
        for piece in ranges.split(",") if ranges else ():
            first, _, last = piece.partition("-")
            start, end = int(first), int(last or first)
            if end - start + len(numbers) >= EVENTS_MAX:
                raise UnreadableError(f"{ranges[:60]!r} are more than {EVENTS_MAX:,} numbers.")
            numbers += range(start, end + 1)
    except ValueError:
        raise UnreadableError(f"{ranges[:60]!r} are no ranges of numbers.") from None
    if ranges_of(numbers) != ranges or any(after <= before for before, after in pairwise(numbers)):
        raise UnreadableError(f"{ranges[:60]!r} are not written as ranges are.")
    return numbers
