"""The batches of a run tell its story: signed differences that add up, the total as it is now, links.

Design, "Generation reconciles"; `get_batch`, `list_batches`, `list_ledger_batches`.
"""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given.accounting import MASS, POWER_EVENLY, QUARTER


@pytest.fixture
def plant(api, drain):
    return accounting.plant(api, drain)


def outputs(batches):
    return [batch["primary_output"]["value"] for batch in batches]


def fall(plant, sql, *, first="12.1", gone="2.2"):
    """A run of two deliveries of which one turns out not to be; gives its batches."""
    plant.deliver(first, 2)
    withdrawn = plant.deliver(gone, 3)
    plant.generate()
    accounting.void(sql, withdrawn)
    plant.generate()
    return plant.batches()


def test_a_fall_is_a_negative_primary_output_and_outputs_add_up_to_the_ledger(plant, sql):
    first, adjusting = fall(plant, sql)

    assert outputs([first, adjusting]) == [Decimal("14.3"), Decimal("-2.2")]
    assert sum(outputs([first, adjusting])) == plant.balance() == Decimal("12.1")


def test_the_first_batch_says_what_the_run_comes_to_now(plant, sql):
    first, adjusting = fall(plant, sql)

    assert (first["run_total"], adjusting["run_total"]) == (Decimal("12.1"), Decimal("12.1"))


def test_an_adjusting_batch_says_what_the_run_came_to_with_it(plant):
    for mass in (1, 2, 3):
        plant.deliver(mass)
        plant.generate()

    batches = plant.batches()

    assert [batch["run_total"] for batch in batches] == [6, 3, 6]
    assert outputs(batches) == [1, 2, 3]


def test_batches_of_a_run_are_linked_both_ways(plant):
    for mass in (1, 2, 3):
        plant.deliver(mass)
        plant.generate()

    first, second, third = plant.batches()

    assert (first["adjusts"], first["adjusted_by"]) == (None, [second["id"], third["id"]])
    assert (second["adjusts"], second["adjusted_by"]) == (first["id"], [])
    assert (third["adjusts"], third["adjusted_by"]) == (first["id"], [])


def test_a_batch_alone_its_lineage_and_the_lists_tell_the_same(api, plant, sql):
    batches = fall(plant, sql)

    for batch in batches:
        assert api.get(f"/batches/{batch['id']}").expect(200).body == batch
        assert api.get(f"/batches/{batch['id']}/lineage").expect(200).body["batch"] == batch
    assert api.get("/batches").expect(200).data == batches


def test_a_negative_first_result_is_the_primary_output_though_nothing_is_credited(plant, api):
    plant.deliver(-2)
    plant.generate()

    (batch,) = plant.batches()

    assert (batch["primary_output"]["value"], batch["run_total"], batch["ledger_balance"]) == (-2, -2, 0)
    assert api.get(f"/ledgers/{plant.ledger['id']}").expect(200).body["deficit"] == 2


def test_a_rise_that_only_gives_back_what_a_fall_took_is_the_whole_difference(plant):
    plant.deliver(5, "2025-01-02T00:00:00Z")
    plant.deliver(-2, "2025-02-02T00:00:00Z")
    plant.generate(QUARTER)
    plant.deliver(6, "2025-02-03T00:00:00Z")
    plant.generate(QUARTER)

    january, february, rising = plant.batches()

    assert outputs([january, february, rising]) == [5, -2, 6]
    assert (february["run_total"], rising["ledger_balance"]) == (4, 4)
    assert sum(outputs(plant.batches())) == plant.balance() == 9


def test_a_run_that_vanishes_is_told_by_a_batch_that_takes_all_of_it(plant, sql):
    withdrawn = plant.deliver("2.5", 2)
    plant.generate()
    accounting.void(sql, withdrawn)
    plant.generate()

    first, empty = plant.batches()

    assert outputs([first, empty]) == [Decimal("2.5"), Decimal("-2.5")]
    assert (first["run_total"], empty["run_total"]) == (0, 0)


def test_when_the_newest_batch_is_deleted_the_first_tells_of_those_that_remain(api, drain, plant, sql):
    first, adjusting = fall(plant, sql)

    api.delete(f"/batches/{adjusting['id']}").expect(202)
    drain()

    (left,) = plant.batches()
    assert (left["id"], left["run_total"], left["adjusted_by"]) == (first["id"], Decimal("14.3"), [])
    plant.generate()
    first, again = plant.batches()
    assert (again["primary_output"]["value"], first["adjusted_by"]) == (Decimal("-2.2"), [again["id"]])


def test_ledgers_of_one_model_tell_of_their_own_batches(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    power = accounting.ledger(api, plant.project, plant.model, name="Power", unit="kWh", output="power")
    for mass in (1, 2):
        plant.deliver(mass)
        plant.bill(10 * mass)
        plant.generate(generate_concurrent_ledgers=True)

    first, adjusting = plant.batches(power)

    assert (outputs([first, adjusting]), first["run_total"]) == ([10, 20], 30)
    assert first["adjusted_by"] == [adjusting["id"]]


def test_the_answer_of_update_inputs_has_the_output_of_the_batch_that_it_names(api, plant, sql):
    _, adjusting = fall(plant, sql)
    path = f"/ledgers/{plant.ledger['id']}/batches/{adjusting['id']}/update_inputs"

    answer = api.patch(path, {"data_point_ids": []}).expect(200).body

    assert answer["primary_output"] == adjusting["primary_output"]


def test_input_data_beyond_what_stands_in_a_batch_says_so_with_the_way_on(api, server, plant):
    for day in range(1, 26):
        for _ in range(4):
            plant.deliver(1, day)
    plant.generate()
    (hundred,) = plant.batches()
    plant.deliver(1, 26)
    plant.generate()

    longer = plant.batches()[1]

    assert (len(hundred["input_data"]), hundred["input_data_count"]) == (100, 100)
    assert (hundred["input_data_is_complete"], hundred["input_data_next"]) == (True, None)
    assert (len(longer["input_data"]), longer["input_data_count"]) == (100, 101)
    assert longer["input_data_is_complete"] is False
    path = f"/batches/{longer['id']}/input_data?page=2&page_size=100"
    assert longer["input_data_next"] == f"{server.address}/api/v1{path}"
    rest = api.get(f"/batches/{longer['id']}/input_data", {"page": "2", "page_size": "100"}).expect(200)
    assert len(rest.data) == 1
    assert rest.data[0] not in longer["input_data"]
