"""GET /batches/{batch_id}/lineage (`get_lineage`): from the output down to the measurements."""

from decimal import Decimal

from tests.given import accounting
from tests.given import collection as given

NODES = """
  - slug: power
    name: Power of the plant
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: MWh
  - slug: factor
    constant: 0.207
    unit: kg{CO2e}/kWh
    source: national inventory 2024, table 3
  - slug: emissions
    formula: power * factor
    unit: t{CO2e}
    output: true
"""


def plant_of(api, drain):
    return accounting.plant(api, drain, NODES, primary_output="emissions", unit="kg{CO2e}")


def lineage(api, batch):
    return api.get(f"/batches/{batch['id']}/lineage").expect(200).body


def test_a_lineage_names_every_node_with_its_equation_value_and_source(api, drain):
    plant = plant_of(api, drain)
    plant.bill(1500)
    plant.bill(500, 2)
    plant.generate()
    (batch,) = plant.batches()

    found = lineage(api, batch)

    assert found["batch"] == batch
    power, factor, emissions = found["nodes"]
    assert (power["slug"], power["name"], power["value"], power["unit"]) == (
        "power",
        "Power of the plant",
        2,
        "MWh",
    )
    assert (power["equation"], power["reads"], power["is_output"]) == (None, [], False)
    assert (factor["value"], factor["source"]) == (Decimal("0.207"), "national inventory 2024, table 3")
    assert (factor["equation"], factor["input"]) == (None, None)
    assert (emissions["value"], emissions["equation"]) == (Decimal("0.414"), "power * factor")
    assert (emissions["reads"], emissions["is_output"], emissions["is_primary"]) == (
        ["power", "factor"],
        True,
        True,
    )
    assert batch["primary_output"]["value"] == 414


def test_a_lineage_names_the_events_and_values_that_were_read(api, drain):
    plant = plant_of(api, drain)
    second, first = plant.bill(500, 2), plant.bill(1500, 1)
    plant.generate()
    (batch,) = plant.batches()

    read = lineage(api, batch)["nodes"][0]["input"]

    assert (read["event_type"], read["data_point"], read["unit"]) == ("bill", "energy", "kWh")
    assert (read["aggregate"], read["weight"], read["event_count"]) == ("sum", None, 2)
    assert [(row["event_id"], row["value"]) for row in read["rows"]] == [(first, 1500), (second, 500)]
    assert [row["start_time"][:10] for row in read["rows"]] == ["2025-01-01", "2025-01-02"]
    points = [row["data_point"]["id"] for row in batch["input_data"]]
    assert [row["data_point_id"] for row in read["rows"]] == points


def test_a_lineage_shows_the_weight_beside_each_value(api, drain):
    nodes = """
  - slug: moisture
    input: {event_type: load, data_point_type: moisture, aggregate: average, weight: mass}
    unit: "%"
    output: true
"""
    plant = accounting.plant(api, drain, nodes, primary_output="moisture", unit="%")
    points = [given.number("mass", required=False), given.number("moisture", unit="%", required=False)]
    given.event_type(api, plant.project, slug="load", data_point_types=points)
    bodies = [{"mass": 3, "moisture": 10}, {"mass": 1, "moisture": 20}, {"mass": 5}, {}]
    given.events(api, plant.project, [given.event_body(event_type="load", values=one) for one in bodies])
    plant.generate()
    (batch,) = plant.batches()

    read = lineage(api, batch)["nodes"][0]["input"]

    assert batch["run_total"] == Decimal("12.5")
    assert [(row["value"], row["weight"]) for row in read["rows"]] == [
        (None, None),
        (20, 1),
        (10, 3),
        (None, 5),
    ]


def test_a_lineage_shows_the_first_measurements_of_many_and_counts_all(api, drain):
    plant = plant_of(api, drain)
    given.events(
        api,
        plant.project,
        [
            given.event_body(
                event_type="bill", start_time=f"2025-01-{day:02d}T00:00:00Z", values={"energy": day}
            )
            for day in range(1, 32)
        ],
    )
    plant.generate()
    (batch,) = plant.batches()

    read = lineage(api, batch)["nodes"][0]["input"]

    assert (len(read["rows"]), read["event_count"]) == (20, 31)


def test_an_adjusting_batch_has_the_lineage_of_the_whole_run(api, drain):
    plant = plant_of(api, drain)
    plant.bill(1500)
    plant.generate()
    plant.bill(500)
    plant.generate()

    first, adjusting = (lineage(api, batch)["nodes"][0] for batch in plant.batches())

    assert (first["value"], first["input"]["event_count"]) == (Decimal("1.5"), 1)
    assert (adjusting["value"], adjusting["input"]["event_count"]) == (2, 2)


def test_an_event_that_two_filters_read_stands_under_both(api, drain):
    nodes = """
  - slug: all_mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: large
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "mass > 5"}
    unit: t
  - slug: mass
    formula: all_mass + large
    unit: t
    output: true
"""
    plant = accounting.plant(api, drain, nodes)
    small, large = plant.deliver(1, 1), plant.deliver(9, 2)
    plant.generate()
    (batch,) = plant.batches()

    read = {node["slug"]: node["input"] for node in lineage(api, batch)["nodes"] if node["input"]}

    assert [row["event_id"] for row in read["all_mass"]["rows"]] == [small, large]
    assert [row["event_id"] for row in read["large"]["rows"]] == [large]


def test_a_batch_of_a_run_that_vanished_has_a_lineage_without_measurements(api, drain, sql):
    plant = plant_of(api, drain)
    withdrawn = plant.bill(1500)
    plant.generate()
    accounting.void(sql, withdrawn)
    plant.generate()

    found = lineage(api, plant.batches()[1])

    assert [(node["slug"], node["value"], node["input"]) for node in found["nodes"]] == [
        ("emissions", 0, None)
    ]
