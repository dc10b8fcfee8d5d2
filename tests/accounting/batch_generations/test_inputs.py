"""Inputs in generation: how values are aggregated, converted and chosen."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given


def measured(api, drain, nodes, *, points, values, unit="t", scale=6, primary_output="total", **event_fields):
    """Generate January from deliveries with these values; gives what was credited."""
    project = given.project(api)
    given.event_type(api, project, slug="delivery", data_point_types=points)
    text = accounting.document(nodes, primary_output=primary_output)
    model = accounting.model(api, project, text)
    ledger = accounting.ledger(api, project, model, unit=unit, scale=scale)
    bodies = [
        given.event_body(start_time=f"2025-01-{day:02d}T00:00:00Z", values=one, **event_fields)
        for day, one in enumerate(values, start=1)
    ]
    given.events(api, project, bodies)
    plant = accounting.Plant(api, drain, project, model, ledger)
    plant.generate()
    (credit,) = plant.credits().values()
    return credit


def node(aggregate, more="", *, unit="t", slug="mass"):
    return f"""
  - slug: total
    input: {{event_type: delivery, data_point_type: {slug}, aggregate: {aggregate}{more}}}
    unit: "{unit}"
    output: true
"""


MASSES = [{"mass": Decimal(mass)} for mass in ("1.5", "4", "2.75")]
MASS = [given.number("mass")]


@pytest.mark.parametrize(
    ("aggregate", "unit", "expected"),
    [
        ("sum", "t", "8.25"),
        ("average", "t", "2.75"),
        ("min", "t", "1.5"),
        ("max", "t", "4"),
        ("count", "", "3"),
    ],
)
def test_values_are_aggregated(api, drain, aggregate, unit, expected):
    credit = measured(api, drain, node(aggregate, unit=unit), points=MASS, values=MASSES, unit=unit or "1")

    assert credit == Decimal(expected)


def test_an_average_may_be_weighted_by_another_value_of_the_event(api, drain):
    credit = measured(
        api,
        drain,
        node("average", ", weight: mass", unit="%", slug="moisture"),
        points=[given.number("mass"), given.number("moisture", unit="%")],
        values=[{"mass": 3, "moisture": 10}, {"mass": 1, "moisture": 20}],
        unit="%",
    )

    assert credit == Decimal("12.5")


def test_a_value_without_its_weight_fails_the_generation(api, drain):
    project = given.project(api)
    points = [given.number("mass", required=False), given.number("moisture", unit="%")]
    given.event_type(api, project, slug="delivery", data_point_types=points)
    text = accounting.document(
        node("average", ", weight: mass", unit="%", slug="moisture"), primary_output="total"
    )
    model = accounting.model(api, project, text)
    plant = accounting.Plant(api, drain, project, model, accounting.ledger(api, project, model, unit="%"))
    given.event(api, project, values={"mass": 1, "moisture": 10})
    given.event(api, project, values={"moisture": 10})

    assert plant.failure() == "2025-01: Input 'total' has 1 values without 'mass'."


def test_weights_that_sum_to_zero_fail_the_generation(api, drain):
    project = given.project(api)
    points = [given.number("mass"), given.number("moisture", unit="%")]
    given.event_type(api, project, slug="delivery", data_point_types=points)
    text = accounting.document(
        node("average", ", weight: mass", unit="%", slug="moisture"), primary_output="total"
    )
    model = accounting.model(api, project, text)
    plant = accounting.Plant(api, drain, project, model, accounting.ledger(api, project, model, unit="%"))
    given.event(api, project, values={"mass": 0, "moisture": 10})

    assert plant.failure() == "2025-01: Input 'total' has no weight to average by."


def test_sums_keep_every_digit(api, drain):
    values = [{"mass": Decimal(text)} for text in ("12345678901234567890.5", "0.00000000000001", "-0.5")]

    credit = measured(api, drain, node("sum"), points=MASS, values=values, scale=20)

    assert credit == Decimal("12345678901234567890.00000000000001")


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (("kg", "t", "t"), "0.00825"),
        (("kg", "t", "kg"), "8.25"),
        (("t", "kg", "t"), "8.25"),
        (("lb", "kg", "kg"), "3.742137"),
        (("kg{dry}", "t{dry}", "t{dry}"), "0.00825"),
    ],
)
def test_units_are_converted_from_the_measurement_over_the_node_to_the_ledger(api, drain, units, expected):
    measured_in, of_node, of_ledger = units
    points = [given.number("mass", unit=measured_in)]

    credit = measured(api, drain, node("sum", unit=of_node), points=points, values=MASSES, unit=of_ledger)

    assert credit == Decimal(expected)


def test_energy_in_mwh_is_read_in_kwh_and_emissions_in_t_are_kept_in_kg(api, drain):
    nodes = """
  - slug: energy
    input: {event_type: delivery, data_point_type: energy, aggregate: sum}
    unit: kWh
  - slug: factor
    constant: 0.207
    unit: kg{CO2e}/kWh
  - slug: total
    formula: energy * factor
    unit: t{CO2e}
    output: true
"""
    credit = measured(
        api,
        drain,
        nodes,
        points=[given.number("energy", unit="MWh")],
        values=[{"energy": Decimal("1.5")}, {"energy": 2}],
        unit="kg{CO2e}",
    )

    assert credit == Decimal("724.5")


def test_a_temperature_is_converted_with_its_offset(api, drain):
    credit = measured(
        api,
        drain,
        node("average", unit="degC"),
        points=[given.number("mass", unit="degF")],
        values=[{"mass": 212}, {"mass": 32}],
        unit="degC",
    )

    assert credit == 50


TAGGED = [given.number("mass"), given.text("quality"), given.boolean("certified")]
QUALITIES = [
    {"mass": 1, "quality": "A1", "certified": True},
    {"mass": 2, "quality": "B1", "certified": False},
    {"mass": 4, "quality": "A2", "certified": True},
    {"mass": 8},
]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("mass > 2", 12),
        ("mass >= 2 and mass < 8", 6),
        ("mass between 2 and 4", 6),
        ("mass in (1, 8)", 9),
        ("(mass * 2 + 1) = 5", 2),
        ("quality = 'A1'", 1),
        ("quality != 'A1'", 6),
        ("quality starts with 'A'", 5),
        ("quality ends with '1'", 3),
        ("quality contains '2'", 4),
        ("quality in ('A1', 'B1')", 3),
        ("quality is null", 8),
        ("certified", 5),
        ("not certified", 2),
        ("certified = false", 2),
        ("certified or mass = 8", 13),
    ],
)
def test_a_filter_chooses_events_by_their_values(api, drain, condition, expected):
    credit = measured(api, drain, node("sum", f', where: "{condition}"'), points=TAGGED, values=QUALITIES)

    assert credit == expected


def test_a_filter_chooses_events_by_their_tags(api, drain):
    nodes = """
  - slug: straw
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "feedstock = 'Straw'"}
    unit: t
  - slug: truck
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "tracking_id starts with 'T'"}
    unit: t
  - slug: yard
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "location = 'Yard'"}
    unit: t
  - slug: mass
    formula: straw + 10 * truck + 100 * yard
    unit: t
    output: true
"""
    plant = accounting.plant(api, drain, nodes)
    yard = given.location(api, plant.project, name="Yard")
    plant.deliver(1, feedstock_id=plant.feedstock("Straw"))
    plant.deliver(2, tracking_id="T 7")
    plant.deliver(4, locations=[yard])
    plant.deliver(8, feedstock_id=plant.feedstock("Wood"), tracking_id="S 7")

    plant.generate()

    assert plant.credits() == {"2025-01": 421}


def test_an_optional_input_without_data_takes_its_default(api, drain):
    nodes = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: max}
    unit: kWh
    optional: true
    default: 7
  - slug: total
    formula: mass * power
    unit: t*kWh
    output: true
"""
    plant = accounting.plant(api, drain, nodes, primary_output="total", unit="t*kWh")
    plant.deliver(2)

    plant.generate()

    assert plant.credits() == {"2025-01": 14}


def test_an_optional_sum_without_data_is_zero(api, drain):
    nodes = accounting.MASS + accounting.POWER_EVENLY.replace("unit: kWh", "unit: kWh\n    optional: true")
    plant = accounting.plant(api, drain, nodes, unit="kWh", output="power")
    plant.deliver(2)

    plant.generate()

    assert plant.credits() == {"2025-01": 0}


def test_an_optional_input_without_data_or_default_has_no_value(api, drain):
    nodes = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: max}
    unit: kWh
    optional: true
  - slug: billed
    formula: coalesce(power, quantity(1, "kWh"))
    unit: kWh
"""
    plant = accounting.plant(api, drain, nodes)
    plant.deliver(2)

    plant.generate()

    (batch,) = plant.batches()
    lineage = api.get(f"/batches/{batch['id']}/lineage").expect(200).body
    assert [(one["slug"], one["value"]) for one in lineage["nodes"]] == [("mass", 2), ("billed", 1)]


def test_a_model_that_reads_what_the_project_does_not_have_is_refused_with_every_input(api, drain):
    nodes = """
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
"""
    plant = accounting.plant(api, drain, nodes, is_model_of_project=False)
    path, body = f"/ledgers/{plant.ledger['id']}/generate_preview", accounting.range_of(accounting.JANUARY)

    errors = api.post(path, body).expect(422).errors

    assert [(error["field"], error["message"]) for error in errors] == [
        ("mass", "Input 'mass' reads the event type 'shipment', which the project does not have."),
        ("power", "Input 'power' reads 'heat' of 'bill', which has the data points energy."),
        ("weight", "Input 'weight' is in kWh and reads 'mass' in t, which count different things."),
    ]


def test_the_sum_of_a_text_is_refused_and_its_count_is_not(api, drain):
    project = given.project(api)
    given.event_type(api, project, data_point_types=[given.text("note")])
    counted = node("count", unit="", slug="note")
    plants = []
    for nodes, unit in ((node("sum", slug="note"), "t"), (counted, "1")):
        model = accounting.model(api, None, accounting.document(nodes, primary_output="total"))
        ledger = accounting.ledger(api, project, model, name=unit, unit=unit)
        plants.append(accounting.Plant(api, drain, project, model, ledger))
    given.event(api, project, values={"note": "dry"})
    path = f"/ledgers/{plants[0].ledger['id']}/generate_preview"

    error = api.post(path, accounting.range_of(accounting.JANUARY)).expect(422).error
    plants[1].generate()

    assert error["message"] == "Input 'total' reads 'note' of 'delivery', which is a string, no number."
    assert plants[1].credits() == {"2025-01": 1}
