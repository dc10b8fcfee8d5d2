"""GET /models/{model_id}/schema. Facts: the model, its required inputs, outputs and operators, and an example
of a simulation.
"""

from tests.given import accounting
from tests.given.accounting import document

NODES = """
  - slug: wet_mass
    name: Biochar, as delivered
    description: At the gate
    input: {event_type: delivery, data_point_type: wet-mass, aggregate: values}
    unit: t{wet}
  - slug: soil
    static_input: soil-temperature
    unit: degC
    default: 12
  - {slug: half, constant: 0.5, unit: "t{CO2e}/t{wet}"}
  - slug: stored
    formula: sum(wet_mass) * half
    unit: t{CO2e}
    tags: {ghg: co2e, lca_role: storage, category: removal}
    output: true
  - {slug: warmth, formula: 'value(soil, "degC")', unit: "", output: true}
"""


def schema(api, **fields):
    made = accounting.model(api, None, document(NODES, primary_output="stored") + fields.pop("more", ""))
    return made, api.get(f"/models/{made['id']}/schema").expect(200).body


def test_what_a_model_takes_is_described(api):
    made, found = schema(api)

    assert found["model"] == {"id": made["id"], "name": "Deliveries", "version": 1}
    assert found["required_inputs"] == [
        {
            "slug": "wet-mass", "node": "wet_mass", "name": "Biochar, as delivered", "type": "numeric",
            "unit": "t{wet}", "description": "At the gate", "kind": "input", "event_type": "delivery",
            "aggregate": "values", "is_array": True, "is_required": True, "default": None,
        },
        {
            "slug": "soil-temperature", "node": "soil", "name": "soil", "type": "numeric", "unit": "degC",
            "description": None, "kind": "static_input", "event_type": None, "aggregate": None,
            "is_array": False, "is_required": False, "default": 12,
        },
    ]  # fmt: skip


def test_what_a_model_gives_is_described(api):
    _, found = schema(api)

    assert found["outputs"] == [
        {
            "id": 1, "slug": "stored", "name": "stored", "unit": "t{CO2e}", "ghg": "co2e",
            "lca_role": "storage", "category": "removal", "is_primary": True,
        },
        {
            "id": 2, "slug": "warmth", "name": "warmth", "unit": "", "ghg": None, "lca_role": None,
            "category": None, "is_primary": False,
        },
    ]  # fmt: skip


def test_the_words_of_the_language_are_listed(api):
    _, found = schema(api)

    assert {"add", "subtract", "multiply", "divide"} <= set(found["operators"])
    assert {"sum", "interpolate", "lookup", "coalesce"} <= set(found["functions"])


def test_the_example_has_a_value_for_every_input(api):
    _, found = schema(api)

    assert found["example_simulation"] == {
        "inputs": {"wet_mass": [1], "soil": 1},
        "start_time": "2025-01-01T00:00:00Z",
        "end_time": "2025-02-01T00:00:00Z",
        "partition": {},
        "durations": {},
        "uncertainties": {},
    }


def test_the_example_is_a_case_of_the_document_that_names_every_input(api):
    case = "cases:\n  - {name: one, inputs: {wet_mass: [3, 4], soil: 9}, expect: {stored: 3.5}}\n"

    _, found = schema(api, more=case)

    assert found["example_simulation"]["inputs"] == {"wet_mass": [3, 4], "soil": 9}
