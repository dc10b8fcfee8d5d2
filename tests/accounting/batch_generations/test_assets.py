"""Assets in a generation: partitions by asset, alone and with tracking ids, and filters by asset."""

from decimal import Decimal

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_BY_MASS

AT_THE_KILN = MASS.replace("aggregate: sum", "aggregate: sum, where: asset = 'Kiln 50%'")
NOT_AT_THE_KILN = MASS.replace("aggregate: sum", "aggregate: sum, where: asset is null or asset != 'Kiln'")


def asset(plant, name):
    return given.asset(plant.api, plant.project, name=name)["id"]


def test_each_asset_makes_a_batch_that_names_it(api, drain):
    plant = accounting.plant(api, drain, partition_type="asset")
    oven, kiln = asset(plant, "Oven"), asset(plant, "Kiln")
    plant.deliver(1, 2, asset_id=kiln)
    plant.deliver(2, 3, asset_id=oven)
    plant.deliver(4, 4, asset_id=kiln)

    plant.generate()

    assert plant.credits() == {"2025-01 Kiln": 5, "2025-01 Oven": 2}
    assert [(batch["assets"], batch["feedstocks"]) for batch in plant.batches()] == [
        ([kiln], []),
        ([oven], []),
    ]
    assert [batch["input_data_count"] for batch in plant.batches()] == [2, 1]


def test_tracking_id_and_asset_at_once_make_a_batch_for_each_pair(api, drain):
    plant = accounting.plant(api, drain, partition_type="tracking_id_and_asset")
    kiln, oven = asset(plant, "Kiln"), asset(plant, "Oven")
    plant.deliver(1, tracking_id="A", asset_id=kiln)
    plant.deliver(2, tracking_id="A", asset_id=oven)
    plant.deliver(4, tracking_id="B", asset_id=oven)

    plant.generate()

    found = [
        (batch["tracking_id"], batch["assets"], batch["primary_output"]["value"]) for batch in plant.batches()
    ]
    assert found == [("A", [kiln], 1), ("A", [oven], 2), ("B", [oven], 4)]


def test_an_amount_without_an_asset_is_shared_over_the_assets(api, drain):
    plant = accounting.plant(
        api, drain, MASS + POWER_BY_MASS, partition_type="asset", unit="kWh", output="power"
    )
    plant.deliver(3, asset_id=asset(plant, "Kiln"))
    plant.deliver(1, asset_id=asset(plant, "Oven"))
    bill = plant.bill("10.01")

    plant.generate()

    assert plant.credits() == {"2025-01 Kiln": Decimal("7.5075"), "2025-01 Oven": Decimal("2.5025")}
    for batch in plant.batches():
        assert bill in {row["event"]["id"] for row in batch["input_data"]}


def test_a_batch_is_made_of_the_events_of_its_asset_only(api, drain):
    plant = accounting.plant(api, drain, partition_type="asset")
    mine = plant.deliver(1, asset_id=asset(plant, "Kiln"))
    plant.deliver(2, asset_id=asset(plant, "Oven"))

    plant.generate()

    first = plant.batches()[0]
    assert [row["event"]["id"] for row in first["input_data"]] == [mine]


def test_other_partitions_ignore_assets(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, asset_id=asset(plant, "Kiln"))
    plant.deliver(2)

    plant.generate()

    assert plant.credits() == {"2025-01": 3}
    assert plant.batches()[0]["assets"] == []


def test_generating_again_changes_nothing_and_late_data_adjust_their_asset(api, drain):
    plant = accounting.plant(api, drain, partition_type="asset")
    kiln, oven = asset(plant, "Kiln"), asset(plant, "Oven")
    plant.deliver(1, asset_id=kiln)
    plant.deliver(2, asset_id=oven)
    plant.generate()

    again = plant.generate()
    plant.deliver(5, asset_id=oven)
    late = plant.generate()

    assert (again["created"], again["adjusted"], again["unchanged"]) == (0, 0, 2)
    assert (late["created"], late["adjusted"], late["unchanged"]) == (0, 1, 1)
    assert plant.balance() == 8
    adjusting = plant.batches()[-1]
    assert (adjusting["assets"], adjusting["primary_output"]["value"]) == ([oven], 5)


def test_a_filter_counts_only_events_of_the_asset(api, drain):
    plant = accounting.plant(api, drain, AT_THE_KILN)
    plant.deliver(1, asset_id=asset(plant, "Kiln 50%"))
    plant.deliver(2, asset_id=asset(plant, "Oven"))
    plant.deliver(4)

    plant.generate()

    assert plant.credits() == {"2025-01": 1}


def test_a_filter_can_ask_for_events_without_an_asset(api, drain):
    plant = accounting.plant(api, drain, NOT_AT_THE_KILN)
    plant.deliver(1, asset_id=asset(plant, "Kiln"))
    plant.deliver(2, asset_id=asset(plant, "Oven"))
    plant.deliver(4)

    plant.generate()

    assert plant.credits() == {"2025-01": 6}
