"""The engine over elements: what it reads one by one, joins, static inputs, and what it says of problems."""

from datetime import UTC, timedelta
from decimal import Decimal

import pytest
from tests.core.model.documents import model

from weighbridge.core import ids
from weighbridge.core.element import Element, Measure, StaticValue
from weighbridge.core.engine import Setting, SlotData, run_slot
from weighbridge.core.instant import Instant, Interval
from weighbridge.core.model import prepare
from weighbridge.core.partition import Partition
from weighbridge.core.statistics import NOTHING, Group
from weighbridge.core.unit import parse_unit

START = Instant(2025, 1, 1, tzinfo=UTC)
SLOT = Interval(START, Instant(2025, 2, 1, tzinfo=UTC))
PROJECT = 3
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
    setting = Setting(prepare(model(nodes, settings=settings)), known, 6, PROJECT)
    return run_slot(setting, SlotData(SLOT, groups, statics or {}, frozenset(skipped)))


def name(number):
    return ids.make("evt", ids.Key(PROJECT, number))


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

    assert slot.problems == (
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
        assert slot.problems == (
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
