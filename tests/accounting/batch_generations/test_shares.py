"""Shares are cut where the model says, whatever was typed and whatever ledgers there are."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_BY_MASS, POWER_EVENLY
from tests.given.inputs import recomputed

THREE = ("Husk", "Straw", "Wood")


def shares(api, drain, nodes=MASS + POWER_EVENLY, **fields):
    """A plant with a tonne of each of three feedstocks, whose ledger is credited with shares of its power."""
    plant = accounting.plant(
        api, drain, nodes, partition_type="feedstock", unit="kWh", output="power", **fields
    )
    for tonnes, name in enumerate(THREE, 1):
        plant.deliver(tonnes, feedstock_id=plant.feedstock(name))
    return plant


def powers(plant):
    """What each partition has of the power, in the order of names."""
    found = []
    for batch in sorted(plant.batches(), key=lambda one: one["tracking_id"]):
        nodes = {one["slug"]: one for one in plant.api.get(f"/batches/{batch['id']}/lineage").body["nodes"]}
        found.append(nodes["power"]["value"])
    return found


def test_shares_are_cut_at_six_places_when_the_model_names_none(api, drain):
    plant = shares(api, drain, scale=2)
    plant.bill(1)

    plant.generate()

    assert powers(plant) == [Decimal("0.333334"), Decimal("0.333333"), Decimal("0.333333")]


@pytest.mark.parametrize(
    ("places", "parts"),
    [(0, "1 0 0"), (1, "0.4 0.3 0.3"), (12, "0.333333333334 0.333333333333 0.333333333333")],
)
def test_shares_are_cut_where_the_model_says(api, drain, server, places, parts):
    plant = shares(api, drain, share_places=places, scale=12)
    plant.bill(1)

    plant.generate()

    assert powers(plant) == [Decimal(part) for part in parts.split()]
    assert recomputed(server, plant) == []


def test_zeros_that_were_typed_and_another_ledger_of_the_model_change_no_share(api, drain):
    plain = shares(api, drain, share_places=2)
    typed = shares(api, drain, share_places=2)
    accounting.ledger(api, typed.project, typed.model, name="Mass", output="mass", scale=12)
    plain.bill("1")
    typed.bill("1.00000")

    plain.generate()
    typed.generate()

    assert powers(plain) == powers(typed) == [Decimal("0.34"), Decimal("0.33"), Decimal("0.33")]


def test_a_value_is_converted_to_the_unit_of_the_node_and_then_cut(api, drain, server):
    plant = shares(api, drain, MASS + POWER_BY_MASS.replace("unit: kWh", "unit: MJ"), share_places=2)
    plant.bill("1")  # 3.6 MJ as 1 : 2 : 3

    plant.generate()

    assert powers(plant) == [Decimal("0.6"), Decimal("1.2"), Decimal("1.8")]
    assert recomputed(server, plant) == []


def test_seven_megajoules_over_three_in_kilowatt_hours_sum_to_the_last_digit(api, drain, server):
    heated = POWER_EVENLY.replace("bill, data_point_type: energy", "heat, data_point_type: heat")
    plant = accounting.plant(
        api, drain, MASS + heated, partition_type="feedstock", unit="kWh", output="power",
        is_model_of_project=False,
    )  # fmt: skip
    given.event_type(api, plant.project, slug="heat", data_point_types=[given.number("heat", unit="MJ")])
    for name in THREE:
        plant.deliver(1, feedstock_id=plant.feedstock(name))
    plant.measure("heat", {"heat": 7})

    plant.generate()

    assert powers(plant) == [
        Decimal("0.648148444444444444444444444444444"), Decimal("0.648148"), Decimal("0.648148"),
    ]  # fmt: skip
    assert recomputed(server, plant) == []


def test_units_left_over_go_to_the_largest_remainders(api, drain, server):
    plant = shares(api, drain, MASS + POWER_BY_MASS, share_places=0)
    plant.bill(4)  # 0.67, 1.33 and 2

    plant.generate()

    assert powers(plant) == [1, 1, 2]
    assert recomputed(server, plant) == []


def test_a_share_that_34_digits_cannot_hold_fails_the_generation_by_name(api, drain):
    plant = shares(api, drain)
    plant.bill("1000000000000000000000000000000000")

    assert plant.failure() == (
        "2025-01: 1000000000000000000000000000000000 of 'energy' cannot be shared evenly:"
        " A part cut at 6 places has 39 digits, and a number holds 34."
    )


def test_a_ledger_that_is_coarser_than_the_shares_of_its_model_is_warned_about(api, drain):
    plant = shares(api, drain, scale=2)
    warning = (
        "'Deliveries' keeps 2 decimals and its model cuts shares at 6: the rounded totals of n"
        " partitions may differ from their rounded sum by up to (n + 1) / 2 x 0.01 kWh."
    )

    assert api.get(f"/ledgers/{plant.ledger['id']}").body["warnings"] == [warning]
    assert plant.preview()[0]["warnings"] == [warning]


def test_a_ledger_that_rounds_down_is_warned_of_what_it_may_lack(api, drain):
    plant = shares(api, drain, scale=2, rounding="down")
    warning = (
        "'Deliveries' keeps 2 decimals and its model cuts shares at 6: the rounded totals of n"
        " partitions may be below their rounded sum by less than n x 0.01 kWh."
    )

    assert (plant.ledger["warnings"], plant.preview()[0]["warnings"]) == ([warning], [warning])


@pytest.mark.parametrize("fields", [{"scale": 6}, {"scale": 2, "share_places": 2}, {"scale": 12}])
def test_a_ledger_that_keeps_every_place_of_a_share_is_not_warned_about(api, drain, fields):
    plant = shares(api, drain, **fields)

    assert (plant.ledger["warnings"], plant.preview()[0]["warnings"]) == ([], [])


def test_a_model_that_shares_nothing_warns_of_nothing(api, drain):
    plant = accounting.plant(api, drain, scale=0)
    plant.deliver(1)

    assert (plant.ledger["warnings"], plant.preview()[0]["warnings"]) == ([], [])
