"""Drawing from a stale source is said, in the preview and in the result, with the source and its reason."""

from tests.given import chain
from tests.given.accounting import JANUARY


def correct(plant, event, value):
    path = f"/projects/{plant.project['id']}"
    point = plant.api.get(f"{path}/events/{event}").expect(200).body["data_points"][0]["id"]
    plant.api.patch(f"{path}/data_points/{point}", {"data_point": {"value": value}}).expect(200)
    return point


def test_a_stale_source_is_named_with_its_reason(api, drain):
    deliveries = chain.inventory(api, drain)
    event = deliveries.deliver(10)
    deliveries.generate()
    [source] = deliveries.batches()
    point = correct(deliveries, event, 12)
    production = chain.link(deliveries)
    chain.produce(production, 3, "2025-01-10T00:00:00Z")
    named = [
        {
            "batch_id": source["id"],
            "ledger_id": deliveries.ledger["id"],
            "tracking_id": "2025-01",
            "reasons": [{"reason": "data_point_corrected", "record": point}],
        }
    ]

    assert production.preview(JANUARY)[0]["stale_sources"] == named
    assert production.generate(JANUARY)["stale_sources"] == named


def test_the_run_of_a_source_says_it_whichever_of_its_batches_is_drawn(api, drain):
    deliveries = chain.inventory(api, drain)
    event = deliveries.deliver(10)
    deliveries.generate()
    correct(deliveries, event, 12)
    deliveries.generate()
    point = correct(deliveries, event, 14)
    production = chain.link(deliveries)
    chain.produce(production, 3, "2025-01-10T00:00:00Z")

    [named] = production.generate(JANUARY)["stale_sources"]

    assert named["batch_id"] == deliveries.batches(sort="id")[0]["id"]
    assert named["reasons"] == [{"reason": "data_point_corrected", "record": point}]


def test_a_source_that_stands_on_its_data_is_not_named(api, drain):
    deliveries = chain.inventory(api, drain)
    deliveries.deliver(10)
    deliveries.generate()
    production = chain.link(deliveries)
    chain.produce(production, 3, "2025-01-10T00:00:00Z")

    assert production.preview(JANUARY)[0]["stale_sources"] == []
    assert production.generate(JANUARY)["stale_sources"] == []
