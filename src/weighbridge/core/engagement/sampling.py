"""Draw a sample of a population of records: by strata and sizes, from a seed, the same for everybody.

A population is a list of records of strata, each with its number and its amount. A stratum is sampled by one
of two methods:

- `random`: simple random without replacement; the records with the smallest random numbers.
- `monetary_unit`: in proportion to amounts, without sign. Records of at least one interval (the sum of
amounts, divided by the size) are always drawn, and the interval is computed anew for the others. These are
placed next to each other by their random numbers, and one is drawn at every interval from a random start.

The random number of a record is the SHA-256 of the seed, the number of the stratum and that of the record,
each followed by a line end.

>>> seed = "00" * 32
>>> population = [PopulationRecord(number, Decimal(10 * number)) for number in range(1, 7)]
>>> [drawn.record for drawn in draw_stratum(seed, 1, SamplingMethod.RANDOM, 2, population)]
[1, 3]
>>> sample = draw_stratum(seed, 1, SamplingMethod.MONETARY_UNIT, 4, population)
>>> [(drawn.record, drawn.is_certain) for drawn in sample]
[(3, False), (4, False), (5, True), (6, True)]

Invariants: the same seed and population draw the same records, in whichever order they come; all arithmetic
is of whole numbers, so no digit depends on a machine; as many records are drawn as asked for, or all that can
be.
"""

import hashlib
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from weighbridge.core.number import plain

RANDOM_RANGE: Final = 1 << 256
"""Random numbers are below this."""

SAMPLE_SIZE_MAX: Final = 1_000
"""Records that one engagement draws, in all strata."""

STRATA_MAX: Final = 20

POPULATION_MAX: Final = 200_000
"""Records of one population."""

_SEED_LABEL: Final = "weighbridge sample seed 1"


class SamplingMethod(StrEnum):
    """How records of a stratum are drawn."""

    RANDOM = "random"
    MONETARY_UNIT = "monetary_unit"


class PopulationRecord(NamedTuple):
    """A record of a stratum by its number, and its amount, if it has one."""

    record: int
    amount: Decimal | None


class DrawnRecord(NamedTuple):
    """A record that was drawn, and whether its amount alone ensured that."""

    stratum: int
    record: int
    amount: Decimal | None
    is_certain: bool


class Stratum(NamedTuple):
    """The part of a population that is drawn in one way: the events of a type, with one data point as
    amount.
    """

    event_type: str
    data_point: str | None
    method: SamplingMethod
    size: int


def compute_seed(rows: int, root: str, population: str, text: str) -> str:
    """The seed of a sample, as 64 hexadecimal digits.

    It follows from the head of the log when the engagement began, the digest of the population, and a text
    that the verifier named afterwards. So the operator could not know it, and nobody chose it alone.
    """
    lines = (_SEED_LABEL, f"rows {rows}", f"root {root}", f"population {population}", text)
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def number_randomly(seed: str, stratum: int, item: int | str) -> int:
    """The random number of a record of a stratum, or of its `start`."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{stratum}\n{item}\n".encode()).digest())


def draw(
    seed: str, strata: Sequence[Stratum], population: Sequence[Sequence[PopulationRecord]]
) -> list[DrawnRecord]:
    """The records that the seed draws, by stratum and number."""
    return [
        drawn
        for number, (stratum, records) in enumerate(zip(strata, population, strict=True), start=1)
        for drawn in draw_stratum(seed, number, stratum.method, stratum.size, records)
    ]


def draw_stratum(
    seed: str, stratum: int, method: SamplingMethod, size: int, records: Sequence[PopulationRecord]
) -> list[DrawnRecord]:
    """The records of one stratum that are drawn, by number."""
    if method is SamplingMethod.RANDOM:
        drawn = _sort_randomly(seed, stratum, records)[:size]
        return sorted(DrawnRecord(stratum, *record, is_certain=len(records) <= size) for record in drawn)
    sizes = _scale_amounts(records)
    if len(sizes) <= size:
        certain, others = set(sizes), list[PopulationRecord]()
    else:
        certain = _find_certain(sizes, size)
        remaining = [record for record in records if record.record in sizes.keys() - certain]
        others = _draw_at_intervals(
            number_randomly(seed, stratum, "start"), _sort_randomly(seed, stratum, remaining), sizes,
            size - len(certain),
        )  # fmt: skip
    always = [record for record in records if record.record in certain]
    drawn_records = [
        *(DrawnRecord(stratum, *record, is_certain=True) for record in always),
        *(DrawnRecord(stratum, *record, is_certain=False) for record in others),
    ]
    return sorted(drawn_records, key=lambda drawn: drawn.record)


def count_drawable(method: SamplingMethod, records: Iterable[PopulationRecord]) -> int:
    """How many records can be drawn: by monetary unit, those with an amount other than zero."""
    return sum(1 for record in records if method is SamplingMethod.RANDOM or record.amount)


def _sort_randomly(seed: str, stratum: int, records: Iterable[PopulationRecord]) -> list[PopulationRecord]:
    return sorted(records, key=lambda record: (number_randomly(seed, stratum, record.record), record.record))


def _scale_amounts(records: Iterable[PopulationRecord]) -> dict[int, int]:
    """The amounts that are not zero, without sign, as whole numbers of one unit."""
    texts = {record.record: plain(abs(record.amount)) for record in records if record.amount}
    places = max((len(text.partition(".")[2]) for text in texts.values()), default=0)
    scaled = {}
    for record, text in texts.items():
        whole, _, fraction = text.partition(".")
        scaled[record] = int(whole + fraction.ljust(places, "0"))
    return scaled


def _find_certain(sizes: dict[int, int], size: int) -> set[int]:
    """The records of at least one interval, which is computed anew for those that remain."""
    certain = set[int]()
    while True:
        remaining = {record: amount for record, amount in sizes.items() if record not in certain}
        total, wanted = sum(remaining.values()), size - len(certain)
        found = {record for record, amount in remaining.items() if amount * wanted >= total}
        if not found or not wanted:
            return certain
        certain |= found


def _draw_at_intervals(
    start: int, records: Sequence[PopulationRecord], sizes: dict[int, int], wanted: int
) -> list[PopulationRecord]:
    """The records at a start below one interval, and at every interval from it."""
    total = sum(sizes[record.record] for record in records)
    drawn, reached, points = [], 0, 0
    for record in records:
        reached += sizes[record.record]
        if points < wanted and (start + points * RANDOM_RANGE) * total < reached * wanted * RANDOM_RANGE:
            drawn.append(record)
            points += 1
    return drawn
