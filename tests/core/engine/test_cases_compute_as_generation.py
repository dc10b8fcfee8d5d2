"""A case computes as a generation does: the same values, given by name or found in data, come to the same
digits in every node, and what is missing stands in, or is refused in the same sentence.
"""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.engine.slot_of_values import PROJECT, START, slot_of_values
from tests.core.model.documents import model

import weighbridge
from weighbridge.core import identity
from weighbridge.core.engine import GivenValues, run_slot, try_out
from weighbridge.core.model import prepare
from weighbridge.modelling.documents import read_model

DOCUMENTS = [
    *Path(__file__).parents[3].joinpath("examples").glob("*.yaml"),
    *Path(weighbridge.__file__).parent.joinpath("demo", "models").glob("*.yaml"),
]

SETTINGS = "name: Test\ncadence: monthly\npartition_type: %s\nprimary_output: result\n"
NODES = """
- {slug: wet, unit: "t{wet}", input: {event_type: delivery, data_point_type: mass, aggregate: values}}
- slug: moisture
  unit: "%"
  input: {event_type: lab, data_point_type: moisture, aggregate: values, join: {to: wet, on: JOINED_ON}}
  OF_MOISTURE
- slug: energy
  unit: kWh
  input: {event_type: bill, data_point_type: energy, aggregate: AGGREGATE}
  OF_ENERGY
- {slug: soil, unit: degC, static_input: soil-temperature, OF_SOIL}
- {slug: factor, unit: "%", static_input: {slug: share, at: wet}}
- {slug: loads, unit: "", input: {event_type: delivery, data_point_type: mass, aggregate: count}}
- slug: steam
  unit: kWh
  optional: true
  input: {event_type: tank, data_point_type: level, aggregate: delta}
- {slug: need, unit: t, constant: NEED}
- slug: drawn
  unit: t
  optional: true
  upstream: {ledger: Stock, amount: need, attributes: [intensity: "kg{CO2e}/t"]}
- {slug: there, unit: t, optional: true, available: {ledger: Other}}
- {slug: dry, unit: "t{wet}", formula: wet * factor * (1 - moisture)}
- slug: heat
  unit: kWh
  round: {places: 3, mode: half_up}
  formula: HEAT
- {slug: emitted, unit: "kg{CO2e}", formula: sum(drawn * drawn.intensity)}
- {slug: work, unit: "t{wet}*h/d", formula: sum(wet * duration_hours(wet)) / period_days()}
- slug: result
  unit: ""
  formula: >
    value(sum(dry), "t{wet}") / 3 + value(heat, "MJ") / 7 + value(emitted, "t{CO2e}") / 11
    + coalesce(value(soil, "K"), 1) / 13 + loads
    + coalesce(value(steam, "MJ"), 0) / 3 + coalesce(value(there, "kg"), 2) / 3
"""
OPTIONS = ("optional: false", "optional: true", "optional: true, default: 4.25", "default: 1")


def lines(options):
    """Settings of a node as lines of a document."""
    return options.replace(", ", "\n  ")


numbers = st.decimals("0.001", "999", places=5)


@st.composite
def documents(draw):
    """A document, and values for its nodes by name; what may be missing sometimes is."""
    count = draw(st.integers(1, 5))
    amounts = draw(st.lists(numbers, min_size=1, max_size=3))
    partition_type = draw(st.sampled_from(["time", "feedstock"]))
    aggregate = draw(st.sampled_from(["sum", "average", "min", "max", "count", "first", "last", "median"]))
    text = NODES.replace("NEED", str(sum(amounts))).replace("AGGREGATE", aggregate)
    joined_on = draw(st.sampled_from(["tracking_id", "interval", "code"]))
    text = text.replace("JOINED_ON", joined_on)
    text = text.replace("OF_MOISTURE", lines(draw(st.sampled_from(OPTIONS[:2]))))
    text = text.replace("OF_ENERGY", lines(draw(st.sampled_from(OPTIONS))))
    text = text.replace("OF_SOIL", draw(st.sampled_from(OPTIONS)))
    if aggregate == "count":
        text = text.replace("unit: kWh\n  input: {event_type: bill", 'unit: ""\n  input: {event_type: bill')
    else:
        text = text.replace("HEAT", 'quantity(coalesce(value(energy, "kWh"), 4/3) * 7 / 9, "kWh")')
    text = text.replace("HEAT", 'quantity(energy / 9, "kWh")')
    array = st.lists(numbers, min_size=count, max_size=count).map(tuple)
    values = {
        "wet": draw(array),
        "moisture": draw(array),
        "energy": tuple(draw(st.lists(numbers, min_size=1, max_size=5))),
        "soil": draw(numbers),
        "factor": draw(array),
        "loads": Decimal(draw(st.integers(0, 5))),
        "steam": draw(numbers),
        "drawn": tuple(amounts),
        "drawn.intensity": tuple(draw(numbers) for _ in amounts),
        "there": draw(numbers),
    }
    for name in draw(
        st.sets(st.sampled_from(["wet", "moisture", "energy", "soil", "factor", "steam", "loads"]))
    ):
        if draw(st.booleans()):
            del values[name]
    # Without data that define partitions there is only a run by itself, which draws from no ledger.
    if "wet" not in values or draw(st.booleans()):
        values = {name: value for name, value in values.items() if name[0] not in "dt"}
    # What is joined by time must not overlap: the events are an hour apart.
    lengths = st.integers(0, 3 if joined_on == "interval" else 1440).map(lambda number: Decimal(number) / 4)
    hours = {"wet": draw(st.lists(lengths, min_size=count, max_size=count).map(tuple))}
    partition = {"feedstock": "Wood"} if partition_type == "feedstock" else {}
    found = model(text, settings=SETTINGS % partition_type)
    return found, GivenValues(values, partition, hours, Decimal(31))


def both(found, given_values, targets=None):
    """What a trial over the values comes to, and the run of a slot whose data carry them."""
    prepared = prepare(found)
    trial = try_out(prepared, given_values, targets)
    part = prepared if targets is None else prepared.only(targets)
    setting, data = slot_of_values(prepared, given_values)
    return trial, run_slot(replace(setting, program=part), data)


def said(problems):
    """What is wrong, with events by their places; a case has no moment at which its slot begins."""
    moment = f" at {START.text}"
    messages = {(one.message.replace(moment, ""), one.field, one.code) for one in problems}
    for place in range(9):
        event = identity.of("event", PROJECT, place)
        messages = {(said.replace(event, f"value {place}"), *others) for said, *others in messages}
    return messages


@settings(max_examples=200, deadline=None)
@given(documents())
def test_the_same_values_come_to_the_same_digits_or_are_refused_alike(drawn):
    trial, slot = both(*drawn)

    assert said(trial.problems) == said(slot.problems)
    if not trial.problems:
        [run] = slot.runs
        assert trial.values == {slug: run.readings[slug].amount for slug in drawn[0].slugs}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_each_case_of_a_document_comes_to_what_a_generation_comes_to(path):
    found = read_model(path.read_text(encoding="utf-8"))

    assert found.cases
    for case in found.cases:
        period = case.period_days or Decimal(31)
        values = GivenValues(case.inputs, case.partition, case.durations, period)
        trial, slot = both(found, values, [*case.expect])
        assert (trial.problems, slot.problems) == ((), ())
        [run] = slot.runs
        assert trial.values == {slug: run.readings[slug].amount for slug in trial.values}
        assert trial.values.keys() >= case.expect.keys()
