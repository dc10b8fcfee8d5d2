"""Meters in partitions: the reading that stands when a slot begins is sought for every tag."""

from decimal import Decimal

from tests.given import collection as given
from tests.given import generation as given_generation
from tests.given import inputs as given_inputs
from tests.given.inputs import measure, nodes_of, recomputed

NODES = """
  - slug: level
    input: {event_type: tank, data_point_type: level, aggregate: time_weighted, partitions: true}
    unit: t
    output: true
  - slug: counted
    input: {event_type: tank, data_point_type: level, aggregate: delta}
    unit: t
"""


def test_each_asset_has_its_own_reading_at_the_start(api, drain, server):
    plant = given_inputs.plant(api, drain, NODES, primary_output="level", partition_type="asset")
    east, west = (given.asset(api, plant.project, name=name)["id"] for name in ("East", "West"))
    for asset, level, day in (
        (east, 10, "2024-12-01"), (west, 70, "2024-12-20"), (east, 20, "2024-12-30"),
        (west, 80, "2025-01-11"), (east, 51, "2025-01-01T00:00:00.001Z"),
    ):  # fmt: skip
        measure(plant, "tank", {"level": Decimal(level)}, day, asset_id=asset)

    plant.generate(("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    found = {batch["tracking_id"]: nodes_of(plant, place) for place, batch in enumerate(plant.batches())}
    assert {name: nodes["counted"]["value"] for name, nodes in found.items()} == {
        "2025-01 East": 31,
        "2025-01 West": 10,
    }
    assert found["2025-01 West"]["level"]["value"] == Decimal("76.77419354838709677419354838709677")
    assert recomputed(server, plant) == []


def test_an_asset_without_a_reading_in_the_slot_does_not_run(api, drain):
    plant = given_inputs.plant(api, drain, NODES, primary_output="level", partition_type="asset")
    east, west = (given.asset(api, plant.project, name=name)["id"] for name in ("East", "West"))
    measure(plant, "tank", {"level": 1}, "2024-12-01", asset_id=east)
    measure(plant, "tank", {"level": 1}, "2024-12-01", asset_id=west)
    measure(plant, "tank", {"level": 2}, "2025-01-05", asset_id=west)

    plant.generate()

    assert [batch["tracking_id"] for batch in plant.batches()] == ["2025-01 West"]
    assert plant.preview()[0]["not_counted"] == []


COUNTED = """
  - slug: counted
    input: {event_type: tank, data_point_type: level, aggregate: delta}
    unit: t
    output: true
"""
OPTIONAL = COUNTED.replace("output: true", "output: true\n    optional: true\n    default: 0")
ALONE = "their meter has no reading before or after them, from or to which input counted could count"


def counting(api, drain, nodes=COUNTED, **fields):
    return given_inputs.plant(api, drain, nodes, primary_output="counted", **fields)


def read(plant, level, start, **tags):
    return measure(plant, "tank", {"level": Decimal(level)}, start, **tags)


def asset(plant, name, **fields):
    return given.asset(plant.api, plant.project, name=name, **fields)["id"]


def location(plant, name):
    return {"locations": [{"id": given.location(plant.api, plant.project, name=name)["id"]}]}


def test_what_two_meters_counted_is_added(api, drain, server):
    plant = counting(api, drain)
    east, west = asset(plant, "East"), asset(plant, "West")
    read(plant, 100, "2025-01-01", asset_id=east)
    read(plant, 9000, "2025-01-01", asset_id=west)
    read(plant, 110, "2025-01-31", asset_id=east)
    read(plant, 9005, "2025-01-31", asset_id=west)

    plant.generate()

    assert plant.credits() == {"2025-01": 15}
    assert recomputed(server, plant) == []


def test_a_meter_is_the_asset_else_the_first_location_else_the_event_type(api, drain, server):
    plant = counting(api, drain)
    east, yard, quay = {"asset_id": asset(plant, "East")}, location(plant, "Yard"), location(plant, "Quay")
    for day, levels in (("2024-12-30", (5, 70, 600, 8)), ("2025-01-07", (6, 72, 604, 16))):
        for level, tags in zip(levels, (east | yard, yard, quay, {}), strict=True):
            read(plant, level, day, **tags)
    read(plant, 38, "2025-01-21", **east, **quay)

    plant.generate()

    assert plant.credits() == {"2025-01": 1 + 2 + 4 + 8 + 32}
    assert recomputed(server, plant) == []


def test_a_reset_is_judged_for_each_meter(api, drain):
    plant = counting(api, drain)
    east, west = asset(plant, "East"), asset(plant, "West")
    for level, day, meter in (
        (990, "2025-01-01", east), (50, "2025-01-01", west), (999, "2025-01-11", east),
        (60, "2025-01-11", west), (3, "2025-01-21", east), (65, "2025-01-21", west),
    ):  # fmt: skip
        read(plant, level, day, asset_id=meter)

    plant.generate()

    assert plant.credits() == {"2025-01": 9 + 3 + 10 + 5}


def test_a_meter_that_begins_in_the_slot_counts_from_its_first_reading(api, drain):
    plant = counting(api, drain)
    east, west = asset(plant, "East"), asset(plant, "West")
    for level, day, meter in (
        (100, "2024-12-31", east), (110, "2025-01-31", east),
        (9000, "2025-01-20", west), (9005, "2025-01-31", west), (9105, "2025-02-20", west),
    ):  # fmt: skip
        read(plant, level, day, asset_id=meter)

    plant.generate(("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    assert plant.credits() == {"2025-01": 15, "2025-02": 100}


def test_a_meter_that_ended_long_ago_and_one_that_comes_later_count_in_their_own_slots(api, drain, server):
    plant = counting(api, drain)
    old, new = asset(plant, "Old"), asset(plant, "New")
    for level, day, meter in (
        (10, "2024-12-01", old), (30, "2025-01-05", old), (7, "2025-02-10", new), (9, "2025-03-10", new),
        (4, "2025-01-01", None), (5, "2025-02-20", None), (6, "2025-03-20", None),
    ):  # fmt: skip
        read(plant, level, day, **({"asset_id": meter} if meter else {}))

    plant.generate(("2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"))

    assert plant.credits() == {"2025-01": 20, "2025-02": 1, "2025-03": 3}
    assert recomputed(server, plant) == []


def test_the_only_reading_of_a_meter_is_named_though_the_input_has_a_default(api, drain, server):
    plant = counting(api, drain, OPTIONAL)
    only = read(plant, 100, "2025-01-10")

    named = [{"reason": ALONE, "event_type": "tank", "event_count": 1, "events": [only]}]
    assert plant.preview()[0]["not_counted"] == named
    plant.generate()

    assert plant.credits() == {"2025-01": 0}
    assert plant.preview()[0]["not_counted"] == named
    assert recomputed(server, plant) == []


def test_the_only_reading_of_one_meter_among_others_is_named(api, drain):
    plant = counting(api, drain)
    east = asset(plant, "East")
    read(plant, 1, "2025-01-01")
    read(plant, 3, "2025-01-31")
    only = read(plant, 500, "2025-01-20", asset_id=east)

    result = plant.generate()

    assert plant.credits() == {"2025-01": 2}
    assert [one["events"] for one in result["not_counted"]] == [[only]]
    assert only not in [row["event"]["id"] for row in plant.batches()[0]["input_data"]]


def test_readings_before_a_meter_got_its_tag_are_named_where_nothing_follows_them(api, drain, server):
    plant = counting(api, drain)
    east = asset(plant, "East")
    untagged = read(plant, 100, "2025-01-05")
    read(plant, 110, "2025-01-10", asset_id=east)
    read(plant, 125, "2025-01-20", asset_id=east)

    assert [one["events"] for one in plant.preview()[0]["not_counted"]] == [[untagged]]
    plant.generate()

    assert plant.credits() == {"2025-01": 15}
    assert recomputed(server, plant) == []


def test_partitions_have_together_what_a_meter_counted_whatever_tags_change(api, drain, server):
    plant = counting(
        api, drain, COUNTED.replace("delta", "delta, partitions: true"), partition_type="feedstock"
    )
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    for level, day, feedstock in (
        (100, "2024-12-31", None), (130, "2025-01-05", straw), (150, "2025-01-10", wood),
        (190, "2025-01-20", straw), (195, "2025-02-03", wood), (196, "2025-02-08", straw),
    ):  # fmt: skip
        read(plant, level, day, **({"feedstock_id": feedstock} if feedstock else {}))

    plant.generate(("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    assert plant.credits() == {
        "2025-01 Straw": 70, "2025-01 Wood": 20, "2025-02 Straw": 1, "2025-02 Wood": 5,
    }  # fmt: skip
    assert plant.preview()[0]["not_counted"] == []
    assert recomputed(server, plant) == []


COVERED = COUNTED.replace("aggregate: delta", "aggregate: delta, coverage: full")


def put_in_service(plant, meter, **fields):
    path = f"/projects/{plant.project['id']}/assets/{meter}"
    return plant.api.patch(path, {"asset": fields}).expect(200).body


def test_time_in_service_before_the_first_reading_is_a_gap(api, drain):
    plant = counting(api, drain, COVERED)
    new = asset(plant, "New", in_service_from="2025-01-10T00:00:00Z")
    read(plant, 1, "2025-01-12", asset_id=new)
    read(plant, 9, "2025-01-31", asset_id=new)

    assert plant.failure() == (
        "2025-01: Input 'counted' does not cover the slot: nothing of asset 'New' covers "
        "2025-01-10T00:00:00.000Z to 2025-01-12T00:00:00.000Z."
    )
    put_in_service(plant, new, in_service_from="2025-01-12T00:00:00Z")
    plant.generate()

    assert plant.credits() == {"2025-01": 8}


def test_a_meter_out_of_service_is_not_asked_to_cover_anything(api, drain):
    plant = counting(api, drain, COUNTED, cadences={"tank": (10, "day")})
    old = asset(plant, "Old", in_service_until="2025-01-21T00:00:00Z")
    gone = asset(plant, "Gone", in_service_until="2024-06-01T00:00:00Z")
    for level, day, meter in ((1, "2025-01-03", old), (4, "2025-01-13", old), (7, "2025-01-08", gone)):
        read(plant, level, day, asset_id=meter)

    plant.generate()

    assert plant.credits() == {"2025-01": 3}


def test_of_several_meters_the_percentage_is_of_their_time_in_service_together(api, drain):
    nodes = COUNTED.replace("aggregate: delta", "aggregate: sum, straddle: prorate, coverage: 75%")
    plant = counting(api, drain, nodes, cadence="daily")
    east, west = asset(plant, "East"), asset(plant, "West")
    day = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")
    for meter, end in ((east, "2025-01-02T00:00:00Z"), (west, "2025-01-01T12:00:00Z")):
        read(plant, 1, "2025-01-01", end_time=end, asset_id=meter)

    plant.generate(day)
    put_in_service(plant, east, in_service_from="2025-01-01T01:00:00Z")

    assert plant.credits() == {"2025-01-01": 2}
    assert "nothing of asset 'West' covers 2025-01-01T12:00:00.000Z" in plant.failure(day)


def test_batches_made_of_a_meter_are_stale_when_its_time_in_service_changes(api, drain):
    plant = counting(api, drain)
    east, west = asset(plant, "East"), asset(plant, "West")
    yard = location(plant, "Yard")
    for level, day in ((1, "2025-01-01"), (2, "2025-01-31"), (3, "2025-02-28"), (4, "2025-03-31")):
        read(plant, level, day, asset_id=east)
        read(plant, level, day, **yard)
    plant.generate(("2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"))

    put_in_service(plant, west, in_service_from="2025-02-10T00:00:00Z")
    assert stale(plant) == {}
    put_in_service(plant, east, in_service_until="2025-03-31T12:00:00Z")
    assert stale(plant) == {"2025-03": [("service_changed", east)]}
    put_in_service(plant, east, in_service_until="2025-02-10T00:00:00Z")
    place = yard["locations"][0]["id"]
    body = {"location": {"in_service_from": "2025-01-01T00:00:01Z"}}
    api.patch(f"/projects/{plant.project['id']}/locations/{place}", body).expect(200)
    assert stale(plant) == {
        "2025-01": [("service_changed", place)],
        "2025-02": [("service_changed", east)],
        "2025-03": [("service_changed", east)],
    }
    put_in_service(plant, east, in_service_until="2025-02-10T00:00:00Z", description="the same")
    plant.generate(("2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"))

    assert stale(plant) == {}
    assert plant.credits() == {"2025-01": 2, "2025-02": 2, "2025-03": 2}


def stale(plant):
    return {
        batch["tracking_id"]: [(one["reason"], one["record"]) for one in batch["stale_reasons"]]
        for batch in plant.batches()
        if batch["is_stale"]
    }


def test_the_time_in_service_stays_while_a_generation_runs(api, drain, server):
    plant = counting(api, drain)
    east = asset(plant, "East")
    path = f"/projects/{plant.project['id']}/assets/{east}"

    with given_generation.running(server, plant):
        api.patch(path, {"asset": {"in_service_from": "2025-01-01T00:00:00Z"}}).expect(409)
        api.patch(path, {"asset": {"description": "East of the kiln"}}).expect(200)
