"""Generation reconciles: it posts the difference between what a run comes to and what it has posted."""

from decimal import Decimal

from tests.given import accounting
from tests.given.accounting import JANUARY, MASS, POWER_BY_MASS, POWER_EVENLY, QUARTER

WITHOUT_A_VALUE_FOR_TWO = """
  - slug: deliveries
    input: {event_type: delivery, data_point_type: mass, aggregate: count}
    unit: "1"
  - slug: share
    formula: 1 / (deliveries - 2)
    unit: "1"
"""


def told(batch):
    return (batch["adjusts"], batch["primary_output"]["value"], batch["run_total"], batch["ledger_balance"])


def test_a_second_generation_creates_nothing(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-02T00:00:00Z")
    plant.deliver(1, "2025-02-02T00:00:00Z")
    before = plant.generate(QUARTER), plant.batches()

    again = plant.generate(QUARTER)

    assert (again["batches"], again["created"], again["adjusted"], again["unchanged"]) == ([], 0, 0, 2)
    assert plant.batches() == before[1]


def test_a_late_event_makes_an_adjusting_batch_of_the_difference_alone(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver("1.5", 2)
    plant.generate()
    (first,) = plant.batches()

    plant.deliver("0.25", 3)
    result = plant.generate()

    first_now, adjusting = plant.batches()
    assert (result["created"], result["adjusted"]) == (0, 1)
    now = {"run_total": Decimal("1.75"), "adjusted_by": [adjusting["id"]]}
    assert first_now == first | now
    assert told(adjusting) == (first["id"], Decimal("0.25"), Decimal("1.75"), Decimal("0.25"))
    assert plant.balance() == Decimal("1.75")


def test_every_adjusting_batch_names_the_first(api, drain):
    plant = accounting.plant(api, drain)
    for mass in (1, 2, 3):
        plant.deliver(mass)
        plant.generate()

    first, second, third = plant.batches()

    assert (second["adjusts"], third["adjusts"]) == (first["id"], first["id"])
    assert [batch["run_total"] for batch in (first, second, third)] == [6, 3, 6]
    assert plant.balance() == 6


def test_other_inputs_with_the_same_total_make_an_adjusting_batch_of_zero(api, drain, sql):
    plant = accounting.plant(api, drain)
    withdrawn = plant.deliver(2, 2)
    plant.generate()

    accounting.void(sql, withdrawn)
    instead = plant.deliver(2, 3)
    plant.generate()

    first, adjusting = plant.batches()
    assert told(adjusting) == (first["id"], 0, 2, 0)
    assert [row["event"]["id"] for row in adjusting["input_data"]] == [instead]
    assert plant.generate()["adjusted"] == 0


def test_a_run_that_falls_takes_from_its_batches_oldest_first(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(2, 2)
    plant.generate()
    withdrawn = plant.deliver(5, 3)
    plant.generate()

    accounting.void(sql, withdrawn)
    plant.deliver(1, 4)
    plant.generate()

    first, second, third = plant.batches()
    assert [batch["ledger_balance"] for batch in (first, second, third)] == [0, 3, 0]
    assert told(third) == (first["id"], -4, 3, 0)
    assert [batch["primary_output"]["value"] for batch in (first, second)] == [2, 5]
    assert plant.balance() == 3


def test_a_run_whose_data_vanish_is_brought_to_zero_and_stays_visible(api, drain, sql):
    plant = accounting.plant(api, drain)
    withdrawn = plant.deliver("2.5", 2)
    plant.generate()

    accounting.void(sql, withdrawn)
    (entry,) = plant.preview()
    result = plant.generate()

    assert (entry["count"], entry["adjustments"], result["adjusted"]) == (1, 1, 1)
    first, empty = plant.batches()
    assert (first["ledger_balance"], plant.balance()) == (0, 0)
    assert told(empty) == (first["id"], Decimal("-2.5"), 0, 0)
    assert (empty["input_data"], empty["input_data_count"]) == ([], 0)
    assert empty["primary_output"]["name"] == first["primary_output"]["name"]
    assert api.get(f"/batches/{empty['id']}").expect(200).body == empty
    assert plant.count() == 0


def test_a_run_whose_data_vanished_and_came_back_is_credited_again(api, drain, sql):
    plant = accounting.plant(api, drain)
    withdrawn = plant.deliver(2, 2)
    plant.generate()
    accounting.void(sql, withdrawn)
    plant.generate()

    plant.deliver(3, 5)
    plant.generate()

    assert plant.balance() == 3
    assert [batch["run_total"] for batch in plant.batches()] == [3, 0, 3]


def test_one_partition_that_vanishes_leaves_the_others_all_of_what_was_shared(api, drain, sql):
    plant = accounting.plant(
        api, drain, MASS + POWER_EVENLY, partition_type="feedstock", unit="kWh", output="power"
    )
    plant.deliver(1, feedstock_id=plant.feedstock("Straw"))
    withdrawn = plant.deliver(1, feedstock_id=plant.feedstock("Wood"))
    plant.bill(10)
    plant.generate()
    assert plant.credits() == {"2025-01 Straw": 5, "2025-01 Wood": 5}

    accounting.void(sql, withdrawn)
    result = plant.generate()

    assert result["adjusted"] == 2
    assert [(batch["tracking_id"], batch["run_total"]) for batch in plant.batches()][2:] == [
        ("2025-01 Straw", 10),
        ("2025-01 Wood", 0),
    ]
    assert plant.balance() == 10


def test_an_event_for_a_shared_input_adjusts_all_siblings(api, drain):
    plant = accounting.plant(
        api, drain, MASS + POWER_BY_MASS, partition_type="feedstock", unit="kWh", output="power"
    )
    plant.deliver(3, feedstock_id=plant.feedstock("Straw"))
    plant.deliver(1, feedstock_id=plant.feedstock("Wood"))
    plant.bill(8)
    plant.generate()

    plant.bill(4)
    result = plant.generate()

    assert result["adjusted"] == 2
    assert [(batch["tracking_id"], batch["primary_output"]["value"]) for batch in plant.batches()] == [
        ("2025-01 Straw", 6),
        ("2025-01 Wood", 2),
        ("2025-01 Straw", 3),
        ("2025-01 Wood", 1),
    ]


def test_a_delivery_that_moves_the_shares_adjusts_the_siblings_too(api, drain):
    plant = accounting.plant(
        api, drain, MASS + POWER_BY_MASS, partition_type="feedstock", unit="kWh", output="power"
    )
    plant.deliver(1, feedstock_id=plant.feedstock("Straw"))
    wood = plant.feedstock("Wood")
    plant.deliver(1, feedstock_id=wood)
    plant.bill(8)
    plant.generate()

    plant.deliver(2, feedstock_id=wood)
    plant.generate()

    batches = plant.batches()
    assert [(batch["tracking_id"], batch["run_total"]) for batch in batches] == [
        ("2025-01 Straw", 2),
        ("2025-01 Wood", 6),
        ("2025-01 Straw", 2),
        ("2025-01 Wood", 6),
    ]
    assert [batch["primary_output"]["value"] for batch in batches] == [4, 4, -2, 2]
    assert [batch["ledger_balance"] for batch in batches] == [2, 4, 0, 2]
    assert plant.balance() == 8


def test_a_sibling_in_another_slot_is_left_alone(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-02T00:00:00Z")
    plant.deliver(1, "2025-02-02T00:00:00Z")
    plant.generate(QUARTER)

    plant.deliver(1, "2025-02-03T00:00:00Z")
    result = plant.generate(QUARTER)

    assert (result["adjusted"], result["unchanged"]) == (1, 1)


def test_a_voided_event_does_not_disturb_the_batches_that_were_made_of_it(api, drain, sql):
    plant = accounting.plant(api, drain)
    withdrawn = plant.deliver(2, 2)
    plant.generate()
    (before,) = plant.batches()

    accounting.void(sql, withdrawn)

    assert plant.batches() == [before]


def test_a_failed_generation_leaves_the_earlier_result_as_it_was(api, drain):
    plant = accounting.plant(api, drain, MASS + WITHOUT_A_VALUE_FOR_TWO)
    plant.deliver(2, 2)
    plant.generate()
    before = plant.batches()

    plant.deliver(3, 3)
    plant.failure()

    assert plant.batches() == before


def test_entries_count_for_the_end_of_the_slot_and_are_posted_now(api, drain, sql):
    plant = accounting.plant(api, drain)
    withdrawn = plant.deliver(2, 2)
    plant.generate()
    accounting.void(sql, withdrawn)
    plant.generate()

    entries = sql(
        """SELECT kind, amount, effective_at = '2025-02-01Z', posted_at > '2025-02-01Z' FROM ledger_entries
           WHERE project_id = %s ORDER BY id""",
        plant.project["numeric_id"],
    )

    assert entries == [("credit", 2, True, True), ("credit", 0, True, True), ("fall", -2, True, True)]


def test_generating_a_part_and_then_the_whole_is_the_same_as_the_whole(api, drain):
    plant = accounting.plant(api, drain)
    for month in (1, 2, 3):
        plant.deliver(month, f"2025-0{month}-02T00:00:00Z")

    assert plant.generate(JANUARY)["created"] == 1
    assert plant.generate(QUARTER)["created"] == 2

    assert plant.credits() == {"2025-01": 1, "2025-02": 2, "2025-03": 3}
