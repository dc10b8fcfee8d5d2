"""POST /models/{model_id}/simulate: a dry run from values that the caller gives; the schema of a model says
which it takes.
"""

from decimal import Decimal
from pathlib import Path

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import document

EXAMPLES = Path(__file__).parents[3] / "examples"
NODES = """
  - slug: wet_mass
    name: Biochar, as delivered
    input: {event_type: delivery, data_point_type: wet-mass, aggregate: values}
    unit: t{wet}
  - slug: moisture
    input: {event_type: delivery, data_point_type: moisture, aggregate: values}
    unit: "%"
  - slug: electricity
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
    optional: true
  - {slug: dry_per_wet, constant: 1, unit: "t{dry}/t{wet}"}
  - slug: dry_mass
    formula: sum(wet_mass * (1 - moisture)) * dry_per_wet
    unit: t{dry}
    tags: {lca_role: storage}
    output: true
"""
MONTH = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}


def model(api, nodes=NODES, primary_output="dry_mass", **settings):
    return accounting.model(api, None, document(nodes, primary_output=primary_output, **settings))


def simulate(api, model, inputs, **fields):
    return api.post(f"/models/{model['id']}/simulate", {"inputs": inputs} | MONTH | fields)


def values(answer):
    return {node["slug"]: node["value"] for node in answer.expect(200).body["nodes"]}


def test_every_node_comes_back_with_its_value_and_its_equation(api):
    answer = simulate(api, model(api), {"wet-mass": [Decimal("1.2"), Decimal("0.9")], "moisture": [12, 18]})

    found = answer.expect(200).body
    assert found["primary_output"] == {
        "slug": "dry_mass",
        "name": "dry mass",
        "kind": "formula",
        "unit": "t{dry}",
        "value": Decimal("1.794"),
        "equation": "dry_mass = sum(wet_mass * (1 - moisture)) * dry_per_wet",
        "filled": "dry_mass = sum([1.2, 0.9] t{wet} * (1 - [12, 18] %)) * 1 t{dry}/t{wet}",
        "result": "1.794 t{dry}",
        "is_output": True,
        "uncertainty": None,
    }
    assert [node["slug"] for node in found["nodes"]] == [
        "wet_mass", "moisture", "electricity", "dry_per_wet", "dry_mass",
    ]  # fmt: skip
    assert values(answer)["wet_mass"] == [Decimal("1.2"), Decimal("0.9")]
    assert values(answer)["electricity"] == 0
    assert (found["start_time"], found["end_time"]) == (
        "2025-01-01T00:00:00.000Z",
        "2025-02-01T00:00:00.000Z",
    )
    assert (found["model"]["name"], found["model"]["version"]) == ("Deliveries", 1)


def test_a_value_goes_by_the_slug_of_its_node_as_well(api):
    made = model(api)

    by_node = values(simulate(api, made, {"wet_mass": [2], "moisture": [50]}))
    by_data_point = values(simulate(api, made, {"wet-mass": 2, "moisture": 50}))

    assert by_node == by_data_point
    assert by_node["dry_mass"] == 1


def test_numbers_keep_every_digit(api):
    digits = Decimal("1.234567890123456789012345678901234")

    assert values(simulate(api, model(api), {"wet_mass": [digits], "moisture": [0]}))["dry_mass"] == digits


def test_a_list_given_to_a_sum_is_added_up(api):
    found = values(
        simulate(api, model(api), {"wet_mass": [1], "moisture": [0], "energy": [1, Decimal("2.5")]})
    )

    assert found["electricity"] == Decimal("3.5")


SHARED = """
  - {slug: total, unit: t, output: true, input: {event_type: load, data_point_type: mass, aggregate: sum}}
  - {slug: loads, unit: "", input: {event_type: load, data_point_type: mass, aggregate: count}}
  - {slug: heaviest, unit: t, input: {event_type: load, data_point_type: mass, aggregate: max}}
"""


def test_several_inputs_of_one_data_point_type_aggregate_the_same_values(api):
    made = model(api, SHARED, "total")

    assert values(simulate(api, made, {"mass": [3, 4]})) == {"total": 7, "loads": 2, "heaviest": 4}
    assert values(simulate(api, made, {"mass": 3})) == {"total": 3, "loads": 1, "heaviest": 3}


@pytest.mark.parametrize(
    "change", [("heaviest, unit: t", "heaviest, unit: kg"), ("load, data", "bill, data")]
)
def test_a_name_that_could_mean_two_things_is_refused(api, change):
    head, tail = SHARED.rsplit("  - ", 1)
    made = model(api, head + "  - " + tail.replace(*change), "total")

    error = simulate(api, made, {"mass": 3}).expect(422).error

    assert error["field"] == "inputs.mass"
    assert "total, loads, heaviest" in error["message"]
    assert "name the nodes" in error["message"]


def test_everything_that_is_wrong_with_the_values_is_said_at_once(api):
    asked = {"wet_mass": ["a", 1], "moisture": True, "water": 1, "energy": {"a": 1}, "electricity": "1"}

    errors = simulate(api, model(api), asked, partition={"feedstock": "Wood"}, durations={"x": [1]}).expect(
        422
    )

    assert [error["field"] for error in errors.errors] == [
        "inputs.wet_mass", "inputs.moisture", "inputs.water", "inputs.energy", "inputs.electricity",
        "durations.x", "partition.feedstock",
    ]  # fmt: skip
    assert errors.errors[2]["message"] == (
        "The model takes no 'water'; it takes wet_mass, moisture, electricity, wet-mass, energy."
    )


def test_every_input_without_a_value_is_named(api):
    errors = simulate(api, model(api), {}).expect(422).errors

    assert [(error["field"], error["code"]) for error in errors] == [
        ("inputs.wet_mass", "required"),
        ("inputs.moisture", "required"),
    ]
    assert errors[0]["message"] == "wet_mass has no value; give it as 'wet_mass' or 'wet-mass'."


def test_a_value_that_is_given_twice_is_refused(api):
    error = simulate(api, model(api), {"wet_mass": 1, "wet-mass": 1, "moisture": 1}).expect(422).error

    assert (error["field"], error["code"]) == ("inputs.wet-mass", "twice")


@pytest.mark.parametrize("number", ["1e101", "1" * 35, "1e-101"])
def test_a_number_beyond_the_limits_is_refused(api, number):
    made = model(api)
    body = '{"inputs": {"wet_mass": %s, "moisture": 1}, "start_time": "%s", "end_time": "%s"}'

    api.post(f"/models/{made['id']}/simulate", (body % (number, *MONTH.values())).encode()).expect(422)


def test_a_formula_that_has_no_value_is_refused_with_its_node_and_place(api):
    nodes = SHARED + "  - {slug: ratio, formula: total / (loads - 1), unit: t}\n"

    error = simulate(api, model(api, nodes, "total"), {"mass": 3}).expect(422).error

    assert (error["field"], error["code"]) == ("ratio", "not_computable")
    assert error["message"].startswith("Node 'ratio', at column 7 of its formula:")


def test_a_calculation_that_costs_too_much_is_refused(api):
    nodes = SHARED + "".join(
        f"  - {{slug: n{number}, formula: sum(each * each * each * each * each), unit: t**5}}\n"
        for number in range(120)
    )
    nodes += (
        "  - {slug: each, unit: t, input: {event_type: load, data_point_type: mass, aggregate: values}}\n"
    )

    error = simulate(api, model(api, nodes, "total"), {"mass": [1] * 5000}).expect(422).error

    assert "costs more than 2000000 operations" in error["message"]


def test_a_formula_may_ask_for_the_period_the_durations_and_the_partition(api):
    nodes = """
  - {slug: load, unit: t, input: {event_type: load, data_point_type: mass, aggregate: values}}
  - {slug: hours, formula: sum(duration_hours(load)), unit: h}
  - {slug: days, formula: period_days(), unit: d, output: true}
  - {slug: factor, formula: "if(partition.feedstock = 'Wood', 1, 2)", unit: ""}
"""
    made = model(api, nodes, "days", partition_type="feedstock")

    asked = {"partition": {"feedstock": "Wood"}, "durations": {"load": [2, Decimal("0.5")]}}
    found = values(simulate(api, made, {"mass": [1, 1]}, **asked))

    assert (found["days"], found["hours"], found["factor"]) == (31, Decimal("2.5"), 1)


def test_the_period_is_as_long_as_the_calendar_and_the_clock_of_the_project_say(api):
    project = given.project(api, time_zone="Europe/Berlin")
    nodes = """
  - {slug: days, formula: period_days(), unit: d, output: true}
  - {slug: hours, formula: period_hours(), unit: h}
"""
    march = {"start_time": "2025-02-28T23:00:00Z", "end_time": "2025-03-31T22:00:00Z"}
    text = document(nodes, primary_output="days")
    of_project, of_none = accounting.model(api, project, text), accounting.model(api, None, text)

    found, elsewhere = (values(simulate(api, made, {}, **march)) for made in (of_project, of_none))

    assert (found["days"], found["hours"]) == (31, 743)
    assert (elsewhere["days"], elsewhere["hours"]) == (Decimal("30.95833333333333333333333333333333"), 743)


def test_an_end_that_is_not_after_the_start_is_refused(api):
    answer = simulate(api, model(api), {}, end_time=MONTH["start_time"])

    assert answer.expect(422).error["field"] == "end_time"


@pytest.mark.parametrize("missing", ["inputs", "start_time", "end_time"])
def test_inputs_and_times_are_required(api, missing):
    body = {"inputs": {}} | MONTH
    del body[missing]

    error = api.post(f"/models/{model(api)['id']}/simulate", body).expect(400).error

    assert error["message"] == f"{missing} is required."


def test_nothing_is_stored(api, account, sql):
    made = model(api)
    before = sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id)

    simulate(api, made, {"wet_mass": 1, "moisture": 1}).expect(200)

    assert sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id) == before


def test_a_simulation_takes_the_permission_to_read(api, account, stranger):
    made = model(api)
    asked = {"wet_mass": 1, "moisture": 1}

    simulate(account.caller("production_accounting:read"), made, asked).expect(200)
    simulate(account.caller("data_collection:read"), made, asked).expect(403)
    simulate(stranger, made, asked).expect(404)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_example_in_the_schema_of_a_model_can_be_simulated(api, example):
    made = accounting.model(api, None, example.read_text())
    schema = api.get(f"/models/{made['id']}/schema").expect(200).body

    api.post(f"/models/{made['id']}/simulate", schema["example_simulation"]).expect(200)


def test_the_published_value_of_an_example_comes_out(api):
    made = accounting.model(api, None, (EXAMPLES / "biochar-durability.yaml").read_text())
    inputs = {
        "dry-mass": Decimal("1.79"), "total-carbon": Decimal("79.2"), "inorganic-carbon": Decimal("0.9"),
        "soil-temperature": Decimal("24.5"), "hydrogen-to-carbon": Decimal("0.27"),
    }  # fmt: skip

    found = simulate(api, made, inputs).expect(200).body["primary_output"]

    assert round(found["value"], 10) == Decimal("4.3611406784")
    assert found["unit"] == "t{CO2e}"


@pytest.mark.parametrize(
    "times",
    [("0001-01-01T00:00:00Z", "2025-01-01T00:00:00Z"), ("2025-01-01T00:00:00Z", "9999-12-31T23:00:00Z")],
)
def test_a_period_that_no_clock_shows_is_refused(api, times):
    zone = "America/New_York" if times[0] < "1" else "Europe/Berlin"
    project = given.project(api, time_zone=zone)
    nodes = "\n  - {slug: days, formula: period_days(), unit: d, output: true}\n"
    made = accounting.model(api, project, document(nodes, primary_output="days"))

    error = simulate(api, made, {}, start_time=times[0], end_time=times[1]).expect(422).error

    assert (error["field"], error["code"]) == ("start_time", "invalid")
    assert error["message"] == "The range reaches over the ends of the calendar, the years 1 and 9999."


def test_more_values_than_a_simulation_takes_are_refused_with_their_number(api):
    error = simulate(api, model(api), {"wet_mass": [1] * 60_000, "moisture": [1] * 40_001}).expect(422).error

    assert (error["field"], error["code"]) == ("inputs", "too_many")
    assert error["message"] == (
        "inputs and durations hold 100,001 values; a simulation takes 100,000 at most."
    )


def test_a_text_of_a_partition_is_no_longer_than_a_name(api):
    made = model(api)

    answer = simulate(api, made, {"wet_mass": [1], "moisture": [1]}, partition={"feedstock": "x" * 256})

    assert answer.expect(400).error["message"].endswith("is too long; it takes 255 characters at most.")


UNCERTAIN = """
  - slug: mass
    input: {event_type: delivery, data_point_type: wet-mass, aggregate: sum}
    unit: t
    uncertainty: {standard: 0.3}
  - slug: factor
    constant: 2
    unit: t{CO2e}/t
    uncertainty: {relative_standard: 0.01, degrees_of_freedom: 4}
  - slug: removal
    formula: mass * factor
    unit: t{CO2e}
    output: true
    discount: {standard_deviations: 1}
"""


def uncertain_model(api):
    text = document(UNCERTAIN, primary_output="removal")
    asking = text.replace("nodes:", "uncertainty: {coverage_probability: 0.95}\nnodes:")
    return accounting.model(api, None, asking)


def test_a_simulation_says_how_uncertain_its_outputs_are_and_what_would_be_credited(api):
    found = simulate(api, uncertain_model(api), {"mass": 40}).expect(200).body

    known = found["primary_output"]["uncertainty"]
    # 0.3 t times 2, and one percent of 80 t.
    assert known["standard_uncertainty"] == 1
    assert known["credited_amount"] == 79
    assert round(known["degrees_of_freedom"], 3) == round(Decimal(4) / Decimal("0.8") ** 4, 3)
    assert known["low"] < 78
    assert known["high"] > 82
    assert [node["uncertainty"] is None for node in found["nodes"]] == [True, True, False]


def test_a_simulation_states_how_well_its_values_are_known(api):
    stated = {"mass": {"half_width": 600, "coverage_factor": 2, "unit": "kg"}}

    found = simulate(api, uncertain_model(api), {"mass": 0}, uncertainties=stated).expect(200).body

    assert found["primary_output"]["uncertainty"]["standard_uncertainty"] == Decimal("0.6")


@pytest.mark.parametrize(
    ("stated", "field"),
    [
        ({"factor": {"standard": 1}}, "uncertainties.factor"),
        ({"nothing": {"standard": 1}}, "uncertainties.nothing"),
        ({"mass": {"standard": -1}}, "uncertainties.mass.standard"),
        ({"mass": {"standard": 1, "unit": "kWh"}}, "uncertainties.mass.unit"),
    ],
)
def test_a_statement_that_cannot_be_is_refused_with_its_field(api, stated, field):
    refused = simulate(api, uncertain_model(api), {"mass": 40}, uncertainties=stated).expect(422)

    assert [error["field"] for error in refused.body["errors"]] == [field]
