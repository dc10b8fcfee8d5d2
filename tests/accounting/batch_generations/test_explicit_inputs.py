"""Explicit inputs: data points that are named, types that are set aside. Design, Explicit inputs."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import JANUARY, MASS, POWER_EVENLY
from tests.given.inputs import recomputed

FEBRUARY = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
BOTH = ("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z")


def point(api, plant, event):
    """The id of the first data point of an event."""
    path = f"/projects/{plant.project['id']}/events/{event}/data_points"
    return api.get(path).expect(200).data[0]["id"]


def type_id(api, plant, slug):
    kinds = api.get(f"/projects/{plant.project['id']}/event_types").expect(200).data
    return next(one["id"] for kind in kinds for one in kind["data_point_types"] if one["slug"] == slug)


def problem_of(plant, **fields):
    refused = plant.start(**fields).expect(422)
    assert (
        plant.api.post(
            f"/ledgers/{plant.ledger['id']}/generate_preview", accounting.range_of(JANUARY, **fields)
        )
        .expect(422)
        .body["errors"]
        == refused.body["errors"]
    )
    return [(error["field"], error["message"]) for error in refused.body["errors"]]


def test_what_is_named_is_the_complete_set_for_the_inputs_that_it_touches(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    first, _ = plant.deliver(1, 3), plant.deliver(2, 4)
    plant.bill(10)

    named = [point(api, plant, first)]
    assert plant.preview(data_point_ids=named)[0]["count"] == 1
    plant.generate(data_point_ids=named)

    (batch,) = plant.batches()
    assert batch["primary_output"]["value"] == 1
    assert [row["data_point"]["value"] for row in batch["input_data"]] == [1, 10]


def test_a_set_stays_with_its_slot_until_another_replaces_it_and_an_empty_one_clears(api, drain, server):
    plant = accounting.plant(api, drain)
    first, second = plant.deliver(1, 3), plant.deliver(2, 4)
    plant.generate(data_point_ids=[point(api, plant, first)])
    plant.deliver(4, 5)

    assert plant.generate()["unchanged"] == 1
    assert plant.batches()[-1]["run_total"] == 1

    plant.generate(data_point_ids=[point(api, plant, second)])
    assert plant.batches()[-1]["run_total"] == 2

    plant.generate(data_point_ids=[])
    assert plant.batches()[-1]["run_total"] == 7
    assert recomputed(server, plant) == []


def test_data_that_come_later_are_reported_as_long_as_others_are_named_or_their_type_is_skipped(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    first = plant.deliver(1, 3)
    plant.generate(
        data_point_ids=[point(api, plant, first)],
        skipped_data_point_type_ids=[type_id(api, plant, "energy")],
    )
    second, third, bill = plant.deliver(2, 5), plant.deliver(2, 4), plant.bill(10)

    result = plant.generate()

    assert result["unchanged"] == 1
    assert result["not_counted"] == plant.preview()[0]["not_counted"]
    assert [(one["reason"], one["event_count"], one["events"]) for one in result["not_counted"]] == [
        ("other data were named for input mass", 2, [third, second]),
        ("the type that input power reads was set aside", 1, [bill]),
    ]
    assert plant.generate(data_point_ids=[], skipped_data_point_type_ids=[])["not_counted"] == []


def test_a_set_holds_for_the_slots_of_its_data_and_others_discover(api, drain):
    plant = accounting.plant(api, drain)
    first = plant.deliver(1, 3)
    plant.deliver(2, 4)
    plant.deliver(8, "2025-02-05T00:00:00Z")

    plant.generate(BOTH, data_point_ids=[point(api, plant, first)])

    assert plant.credits() == {"2025-01": 1, "2025-02": 8}


def test_data_of_other_slots_and_unknown_data_are_refused_by_name(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, 3)
    late = point(api, plant, plant.deliver(2, "2025-02-04T00:00:00Z"))

    assert problem_of(plant, data_point_ids=[late, "in_nothing"]) == [
        ("data_point_ids", "data_point_ids names 'in_nothing', which is no data point of the project."),
        ("data_point_ids", f"data_point_ids names {late}, which no input finds in the selected slots."),
    ]


def test_data_of_another_project_are_unknown(api, drain):
    plant, other = accounting.plant(api, drain), accounting.plant(api, drain)
    plant.deliver(1, 3)
    foreign = point(api, other, other.deliver(1, 3))

    assert problem_of(plant, data_point_ids=[foreign]) == [
        ("data_point_ids", f"data_point_ids names {foreign!r}, which is no data point of the project.")
    ]


def test_a_type_that_is_set_aside_counts_as_zero_in_a_sum_and_is_recorded(api, drain, server):
    nodes = MASS + POWER_EVENLY
    plant = accounting.plant(api, drain, nodes)
    plant.deliver(1, 3)
    plant.bill(10)
    energy = type_id(api, plant, "energy")

    plant.generate(skipped_data_point_type_ids=[energy])

    (batch,) = plant.batches()
    assert batch["input_data_count"] == 2
    skipped = batch["input_data"][-1]
    assert skipped["data_point"]["skipped_input"] is True
    assert (skipped["data_point"]["slug"], skipped["data_point"]["value"]) == ("energy", 0)
    assert skipped["event"] == {"project_id": plant.project["id"], "id": None}
    page = api.get(f"/batches/{batch['id']}/input_data", {"page_size": "1", "page": "2"}).expect(200)
    assert page.data == [skipped]
    nodes = api.get(f"/batches/{batch['id']}/lineage").expect(200).body["nodes"]
    assert [(node["slug"], node["skipped_input"]) for node in nodes] == [("mass", False), ("power", True)]
    assert recomputed(server, plant) == []


def test_what_was_set_aside_stays_so_until_an_empty_list_clears_it(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    plant.deliver(1, 3)
    plant.bill(10)
    plant.generate(skipped_data_point_type_ids=[type_id(api, plant, "energy")])

    assert plant.generate()["unchanged"] == 1
    assert plant.generate(skipped_data_point_type_ids=[])["adjusted"] == 1
    assert plant.batches()[-1]["input_data_count"] == 2


def test_a_type_without_a_stand_in_and_unknown_types_are_refused(api, drain):
    nodes = MASS + POWER_EVENLY.replace("aggregate: sum, share: even", "aggregate: max")
    plant = accounting.plant(api, drain, nodes)
    plant.deliver(1, 3)
    energy = type_id(api, plant, "energy")

    found = problem_of(plant, skipped_data_point_type_ids=[energy, 2_000_000_000])

    assert found == [
        (
            "skipped_data_point_type_ids",
            (
                f"skipped_data_point_type_ids names {energy}, but input 'power', which reads it, "
                "cannot be skipped: it is no sum, not optional and has no default."
            ),
        ),
        (
            "skipped_data_point_type_ids",
            "skipped_data_point_type_ids names 2000000000, which is no data point type of the project.",
        ),
    ]


@pytest.mark.parametrize("field", ["data_point_ids", "skipped_data_point_type_ids"])
def test_the_answer_of_an_empty_request_is_that_of_none(api, drain, field):
    plant = accounting.plant(api, drain)
    plant.deliver(1, 3)

    assert plant.preview(**{field: []}) == plant.preview()


def test_two_meters_of_one_event_type_are_touched_one_by_one(api, drain, server):
    project = given.project(api)
    points = [given.number("mass"), given.text("meter")]
    given.event_type(api, project, data_point_types=points)
    nodes = "".join(
        f"""
  - slug: {meter}
    input: {{event_type: delivery, data_point_type: mass, aggregate: sum, where: meter = '{meter}'}}
    unit: t
    output: true
"""
        for meter in ("north", "south")
    )
    made = accounting.model(api, project, accounting.document(nodes, primary_output="north"))
    ledger = accounting.ledger(api, project, made)
    plant = accounting.Plant(api, drain, project, made, ledger)
    for meter, mass in (("north", 1), ("north", 2), ("south", 4)):
        given.event(
            api, project, start_time=f"2025-01-0{mass}T00:00:00Z", values={"mass": mass, "meter": meter}
        )
    events = api.get(f"/projects/{project['id']}/events").expect(200).data
    chosen = next(
        point["id"]
        for event in events
        for point in event["data_points"]
        if point["slug"] == "mass" and point["value"] == 2
    )

    plant.generate(data_point_ids=[chosen])

    nodes_found = api.get(f"/batches/{plant.batches()[0]['id']}/lineage").expect(200).body["nodes"]
    assert [(node["slug"], node["value"]) for node in nodes_found] == [("north", 2), ("south", 4)]
    assert recomputed(server, plant) == []


def test_arrays_of_the_same_events_run_in_parallel_however_they_were_named(api, drain, server):
    """No time tells these events apart; each array by itself would rank them by its own values."""
    nodes = """
  - slug: moisture
    input: {event_type: delivery, data_point_type: moisture, aggregate: values}
    unit: "1"
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
  - slug: water
    formula: sum(mass * moisture)
    unit: t
"""
    points = [given.number("mass"), given.number("moisture", unit="%")]
    project = given.measuring(api, *points)
    made = accounting.model(api, project, accounting.document(nodes, primary_output="water"))
    plant = accounting.Plant(api, drain, project, made, accounting.ledger(api, project, made))
    named = [
        point["id"]
        for mass, moisture in ((1, 50), (2, 10), (3, 30))
        for point in given.event(api, project, values={"mass": mass, "moisture": moisture})["data_points"]
    ]

    plant.generate(data_point_ids=named)
    plant.generate(data_point_ids=[])

    assert [batch["run_total"] for batch in plant.batches()] == [Decimal("1.6"), Decimal("1.6")]
    assert recomputed(server, plant) == []
