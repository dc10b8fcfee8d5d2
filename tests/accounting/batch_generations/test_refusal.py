"""What is known to fail without computing is refused at once; what would block counts nothing.

`start_batch_generation`, `preview_generation`, `update_batch_inputs`; design, Preview and generation.
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import JANUARY, QUARTER

READS_NOTHING = """
  - slug: mass
    input: {event_type: shipment, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: power
    input: {event_type: bill, data_point_type: heat, aggregate: sum}
    unit: kWh
  - slug: weight
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: kWh
  - slug: factor
    static_input: {slug: grid-factor}
    unit: kg/kWh
"""
FACTOR = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: factor
    static_input: {slug: grid-factor%s}
    unit: kg/t%s
"""


def with_factor(api, drain, more="", node="", **fields):
    plant = accounting.plant(api, drain, FACTOR % (more, node), is_model_of_project=False, **fields)
    plant.deliver(1, 2)
    return plant


def set_factor(plant, since, unit="kg/t", **keys):
    given.static_input(
        plant.api, plant.project, slug="grid-factor", value=7, unit=unit,
        effective_from=f"{since}T00:00:00Z", **keys,
    )  # fmt: skip


def no_tasks(api):
    return api.get("/async_tasks").expect(200).data == []


def test_everything_that_the_project_does_not_have_is_named_at_once_and_no_task_begins(api, drain):
    plant = accounting.plant(api, drain, READS_NOTHING, is_model_of_project=False)
    has_no_value = "which has no value in force at 2025-01-01T00:00:00.000Z."

    errors = plant.start().expect(422).errors

    assert [(error["field"], error["message"]) for error in errors] == [
        ("mass", "Input 'mass' reads the event type 'shipment', which the project does not have."),
        ("power", "Input 'power' reads 'heat' of 'bill', which has the data points energy."),
        ("weight", "Input 'weight' is in kWh and reads 'mass' in t, which count different things."),
        ("factor", f"Input 'factor' reads the static input 'grid-factor', {has_no_value}"),
    ]
    assert no_tasks(api)


def test_a_static_input_that_is_in_force_in_no_slot_is_refused_and_the_preview_counts_nothing(api, drain):
    plant = with_factor(api, drain)
    set_factor(plant, "2025-04-01")

    error = plant.start(QUARTER).expect(422).error
    (entry,) = plant.preview(QUARTER)

    assert (error["field"], error["code"]) == ("factor", "required")
    assert error["message"] == (
        "Input 'factor' reads the static input 'grid-factor', which has no value in force at "
        "2025-03-01T00:00:00.000Z."
    )
    assert no_tasks(api)
    assert (entry["count"], entry["adjustments"], len(entry["problems"])) == (0, 0, 1)


def test_a_static_input_in_force_in_some_slot_is_left_to_the_computation(api, drain):
    plant = with_factor(api, drain)
    set_factor(plant, "2025-02-01")
    plant.deliver(2, "2025-02-03T00:00:00Z")

    plant.start(JANUARY).expect(422)
    plant.generate(("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"))
    assert "has no value in force at 2025-01-01" in plant.finish(QUARTER)["error_message"]


def test_a_static_input_in_another_unit_is_refused_at_once(api, drain):
    plant = with_factor(api, drain)
    set_factor(plant, "2024-01-01", unit="kg/kWh")

    error = plant.start().expect(422).error

    assert error["message"] == (
        "Node 'factor' is in kg/t and reads the static input 'grid-factor' in kg/kWh, "
        "which count different things."
    )


@pytest.mark.parametrize("node", ["\n    default: 3", "\n    optional: true"])
def test_a_static_input_with_a_stand_in_is_not_missing(api, drain, node):
    plant = with_factor(api, drain, node=node)

    assert plant.generate()["created"] == 1


def test_values_for_assets_are_none_for_the_project_and_the_other_way_round(api, drain):
    of_project = with_factor(api, drain)
    of_assets = with_factor(api, drain, ", by: asset", partition_type="asset")
    asset = given.asset(api, of_project.project, name="Kiln")
    set_factor(of_project, "2024-01-01", asset_id=asset["id"])
    set_factor(of_assets, "2024-01-01")

    assert "which has no value in force at" in of_project.start().expect(422).error["message"]
    assert "which has no value for any asset in force at" in of_assets.start().expect(422).error["message"]


def test_a_value_at_each_element_is_missing_only_where_there_is_none_at_all(api, drain):
    nodes = """
  - slug: masses
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
  - slug: factor
    static_input: {slug: grid-factor, at: masses}
    unit: kg/t
  - slug: mass
    formula: sum(masses * factor)
    unit: kg
    output: true
"""
    plant = accounting.plant(api, drain, nodes, unit="kg", is_model_of_project=False)
    plant.deliver(1, 20)

    error = plant.start().expect(422).error
    set_factor(plant, "2025-01-10")

    assert error["message"] == (
        "Input 'factor' reads the static input 'grid-factor', which has no value in the project."
    )
    assert plant.generate()["created"] == 1


def test_a_preview_names_what_is_refused_also_where_there_are_no_data(api, drain):
    plant = accounting.plant(api, drain, FACTOR % ("", ""), is_model_of_project=False)

    (entry,) = plant.preview()

    assert entry["problems"] == [plant.start().expect(422).error["message"]]
    assert (entry["count"], entry["adjustments"]) == (0, 0)


def test_what_problems_would_block_is_not_counted(api, drain):
    plant = accounting.plant(api, drain, accounting.MASS + accounting.POWER_EVENLY)
    plant.deliver(1, "2025-01-02T00:00:00Z")
    plant.bill(1, "2025-01-02T00:00:00Z")
    plant.deliver(1, "2025-02-02T00:00:00Z")

    (blocked,) = plant.preview(QUARTER)
    (january,) = plant.preview(JANUARY)

    assert blocked["problems"] == ["2025-02: Input 'power' has no data."]
    assert (blocked["count"], blocked["adjustments"], blocked["slots"]) == (
        0,
        0,
        ["2025-01", "2025-02", "2025-03"],
    )
    assert (january["count"], january["problems"]) == (1, [])
