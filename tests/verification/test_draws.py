"""Batches that drew from other ledgers are recomputed from what they had drawn then, to the last digit."""

import pytest
from tests.given import chain
from tests.given.accounting import QUARTER

MEASURED = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: intensity
    input: {event_type: bill, data_point_type: energy, aggregate: average}
    unit: kWh
    output: true
"""

CONSUMING = (
    chain.PRODUCED.replace("aggregate: sum", "aggregate: sum, partitions: true")
    + """
  - slug: there
    available: Deliveries
    unit: kg
  - slug: needed
    formula: min(made * 2, there / 3)
    unit: t
  - slug: burden
    formula: sum(drawn * drawn.intensity)
    unit: t*MWh
    output: true
"""
    + chain.upstream("amount: needed, order: pro_rata, attributes: [intensity]")
    + chain.upstream("select: manual", slug="extra", more="\n    optional: true")
    + chain.USED.replace("sum(drawn)", "sum(drawn) + sum(extra)")
)


@pytest.fixture(scope="module")
def making():
    return made


def made(server):
    """Two feedstocks draw from two months in proportion and by hand, twice; a source is adjusted between."""
    account = server.account()
    deliveries = chain.inventory(account.caller(), account.drain, MEASURED)
    for month, (mass, energy) in enumerate((("10.7", 3), ("5.3", "4.1")), start=1):
        deliveries.deliver(mass, f"2025-{month:02d}-05T00:00:00Z")
        deliveries.bill(energy, f"2025-{month:02d}-06T00:00:00Z")
    deliveries.generate(QUARTER)
    production = chain.link(deliveries, CONSUMING, output="used", partition_type="feedstock")
    straw, wood = production.feedstock("Straw"), production.feedstock("Wood")
    for feedstock in (straw, wood):
        chain.produce(production, "0.7", "2025-02-10T00:00:00Z", feedstock_id=feedstock)
    source = deliveries.batches()[0]["id"]
    production.generate(QUARTER, batch_amounts=[{"batch_id": source, "primary_output_amount": 1}])
    deliveries.bill(7, "2025-01-07T00:00:00Z")
    deliveries.generate(QUARTER)
    chain.produce(production, "0.4", "2025-02-11T00:00:00Z", feedstock_id=straw)
    production.generate(QUARTER)
    batches = deliveries.api.get("/batches", {"sort": "id", "page_size": "200"}).expect(200).data
    assert production.count(QUARTER) == 0
    assert [batch["is_stale"] for batch in batches] == [False] * len(batches)
    return batches


def test_books_with_draws_are_sound(books):
    assert books.violations() == {}


@pytest.mark.parametrize(
    "change",
    ["amount = amount + 0.000001", "attributes = ARRAY[attributes[1] + 1]", "units = ARRAY['MWh']"],
)
def test_another_record_of_a_draw_is_found(books, change):
    newest = f"batch_id = {books.number(-1)} AND node = 'drawn' AND place = 0"
    books.break_by(f"UPDATE batch_draws SET {change} WHERE {newest}")

    found = [line for lines in books.violations().values() for line in lines]

    assert any(books.batches[-1]["id"] in line for line in found), found


def test_what_an_available_node_saw_is_taken_as_it_was_written_down(books):
    books.break_by(
        f"UPDATE batch_calculations SET value = 1 WHERE batch_id = {books.number(-1)} AND slug = 'there'"
    )

    found = [line for lines in books.violations().values() for line in lines]

    assert any("node needed is 1.4 in the batch and 0.0003" in line for line in found), found
