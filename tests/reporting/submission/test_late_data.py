"""Late data: a report waits until a generation has looked at all that is stored of its time."""

import pytest
from tests.given import accounting, chain, reports

HEAVY = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "{{mass}} > 2"}
    unit: t
    output: true
"""
"""Deliveries of more than two tonnes; a lighter one never counts."""


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def submit(claims, report):
    return claims.plant.api.post(f"/reports/{report['id']}/submit", {})


def late(answer):
    """The records that are late; a refusal for anything else fails the test."""
    _, *others = answer.expect(422).errors
    assert {error["code"] for error in others} == {"late_data"}, others
    return [record for error in others for record in error["records"]]


def test_an_event_that_came_after_its_batch_blocks_the_report_until_its_slot_is_generated(claims):
    draft = claims.report(5)
    came = claims.plant.deliver(2, 20)

    answer = submit(claims, draft)

    assert late(answer) == [came]
    said = answer.errors[1]["message"]
    assert said == (
        f"1 events of its time are newer than the batches of Deliveries; generate its period again: {came}."
    )
    claims.plant.generate()
    submit(claims, draft).expect(202)


def test_data_of_another_time_or_another_kind_do_not_block_it(claims):
    draft = claims.report(5)
    claims.plant.deliver(2, "2025-02-10T00:00:00Z")
    claims.plant.deliver(2, "2024-12-31T23:59:59Z")
    claims.plant.bill(7, 20)

    submit(claims, draft).expect(202)


def test_what_a_generation_saw_and_did_not_count_is_not_late(api, drain):
    claims = reports.Claims(accounting.plant(api, drain, cadence="daily"))
    claims.plant.deliver(5, 2)
    stretch = {"end_time": "2025-01-03T10:00:00Z"}
    crossing = claims.plant.deliver(1, "2025-01-02T22:00:00Z", **stretch)
    result = claims.plant.generate()

    assert [one["events"] for one in result["not_counted"]] == [[crossing]]
    draft = claims.report(5)
    submit(claims, draft).expect(202)


def test_what_the_condition_of_a_model_leaves_out_is_never_late(api, drain):
    claims = reports.claims(api, drain, 5, 3, nodes=HEAVY)
    draft = claims.report(5)
    claims.plant.deliver(1, 20)
    submit(claims, draft).expect(202)

    second = claims.report(0, 3)
    came = claims.plant.deliver(4, "2025-02-20T00:00:00Z")
    assert late(submit(claims, second)) == [came]


def test_an_event_that_did_not_count_and_was_changed_since_is_late(api, drain):
    claims = reports.Claims(accounting.plant(api, drain, HEAVY))
    claims.plant.deliver(5, 2)
    light = claims.plant.deliver(1, 20)
    claims.plant.generate()
    draft = claims.report(5)
    home = f"/projects/{claims.plant.project['id']}"
    point = api.get(f"{home}/events/{light}").body["data_points"][0]["id"]

    api.patch(f"{home}/data_points/{point}", {"data_point": {"value": 4}}).expect(200)

    assert late(submit(claims, draft)) == [light]


def test_a_month_between_its_batches_that_was_never_generated_blocks_it(api, drain):
    claims = reports.Claims(accounting.plant(api, drain))
    for month in ("01", "02", "03"):
        claims.plant.deliver(5, f"2025-{month}-10T00:00:00Z")
    claims.plant.generate()
    claims.plant.generate(chain.MARCH)
    between = claims.plant.api.get(
        f"/projects/{claims.plant.project['id']}/events", {"sort": "start_time"}
    ).data[1]["id"]
    draft = claims.report(5, 5)

    assert late(submit(claims, draft)) == [between]
    claims.plant.generate(chain.FEBRUARY)
    submit(claims, draft).expect(202)


def test_data_that_are_late_for_what_its_batches_draw_from_block_it(api, drain):
    first = chain.inventory(api, drain)
    first.deliver(10)
    first.generate()
    second = chain.link(first)
    chain.produce(second, 4)
    second.generate()
    claims = reports.Claims(second)
    draft = claims.report(4)
    came = first.deliver(1, 20)

    answer = submit(claims, draft)

    assert late(answer) == [came]
    assert "of Deliveries" in answer.errors[1]["message"]


def test_other_batches_of_its_time_that_are_stale_block_it(api, drain):
    claims = reports.claims(api, drain, 5, 3, 2)
    draft = claims.report(5, 0, 2)
    home = f"/projects/{claims.plant.project['id']}"
    event = api.get(f"{home}/events", {"sort": "start_time"}).data[1]
    body = {"data_point": {"value": 4}}
    api.patch(f"{home}/data_points/{event['data_points'][0]['id']}", body).expect(200)

    assert late(submit(claims, draft)) == [claims.batch(1)]
    claims.plant.generate(accounting.QUARTER)
    submit(claims, draft).expect(202)


def test_an_event_of_a_model_that_runs_at_events_is_late_until_its_range_is_generated(api, drain):
    nodes = accounting.MASS
    plant = accounting.plant(api, drain, nodes, cadence="event", partition_type="tracking_id")
    plant.deliver(5, 2, tracking_id="A")
    plant.deliver(3, 20, tracking_id="B")
    plant.generate()
    claims = reports.Claims(plant)
    draft = claims.report(5, 3)
    came = plant.deliver(1, 10, tracking_id="C")

    assert late(submit(claims, draft)) == [came]
    plant.generate()
    submit(claims, draft).expect(202)


def test_an_event_that_moved_is_late_until_the_slot_where_it_is_now_was_generated(claims):
    plant = claims.plant
    moving = plant.deliver(2, 20)
    plant.generate(accounting.QUARTER)
    times = {"start_time": "2025-02-20T00:00:00Z", "end_time": "2025-02-20T00:00:00Z"}
    plant.api.patch(f"/projects/{plant.project['id']}/events/{moving}", {"event": times}).expect(200)
    plant.generate()
    draft = claims.report(*(batch["ledger_balance"] for batch in plant.batches()))

    assert late(submit(claims, draft)) == [moving]
    plant.generate(accounting.QUARTER)
    submit(claims, draft).expect(202)
