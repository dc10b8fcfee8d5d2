"""The engine: one run for each partition, amounts shared to the last digit, every problem named."""

from datetime import UTC
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.model.documents import model

from weighbridge.core.engine import EngineSetting, SlotData, run_slot
from weighbridge.core.engine.slot_computation import NOT_COMPUTABLE, Group, Measure
from weighbridge.core.engine.statistics import Statistics
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model import prepare
from weighbridge.core.number import exact_total
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.unit import parse_unit

STRAW, WOOD, ALL = Partition(feedstock="Straw"), Partition(feedstock="Wood"), Partition()
JANUARY = Interval(Instant(2025, 1, 1, tzinfo=UTC), Instant(2025, 2, 1, tzinfo=UTC))
UNITS = {"mass": parse_unit("kg"), "energy": parse_unit("kWh"), "moisture": parse_unit("%")}

MASS = """
- slug: mass
  input: {event_type: delivery, data_point_type: mass, aggregate: sum}
  unit: t
"""
RESULT = """
- slug: result
  formula: energy * 1
  unit: kWh
  output: true
"""


def energy(options, unit="kWh"):
    return f"""
- slug: energy
  input: {{event_type: bill, data_point_type: energy, aggregate: sum{options}}}
  unit: {unit}
"""


def settings(partition_type="feedstock", share_places=6):
    return (
        f"name: Test\ncadence: monthly\npartition_type: {partition_type}\nprimary_output: result\n"
        f"share_places: {share_places}\n"
    )


def measured(node, tags, *values, source=1, weights=None):
    """A group of events of one source that carry these values of a node."""
    numbers = [Decimal(value) for value in values]
    weighing = [Decimal(weight) for weight in weights or []]
    statistics = Statistics(
        count=len(numbers),
        total=sum(numbers, Decimal(0)),
        least=min(numbers, default=None),
        greatest=max(numbers, default=None),
        weight=sum(weighing, Decimal(0)),
        weighted=sum((n * w for n, w in zip(numbers, weighing, strict=False)), Decimal(0)),
    )
    return Group(source, tags, len(numbers), "evt_1", Decimal(0), {node: statistics})


def run(nodes, groups, *, partition_type="feedstock", share_places=6):
    program = prepare(model(nodes, settings=settings(partition_type, share_places)))
    measures = {node: Measure(unit=unit) for node, unit in UNITS.items()}
    return run_slot(EngineSetting(program, measures), SlotData(JANUARY, groups))


def said(slot):
    """What is wrong with a slot, in sentences."""
    return tuple(problem.message for problem in slot.problems)


def amounts(slot, slug):
    assert slot.problems == ()
    return {one.partition.label: one.readings[slug].amount for one in slot.runs}


def test_a_slot_without_data_has_no_runs():
    slot = run(MASS + energy("") + RESULT, [])

    assert (slot.runs, slot.not_counted, slot.problems) == ((), (), ())


def test_partitions_run_in_order_of_name_whatever_the_order_of_groups():
    groups = [measured("mass", WOOD, 1), measured("mass", STRAW, 2), measured("energy", ALL, 3, source=2)]

    slot = run(MASS + energy("") + RESULT, groups)

    assert [one.partition for one in slot.runs] == [STRAW, WOOD]


def test_values_are_converted_from_the_unit_they_are_measured_in():
    groups = [measured("mass", STRAW, 1500), measured("energy", STRAW, 250, source=2)]

    slot = run(MASS + energy("", unit="MWh") + RESULT, groups)

    assert amounts(slot, "mass") == {"Straw": Decimal("1.5")}
    assert amounts(slot, "energy") == {"Straw": Decimal("0.25")}
    assert amounts(slot, "result") == {"Straw": Decimal(250)}


def test_a_share_is_cut_toward_zero_and_the_rest_goes_to_the_first():
    groups = [measured("mass", one, 1) for one in (WOOD, STRAW)] + [measured("energy", ALL, "0.01", source=2)]

    slot = run(MASS + energy(", share: even") + RESULT, groups, share_places=2)

    assert amounts(slot, "energy") == {"Straw": Decimal("0.01"), "Wood": Decimal("0.00")}
    assert [one.readings["energy"].whole for one in slot.runs] == [Decimal("0.01")] * 2


def shared_over(count, value, *, unit="kWh", measured_in="kWh", share_places=6, options=", share: even"):
    """What each of so many partitions gets of a value, in the order of their names."""
    names = ["Bark", "Cane", "Husk", "Straw"][:count]
    groups = [measured("mass", Partition(feedstock=name), n + 1) for n, name in enumerate(names)]
    program = prepare(
        model(MASS + energy(options, unit=unit) + RESULT, settings=settings("feedstock", share_places))
    )
    measures = {"mass": Measure(unit=UNITS["mass"]), "energy": Measure(unit=parse_unit(measured_in))}
    slot = run_slot(
        EngineSetting(program, measures),
        SlotData(JANUARY, [*groups, measured("energy", ALL, value, source=2)]),
    )
    return slot if slot.problems else [one.readings["energy"] for one in slot.runs]


def test_what_a_value_has_beyond_the_places_goes_with_the_first_part():
    parts = shared_over(2, "0.003", share_places=0)

    assert [one.amount for one in parts] == [Decimal("0.003"), Decimal(0)]


def test_a_value_is_converted_to_the_unit_of_the_node_before_it_is_cut():
    parts = shared_over(3, "7", measured_in="MJ")

    assert [str(one.amount) for one in parts] == [
        "0.648148444444444444444444444444444", "0.648148", "0.648148",
    ]  # fmt: skip
    whole = Decimal("1.944444444444444444444444444444444")
    assert exact_total(one.amount for one in parts) == parts[0].whole == whole


def test_a_converted_value_is_cut_at_places_of_the_unit_of_the_node():
    assert [one.amount for one in shared_over(3, "10", unit="MWh", share_places=2)] == [
        Decimal("0.01"), Decimal(0), Decimal(0),
    ]  # fmt: skip


@pytest.mark.parametrize("typed", ["1", "1.0", "1.00000"])
def test_zeros_that_were_typed_change_no_part(typed):
    parts = shared_over(3, typed, share_places=2)

    assert [str(one.amount) for one in parts] == ["0.34", "0.33", "0.33"]


def test_the_unit_left_over_goes_to_the_largest_remainder():
    parts = shared_over(3, 4, share_places=0, options=", share: by, share_by: mass")

    assert [one.amount for one in parts] == [1, 1, 2]


def test_a_share_that_34_digits_cannot_hold_is_refused_by_name():
    slot = shared_over(3, "1000000000000000000000000000000000")

    (sentence,) = said(slot)
    assert sentence == (
        "1000000000000000000000000000000000 of 'energy' cannot be shared evenly:"
        " A part cut at 6 places has 39 digits, and a number holds 34."
    )


def test_a_share_of_a_debt_is_cut_toward_zero_too():
    groups = [measured("mass", one, 1) for one in (WOOD, STRAW)] + [measured("energy", ALL, -3, source=2)]

    slot = run(MASS + energy(", share: even") + RESULT, groups, share_places=0)

    assert amounts(slot, "energy") == {"Straw": Decimal(-2), "Wood": Decimal(-1)}


def test_own_data_and_a_share_add_up():
    groups = [
        measured("mass", STRAW, 1),
        measured("mass", WOOD, 3),
        measured("energy", WOOD, 5, source=2),
        measured("energy", ALL, 8, source=2),
    ]

    slot = run(MASS + energy(", share: by, share_by: mass") + RESULT, groups)

    assert amounts(slot, "energy") == {"Straw": 2, "Wood": 11}
    assert [one.readings["energy"].whole for one in slot.runs] == [8, 8]


def test_the_weight_of_a_share_may_be_computed_first_wherever_it_stands():
    halved = """
- slug: halved
  formula: mass / 2
  unit: t
"""
    groups = [
        measured("mass", STRAW, 1),
        measured("mass", WOOD, 3),
        measured("energy", ALL, 8, source=2),
    ]

    slot = run(MASS + energy(", share: by, share_by: halved") + RESULT + halved, groups)

    assert amounts(slot, "energy") == {"Straw": 2, "Wood": 6}


def test_data_that_agree_with_no_partition_are_not_counted():
    alien = measured("energy", Partition(feedstock="Husk"), 5, source=2)

    slot = run(
        MASS + energy("") + RESULT, [measured("mass", STRAW, 1), measured("energy", ALL, 3, source=2), alien]
    )

    assert slot.not_counted == (alien,)
    assert amounts(slot, "energy") == {"Straw": 3}


def test_a_run_names_the_groups_it_was_made_of():
    mine, shared = measured("mass", STRAW, 1), measured("energy", ALL, 3, source=2)
    theirs = measured("mass", WOOD, 1)

    slot = run(MASS + energy("") + RESULT, [mine, theirs, shared])

    assert [one.groups for one in slot.runs] == [(mine, shared), (theirs, shared)]


def test_data_without_any_partition_are_a_problem():
    slot = run(MASS + energy("") + RESULT, [measured("energy", ALL, 3, source=2)])

    assert slot.runs == ()
    assert said(slot) == (
        "There are data, evt_1 for one, but none of mass says which partition they belong to.",
    )


@pytest.mark.parametrize(
    ("weights", "words"),
    [([0, 0], "The weights sum to zero"), ([-1, 3], "A weight is negative")],
)
def test_weights_that_make_no_proportion_are_a_problem(weights, words):
    groups = [measured("mass", one, weight) for one, weight in zip((STRAW, WOOD), weights, strict=True)]

    slot = run(
        MASS + energy(", share: by, share_by: mass") + RESULT,
        [*groups, measured("energy", ALL, 3, source=2)],
    )

    (problem,) = slot.problems
    assert "'energy' cannot be shared by 'mass'" in problem.message
    assert words in problem.message
    assert (problem.field, problem.code) == ("energy", NOT_COMPUTABLE)


def test_every_missing_input_is_named_for_its_partition():
    tagged = energy(", share: repeat")
    slot = run(MASS + tagged + RESULT, [measured("mass", STRAW, 1), measured("mass", WOOD, 1)])

    assert said(slot) == (
        "Input 'energy' has no data for Straw.",
        "Input 'energy' has no data for Wood.",
    )


def test_an_average_is_of_all_groups_together():
    nodes = """
- slug: moisture
  input: {event_type: lab, data_point_type: moisture, aggregate: average}
  unit: "%"
- slug: result
  formula: moisture * 1
  unit: "%"
  output: true
"""
    groups = [measured("moisture", ALL, 10, 20), measured("moisture", ALL, 60)]

    assert amounts(run(nodes, groups, partition_type="time"), "result") == {"": 30}


def test_a_weighted_average_divides_once():
    nodes = """
- slug: moisture
  input: {event_type: lab, data_point_type: moisture, aggregate: average, weight: mass}
  unit: "%"
- slug: result
  formula: moisture * 1
  unit: "%"
  output: true
"""
    groups = [measured("moisture", ALL, 10, 20, weights=[1, 2]), measured("moisture", ALL, 5, weights=[4])]

    assert amounts(run(nodes, groups, partition_type="time"), "result") == {"": 10}


def test_a_formula_is_rounded_as_its_node_says():
    nodes = """
- slug: mass
  input: {event_type: delivery, data_point_type: mass, aggregate: sum}
  unit: t
- slug: result
  formula: mass * 1
  unit: t
  round: {places: 2, mode: half_even}
  output: true
"""
    assert amounts(run(nodes, [measured("mass", ALL, 1125)], partition_type="time"), "result") == {
        "": Decimal("1.12")
    }


quantities = st.decimals(0, 1_000_000, places=4)
place_counts = st.integers(0, 9)
names = st.lists(st.sampled_from(["Husk", "Straw", "Wood", "Bark", "Cane"]), min_size=1, unique=True)


@given(names, quantities, place_counts, st.data())
def test_the_parts_of_a_shared_amount_sum_to_it(found, whole, places, data):
    masses = {name: data.draw(st.decimals(0, 1000, places=3)) for name in found}
    if not any(masses.values()):
        masses[found[0]] = Decimal(1)
    groups = [measured("mass", Partition(feedstock=name), mass) for name, mass in masses.items()]
    how = data.draw(st.sampled_from([", share: even", ", share: by, share_by: mass"]))

    slot = run(
        MASS + energy(how) + RESULT, [*groups, measured("energy", ALL, whole, source=2)], share_places=places
    )

    parts = amounts(slot, "energy")
    assert sum(parts.values(), Decimal(0)) == whole
    assert all(part >= 0 for part in parts.values())
    assert slot.not_counted == ()


groups_of_events = st.lists(
    st.tuples(
        st.sampled_from(["mass", "energy"]),
        st.sampled_from([None, "Husk", "Straw", "Wood"]),
        st.lists(quantities, min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=8,
)


@given(groups_of_events, place_counts, st.randoms(use_true_random=False))
def test_neither_the_order_of_groups_nor_that_of_values_shows(found, places, random):
    def groups(order):
        return [
            measured(node, Partition(feedstock=name), *order(values), source=1 if node == "mass" else 2)
            for node, name, values in order(found)
        ]

    nodes = MASS + energy(", share: even") + RESULT
    plain, shuffled = (
        run(nodes, groups(order), share_places=places)
        for order in (list, lambda all_: random.sample(all_, len(all_)))
    )

    told = [[(one.partition, dict(one.readings)) for one in slot.runs] for slot in (plain, shuffled)]
    assert told[0] == told[1]
    assert {*plain.problems} == {*shuffled.problems}


@given(st.lists(quantities, min_size=1, max_size=10), st.integers(1, 5))
def test_the_way_in_which_tagged_events_are_grouped_does_not_show(values, size):
    nodes = MASS + energy(", share: repeat") + RESULT
    other = measured("energy", STRAW, 1, source=2)

    whole = run(nodes, [measured("mass", STRAW, *values), other])
    pieces = [measured("mass", STRAW, *values[at : at + size]) for at in range(0, len(values), size)]
    cut = run(nodes, [*pieces, other])

    assert amounts(whole, "mass") == amounts(cut, "mass")


@given(st.lists(quantities, min_size=1, max_size=6), st.integers(1, 4))
def test_however_shared_events_are_grouped_the_parts_sum_to_the_whole(values, size):
    masses = [measured("mass", one, 1) for one in (STRAW, WOOD)]
    pieces = [
        measured("energy", ALL, *values[at : at + size], source=2) for at in range(0, len(values), size)
    ]

    slot = run(MASS + energy(", share: even") + RESULT, [*masses, *pieces], share_places=2)

    assert sum(amounts(slot, "energy").values(), Decimal(0)) == sum(values, Decimal(0))
