"""What a run holds of a source run beyond what that comes to is drawn anew, or stays as it was drawn."""

import pytest
from tests.given import accounting, chain
from tests.given.accounting import MASS

INTENSITY = """
  - slug: intensity
    input: {event_type: bill, data_point_type: energy, aggregate: average}
    unit: kWh
    output: true
"""
BURDEN = """
  - slug: burden
    formula: sum(drawn * drawn.intensity)
    unit: t * kWh
    output: true
"""
YEAR = ("2025-01-01T00:00:00Z", "2025-12-31T23:59:59Z")
JANUARY, FEBRUARY, MARCH, APRIL = (f"2025-0{month}-05T00:00:00Z" for month in (1, 2, 3, 4))


class Works:
    """A ledger of deliveries, each with the intensity of its month, and one that draws from it."""

    def __init__(self, api, drain, sql):
        self.sql = sql
        self.deliveries = chain.inventory(api, drain, MASS + INTENSITY)
        self.sink = chain.link(
            self.deliveries,
            chain.drawing(", attributes: [intensity]") + BURDEN,
            output="burden",
            unit="t*kWh",
        )

    def deliver(self, mass, intensity, moment):
        return [self.deliveries.deliver(mass, moment), self.deliveries.bill(intensity, moment)]

    def remove(self, events):
        for event in events:
            accounting.void(self.sql, event)

    def generate(self):
        self.deliveries.generate(YEAR)
        return self.sink.generate(YEAR)

    def delete_sink(self):
        batches = [batch["id"] for batch in self.sink.batches()]
        path = f"/ledgers/{self.sink.ledger['id']}/batch_deletions"
        self.sink.api.post(path, {"batch_ids": batches}).expect(202)
        self.sink.drain()


def newest(plant):
    return {batch["tracking_id"]: batch["run_total"] for batch in plant.batches()}


@pytest.fixture
def works(api, drain, sql):
    return Works(api, drain, sql)


def test_a_delivery_of_another_month_is_drawn_instead_with_its_own_attributes(works):
    wrong_date = works.deliver(10, 3, JANUARY)
    chain.produce(works.sink, 3, MARCH)
    works.generate()
    works.remove(wrong_date)
    works.deliver(10, 5, FEBRUARY)

    result = works.generate()

    assert newest(works.sink) == {"2025-03": 6 * 5}
    assert result["deficits"] == []
    assert works.deliveries.balance() == 4


def test_what_nothing_covers_stays_as_it_was_drawn_and_the_deficit_is_named(works):
    wrong_date = works.deliver(10, 3, JANUARY)
    chain.produce(works.sink, 3, MARCH)
    works.generate()
    works.remove(wrong_date)
    works.deliver(4, 5, FEBRUARY)

    result = works.generate()

    assert newest(works.sink) == {"2025-03": 4 * 5 + 2 * 3}
    (short,) = result["deficits"]
    assert (short["ledger"], short["amount"], short["settled_at"]) == (works.deliveries.ledger["id"], 2, None)
    assert works.generate()["batches"] == []


def test_a_run_that_comes_to_less_covers_what_it_can_as_it_is_now(works):
    [mass, _] = works.deliver(10, 3, JANUARY)
    chain.produce(works.sink, 3, MARCH)
    works.generate()
    accounting.void(works.sql, mass)
    works.deliver(4, 5, "2025-01-06T00:00:00Z")

    result = works.generate()

    # The intensity of January is now the average of 3 and 5; two tonnes stay as they were drawn.
    assert newest(works.sink) == {"2025-03": 4 * 4 + 2 * 3}
    assert [one["amount"] for one in result["deficits"]] == [2]


def test_what_a_later_run_gives_back_covers_what_an_earlier_one_kept_in_the_same_generation(works):
    [mass, _] = works.deliver(10, 3, JANUARY)
    works.deliver(2, 5, FEBRUARY)
    chain.produce(works.sink, 3, MARCH)
    used_in_april = chain.produce(works.sink, 3, APRIL)
    works.generate()
    accounting.void(works.sql, mass)
    works.deliveries.deliver(5, JANUARY)
    accounting.void(works.sql, used_in_april)
    chain.produce(works.sink, 0.5, APRIL)

    result = works.generate()

    # March kept a tonne of January that nothing covered, until April, which comes later, returned one.
    assert newest(works.sink) == {"2025-03": 5 * 3 + 1 * 5, "2025-04": 1 * 5}
    assert result["deficits"] == []
    assert works.generate()["batches"] == []


def test_what_a_run_keeps_is_not_taken_from_those_that_come_after_it(works):
    [mass, _] = works.deliver(10, 3, JANUARY)
    works.deliver(2, 5, FEBRUARY)
    chain.produce(works.sink, 4, MARCH)
    chain.produce(works.sink, 2, APRIL)
    works.generate()
    accounting.void(works.sql, mass)
    works.deliveries.deliver(5, JANUARY)

    result = works.generate()

    # Both hold what they held, and nobody is refused: of 7 tonnes 8 are drawn in March and 4 in April.
    assert newest(works.sink) == {"2025-03": 8 * 3, "2025-04": 2 * 3 + 2 * 5}
    assert [one["amount"] for one in result["deficits"]] == [1, 4]


def test_what_comes_back_to_a_run_that_fell_too_is_drawn_where_that_took_it_from(works):
    [january, _] = works.deliver(4, 3, JANUARY)
    chain.produce(works.sink, 2, APRIL)
    works.generate()
    [february, _] = works.deliver(2, 5, FEBRUARY)
    accounting.void(works.sql, january)
    works.deliveries.deliver(2, JANUARY)
    works.deliveries.generate(YEAR)
    works.deliver(2, 7, MARCH)
    accounting.void(works.sql, february)
    works.deliveries.deliver(0, FEBRUARY)
    works.deliveries.generate(YEAR)

    result = works.generate()

    # January fell by 2 and took February's; February fell to nothing and took March's: these are drawn now.
    assert newest(works.sink) == {"2025-04": 2 * 3 + 2 * 7}
    assert result["deficits"] == []
    assert works.generate()["batches"] == []


def test_deleting_what_drew_makes_the_chain_computable_again(works):
    wrong_date = works.deliver(10, 3, JANUARY)
    chain.produce(works.sink, 3, MARCH)
    works.generate()
    works.remove(wrong_date)
    works.deliver(10, 5, FEBRUARY)
    works.deliveries.generate(YEAR)

    works.delete_sink()
    works.sink.generate(YEAR)

    assert newest(works.sink) == {"2025-03": 6 * 5}
    assert works.deliveries.balance() == 4
