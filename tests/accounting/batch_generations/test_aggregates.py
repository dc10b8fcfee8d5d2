"""POST /ledgers/{ledger_id}/batch_generations: inputs computed from their elements. Model format, Nodes."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.inputs import recomputed

from weighbridge.core import identity


def reading(aggregate, options=""):
    return f"""
  - slug: level
    input: {{event_type: delivery, data_point_type: mass, aggregate: {aggregate}{options}}}
    unit: t
    output: true
"""


ARRAY = (
    reading("values").replace("    output: true\n", "")
    + """
  - slug: total
    formula: sum(level)
    unit: t
    output: true
"""
)


def value(api, plant, slug="level", number=0):
    return node(api, plant, slug, number)["value"]


def node(api, plant, slug, number=0):
    batch = plant.batches()[number]
    nodes = api.get(f"/batches/{batch['id']}/lineage").expect(200).body["nodes"]
    return next(one for one in nodes if one["slug"] == slug)


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [("first", "3"), ("last", "7.5"), ("median", "4"), ("min", "2"), ("max", "7.5")],
)
def test_readings_are_aggregated_in_the_order_of_their_times(api, drain, aggregate, expected):
    plant = accounting.plant(api, drain, reading(aggregate), primary_output="level")
    for mass, day in (("2", 9), ("7.5", 28), ("3", 2), ("5", 20)):
        plant.deliver(mass, day)

    plant.generate()

    assert value(api, plant) == Decimal(expected)


def test_an_average_over_time_starts_with_the_reading_before_the_slot(api, drain):
    plant = accounting.plant(api, drain, reading("time_weighted"), primary_output="level")
    plant.deliver(10, "2024-12-20T00:00:00Z")
    plant.deliver(4, "2024-11-20T00:00:00Z")
    plant.deliver(41, "2025-01-11T00:00:00Z")

    plant.generate()

    assert value(api, plant) == Decimal(31)


def test_a_totaliser_counts_from_the_last_reading_at_the_start_to_the_last_at_the_end(api, drain):
    plant = accounting.plant(api, drain, reading("delta"), primary_output="level")
    for mass, moment in (
        (100, "2024-12-31T12:00:00Z"), (130, "2025-01-10T00:00:00Z"), (5, "2025-01-20T00:00:00Z"),
        (25, "2025-02-01T00:00:00Z"), (45, "2025-02-01T00:00:01Z"),
    ):  # fmt: skip
        plant.deliver(mass, moment)

    plant.generate(("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    assert [value(api, plant, number=number) for number in (0, 1)] == [Decimal(55), Decimal(20)]


def test_arrays_flow_through_formulas_and_are_kept_with_the_batch(api, drain):
    nodes = (
        reading("values").replace("    output: true\n", "")
        + """
  - slug: squares
    formula: level * level
    unit: t^2
  - slug: hours
    formula: sum(duration_hours(level))
    unit: h
    output: true
  - slug: total
    formula: sum(squares) / unity + 0 * unity * value(period_days(), "d")
    unit: t
    output: true
  - slug: unity
    constant: 1
    unit: t
"""
    )
    plant = accounting.plant(api, drain, nodes, primary_output="total")
    plant.deliver(3, "2025-01-09T00:00:00Z", end_time="2025-01-09T06:30:00Z")
    plant.deliver(2, "2025-01-02T00:00:00Z")

    plant.generate()

    assert (value(api, plant, "total"), value(api, plant, "hours")) == (Decimal(13), Decimal("6.5"))
    assert (node(api, plant, "level")["value"], node(api, plant, "level")["elements"]) == (None, [2, 3])
    assert node(api, plant, "squares")["element_count"] == 2


def test_a_changed_element_is_found_when_the_batch_is_computed_anew(api, drain, server, sql):
    plant = accounting.plant(api, drain, ARRAY, primary_output="total")
    plant.deliver(3, 9)
    plant.generate()
    batch = identity.parse("batch", plant.batches()[0]["id"])
    [(digest,)] = sql(
        "SELECT elements_sha256 FROM batch_calculations WHERE batch_id = %s AND slug = 'level'", batch.key
    )
    change = "UPDATE batch_calculations SET elements_sha256 = %s WHERE batch_id = %s AND slug = 'level'"

    sql(change, b"0" * 32, batch.key)
    found = recomputed(server, plant)
    sql(change, digest, batch.key)

    assert len(found) == 1
    assert "node level is [1 3030" in found[0]
    assert recomputed(server, plant) == []


def test_an_array_of_many_elements_keeps_their_number_and_digest_alone(api, drain, server):
    plant = accounting.plant(api, drain, ARRAY, primary_output="total")
    bodies = [
        given.event_body(
            event_type="delivery",
            start_time=f"2025-01-{1 + n % 28:02d}T00:00:{n % 60:02d}Z",
            values={"mass": n},
        )
        for n in range(1001)
    ]
    given.events(api, plant.project, bodies)

    plant.generate()

    assert (node(api, plant, "level")["elements"], node(api, plant, "level")["element_count"]) == (None, 1001)
    assert value(api, plant, "total") == 500_500
    assert plant.batches()[0]["input_data_count"] == 1001
    assert recomputed(server, plant) == []
