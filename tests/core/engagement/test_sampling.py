"""Samples: drawn from a seed, the same for everybody, by strata and sizes."""

import hashlib
from collections import Counter
from decimal import Decimal
from random import Random

import pytest

from weighbridge.core.engagement.sampling import (
    PopulationRecord,
    SamplingMethod,
    Stratum,
    compute_seed,
    count_drawable,
    draw,
    draw_stratum,
)


def seed_of(number):
    return hashlib.sha256(str(number).encode()).hexdigest()


def population_of(*amounts):
    return [
        PopulationRecord(number, None if amount is None else Decimal(amount))
        for number, amount in enumerate(amounts, start=1)
    ]


def records(drawn):
    return [one.record for one in drawn]


def test_equal_seeds_draw_equal_samples_in_any_order():
    population = population_of(*range(1, 200))
    shuffled = population.copy()
    Random(3).shuffle(shuffled)  # noqa: S311 - which order does not matter

    for method in SamplingMethod:
        drawn = draw_stratum(seed_of(1), 1, method, 25, population)
        assert len(drawn) == 25
        assert drawn == draw_stratum(seed_of(1), 1, method, 25, shuffled)
        assert records(drawn) != records(draw_stratum(seed_of(2), 1, method, 25, population))


def test_random_draws_those_with_the_smallest_hashes():
    seed, population = seed_of(1), population_of(*[None] * 50)

    smallest = sorted(
        range(1, 51), key=lambda number: hashlib.sha256(f"{seed}\n7\n{number}\n".encode()).hexdigest()
    )

    assert records(draw_stratum(seed, 7, SamplingMethod.RANDOM, 5, population)) == sorted(smallest[:5])


def test_random_draws_every_record_equally_often():
    population = population_of(*[None] * 10)

    drawn = Counter(
        record
        for number in range(2000)
        for record in records(draw_stratum(seed_of(number), 1, SamplingMethod.RANDOM, 3, population))
    )

    assert all(520 <= drawn[record] <= 680 for record in range(1, 11)), drawn


def test_monetary_unit_draws_in_proportion_to_amounts():
    population = population_of(10, 20, -30, 40)

    drawn = Counter(
        record
        for number in range(2000)
        for record in records(draw_stratum(seed_of(number), 1, SamplingMethod.MONETARY_UNIT, 1, population))
    )

    for record, expected in ((1, 200), (2, 400), (3, 600), (4, 800)):
        assert abs(drawn[record] - expected) <= 80, drawn


def test_monetary_unit_always_draws_large_amounts():
    population = population_of(1000, *[1] * 100)

    for number in range(20):
        drawn = draw_stratum(seed_of(number), 1, SamplingMethod.MONETARY_UNIT, 5, population)
        assert len(drawn) == 5
        assert [one.record for one in drawn if one.is_certain] == [1]


def test_monetary_unit_computes_the_interval_anew_without_large_amounts():
    # 40 is less than the first interval of 1,150 / 10, and more than that of the others, 150 / 9.
    drawn = draw_stratum(seed_of(1), 1, SamplingMethod.MONETARY_UNIT, 10, population_of(1000, 40, *[1] * 110))

    assert [one.record for one in drawn if one.is_certain] == [1, 2]
    assert len(drawn) == 10


def test_monetary_unit_leaves_out_amounts_of_zero_and_none():
    population = population_of(0, None, 5, "0.1")

    drawn = draw_stratum(seed_of(1), 1, SamplingMethod.MONETARY_UNIT, 4, population)

    assert records(drawn) == [3, 4]
    assert all(one.is_certain for one in drawn)
    assert count_drawable(SamplingMethod.MONETARY_UNIT, population) == 2
    assert count_drawable(SamplingMethod.RANDOM, population) == 4


@pytest.mark.parametrize("method", SamplingMethod)
def test_more_than_there_are_draws_all(method):
    drawn = draw_stratum(seed_of(1), 1, method, 9, population_of(1, 2, 3))

    assert records(drawn) == [1, 2, 3]


def test_monetary_unit_draws_the_size_whatever_the_amounts():
    random = Random(5)  # noqa: S311 - which amounts do not matter
    for number in range(300):
        amounts = [Decimal(random.randint(1, 10 ** random.randint(1, 9))).scaleb(-4) for _ in range(40)]
        size = random.randint(1, 39)
        drawn = draw_stratum(seed_of(number), 1, SamplingMethod.MONETARY_UNIT, size, population_of(*amounts))
        assert len(set(records(drawn))) == size


def test_strata_are_drawn_each_by_itself():
    strata = [
        Stratum("delivery", None, SamplingMethod.RANDOM, 2),
        Stratum("lab", None, SamplingMethod.RANDOM, 3),
    ]
    population = [population_of(*[None] * 20), population_of(*[None] * 20)]

    drawn = draw(seed_of(1), strata, population)

    assert [one.stratum for one in drawn] == [1, 1, 2, 2, 2]
    assert records(drawn[2:]) == records(draw_stratum(seed_of(1), 2, SamplingMethod.RANDOM, 3, population[1]))


def test_the_seed_follows_from_log_population_and_text():
    given = (12, "ab" * 32, "cd" * 32, "three dice: 5 2 6")

    text = (
        f"weighbridge sample seed 1\nrows 12\nroot {'ab' * 32}\npopulation {'cd' * 32}\nthree dice: 5 2 6\n"
    )

    assert compute_seed(*given) == hashlib.sha256(text.encode()).hexdigest()
