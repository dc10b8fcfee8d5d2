"""PATCH with dry_run=true: what a planned change would come to, and that it is not made."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import inputs as given_inputs
from tests.given.accounting import MASS
from tests.given.chain import inventory, link, produce
from tests.given.inputs import WET, measure

JANUARY = "2025-01-01T00:00:00.000Z", "2025-02-01T00:00:00.000Z"
QUARTER = "2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"
DRY = {"dry_run": "true"}
DRY_MASS = (
    WET
    + """
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: average, period: any,
      join: {to: wet, on: tracking_id}}
    unit: "%"
  - slug: dry
    formula: sum(wet * (1 - moisture))
    unit: t
    output: true
"""
)
COUNTED = """
  - slug: counted
    input: {event_type: tank, data_point_type: level, aggregate: delta}
    unit: t
    output: true
"""


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


def event_of(api, plant, event):
    return api.get(f"/projects/{plant.project['id']}/events/{event}").expect(200).body


def point_of(api, plant, event):
    return event_of(api, plant, event)["data_points"][0]["id"]


def routes(plant, event, point):
    """Both paths of a data point."""
    inside = f"/projects/{plant.project['id']}"
    return f"{inside}/data_points/{point}", f"{inside}/events/{event}/data_points/{point}"


def try_value(api, plant, event, value, **options):
    path, _ = routes(plant, event, point_of(api, plant, event))
    return api.patch(path, {"data_point": {"value": value}}, query=DRY, **options)


def try_event(api, plant, event, **fields):
    return api.patch(f"/projects/{plant.project['id']}/events/{event}", {"event": fields}, query=DRY)


def outputs(answer):
    return [
        (one["start_time"][:7], one["primary_output_before"], one["primary_output_after"])
        for one in answer.expect(200).body["batches"]
    ]


@pytest.mark.parametrize("place", [0, 1])
def test_a_dry_run_says_what_a_correction_would_come_to(api, plant, place):
    event = plant.deliver(50)
    [batch] = plant.generate()["batches"]
    point = point_of(api, plant, event)

    said = api.patch(routes(plant, event, point)[place], {"data_point": {"value": 44}}, query=DRY)

    assert said.expect(200).body == {
        "batches": [
            {
                "batch_id": batch,
                "ledger_id": plant.ledger["id"],
                "partition": None,
                "start_time": JANUARY[0],
                "end_time": JANUARY[1],
                "primary_output_before": 50,
                "primary_output_after": 44,
                "unit": "t",
            }
        ],
        "ledgers": [
            {
                "ledger_id": plant.ledger["id"],
                "name": plant.ledger["name"],
                "batch_count": 1,
                "change": -6,
                "unit": "t",
                "primary_output_before": 50,
                "primary_output_after": 44,
            }
        ],
        "reports": [],
        "stale_batches": [
            {
                "batch_id": batch,
                "ledger_id": plant.ledger["id"],
                "reasons": [{"reason": "data_point_corrected", "record": point}],
                "tracking_id": "2025-01",
                "ledger_name": plant.ledger["name"],
            }
        ],
        "deficits": [],
        "problems": [],
        "not_followed": [],
        "following_rules": [],
    }


def test_an_event_that_would_move_to_another_month_changes_both(api, plant):
    event = plant.deliver(50)
    plant.deliver(7, day="2025-02-03T00:00:00Z")
    plant.generate(QUARTER)

    said = try_event(api, plant, event, start_time="2025-02-20T00:00:00Z")

    assert outputs(said) == [("2025-01", 50, 0), ("2025-02", 7, 57)]
    assert said.body["ledgers"][0]["change"] == 0
    assert [one["reasons"] for one in said.body["stale_batches"]] == [
        [{"reason": "event_corrected", "record": event}]
    ]


def test_an_event_that_would_move_where_nothing_was_generated_is_missed_where_it_was(api, plant):
    event = plant.deliver(50)
    plant.generate()

    said = try_event(api, plant, event, start_time="2025-06-20T00:00:00Z")

    assert outputs(said) == [("2025-01", 50, 0)]


def test_an_event_that_would_have_another_feedstock_changes_both_partitions(api, drain):
    plant = given_accounting.plant(api, drain, partition_type="feedstock")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    event = plant.deliver(50, feedstock_id=wood)
    plant.generate()

    said = try_event(api, plant, event, feedstock_id=straw).expect(200).body["batches"]

    assert [
        (one["partition"], one["primary_output_before"], one["primary_output_after"]) for one in said
    ] == [
        ("Straw", 0, 50),
        ("Wood", 50, 0),
    ]
    assert said[0]["batch_id"] is None


def test_the_deficit_of_two_months_is_that_of_both_together(api, drain):
    deliveries = inventory(api, drain)
    event = deliveries.deliver(50)
    deliveries.deliver(1, day="2025-02-03T00:00:00Z")
    deliveries.generate(QUARTER)
    production = link(deliveries)
    produce(production, 24, day="2025-03-01T00:00:00Z")
    production.generate(QUARTER)

    moved = try_event(api, deliveries, event, start_time="2025-02-20T00:00:00Z").expect(200).body
    beyond = try_event(api, deliveries, event, start_time="2025-06-20T00:00:00Z").expect(200).body

    assert moved["deficits"] == []
    assert [one["amount"] for one in beyond["deficits"]] == [47]


def test_batches_that_draw_from_changed_ones_would_be_stale(api, drain):
    deliveries = inventory(api, drain)
    event = deliveries.deliver(50)
    [source] = deliveries.generate()["batches"]
    production = link(deliveries)
    produce(production, 10)
    [made] = production.generate()["batches"]

    said = try_value(api, deliveries, event, 40).expect(200).body["stale_batches"]

    assert [(one["batch_id"], one["reasons"][0]["reason"]) for one in said] == [
        (source, "data_point_corrected"),
        (made, "upstream_stale"),
    ]


def test_a_reason_that_a_batch_has_already_is_not_repeated(api, plant):
    event = plant.deliver(50)
    plant.generate()
    path, _ = routes(plant, event, point_of(api, plant, event))
    api.patch(path, {"data_point": {"value": 48}}).expect(200)

    said = try_value(api, plant, event, 44)

    assert outputs(said) == [("2025-01", 48, 44)]
    assert said.body["stale_batches"] == []


def test_a_reading_before_a_month_changes_what_the_meter_counted_in_it(api, drain):
    plant = given_inputs.plant(api, drain, COUNTED, primary_output="counted")
    first = measure(plant, "tank", {"level": 10}, "2025-01-05")
    for level, day in ((20, "2025-01-20"), (50, "2025-02-10"), (90, "2025-03-10")):
        measure(plant, "tank", {"level": level}, day)
    plant.generate(QUARTER)

    moved = {"start_time": "2025-01-25T00:00:00Z", "data_points": [{"slug": "level", "value": 25}]}
    said = try_event(api, plant, first, **moved)

    assert outputs(said)[-1] == ("2025-02", 30, 25)


def test_a_result_of_any_period_that_would_be_matched_concerns_the_slot_that_it_is_matched_in(api, drain):
    plant = given_inputs.plant(api, drain, DRY_MASS, primary_output="dry")
    measure(plant, "delivery", {"mass": 10}, "2025-01-03", tracking_id="A")
    measure(plant, "lab", {"moisture": 10}, "2025-02-10", tracking_id="A")
    plant.generate()
    result = measure(plant, "lab", {"moisture": 50}, "2025-06-10", tracking_id="B")

    said = try_event(api, plant, result, tracking_id="A")

    assert outputs(said) == []
    [problem] = said.body["problems"]
    assert problem.startswith("2025-01: Input 'moisture' matches ")


def test_notes_change_nothing(api, plant):
    event = plant.deliver(50)
    plant.generate()

    said = try_event(api, plant, event, notes="Seen").expect(200).body

    assert said == {
        "batches": [],
        "ledgers": [],
        "reports": [],
        "stale_batches": [],
        "deficits": [],
        "problems": [],
        "not_followed": [],
        "following_rules": [],
    }
    assert event_of(api, plant, event)["notes"] is None


def test_what_would_fail_the_generation_is_said_and_leaves_the_batches(api, drain):
    plant = given_accounting.plant(api, drain, MASS + given_accounting.FAILS_AT_ZERO)
    event = plant.deliver(50)
    plant.generate()

    said = try_value(api, plant, event, 0).expect(200).body

    [problem] = said["problems"]
    assert problem.startswith("2025-01: ")
    assert (said["batches"], said["ledgers"]) == ([], [])


def test_a_dry_run_is_refused_for_what_the_change_is_refused_for(api, plant):
    event = plant.deliver(50)
    path, below = routes(plant, event, point_of(api, plant, event))
    of_event = f"/projects/{plant.project['id']}/events/{event}"
    wrong = [
        (path, {"data_point": {"value": "much"}}),
        (path, {"data_point": {}}),
        (path, {"data_point": {"value": 1, "raison": "x"}}),
        (below, {"data_point": {"value": True}}),
        (path[:-1] + ("0" if path[-1] != "0" else "1"), {"data_point": {"value": 1}}),
        (of_event, {"event": {"start_time": "2025-01-01"}}),
        (of_event, {"event": {"end_time": "2020-01-01T00:00:00Z"}}),
        (of_event, {"event": {"feedstock_id": "fst_000000000000000000000000"}}),
        ("/projects/999999/events/" + event, {"event": {"notes": "x"}}),
    ]

    for where, body in wrong:
        real, dry = api.patch(where, body), api.patch(where, body, query=DRY)

        assert real.status >= 400
        assert (dry.status, dry.body["errors"]) == (real.status, real.body["errors"]), (where, body)


def test_dry_run_is_true_or_false(api, plant):
    event = plant.deliver(50)
    path, _ = routes(plant, event, point_of(api, plant, event))
    body = {"data_point": {"value": 44}}

    answer = api.patch(path, body, query={"dry_run": "maybe"}).expect(400)
    assert answer.error["message"] == "dry_run is 'maybe'; it takes true or false, once."

    assert api.patch(path, body, query={"dry_run": "false"}).expect(200).body["value"] == 44


def test_a_dry_run_needs_to_read_the_accounting_too(account, api, plant):
    event = plant.deliver(50)
    writer = account.caller("data_collection:write")
    reader = account.caller("data_collection:read", "production_accounting:read")

    assert try_value(writer, plant, event, 44).expect(403).error["message"] == (
        "The token lacks the permission production_accounting:read, which a dry run needs."
    )
    point = point_of(api, plant, event)
    reader.patch(routes(plant, event, point)[0], {"data_point": {"value": 44}}, query=DRY).expect(403)


def test_a_key_of_a_dry_run_is_still_free_for_the_change(api, plant):
    event = plant.deliver(50)
    plant.generate()
    path, _ = routes(plant, event, point_of(api, plant, event))
    body, headers = {"data_point": {"value": 44}}, {"idempotency-key": "once"}

    first = api.patch(path, body, query=DRY, headers=headers)
    made = api.patch(path, body, headers=headers)
    again = api.patch(path, {"data_point": {"value": 40}}, query=DRY, headers=headers)

    assert outputs(first) == [("2025-01", 50, 44)]
    assert made.expect(200).body["value"] == 44
    assert "idempotency-replayed" not in made.headers
    assert outputs(again) == [("2025-01", 44, 40)]
