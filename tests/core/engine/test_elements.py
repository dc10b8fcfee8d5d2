"""The engine over elements: what it reads one by one, joins, static inputs, and what it says of problems."""

from dataclasses import replace
from datetime import UTC, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.model.documents import model

from weighbridge.core import identity
from weighbridge.core.engine import NOT_COMPUTABLE, EngineSetting, SlotData, StandaloneRunContext, run_slot
from weighbridge.core.engine.slot_computation import UNMATCHED, Element, Group, Measure, StaticValue
from weighbridge.core.engine.statistics import NOTHING, compute_statistics
from weighbridge.core.expression import Budget
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model import prepare
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.unit import parse_unit

START = Instant(2025, 1, 1, tzinfo=UTC)
SLOT = Interval(START, Instant(2025, 2, 1, tzinfo=UTC))
PROJECT = 3
ALL = Partition()
WET = """
- slug: wet
  input: {event_type: delivery, data_point_type: mass, aggregate: values}
  unit: t
"""
TOTAL = """
- slug: result
  formula: sum(wet * moisture)
  unit: t
  output: true
"""
JOINED = """
- slug: moisture
  input: {event_type: lab, data_point_type: moisture, aggregate: values, join: {to: wet, on: tracking_id}}
  unit: "1"
"""


def event(number, value, *, day=1, hours=0, is_of_slot=True, **tags):
    start = START + timedelta(days=day - 1)
    return Element(
        event=number, rank=number, time=Interval(start, start + timedelta(hours=hours)),
        values=(None if value is None else Decimal(value),), digest=number, is_of_slot=is_of_slot, **tags,
    )  # fmt: skip


def group(source, node, *elements, tags=None):
    return Group(
        source, tags or Partition(), len(elements), "evt_1", Decimal(0), {node: NOTHING},
        elements=elements, is_of_elements=True, is_of_slot=any(one.is_of_slot for one in elements),
    )  # fmt: skip


def run(nodes, *groups, statics=None, skipped=(), partition_type="time", **measures):
    settings = f"name: Test\ncadence: monthly\npartition_type: {partition_type}\nprimary_output: result\n"
    units = {"wet": "t", "moisture": "1", "energy": "kWh", "result": "kWh"}
    known = {
        node: measures.get(node, Measure(parse_unit(unit), source, is_of_elements=True))
        for source, (node, unit) in enumerate(units.items(), start=1)
    }
    setting = EngineSetting(prepare(model(nodes, settings=settings)), known, PROJECT)
    return run_slot(setting, SlotData(SLOT, groups, statics or {}, frozenset(skipped)))


def said(slot):
    """What is wrong with a slot, in sentences."""
    return tuple(problem.message for problem in slot.problems)


def name(number):
    return identity.of("event", PROJECT, number)


def test_a_joined_array_has_one_element_for_each_of_the_other():
    slot = run(
        WET + JOINED + TOTAL,
        group(
            1,
            "wet",
            event(1, 10, tracking_id="A"),
            event(2, 20, tracking_id="B"),
            event(3, 1, tracking_id="A"),
        ),
        group(2, "moisture", event(4, "0.5", tracking_id="B"), event(5, "0.1", tracking_id="A")),
    )

    (one,) = slot.runs
    assert slot.problems == ()
    assert one.readings["moisture"].amount == (Decimal("0.1"), Decimal("0.5"), Decimal("0.1"))
    assert one.readings["result"].amount == Decimal("11.1")
    assert [element.event for element in one.used[2]] == [4, 5]


def test_a_problem_is_said_once_and_not_again_of_what_builds_on_it():
    slot = run(
        WET + JOINED + TOTAL,
        group(1, "wet", event(1, 10, tracking_id="A")),
        group(2, "moisture", event(4, "0.5", tracking_id="A"), event(5, "0.5", tracking_id="A")),
    )

    assert said(slot) == (
        f"Input 'moisture' matches {name(1)} more than once: {name(4)}, {name(5)}.",
        f"Input 'moisture' has events that match nothing of 'wet': {name(5)}.",
    )


def test_readings_before_the_slot_make_nothing_run():
    slot = run(
        TOTAL.replace("sum(wet * moisture)", "energy * 1 ").replace("unit: t", "unit: kWh")
        + """
- slug: energy
  input: {event_type: meter, data_point_type: energy, aggregate: delta}
  unit: kWh
""",
        group(3, "energy", event(1, 10, day=-3, is_of_slot=False)),
    )

    assert (slot.runs, slot.problems, slot.not_counted) == ((), (), ())


def test_an_input_that_is_set_aside_takes_what_stands_in():
    nodes = (
        WET
        + JOINED.replace("- slug: moisture", "- slug: moisture\n  optional: true")
        + """
- slug: result
  formula: sum(wet) + sum(moisture) * wet_unit
  unit: t
  output: true
- slug: wet_unit
  constant: 1
  unit: t
"""
    )

    slot = run(nodes, group(1, "wet", event(1, 10)), skipped=["moisture"])

    (one,) = slot.runs
    assert one.readings["moisture"].amount == ()
    assert one.readings["result"].amount == 10
    assert one.skipped == {"moisture"}


def static(number, value, since, **keys):
    return StaticValue(number, Decimal(value), parse_unit("1"), START + timedelta(days=since - 1), **keys)


AT = """
- slug: moisture
  static_input: {slug: dampness, at: wet%s}
  unit: "1"
"""


def test_each_element_takes_the_static_value_in_force():
    values = {
        "dampness": (static(1, 1, -400), static(2, 2, 5), static(3, 3, 40), static(4, 9, 1, asset="East"))
    }

    slot = run(
        AT % "" + WET + TOTAL, group(1, "wet", event(1, 10, day=4), event(2, 10, day=5)), statics=values
    )

    (one,) = slot.runs
    assert one.readings["moisture"].amount == (1, 2)
    assert one.statics == {"moisture": {1, 2}}


@pytest.mark.parametrize(("asset", "expected"), [("East", 9), (None, None)])
def test_a_static_value_by_asset_is_never_one_without(asset, expected):
    values = {"dampness": (static(1, 1, -400), static(4, 9, -400, asset="East"))}

    slot = run(AT % ", by: asset" + WET + TOTAL, group(1, "wet", event(1, 10, asset=asset)), statics=values)

    if expected is None:
        assert said(slot) == (
            f"Input 'moisture' reads the static input 'dampness', which has no value in force for {name(1)}.",
        )
    else:
        assert slot.runs[0].readings["moisture"].amount == (expected,)


def test_arrays_are_repeated_in_every_partition_that_agrees():
    straw, wood = Partition(feedstock="Straw"), Partition(feedstock="Wood")
    nodes = (
        """
- slug: result
  input: {event_type: bill, data_point_type: energy, aggregate: sum, partitions: true}
  unit: kWh
  output: true
"""
        + WET
    )

    slot = run(
        nodes,
        group(9, "result", event(1, 1), tags=straw),
        group(9, "result", event(2, 1), tags=wood),
        group(1, "wet", event(4, 7, day=9), tags=wood),
        group(1, "wet", event(3, 5, day=2)),
        partition_type="feedstock",
        result=Measure(parse_unit("kWh"), 9, is_of_elements=True),
    )

    assert [one.readings["wet"].amount for one in slot.runs] == [(5,), (5, 7)]


SIDE_BY_SIDE = (
    WET
    + """
- slug: moisture
  input: {event_type: delivery, data_point_type: moisture, aggregate: values}
  unit: "1"
"""
)
READ_TOGETHER = {
    "wet": Measure(parse_unit("t"), 1, is_of_elements=True),
    "moisture": Measure(parse_unit("1"), 1, is_of_elements=True, value=1),
}


def both(number, mass, moisture):
    one = event(number, mass)
    return replace(one, values=(*one.values, None if moisture is None else Decimal(moisture)))


def together(*elements, tags=None):
    return replace(group(1, "wet", *elements, tags=tags), by_input={"wet": NOTHING, "moisture": NOTHING})


def test_arrays_that_meet_in_a_formula_are_of_the_same_events():
    data = together(both(1, 10, None), both(2, None, "0.5"))

    slot = run(SIDE_BY_SIDE + TOTAL, data, **READ_TOGETHER)

    (problem,) = slot.problems
    assert (problem.field, problem.code, problem.records) == ("result", UNMATCHED, (name(1), name(2)))
    assert problem.message == (
        "Inputs 'wet' and 'moisture' are computed element by element and need the same events; "
        f"{name(1)}, {name(2)} are in one of them only."
    )


def test_arrays_that_do_not_meet_may_be_of_different_events():
    apart = TOTAL.replace("sum(wet * moisture)", "sum(wet) * sum(moisture)")

    slot = run(SIDE_BY_SIDE + apart, together(both(1, 10, None), both(2, None, "0.5")), **READ_TOGETHER)

    assert said(slot) == ()
    assert slot.runs[0].readings["result"].amount == 5


def test_an_input_looks_at_no_event_of_another_source():
    level = """
- slug: energy
  input: {event_type: tank, data_point_type: level, aggregate: last}
  unit: kWh
"""

    slot = run(
        SIDE_BY_SIDE + level + TOTAL, together(both(1, 10, "0.5")), group(3, "energy", event(2, 7)),
        **READ_TOGETHER,
    )  # fmt: skip

    assert said(slot) == ()
    assert slot.runs[0].readings["result"].amount == 5


def alone(nodes, *groups, partition=ALL, keys=None, statics=None, partition_type="feedstock"):
    """A run by itself over the groups."""
    settings = f"name: Test\ncadence: monthly\npartition_type: {partition_type}\nprimary_output: result\n"
    setting = EngineSetting(prepare(model(nodes, settings=settings)), READ_TOGETHER, PROJECT)
    return run_slot(
        setting, SlotData(SLOT, groups, statics or {}, alone=StandaloneRunContext(partition, keys or {}))
    )


def test_a_run_by_itself_has_one_partition_whatever_the_tags_of_its_data():
    straw, wood = (
        together(both(n, n, 1), tags=Partition(feedstock=f)) for n, f in ((1, "Straw"), (2, "Wood"))
    )

    slot = alone(SIDE_BY_SIDE + TOTAL, straw, wood, together(both(3, 3, 1)))

    assert said(slot) == ()
    assert [(one.partition, one.readings["result"].amount) for one in slot.runs] == [(Partition(), 6)]


def test_a_run_by_itself_needs_no_data_that_make_it_run():
    slot = alone(SIDE_BY_SIDE + TOTAL)

    assert said(slot) == ("Input 'wet' has no data.", "Input 'moisture' has no data.")


def test_all_formulas_of_a_setting_share_its_budget():
    halves = "".join(f"- slug: part_{n}\n  formula: sum(wet) / 2\n  unit: t\n" for n in range(3))
    program = prepare(model(SIDE_BY_SIDE + halves + TOTAL))
    setting = EngineSetting(program, READ_TOGETHER, PROJECT, budget=Budget(5))

    slot = run_slot(setting, SlotData(SLOT, (together(both(1, 1, 1)),), alone=StandaloneRunContext(ALL)))

    assert [(problem.field, problem.code) for problem in slot.problems] == [
        ("part_1", NOT_COMPUTABLE), ("part_2", NOT_COMPUTABLE), ("result", NOT_COMPUTABLE),
    ]  # fmt: skip
    assert "The calculation costs more than 5 operations." in said(slot)[0]


def test_a_static_input_of_a_run_by_itself_goes_by_what_its_data_share():
    by = AT.replace(", at: wet", "") % ", by: location"
    nodes = WET + by + TOTAL.replace("sum(wet * moisture)", "sum(wet) * moisture")
    values = {"dampness": (StaticValue(1, Decimal(3), parse_unit("1"), START, location="Kiln"),)}
    data = group(1, "wet", event(1, 10, location="Kiln"))

    slot = alone(nodes, data, keys={"location": "Kiln"}, statics=values)
    without = alone(nodes, data, statics=values)

    assert slot.runs[0].readings["result"].amount == 30
    (problem,) = said(without)
    assert problem == (
        "Input 'moisture' reads the static input 'dampness', which is a value for each location, and the "
        "partition has none."
    )


def test_a_static_value_that_is_set_again_as_it_was_does_not_change():
    nodes = (
        WET + AT.replace(", at: wet", "") % "" + TOTAL.replace("sum(wet * moisture)", "sum(wet) * moisture")
    )
    again, other = ((static(1, 3, -400), static(2, value, 9)) for value in (3, 4))

    for values, problems in ((again, ()), (other, ("changes",))):
        slot = run(nodes, group(1, "wet", event(1, 10)), statics={"dampness": values})
        assert tuple(problem.code for problem in slot.problems) == problems


@given(
    masses=st.lists(st.decimals("-1e6", "1e6", places=9), max_size=6),
    untagged=st.lists(st.decimals("-1e6", "1e6", places=3), max_size=3),
    aggregate=st.sampled_from(["sum", "average", "min", "max", "count"]),
)
def test_a_run_by_itself_comes_to_what_a_slot_comes_to_by_its_sums(masses, untagged, aggregate):
    unit = '"1"' if aggregate == "count" else "t"
    wet = WET.replace("values", aggregate).replace("unit: t", f"unit: {unit}")
    nodes = wet + TOTAL.replace(
        "sum(wet * moisture)", 'quantity(value(wet, "1"), "t")' if unit != "t" else "wet"
    )
    wood = Partition(feedstock="Wood")
    by_tags = {wood: [Decimal(1), *masses], Partition(): untagged}
    if aggregate not in {"sum", "count"}:
        del by_tags[Partition()]
    sums = [
        replace(group(1, "wet", tags=tags), by_input={"wet": compute_statistics((v, None) for v in values)},
                event_count=len(values), is_of_elements=False, is_of_slot=True)
        for tags, values in by_tags.items() if values
    ]  # fmt: skip
    events = [group(1, "wet", *map(event, range(len(v)), v), tags=tags) for tags, v in by_tags.items() if v]

    slot = run(nodes, *sums, partition_type="feedstock", wet=Measure(parse_unit("t"), 1))
    by_itself = alone(nodes, *events, partition=wood)

    assert (said(slot), said(by_itself)) == ((), ())
    assert by_itself.runs[0].readings == slot.runs[0].readings
