"""What may be drawn from a moment on is the lowest that produced less drawn ever stands at from there."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.ledger.posting import Timeline

START = datetime(2025, 1, 1, tzinfo=UTC)


def day(number):
    return START + timedelta(days=number)


amounts = st.integers(-20, 20).map(Decimal)
changes = st.lists(st.tuples(st.integers(0, 12), amounts), max_size=20)


def standing(steps, until):
    return sum((amount for number, amount in steps if number <= until), Decimal(3))


@given(changes, changes, st.sets(st.integers(0, 12)))
def test_every_moment_stands_at_the_sum_of_the_steps_before_it(known, added, named):
    first = {}
    for number, amount in known:
        first[day(number)] = first.get(day(number), Decimal(0)) + amount
    timeline = Timeline(first, map(day, named), Decimal(3))
    for number, amount in added:
        timeline.add(day(number), amount)

    steps = [*known, *added]
    for number in range(-1, 14):
        later = [standing(steps, at) for at in range(number, 14)]
        assert timeline.at(day(number)) == later[0]
        assert timeline.lowest_from(day(number)) == min(later)
    assert timeline.steps() == [
        (day(number), standing(steps, number))
        for number in range(13)
        if standing(steps, number) != standing(steps, number - 1)
    ]


def test_a_later_credit_does_not_hide_an_earlier_shortage():
    timeline = Timeline({day(1): Decimal(5), day(2): Decimal(-5), day(9): Decimal(8)})

    timeline.add(day(1), Decimal(-5))

    assert (timeline.at(day(9)), timeline.lowest_from(day(2))) == (Decimal(3), Decimal(-5))


def test_nothing_stands_where_nothing_ever_counted():
    assert Timeline({}).lowest_from(day(1)) == 0
