"""GET /batches/{batch_id}/input_data (`list_input_data`). Design, Batch lists."""

from decimal import Decimal

from tests.given import accounting
from tests.given import collection as given

EVENTS = 2_300


def many_deliveries(plant, count):
    """So many deliveries a minute apart, sent youngest first; gives their masses in order of time."""
    masses = [Decimal(index) / 100 for index in range(count)]
    bodies = [
        given.event_body(
            start_time=f"2025-01-{1 + index // 1440:02d}T{index // 60 % 24:02d}:{index % 60:02d}:00Z",
            values={"mass": mass},
        )
        for index, mass in enumerate(masses)
    ]
    given.events(plant.api, plant.project, bodies[::-1])
    return masses


def values(answer):
    return [row["data_point"]["value"] for row in answer.expect(200).data]


def test_events_of_one_moment_stand_in_order_of_tracking_id_client_reference_and_value(api, drain):
    plant = accounting.plant(api, drain)
    for mass, fields in (
        (5, {}),
        (4, {}),
        (3, {"client_reference": "b"}),
        (2, {"client_reference": "a"}),
        (1, {"tracking_id": "Z"}),
    ):
        plant.deliver(mass, **fields)
    plant.generate()
    (batch,) = plant.batches()

    assert values(api.get(f"/batches/{batch['id']}/input_data")) == [1, 2, 3, 4, 5]


def test_the_pages_of_many_events_are_all_rows_in_order_of_time_without_gap_or_overlap(api, drain):
    plant = accounting.plant(api, drain)
    masses = many_deliveries(plant, EVENTS)
    plant.generate()
    (batch,) = plant.batches()
    path = f"/batches/{batch['id']}/input_data"

    pages = [api.get(path, {"page_size": "200", "page": str(page)}) for page in range(1, 13)]

    assert [value for page in pages for value in values(page)] == masses
    assert (pages[-1].info["items"], pages[-1].info["total_items"]) == (100, EVENTS)
    assert (batch["input_data_count"], len(batch["input_data"])) == (EVENTS, 100)
    assert batch["input_data"] == pages[0].data[:100]


def test_a_page_across_the_border_of_a_chunk_is_whole(api, drain):
    plant = accounting.plant(api, drain)
    masses = many_deliveries(plant, 1_010)
    plant.generate()
    (batch,) = plant.batches()

    page = api.get(f"/batches/{batch['id']}/input_data", {"page_size": "7", "page": "143"})

    assert values(page) == masses[994:1001]


def test_events_that_two_inputs_read_come_set_by_set_and_by_position(api, drain):
    project = given.project(api)
    points = [given.number("mass"), given.text("note"), given.number("moisture", unit="%")]
    given.event_type(api, project, data_point_types=points)
    given.event_type(api, project, slug="bill", data_point_types=[given.number("energy", unit="kWh")])
    nodes = """
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
  - slug: moisture
    input: {event_type: delivery, data_point_type: moisture, aggregate: average, weight: mass}
    unit: "%"
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
    model = accounting.model(api, project, accounting.document(nodes))
    plant = accounting.Plant(api, drain, project, model, accounting.ledger(api, project, model))
    for day in (2, 1):
        time = f"2025-01-0{day}T00:00:00Z"
        given.event(api, project, start_time=time, values={"mass": day, "moisture": 10 + day, "note": "dry"})
        given.event(api, project, event_type="bill", start_time=time, values={"energy": 100 + day})
    plant.generate()
    (batch,) = plant.batches()
    path = f"/batches/{batch['id']}/input_data"

    rows = api.get(path).expect(200).data

    assert [(row["data_point"]["slug"], row["data_point"]["value"]) for row in rows] == [
        ("energy", 101), ("energy", 102), ("mass", 1), ("moisture", 11), ("mass", 2), ("moisture", 12),
    ]  # fmt: skip
    pages = [api.get(path, {"page_size": "1", "page": str(page)}).data for page in range(1, 7)]
    assert [row for page in pages for row in page] == rows


def test_a_page_beyond_the_last_is_empty(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    (batch,) = plant.batches()

    answer = api.get(f"/batches/{batch['id']}/input_data", {"page": "9"})

    assert (answer.expect(200).data, answer.info["total_items"]) == ([], 1)


def test_rows_are_neither_filtered_nor_sorted(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    (batch,) = plant.batches()

    for query in ({"filter[slug]": "mass"}, {"sort": "value"}):
        api.get(f"/batches/{batch['id']}/input_data", query).expect(400)
