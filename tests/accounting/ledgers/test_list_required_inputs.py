"""GET /ledgers/{ledger_id}/required_inputs (`list_required_inputs`). Seed, Required input."""

from tests.given import accounting, chain
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_EVENLY


def test_each_input_of_the_model_is_listed_with_the_data_point_type_that_serves_it(api, drain):
    nodes = MASS + POWER_EVENLY.replace("    unit: kWh", "    name: Power of the plant\n    unit: kWh")
    plant = accounting.plant(api, drain, nodes)
    types = api.get(f"/projects/{plant.project['id']}/event_types").expect(200).data
    numbers = {point["slug"]: point["id"] for kind in types for point in kind["data_point_types"]}

    inputs = api.get(f"/ledgers/{plant.ledger['id']}/required_inputs").expect(200).data

    constant = {
        "value_type": "number",
        "category": "event",
        "is_manual_select": False,
        "allocation_groups": [],
        "output_of_ledgers": [],
    }
    assert inputs == [
        {"id": numbers["mass"], "name": "mass", "slug": "mass", "unit": "t", "subcategory": "delivery"}
        | constant,
        {
            "id": numbers["energy"],
            "name": "Power of the plant",
            "slug": "energy",
            "unit": "kWh",
            "subcategory": "bill",
        }
        | constant,
    ]


def test_a_ledger_without_a_model_needs_nothing(api):
    ledger = accounting.ledger(api, given.project(api))

    assert api.get(f"/ledgers/{ledger['id']}/required_inputs").expect(200).body == {"data": []}


def test_a_node_that_draws_by_hand_names_its_ledger_and_its_group(api, drain):
    deliveries = chain.inventory(api, drain)
    nodes = (
        chain.PRODUCED
        + chain.upstream("amount: made")
        + chain.upstream("select: manual, allocation_group: heat", slug="burnt")
        + chain.USED
    )
    production = chain.link(deliveries, nodes)

    inputs = api.get(f"/ledgers/{production.ledger['id']}/required_inputs").expect(200).data

    source = {"id": deliveries.ledger["id"], "name": "Deliveries", "unit": "t"}
    assert [
        (
            one["slug"],
            one["category"],
            one["is_manual_select"],
            one["allocation_groups"],
            one["output_of_ledgers"],
        )
        for one in inputs
    ] == [
        ("mass", "event", False, [], []),
        ("drawn", "ledger", False, [], [source]),
        ("burnt", "ledger", True, [{"name": "heat", "node": "burnt"}], [source]),
    ]


def test_static_inputs_are_required_too(api, drain):
    nodes = (
        MASS
        + """
  - slug: factor
    name: Grid factor
    static_input: {slug: grid-factor}
    unit: kg/kWh
  - slug: moisture
    static_input: {slug: moisture, by: feedstock}
    unit: "%"
"""
    )
    plant = accounting.plant(api, drain, nodes)

    inputs = api.get(f"/ledgers/{plant.ledger['id']}/required_inputs").expect(200).data

    common = {
        "value_type": "number",
        "category": "static_input",
        "is_manual_select": False,
        "allocation_groups": [],
        "output_of_ledgers": [],
    }
    factor = {"name": "Grid factor", "slug": "grid-factor", "unit": "kg/kWh", "subcategory": "project"}
    moisture = {"name": "moisture", "slug": "moisture", "unit": "%", "subcategory": "feedstock"}
    assert inputs[1:] == [{"id": -2} | factor | common, {"id": -3} | moisture | common]


def test_every_row_has_an_id_of_its_own(api, drain):
    deliveries = chain.inventory(api, drain)
    nodes = (
        chain.PRODUCED
        + chain.PRODUCED.replace("slug: made", "slug: counted").replace("    output: true\n", "")
        + chain.upstream("amount: made")
        + chain.upstream("select: manual, allocation_group: heat", slug="burnt")
        + chain.USED
        + """
  - slug: factor
    static_input: {slug: factor}
    unit: "1"
"""
    )
    production = chain.link(deliveries, nodes)
    path = f"/ledgers/{production.ledger['id']}/required_inputs"

    inputs = api.get(path).expect(200).data

    assert [one["slug"] for one in inputs] == ["mass", "mass", "drawn", "burnt", "factor"]
    numbers = [one["id"] for one in inputs]
    assert len(set(numbers)) == 5
    assert [number > 0 for number in numbers] == [True, False, False, False, False]
    assert api.get(path).expect(200).data == inputs
