"""A ledger says how it rounds; what rounds to nothing is told."""

from decimal import Decimal

import pytest
from tests.given import accounting, chain
from tests.given.accounting import JANUARY, MASS, POWER_EVENLY
from tests.given.inputs import recomputed

THREE = ("Husk", "Straw", "Wood")


@pytest.mark.parametrize(
    ("mass", "rounding", "total"),
    [
        ("2.999", "half_even", "3.00"),
        ("2.999", "down", "2.99"),
        ("2.995", "half_even", "3.00"),
        ("2.985", "half_even", "2.98"),
        ("2.985", "down", "2.98"),
        ("2.99", "down", "2.99"),
        ("0.009", "down", "0"),
        ("-0.001", "down", "-0.01"),
        ("-2.005", "half_even", "-2"),
        ("-2.005", "down", "-2.01"),
    ],
)
def test_a_total_is_rounded_as_its_ledger_says(api, drain, mass, rounding, total):
    plant = accounting.plant(api, drain, scale=2, rounding=rounding)
    plant.deliver(mass)

    plant.generate()

    assert [batch["run_total"] for batch in plant.batches()] == [Decimal(total)]


@pytest.mark.parametrize(("rounding", "parts"), [("half_even", "0.67 0.67 0.67"), ("down", "0.66 0.66 0.66")])
def test_each_part_is_rounded_for_itself_and_may_be_off_from_the_rounded_sum(api, drain, rounding, parts):
    plant = accounting.plant(
        api, drain, MASS + POWER_EVENLY, partition_type="feedstock", unit="kWh", output="power", scale=2,
        rounding=rounding,
    )  # fmt: skip
    for name in THREE:
        plant.deliver(1, feedstock_id=plant.feedstock(name))
    plant.bill("2.000001")

    plant.generate()

    credited = list(plant.credits().values())
    assert credited == [Decimal(part) for part in parts.split()]
    # Three parts: up to (3 + 1) / 2 units of 0.01 with half_even, less than 3 below it with down.
    assert abs(sum(credited) - Decimal("2.00")) <= Decimal("0.02")


def used(api, drain, mass, *, rounding, scale=2, delivered=10):
    """An inventory of tonnes, of which a run uses twice what it makes."""
    deliveries = chain.inventory(api, drain, scale=scale, rounding=rounding)
    deliveries.deliver(delivered)
    deliveries.generate()
    production = chain.link(deliveries, output="used")
    chain.produce(production, mass)
    return deliveries, production


@pytest.mark.parametrize(("rounding", "drawn"), [("half_even", "0.01"), ("down", "0.02")])
def test_what_is_drawn_of_a_ledger_that_rounds_down_is_rounded_up(api, drain, server, rounding, drawn):
    deliveries, production = used(api, drain, "0.006", rounding=rounding)

    production.generate()

    assert (10 - deliveries.balance(), production.balance()) == (Decimal(drawn), Decimal(drawn))
    assert recomputed(server, production) == []
    assert production.generate()["batches"] == []


def test_a_draw_that_rounds_to_nothing_is_named_in_preview_and_result(api, drain):
    deliveries, production = used(api, drain, "0.002", rounding="half_even")
    told = [
        {
            "slot": "2025-01", "partition": None, "node": "drawn", "ledger": deliveries.ledger["id"],
            "needed": Decimal("0.004"),
        }
    ]  # fmt: skip

    assert production.preview()[0]["rounded_away"] == told
    assert production.generate()["rounded_away"] == told
    assert production.generate()["rounded_away"] == told
    assert deliveries.balance() == 10


def test_the_partition_of_a_draw_that_rounds_to_nothing_is_named(api, drain):
    deliveries = chain.inventory(api, drain, scale=0, partition_type="feedstock")
    straw, wood = deliveries.feedstock("Straw"), deliveries.feedstock("Wood")
    for feedstock in (straw, wood):
        deliveries.deliver(10, feedstock_id=feedstock)
    deliveries.generate()
    production = chain.link(deliveries, chain.drawing(", match: [feedstock]"), partition_type="feedstock")
    chain.produce(production, "0.2", feedstock_id=straw)
    chain.produce(production, "0.4", feedstock_id=wood)

    result = production.generate()

    assert [(one["partition"], one["needed"]) for one in result["rounded_away"]] == [
        ("Straw", Decimal("0.4"))
    ]
    assert deliveries.balance() == 19


@pytest.mark.parametrize("made", ["0", "1"])
def test_a_draw_of_nothing_that_was_needed_or_of_something_is_not_named(api, drain, made):
    _, production = used(api, drain, made, rounding="half_even")

    assert production.preview()[0]["rounded_away"] == []
    assert production.generate()["rounded_away"] == []


def test_nothing_rounds_away_of_a_ledger_that_rounds_down(api, drain):
    deliveries, production = used(api, drain, "0.000001", rounding="down")

    assert production.generate(JANUARY)["rounded_away"] == []
    assert deliveries.balance() == Decimal("9.99")
