"""Partitions and shares: one run for each partition, and amounts that are divided over those that run."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_BY_MASS, POWER_EVENLY
from tests.given.inputs import inputs_of, recomputed

PARTITIONING = MASS.replace("aggregate: sum", "aggregate: sum, partitions: true")


def shares(api, drain, nodes, *, partition_type="feedstock", **fields):
    """A plant whose ledger is credited with the power that its partitions share."""
    return accounting.plant(
        api, drain, nodes, partition_type=partition_type, unit="kWh", output="power", **fields
    )


def test_each_feedstock_makes_a_batch_that_names_it(api, drain):
    plant = accounting.plant(api, drain, partition_type="feedstock")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    plant.deliver(1, 2, feedstock_id=wood)
    plant.deliver(2, 3, feedstock_id=straw)
    plant.deliver(4, 4, feedstock_id=wood)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": 2, "2025-01 Wood": 5}
    assert [batch["feedstocks"] for batch in plant.batches()] == [[straw], [wood]]


def test_each_tracking_id_makes_a_batch_that_carries_it(api, drain):
    plant = accounting.plant(api, drain, partition_type="tracking_id")
    plant.deliver(1, tracking_id="Truck 7")
    plant.deliver(2, tracking_id="Truck 8")
    plant.deliver(4, tracking_id="Truck 7")

    plant.generate()

    assert plant.credits() == {"Truck 7": 5, "Truck 8": 2}


def test_both_dimensions_at_once_make_a_batch_for_each_pair(api, drain):
    plant = accounting.plant(api, drain, partition_type="tracking_id_and_feedstock")
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    plant.deliver(1, tracking_id="A", feedstock_id=straw)
    plant.deliver(2, tracking_id="A", feedstock_id=wood)
    plant.deliver(4, tracking_id="B", feedstock_id=wood)

    plant.generate()

    found = [
        (batch["tracking_id"], batch["feedstocks"], batch["primary_output"]["value"])
        for batch in plant.batches()
    ]
    assert found == [("A", [straw], 1), ("A", [wood], 2), ("B", [wood], 4)]


def test_partitions_by_time_ignore_tags(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, feedstock_id=plant.feedstock("Straw"), tracking_id="A")
    plant.deliver(2, tracking_id="B")

    plant.generate()

    assert plant.credits() == {"2025-01": 3}


def test_an_amount_without_a_tag_is_shared_evenly(api, drain):
    plant = shares(api, drain, MASS + POWER_EVENLY)
    for name in ("Straw", "Wood"):
        plant.deliver(1, feedstock_id=plant.feedstock(name))
    plant.bill(9)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": Decimal("4.5"), "2025-01 Wood": Decimal("4.5")}


@pytest.mark.parametrize(
    ("whole", "places", "parts"),
    [
        ("10", 0, ["4", "3", "3"]),
        ("0.02", 2, ["0.01", "0.01", "0.00"]),
        ("100", 6, ["33.333334", "33.333333", "33.333333"]),
        ("1", 3, ["0.334", "0.333", "0.333"]),
    ],
)
def test_what_is_left_over_goes_to_the_first_parts_by_name_so_that_they_sum_to_the_whole(
    api, drain, whole, places, parts
):
    plant = shares(api, drain, MASS + POWER_EVENLY, share_places=places)
    for name in ("Wood", "Straw", "Husk"):
        plant.deliver(1, feedstock_id=plant.feedstock(name))
    plant.bill(whole)

    plant.generate()

    credited = plant.credits()
    assert list(credited) == ["2025-01 Husk", "2025-01 Straw", "2025-01 Wood"]
    assert list(credited.values()) == [Decimal(part) for part in parts]
    assert sum(credited.values()) == Decimal(whole)


def test_an_amount_is_shared_by_a_node(api, drain):
    plant = shares(api, drain, MASS + POWER_BY_MASS)
    plant.deliver(3, feedstock_id=plant.feedstock("Straw"))
    plant.deliver(1, feedstock_id=plant.feedstock("Wood"))
    plant.bill("10.01")

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": Decimal("7.5075"), "2025-01 Wood": Decimal("2.5025")}


def test_shares_by_a_node_are_cut_finely_and_sum_to_the_whole(api, drain):
    plant = shares(api, drain, MASS + POWER_BY_MASS)
    plant.deliver(1, feedstock_id=plant.feedstock("Straw"))
    plant.deliver(2, feedstock_id=plant.feedstock("Wood"))
    plant.bill(10)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": Decimal("3.333333"), "2025-01 Wood": Decimal("6.666667")}


def test_a_partition_without_weight_takes_no_share(api, drain):
    plant = shares(api, drain, MASS + POWER_BY_MASS)
    plant.deliver(0, feedstock_id=plant.feedstock("Straw"))
    plant.deliver(2, feedstock_id=plant.feedstock("Wood"))
    plant.bill(10)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": 0, "2025-01 Wood": 10}


def test_a_share_by_a_node_whose_total_is_zero_fails_by_name(api, drain):
    plant = shares(api, drain, MASS + POWER_BY_MASS)
    plant.deliver(0, feedstock_id=plant.feedstock("Straw"))
    plant.bill(10)

    assert plant.failure() == (
        "2025-01: 10 of 'energy' cannot be shared by 'mass': "
        "The weights sum to zero, so there is no proportion to divide by."
    )


def test_a_share_by_a_negative_node_fails_by_name(api, drain):
    plant = shares(api, drain, MASS + POWER_BY_MASS)
    plant.deliver(-1, feedstock_id=plant.feedstock("Straw"))
    plant.deliver(3, feedstock_id=plant.feedstock("Wood"))
    plant.bill(10)

    assert "10 of 'energy' cannot be shared by 'mass': A weight is negative" in plant.failure()


def test_a_tagged_amount_belongs_to_its_partition_alone(api, drain):
    plant = shares(api, drain, MASS + POWER_EVENLY)
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    plant.deliver(1, feedstock_id=straw)
    plant.deliver(1, feedstock_id=wood)
    plant.bill(10)
    plant.bill(3, feedstock_id=wood)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": 5, "2025-01 Wood": 8}


def test_an_amount_tagged_in_one_dimension_is_shared_over_the_partitions_that_agree(api, drain):
    plant = shares(api, drain, MASS + POWER_EVENLY, partition_type="tracking_id_and_feedstock")
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    plant.deliver(1, tracking_id="A", feedstock_id=straw)
    plant.deliver(1, tracking_id="A", feedstock_id=wood)
    plant.deliver(1, tracking_id="B", feedstock_id=wood)
    plant.bill(10, feedstock_id=wood)
    plant.bill(4, tracking_id="A")
    plant.bill(3)

    plant.generate()

    found = [(batch["tracking_id"], batch["primary_output"]["value"]) for batch in plant.batches()]
    assert found == [("A", 3), ("A", 8), ("B", 6)]


def test_each_batch_names_the_events_that_agree_with_its_partition_in_their_order(api, drain, server):
    plant = shares(api, drain, MASS + POWER_EVENLY)
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    months = ("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z")
    for mass, month, feedstock in ((1, 1, straw), (2, 1, wood), (3, 2, straw), (4, 2, wood)):
        plant.deliver(mass, f"2025-{month:02d}-09T12:00:00Z", feedstock_id=feedstock)
        plant.deliver(10 * mass, f"2025-{month:02d}-03T12:00:00Z", feedstock_id=feedstock)
    for month in (1, 2):
        plant.bill(100 * month, f"2025-{month:02d}-07T12:00:00Z")
    plant.bill(7, "2025-02-05T12:00:00Z", feedstock_id=wood)

    plant.generate(months)

    made = [inputs_of(plant, number) for number in range(4)]
    assert made == [[10, 1, 100], [20, 2, 100], [30, 3, 200], [40, 4, 7, 200]]
    assert recomputed(server, plant) == []

    plant.bill(5, "2025-02-27T12:00:00Z")
    plant.deliver(6, "2025-02-27T12:00:00Z", feedstock_id=wood)
    plant.generate(months)

    made = [inputs_of(plant, number) for number in (4, 5)]
    assert made == [[30, 3, 200, 5], [40, 4, 6, 7, 200, 5]]
    assert recomputed(server, plant) == []


def test_a_repeated_input_counts_whole_in_every_partition(api, drain):
    repeated = POWER_EVENLY.replace("share: even", "share: repeat")
    plant = shares(api, drain, PARTITIONING + repeated)
    for name in ("Straw", "Wood"):
        plant.deliver(1, feedstock_id=plant.feedstock(name))
    plant.bill(10)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": 10, "2025-01 Wood": 10}


def test_the_first_input_defines_the_partitions_unless_others_are_marked(api, drain):
    marked = POWER_EVENLY.replace("share: even", "share: even, partitions: true")
    plant = shares(api, drain, MASS + marked)
    plant.deliver(6, feedstock_id=plant.feedstock("Straw"))
    plant.bill(10, feedstock_id=plant.feedstock("Wood"))

    error = plant.failure()

    assert error == "2025-01: Input 'mass' has no data for Wood."


def test_an_untagged_event_that_defines_partitions_and_cannot_be_shared_is_refused(api, drain):
    nodes = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: average, partitions: true}
    unit: t
    output: true
"""
    plant = accounting.plant(api, drain, nodes, partition_type="feedstock")
    plant.deliver(1, feedstock_id=plant.feedstock("Straw"))
    untagged = plant.deliver(1)

    assert plant.failure() == (
        f"2025-01: Input 'mass' defines the partitions, and 1 of its events carry no tag, {untagged} for one."
    )


def test_a_slot_whose_data_meet_no_partition_fails_so_that_no_bill_is_lost(api, drain):
    plant = shares(api, drain, MASS + POWER_EVENLY)
    bill = plant.bill(10)

    assert plant.failure() == (
        f"2025-01: There are data, {bill} for one, but none of mass says which partition they belong to."
    )


def test_a_formula_reads_the_names_of_its_partition(api, drain):
    nodes = (
        PARTITIONING
        + """
  - slug: paid
    formula: if(partition.feedstock = "Straw", mass * 2, mass)
    unit: t
    output: true
"""
    )
    plant = accounting.plant(api, drain, nodes, partition_type="feedstock", output="paid")
    for name in ("Straw", "Wood"):
        plant.deliver(3, feedstock_id=plant.feedstock(name))

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": 6, "2025-01 Wood": 3}


def test_the_lineage_of_a_share_names_the_whole(api, drain):
    plant = shares(api, drain, MASS + POWER_EVENLY)
    for name in ("Straw", "Wood"):
        plant.deliver(1, feedstock_id=plant.feedstock(name))
    bill = plant.bill(9)
    plant.generate()

    for batch in plant.batches():
        nodes = {node["slug"]: node for node in api.get(f"/batches/{batch['id']}/lineage").body["nodes"]}
        assert (nodes["power"]["value"], nodes["power"]["whole"]) == (Decimal("4.5"), 9)
        assert [row["event_id"] for row in nodes["power"]["input"]["rows"]] == [bill]
        assert nodes["mass"]["whole"] is None


def test_the_same_tracking_id_in_two_months_is_two_runs(api, drain):
    plant = accounting.plant(api, drain, partition_type="tracking_id")
    given.events(
        api,
        plant.project,
        [
            given.event_body(
                start_time=f"2025-0{month}-10T00:00:00Z", tracking_id="A", values={"mass": month}
            )
            for month in (1, 2)
        ],
    )

    plant.generate(accounting.QUARTER)

    found = [(batch["start_time"][:7], batch["primary_output"]["value"]) for batch in plant.batches()]
    assert found == [("2025-01", 1), ("2025-02", 2)]
