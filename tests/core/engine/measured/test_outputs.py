"""What an output rests on: each aggregate and convention by hand, whatever made the values."""

from dataclasses import replace
from datetime import UTC, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from tests.core.model.documents import model

from weighbridge.core.engine import EngineSetting, SlotData, run_slot
from weighbridge.core.engine.slot_computation import Drawing, Drawn, Element, Group, Measure, SourceLedgerView
from weighbridge.core.engine.statistics import NOTHING, compute_statistics
from weighbridge.core.ledger.allocation import Partition, ValueSource, compute_shares, spread
from weighbridge.core.ledger.drawing import Drawer, SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.model import prepare
from weighbridge.core.number import total
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.unit import parse_unit

START = Instant(2025, 1, 1, tzinfo=UTC)
SLOT = Interval(START, START + timedelta(days=10))
CAPTURED, MANUAL, ADJUSTED, SUBSTITUTED, IMPUTED = ValueSource
STRAW, WOOD, ALL = Partition(feedstock="Straw"), Partition(feedstock="Wood"), Partition()


def node(slug="x", aggregate="sum", unit="t", more=""):
    return f"""
- slug: {slug}
  input: {{event_type: {slug}, data_point_type: value, aggregate: {aggregate}{more}}}
  unit: "{unit}"
"""


def formula(text, unit="t"):
    return f"""
- slug: result
  formula: "{text}"
  unit: "{unit}"
  output: true
"""


def summed(slug, *values, tags=ALL, weights=None):
    """A group whose sums were made elsewhere, of values with their sources."""
    numbers = [Decimal(value) for value, _ in values]
    weighing = [None] * len(values) if weights is None else [Decimal(weight) for weight in weights]
    statistics = compute_statistics(zip(numbers, weighing, strict=True), [source for _, source in values])
    return Group(1, tags, len(values), "evt_1", Decimal(0), {slug: statistics})


def read_one_by_one(slug, *elements, source=1):
    return Group(
        source, ALL, len(elements), "evt_1", Decimal(0), {slug: NOTHING}, elements, is_of_elements=True
    )


def element(rank, value, source, *, day=0, days=0, weight=None, weight_source=CAPTURED):
    start = START + timedelta(days=day)
    return Element(
        event=rank, rank=rank, time=Interval(start, start + timedelta(days=days)),
        values=(Decimal(value), None if weight is None else Decimal(weight)), tracking_id=f"lot {rank}",
        sources=(source, weight_source),
    )  # fmt: skip


def run(nodes, *groups, partition_type="time", drawing=None, measures=None, primary="result"):
    head = f"name: Test\ncadence: monthly\npartition_type: {partition_type}\nprimary_output: {primary}\n"
    made = model(nodes, settings=head)
    known = {
        one.slug: Measure(one.unit, weight=1, is_of_elements=any(group.is_of_elements for group in groups))
        for one in made.nodes
    }
    setting = EngineSetting(prepare(made), known | (measures or {}), 3, says_contributions=True)
    slot = run_slot(setting, SlotData(SLOT, groups, drawing=drawing))
    assert not slot.problems, slot.problems
    return slot.runs


def contributions(nodes, *groups, **options):
    (only,) = run(nodes, *groups, **options)
    return only.contributions["result"]


def test_the_worked_example_of_a_net_mass():
    nodes = node("gross") + node("tare") + node("fines") + formula("gross - tare - fines")

    found = contributions(
        nodes,
        summed("gross", (100, CAPTURED)),
        summed("tare", (15, CAPTURED)),
        summed("fines", (5, SUBSTITUTED)),
    )

    assert found == {CAPTURED: 115, SUBSTITUTED: 5}
    shares = compute_shares(found)
    assert (shares[CAPTURED], shares[SUBSTITUTED]) == (
        Decimal("0.958333333333"), Decimal("0.041666666667"),
    )  # fmt: skip


def test_a_sum_rests_on_the_size_of_each_value():
    found = contributions(
        node() + formula("2 * x"), summed("x", (3, CAPTURED), (-4, CAPTURED), (-5, IMPUTED), (6, IMPUTED))
    )

    assert found == {CAPTURED: 14, IMPUTED: 22}


def test_a_mean_rests_on_each_value_by_its_part():
    found = contributions(
        node(aggregate="average") + formula("3 * x"),
        summed("x", (14, CAPTURED), (2, SUBSTITUTED), (4, SUBSTITUTED)),
    )

    assert found == {CAPTURED: 14, SUBSTITUTED: 6}


def test_a_weighted_mean_rests_on_values_by_their_weights():
    found = contributions(
        node(aggregate="average", more=", weight: mass") + formula("x * 8"),
        summed("x", (10, CAPTURED), (20, IMPUTED), weights=[1, 3]),
    )

    assert found == {CAPTURED: 20, IMPUTED: 120}


def test_a_weight_that_was_made_up_makes_its_value_count_as_made_up():
    found = contributions(
        node(aggregate="average", more=", weight: mass") + formula("x * 8"),
        read_one_by_one(
            "x",
            element(1, 10, CAPTURED, weight=1),
            element(2, 20, CAPTURED, weight=3, weight_source=MANUAL),
        ),
    )

    assert found == {CAPTURED: 20, MANUAL: 120}


def test_an_extreme_rests_on_the_value_that_is_it():
    values = [(3, CAPTURED), (7, ADJUSTED), (5, CAPTURED)]

    assert contributions(node(aggregate="min") + formula("x"), summed("x", *values)) == {CAPTURED: 3}
    assert contributions(node(aggregate="max") + formula("x"), summed("x", *values)) == {ADJUSTED: 7}


def test_of_equal_extremes_the_one_that_was_not_measured_counts():
    tied = summed("x", (3, IMPUTED), (3, CAPTURED), (3, MANUAL))

    assert contributions(node(aggregate="min") + formula("x"), tied) == {IMPUTED: 3}


def test_a_count_rests_on_each_event_alike():
    found = contributions(
        node(aggregate="count", unit="1") + formula("x * 10", unit="1"),
        summed("x", (3, CAPTURED), (90, CAPTURED), (5, IMPUTED)),
    )

    assert found == {CAPTURED: 20, IMPUTED: 10}


def test_an_array_rests_on_each_element():
    found = contributions(
        node(aggregate="values") + formula("sum(if(x > quantity(3, 't'), x, 0 * x))"),
        read_one_by_one("x", element(1, 2, CAPTURED), element(2, 4, MANUAL), element(3, 6, CAPTURED)),
    )

    assert found == {CAPTURED: 6, MANUAL: 4}


def test_first_last_and_middle_values_rest_on_themselves():
    values = [element(1, 5, CAPTURED), element(2, 1, MANUAL, day=1), element(3, 3, IMPUTED, day=2)]
    found = {
        kind: contributions(node(aggregate=kind) + formula("x"), read_one_by_one("x", *values))
        for kind in ("first", "last", "median")
    }

    assert found == {"first": {CAPTURED: 5}, "last": {IMPUTED: 3}, "median": {IMPUTED: 3}}


def test_a_mean_over_time_rests_on_values_by_how_long_they_stand():
    """The first stands for 4 days of 10, the second for 6."""
    found = contributions(
        node(aggregate="time_weighted") + formula("x * 10"),
        read_one_by_one("x", element(1, 5, CAPTURED), element(2, 2, SUBSTITUTED, day=4)),
    )

    assert found == {CAPTURED: 20, SUBSTITUTED: 12}


def test_what_a_totaliser_counted_rests_on_the_readings_of_each_step():
    """A meter at a million counts no more than one at zero: 30 and 20 between its readings."""
    found = contributions(
        node(aggregate="delta") + formula("x"),
        read_one_by_one(
            "x",
            element(1, 1_000_000, CAPTURED, day=1),
            element(2, 1_000_030, CAPTURED, day=2),
            element(3, 1_000_050, MANUAL, day=3),
        ),
    )

    assert found == {CAPTURED: 30, MANUAL: 20}


def test_a_temperature_counts_from_absolute_zero():
    found = contributions(
        node(aggregate="average", unit="degC") + formula("x * 2", unit="K"),
        summed("x", (20, CAPTURED), (30, IMPUTED)),
    )

    assert found == {CAPTURED: Decimal("293.15"), IMPUTED: Decimal("303.15")}


def test_what_stands_in_for_data_contributes_nothing():
    nodes = node("gross") + node("tare", more="") + "  default: 7\n" + formula("gross - tare")

    assert contributions(nodes, summed("gross", (10, CAPTURED))) == {CAPTURED: 10}


def test_a_part_of_a_shared_value_rests_on_what_the_whole_rests_on():
    nodes = (
        node("mass")
        + node("energy", unit="kWh", more=", share: by, share_by: mass")
        + formula("energy", unit="kWh")
    )
    straw, wood = run(
        nodes,
        summed("mass", (1, CAPTURED), tags=STRAW),
        summed("mass", (3, IMPUTED), tags=WOOD),
        summed("energy", (60, CAPTURED), (20, SUBSTITUTED)),
        partition_type="feedstock",
    )

    assert straw.contributions["result"] == {CAPTURED: 15, SUBSTITUTED: 5}
    assert wood.contributions["result"] == {CAPTURED: 45, SUBSTITUTED: 15}


def drawn(*sources):
    """What a node has drawn: the amount of each source and what that rests on."""
    return tuple(
        Drawn(
            "stock", SourceBatch(number, 1, SLOT, f"lot {number}", ALL, Decimal(0)), Decimal(amount),
            rests_on=(rests_on,),
        )
        for number, (amount, rests_on) in enumerate(sources, 1)
    )  # fmt: skip


def of_draws(*sources):
    ledger = {"stock": SourceLedgerView(1, "Stock", parse_unit("t"), 6, {})}
    record = {Drawer(SLOT, ALL, "stock"): drawn(*sources)}
    nodes = node("need") + """
- slug: stock
  upstream: {ledger: Stock, amount: need}
  unit: t
""" + formula("sum(stock) * 2")  # fmt: skip
    need = sum(amount for amount, _ in sources)
    drawing = Drawing(SLOT, Pool((), {}), ledger, recorded=record)
    return contributions(nodes, summed("need", (need, IMPUTED)), drawing=drawing)


def test_a_draw_rests_on_what_its_sources_rest_on_and_not_on_what_asks_for_it():
    found = of_draws((30, {CAPTURED: Decimal(1), SUBSTITUTED: Decimal(2)}), (10, {CAPTURED: Decimal(7)}))

    assert found == {CAPTURED: 40, SUBSTITUTED: 40}


def test_a_draw_of_what_rests_on_no_value_contributes_nothing():
    assert of_draws((30, {}), (10, {CAPTURED: Decimal(7)})) == {CAPTURED: 20}


def test_nobody_knows_what_an_output_rests_on_that_draws_from_what_nobody_knows():
    assert of_draws((30, None), (10, {CAPTURED: Decimal(7)})) is None


def test_nothing_is_told_unless_it_is_asked_for():
    head = "name: Test\ncadence: monthly\npartition_type: time\nprimary_output: result\n"
    program = prepare(model(node() + formula("x"), settings=head))
    setting = EngineSetting(program, {"x": Measure(parse_unit("t"))})
    slot = run_slot(setting, SlotData(SLOT, (summed("x", (1, CAPTURED)),)))

    assert [one.contributions for one in slot.runs] == [None]


SOME = st.lists(
    st.tuples(st.decimals(min_value=-90, max_value=90, places=2), st.sampled_from(ValueSource)),
    min_size=1, max_size=12,
)  # fmt: skip


@given(SOME, st.randoms(use_true_random=False))
def test_neither_order_nor_grouping_shows(values, chance):
    nodes = node() + formula("x * 3")
    shuffled = chance.sample(values, len(values))
    cut = chance.randint(0, len(values))
    parts = [summed("x", *part) for part in (shuffled[:cut], shuffled[cut:]) if part]

    assert contributions(nodes, *parts) == contributions(nodes, summed("x", *values))


@given(SOME)
def test_sums_and_single_values_come_to_the_same(values):
    nodes = node() + formula("x * 3")
    elements = [element(rank, *one) for rank, one in enumerate(values, 1)]

    assert contributions(nodes, read_one_by_one("x", *elements)) == contributions(nodes, summed("x", *values))


@given(SOME)
def test_a_sum_of_what_is_not_negative_contributes_itself(values):
    values = [(abs(value), source) for value, source in values]

    assert total(contributions(node() + formula("x * 3"), summed("x", *values)).values()) == 3 * sum(
        value for value, _ in values
    )


@given(SOME, st.decimals(min_value=1, max_value=50, places=1))
def test_what_is_drawn_in_parts_rests_on_the_same_as_the_whole(values, amount):
    rests_on = {source: abs(value) for value, source in values if value}
    whole = total(spread(amount, rests_on).values())

    assert abs(whole - (amount if rests_on else 0)) < Decimal("1e-30")


def test_elements_without_sources_were_captured():
    plain = replace(element(1, 2, CAPTURED), sources=())

    assert contributions(node(aggregate="values") + formula("sum(x)"), read_one_by_one("x", plain)) == {
        CAPTURED: 2
    }


def test_what_was_captured_as_a_whole_is_measured_as_a_whole_without_derivatives():
    """Only the proportions count, so the size is the output's own."""
    nodes = node("gross") + node("tare") + formula("gross - tare")

    assert contributions(nodes, summed("gross", (100, CAPTURED)), summed("tare", (20, CAPTURED))) == {
        CAPTURED: 80
    }


def test_what_was_captured_and_cannot_matter_is_not_called_measured():
    """The larger is a constant, so no value contributes."""
    nodes = node() + formula("max(x, quantity(50, 't'))")

    assert contributions(nodes, summed("x", (10, CAPTURED))) == {}
    assert contributions(nodes, summed("x", (60, CAPTURED))) == {CAPTURED: 60}


def test_a_default_among_measured_values_contributes_nothing():
    nodes = node("gross") + node("tare") + "  default: 10\n" + formula("tare")

    assert contributions(nodes, summed("gross", (100, CAPTURED))) == {}
