"""Drawing takes from sources in order, never more than there is, and gives back what was drawn last."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.ledger.drawing import Drawer, DrawOrder, Lot, Need, Shortfall, SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.time.calendar import Interval

LEDGER = 7
DAY = timedelta(days=1)


def day(number):
    start = datetime(2025, 1, 1, tzinfo=UTC) + number * DAY
    return Interval(start, start + DAY)


def stock(number, balance, *, on=None, name="", feedstock=None, ledger=LEDGER):
    slot = day(number if on is None else on)
    return SourceBatch(number, ledger, slot, name, Partition(feedstock=feedstock), Decimal(balance))


def drawer(number=20, feedstock=None, node="drawn"):
    return Drawer(day(number), Partition(feedstock=feedstock), node)


def need(amount, *, until=30, order=DrawOrder.FIFO, match=(), scale=0):
    return Need(LEDGER, scale, Decimal(amount), day(until).start, order, match)


def held(pool, who):
    return {source.number: amount for source, amount in pool.drawn(who)}


def moves(pool):
    return {who: [(one.source.number, one.amount) for one in moved] for who, moved in pool.moved().items()}


def test_the_oldest_source_is_drawn_first():
    pool = Pool([stock(2, 10), stock(1, 10)], {})

    assert pool.draw(drawer(), need(12)) is None

    assert pool.drawn(drawer()) == [(stock(1, 10), 10), (stock(2, 10), 2)]
    assert [pool.free(source) for source in (1, 2)] == [0, 8]


def test_sources_of_one_slot_are_drawn_in_the_order_of_their_names_whatever_their_numbers():
    pool = Pool([stock(1, 10, on=3, name="Wood"), stock(2, 10, on=3, name="Straw")], {})

    pool.draw(drawer(), need(4))

    assert held(pool, drawer()) == {2: 4}


def test_a_source_whose_slot_starts_when_the_runs_slot_ends_is_not_drawn():
    pool = Pool([stock(1, 10), stock(2, 10)], {})

    assert pool.draw(drawer(1), need(15, until=2)) == Shortfall(Decimal(15), Decimal(10))


def test_a_run_draws_only_sources_with_the_tags_that_it_matches():
    pool = Pool([stock(1, 10, feedstock="Wood"), stock(2, 10, feedstock="Straw"), stock(3, 10)], {})

    pool.draw(drawer(feedstock="Straw"), need(7, match=(("feedstock", "Straw"),)))
    short = pool.draw(drawer(feedstock="Peat"), need(7, match=(("feedstock", "Peat"),)))

    assert held(pool, drawer(feedstock="Straw")) == {2: 7}
    assert short == Shortfall(Decimal(7), Decimal(0))


def test_a_later_run_sees_what_an_earlier_one_took():
    pool = Pool([stock(1, 10)], {})

    pool.draw(drawer(20), need(6))
    short = pool.draw(drawer(21), need(6))

    assert short == Shortfall(Decimal(6), Decimal(4))


def test_pro_rata_takes_the_same_part_of_every_source_and_gives_the_left_over_unit_to_the_largest_remainder():
    pool = Pool([stock(1, 3), stock(2, 5), stock(3, 2)], {})

    pool.draw(drawer(), need(4, order=DrawOrder.PRO_RATA))

    assert held(pool, drawer()) == {1: 1, 2: 2, 3: 1}


def test_pro_rata_cuts_at_the_scale_of_the_ledger():
    pool = Pool([stock(1, 1), stock(2, 2)], {})

    pool.draw(drawer(), need("1.00", order=DrawOrder.PRO_RATA, scale=2))

    assert held(pool, drawer()) == {1: Decimal("0.33"), 2: Decimal("0.67")}


def test_what_a_run_holds_stays_when_it_needs_the_same_though_older_sources_came_since():
    held_before = {drawer(): [Lot(2, Decimal(5), 1)]}
    pool = Pool([stock(1, 10), stock(2, 0)], held_before)

    assert pool.draw(drawer(), need(5)) is None

    assert held(pool, drawer()) == {2: 5}
    assert pool.moved() == {}


def test_a_run_that_needs_less_returns_what_it_drew_last():
    held_before = {drawer(): [Lot(2, Decimal(5), 1), Lot(1, Decimal(4), 2)]}
    pool = Pool([stock(1, 0), stock(2, 0)], held_before)

    pool.draw(drawer(), need(3))

    assert held(pool, drawer()) == {2: 3}
    assert moves(pool) == {drawer(): [(1, -4), (2, -2)]}


def test_pro_rata_returns_a_part_of_everything_that_the_last_act_took():
    held_before = {drawer(): [Lot(1, Decimal(5), 1), Lot(1, Decimal(2), 2), Lot(2, Decimal(4), 2)]}
    pool = Pool([stock(1, 0), stock(2, 0)], held_before)

    pool.draw(drawer(), need(8, order=DrawOrder.PRO_RATA))

    assert held(pool, drawer()) == {1: 6, 2: 2}


def test_a_run_that_finds_too_little_takes_over_what_the_last_of_the_later_runs_hold():
    first, second, third = drawer(20), drawer(21), drawer(22)
    held_before = {second: [Lot(1, Decimal(5), 1)], third: [Lot(1, Decimal(5), 1)]}
    pool = Pool([stock(1, 2)], held_before, lenders=held_before)

    assert pool.draw(first, need(6)) is None
    assert pool.draw(second, need(5)) is None
    assert pool.draw(third, need(5)) == Shortfall(Decimal(5), Decimal(1))


def test_what_was_named_by_hand_is_taken_over_by_nobody():
    pool = Pool([stock(1, 2)], {drawer(21): [Lot(1, Decimal(5), 1)]})

    assert pool.draw(drawer(20), need(6)) == Shortfall(Decimal(6), Decimal(2))


def test_what_is_available_counts_what_the_runs_of_the_slot_hold():
    held_before = {drawer(20, "Straw"): [Lot(1, Decimal(3), 1)], drawer(20, "Wood"): [Lot(1, Decimal(4), 1)]}
    pool = Pool([stock(1, 2), stock(25, 9)], held_before, lenders=held_before)

    assert pool.available(LEDGER, day(20)) == 9


def test_a_node_that_draws_from_another_ledger_by_now_returns_what_it_held_of_the_first():
    pool = Pool([stock(1, 0, ledger=6), stock(2, 9)], {drawer(): [Lot(1, Decimal(3), 1)]})

    pool.draw(drawer(), need(5))

    assert held(pool, drawer()) == {2: 5}
    assert pool.free(1) == 3


units = some.integers(0, 10**6).map(lambda units: Decimal(units).scaleb(-3))
stocks = some.lists(units, min_size=1, max_size=12).map(
    lambda balances: [stock(number, balance) for number, balance in enumerate(balances, start=1)]
)
orders = some.sampled_from(DrawOrder)


def total(pool, who):
    return sum((amount for _, amount in pool.drawn(who)), Decimal(0))


def lots(pool, who, act):
    return [Lot(source.number, amount, act) for source, amount in pool.drawn(who)]


@given(stocks, orders, some.lists(units, min_size=1, max_size=8))
def test_draws_sum_to_the_amount_and_no_source_gives_more_than_it_has(sources, order, amounts):
    pool = Pool(sources, {})
    whole = sum(source.balance for source in sources)
    taken = Decimal(0)
    for number, amount in enumerate(amounts):
        who = drawer(number + 13)
        short = pool.draw(who, need(amount, order=order, scale=3))
        there = min(amount, whole - taken)
        assert total(pool, who) == there
        assert short == (Shortfall(amount, there) if there < amount else None)
        taken += there
    left = sum(pool.free(source.number) for source in sources)
    assert left == whole - taken
    assert all(0 <= pool.free(source.number) <= source.balance for source in sources)
    assert all(amount > 0 for number in range(len(amounts)) for _, amount in pool.drawn(drawer(number + 13)))


@given(stocks, orders, units)
def test_asking_for_the_same_again_moves_nothing(sources, order, amount):
    pool = Pool(sources, {})
    pool.draw(drawer(), need(amount, order=order, scale=3))
    rest = [stock(source.number, pool.free(source.number)) for source in sources]
    again = Pool(rest, {drawer(): lots(pool, drawer(), 1)}, [drawer()])

    again.draw(drawer(), need(total(pool, drawer()), order=order, scale=3))

    assert again.moved() == {}


@given(stocks, orders, units, units)
def test_growing_and_shrinking_back_leaves_what_was_there(sources, order, amount, more):
    pool = Pool(sources, {})
    pool.draw(drawer(), need(amount, order=order, scale=3))
    first = pool.drawn(drawer())
    before = {who: lots(pool, who, 1) for who in [drawer()]}
    rest = [stock(source.number, pool.free(source.number)) for source in sources]
    grown = Pool(rest, before)

    grown.draw(drawer(), need(total(pool, drawer()) + more, order=order, scale=3))
    grown.draw(drawer(), need(total(pool, drawer()), order=order, scale=3))

    assert [(source.number, taken) for source, taken in grown.drawn(drawer())] == [
        (source.number, taken) for source, taken in first
    ]
    assert grown.moved() == {}


@given(stocks, some.lists(some.tuples(some.integers(0, 3), units, orders), max_size=20))
def test_whatever_runs_ask_for_nothing_is_lost_and_nothing_doubled(sources, asked):
    whole = sum(source.balance for source in sources)
    pool = Pool(sources, {})
    for number, amount, order in asked:
        pool.draw(drawer(13 + number), need(amount, order=order, scale=3))
        drawn = sum(total(pool, drawer(13 + number)) for number in range(4))
        assert drawn + sum(pool.free(source.number) for source in sources) == whole
        assert all(pool.free(source.number) >= 0 for source in sources)


@pytest.mark.parametrize("order", DrawOrder)
def test_a_thousand_runs_draw_from_a_thousand_sources_without_looking_at_what_is_used_up(order):
    pool = Pool([stock(number, 1) for number in range(1, 1001)], {})
    count = 1000 if order is DrawOrder.FIFO else 50

    for number in range(count):
        assert pool.draw(drawer(number + 1001), need(1, until=2500, order=order, scale=3)) is None

    assert sum(pool.free(number) for number in range(1, 1001)) == 1000 - count


@given(stocks, some.lists(some.tuples(some.integers(0, 5), units), max_size=12))
def test_what_is_available_slot_by_slot_is_what_is_free_and_what_later_runs_hold(sources, asked):
    drawn = Pool(sources, {})
    for number, amount in asked:
        drawn.draw(drawer(number + 4), need(amount, until=number + 5, scale=3))
    rest = [stock(source.number, drawn.free(source.number)) for source in sources]
    before = {drawer(number): lots(drawn, drawer(number), 1) for number in range(4, 10)}
    pool = Pool(rest, before, before)

    for number in range(4, 10):
        until = day(number).end
        free = [pool.free(source.number) for source in rest if source.slot.start < until]
        later = [
            amount
            for other in range(number, 10)
            for source, amount in pool.drawn(drawer(other))
            if source.slot.start < until
        ]
        assert pool.available(LEDGER, day(number)) == sum([*free, *later], Decimal(0))
        pool.draw(drawer(number), need(total(pool, drawer(number)) + 1, until=number + 1, scale=3))


JANUARY, FEBRUARY, MARCH = 1, 2, 3
APRIL, MAY = drawer(20), drawer(21)


def pool_of_the_worked_example():
    left = [stock(JANUARY, 0), stock(FEBRUARY, 3), stock(MARCH, 6)]
    held_before = {APRIL: [Lot(JANUARY, Decimal(10), 1)], MAY: [Lot(FEBRUARY, Decimal(5), 2)]}
    return Pool(left, held_before, lenders=held_before)


def test_the_worked_example_of_the_pool_comes_to_what_it_says():
    pool = pool_of_the_worked_example()

    assert pool.draw(APRIL, need(14)) is None
    assert pool.draw(MAY, need(4)) is None

    assert held(pool, APRIL) == {JANUARY: 10, FEBRUARY: 3, MARCH: 1}
    assert held(pool, MAY) == {FEBRUARY: 4}
    assert [pool.free(source) for source in (JANUARY, FEBRUARY, MARCH)] == [0, 1, 5]
    assert moves(pool) == {APRIL: [(FEBRUARY, 3), (MARCH, 1)], MAY: [(FEBRUARY, -1)]}


def test_in_the_worked_example_a_run_that_needs_more_than_is_free_takes_over_what_a_later_one_holds():
    pool = pool_of_the_worked_example()

    assert pool.draw(APRIL, need(20)) is None
    assert pool.draw(MAY, need(4)) is None

    assert held(pool, APRIL) == {JANUARY: 10, FEBRUARY: 4, MARCH: 6}
    assert held(pool, MAY) == {FEBRUARY: 4}


def test_in_the_worked_example_drawing_in_proportion_gives_the_left_over_tonne_to_the_larger_remainder():
    pool = pool_of_the_worked_example()

    pool.draw(APRIL, need(14, order=DrawOrder.PRO_RATA))

    assert held(pool, APRIL) == {JANUARY: 10, FEBRUARY: 1, MARCH: 3}
