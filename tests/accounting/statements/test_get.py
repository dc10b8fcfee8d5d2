"""A statement says what the partitions of a ledger had, produced and gave in a period."""

import pytest
from tests.given import accounting, chain
from tests.given.stories import told

JANUARY = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
FEBRUARY = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
MARCH = ("2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z")


@pytest.fixture
def deliveries(api, drain):
    return chain.inventory(api, drain)


@pytest.fixture
def production(deliveries):
    return chain.link(deliveries)


def statement(plant, period, **more):
    query = {"start_time": period[0], "end_time": period[1], **more}
    return plant.api.get(f"/ledgers/{plant.ledger['id']}/statement", query)


def line(plant, period, **more):
    """The one partition's standing at the start, what was produced and given, and the standing at the end."""
    [one] = statement(plant, period, **more).expect(200).body["data"]
    opening, closing = (one[side]["balance"] - one[side]["deficit"] for side in ("opening", "closing"))
    return opening, one["produced"], one["of_which_fallen"], one["drawn_out"], closing


def test_what_a_period_begins_with_is_what_the_one_before_ended_with(sql, deliveries, production):
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 5 | 2025-01 produce 2.5 | generate | generate Production | remaining 0
        correct 2025-01 delivery to 0 | 2025-02 deliver 6 | 2025-03 deliver 8 | generate | remaining 9
        """
    )

    assert line(deliveries, JANUARY) == (0, 0, -5 + 5, 5, -5)
    assert line(deliveries, FEBRUARY) == (-5, 6, -5, 0, 1)
    assert line(deliveries, MARCH) == (1, 8, 0, 0, 9)


def test_what_its_runs_drew_of_other_ledgers_is_told_beside(sql, deliveries, production):
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 5 | 2025-02 produce 2 | generate | generate Production | remaining 1
        """
    )

    [one] = statement(production, FEBRUARY).expect(200).body["data"]

    assert one["drawn_in"] == [
        {"ledger": deliveries.ledger["id"], "name": "Deliveries", "unit": "t", "amount": 4}
    ]
    assert line(deliveries, FEBRUARY) == (5, 0, 0, 4, 1)


def test_a_statement_can_be_read_as_it_was(sql, deliveries):
    told(sql, deliveries).story("2025-01 deliver 5 | generate | remaining 5")
    then = deliveries.batches()[0]["created_at"]
    told(sql, deliveries).story("2025-01 deliver 2 | generate | remaining 7")

    assert line(deliveries, JANUARY)[-1] == 7
    assert statement(deliveries, JANUARY, as_of="2020-01-01T00:00:00Z").expect(200).body["data"] == []
    assert statement(deliveries, JANUARY, as_of=then).expect(200).body["as_of"] == then


def test_partitions_are_told_apart(sql, api, drain):
    plant = accounting.plant(api, drain, partition_type="feedstock")
    told(sql, plant).story("2025-01 deliver 5 Wood | 2025-01 deliver 2 Straw | generate | remaining 7")

    data = statement(plant, JANUARY).expect(200).body["data"]

    assert [(one["partition"], one["closing"]["balance"]) for one in data] == [("Straw", 2), ("Wood", 5)]


def test_a_period_that_ends_before_it_starts_is_refused(deliveries):
    refused = statement(deliveries, (MARCH[0], MARCH[0])).expect(400)

    assert refused.error["message"] == (
        "end_time must be after start_time, 2025-03-01T00:00:00.000Z; it is 2025-03-01T00:00:00.000Z."
    )


def test_a_statement_needs_a_period(deliveries):
    deliveries.api.get(f"/ledgers/{deliveries.ledger['id']}/statement").expect(400)
