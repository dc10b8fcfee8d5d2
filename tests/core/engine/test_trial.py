"""Trying a model out: every node in its unit, rounded as it says, and problems that name the node."""

from decimal import Decimal

import pytest
from tests.core.model.documents import model

from weighbridge.core.engine import GivenValues, try_out
from weighbridge.core.expression import Budget, Environment, ExpressionError, quantity, text
from weighbridge.core.model import Surroundings, prepare
from weighbridge.core.unit import parse_unit

BIOCHAR = """
- {slug: wet, unit: "t{wet}", input: {event_type: delivery, data_point_type: mass, aggregate: values}}
- slug: moisture
  unit: "%"
  input: {event_type: lab, data_point_type: moisture, aggregate: values, join: {to: wet, on: tracking_id}}
- {slug: power, unit: MWh, input: {event_type: bill, data_point_type: energy, aggregate: sum}}
- {slug: dry_per_wet, unit: "t{dry}/t{wet}", constant: 1}
- {slug: dry, unit: "kg{dry}", formula: sum(wet * (1 - moisture)) * dry_per_wet}
- {slug: factor, unit: "kg{CO2e}/kWh", constant: 0.207}
- slug: result
  unit: t{CO2e}
  formula: power * factor
  round: {places: 3, mode: half_up}
"""
INPUTS = {
    "wet": (Decimal("1.2"), Decimal("0.9")),
    "moisture": (Decimal(12), Decimal(18)),
    "power": Decimal("0.0025"),
}


def evaluate(found, values, targets=None):
    """What the nodes of a model come to from values by name."""
    return values_of(try_out(prepare(found), GivenValues(values), targets))


def values_of(trial):
    assert trial.problems == ()
    return trial.values


def refusal(found, values, targets=None):
    """The one problem for which a model cannot be computed."""
    [problem] = try_out(prepare(found), GivenValues(values), targets).problems
    return problem


def test_every_node_has_its_value_in_its_unit():
    results = evaluate(model(BIOCHAR), INPUTS)

    assert results == {
        "wet": (Decimal("1.2"), Decimal("0.9")),
        "moisture": (Decimal(12), Decimal(18)),
        "power": Decimal("0.0025"),
        "dry_per_wet": Decimal(1),
        "dry": Decimal(1794),
        "factor": Decimal("0.207"),
        "result": Decimal("0.001"),
    }


def test_only_the_targets_and_what_they_need_are_computed():
    results = evaluate(model(BIOCHAR), {"power": Decimal(1)}, targets=["result"])

    assert list(results) == ["power", "factor", "result"]


def test_a_node_without_data_is_an_error_that_names_it():
    given = {name: value for name, value in INPUTS.items() if name != "power"}

    problem = refusal(model(BIOCHAR), given)

    assert (problem.message, problem.field) == ("Input 'power' has no data.", "power")


def test_a_formula_without_a_result_is_an_error_that_names_node_and_place():
    nodes = """
    - {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: sum}}
    - {slug: result, unit: "", formula: "1 / value(mass, t)"}
    """

    problem = refusal(model(nodes), {"mass": Decimal(0)})

    assert problem.message.startswith("Node 'result', at column 3 of its formula: The divisor is zero")
    assert (problem.field, problem.code) == ("result", "not_computable")


def test_a_list_for_one_number_is_aggregated_when_nothing_else_is_needed():
    nodes = """
    - {slug: latest, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: last}}
    - {slug: count, unit: "", input: {event_type: delivery, data_point_type: mass, aggregate: count}}
    - {slug: counted, unit: t, input: {event_type: meter, data_point_type: total, aggregate: delta}}
    - {slug: result, unit: t, formula: latest * count}
    """
    values = (Decimal(3), Decimal(1), Decimal(2))

    results = evaluate(model(nodes), {"latest": values, "count": values}, targets=["result"])

    assert results["result"] == Decimal(6)
    problem = refusal(model(nodes), {"counted": values}, targets=["counted"])
    assert problem.message == "Input 'counted' is one number and was given a list of 3."


def test_an_optional_input_without_data_takes_its_default_or_zero_or_is_missing():
    nodes = """
    - {slug: a, unit: t, optional: true, input: {event_type: e, data_point_type: d, aggregate: sum}}
    - {slug: b, unit: t, optional: true, default: 7, static_input: e}
    - {slug: c, unit: t, optional: true, input: {event_type: e, data_point_type: d, aggregate: max}}
    - {slug: d, unit: t, optional: true, input: {event_type: e, data_point_type: d, aggregate: values}}
    - {slug: result, unit: t, formula: "a + b + coalesce(c, a) + sum(d)"}
    """

    results = evaluate(model(nodes), {})

    assert results == {"a": Decimal(0), "b": Decimal(7), "c": None, "d": (), "result": Decimal(7)}


def test_draws_bring_their_attributes_along():
    nodes = """
    - {slug: wanted, unit: t, constant: 5}
    - {slug: drawn, unit: t, upstream: {ledger: Stock, amount: wanted, attributes: [intensity]}}
    - {slug: result, unit: "kg{CO2e}", formula: sum(drawn * drawn.intensity)}
    """
    surroundings = Surroundings(attributes={("Stock", "intensity"): parse_unit("g{CO2e}/kg")})
    given = GivenValues({"drawn": (Decimal(2), Decimal(3)), "drawn.intensity": (Decimal(10), Decimal(20))})

    results = values_of(try_out(prepare(model(nodes), surroundings), given))

    assert results["result"] == Decimal(80)


def test_a_formula_knows_its_partition_and_the_time():
    nodes = """
    - {slug: power, unit: kW, input: {event_type: meter, data_point_type: power, aggregate: values}}
    - slug: result
      unit: kWh/d
      formula: >
        if(partition.feedstock = 'Wood', sum(power * duration_hours(power)), sum(power) * period_days())
        / period_days()
    """
    given = GivenValues(
        {"power": (Decimal(10), Decimal(4))},
        partition={"feedstock": "Wood"},
        hours={"power": (Decimal("1.5"), Decimal(2))},
        period_days=Decimal(4),
    )

    assert values_of(try_out(prepare(model(nodes)), given))["result"] == Decimal("5.75")


def test_a_temperature_keeps_its_offset():
    nodes = """
    - {slug: soil, unit: degC, static_input: soil-temperature}
    - {slug: result, unit: K, formula: soil}
    """

    assert evaluate(model(nodes), {"soil": Decimal("14.9")})["result"] == Decimal("288.05")


def test_an_attribute_whose_unit_nobody_knows_cannot_be_computed_with():
    nodes = """
    - {slug: wanted, unit: t, constant: 5}
    - {slug: drawn, unit: t, upstream: {ledger: Stock, amount: wanted, attributes: [intensity]}}
    - {slug: result, unit: "kg{CO2e}", formula: sum(drawn * drawn.intensity)}
    """

    problem = refusal(model(nodes), {"drawn": (Decimal(2),), "drawn.intensity": (Decimal(10),)})

    assert problem.message.startswith("Node 'result', at column 11 of its formula: The unit of this value")


def test_one_node_can_be_computed_from_the_values_of_others():
    found = prepare(model(BIOCHAR))
    result, factor = found.model.node("result"), found.model.node("factor")
    values = {
        "power": quantity(Decimal("2.5"), parse_unit("MWh")),
        "factor": quantity(Decimal("0.207"), parse_unit("kg{CO2e}/kWh")),
    }

    value = found.compute(result, Environment(values))

    assert (value.content, value.type.unit) == (Decimal("0.518"), parse_unit("t{CO2e}"))
    assert found.compute(factor, Environment()).content == Decimal("0.207")
    with pytest.raises(ExpressionError, match="There is no 'power' here"):
        found.compute(result, Environment({"x": text("")}))


def test_a_run_has_one_budget():
    nodes = """
    - {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: values}}
    - {slug: twice, unit: t, formula: mass * 2}
    - {slug: result, unit: t, formula: sum(twice)}
    """
    found, given = prepare(model(nodes)), GivenValues({"mass": (Decimal(1),) * 100})

    assert values_of(try_out(found, given, budget=Budget(300)))["result"] == Decimal(200)
    [problem] = try_out(found, given, budget=Budget(299)).problems
    assert problem.message.startswith("Node 'result', at column 1 of its formula: The calcul")
