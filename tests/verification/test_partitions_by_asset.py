"""Batches of assets are recomputed like any others, those of amounts that were shared over assets too."""

import asyncio

from tests.given import accounting
from tests.given import collection as given
from tests.server import Server
from tests.verification.conftest import NODES

from weighbridge.db.engine import Database
from weighbridge.verification import verify


def test_books_with_partitions_by_asset_hold(migrated_database):
    with Server(migrated_database) as server:
        account = server.account()
        plant = accounting.plant(
            account.caller(), account.drain, NODES, partition_type="tracking_id_and_asset"
        )
        kiln, oven = (given.asset(plant.api, plant.project, name=name)["id"] for name in ("Kiln", "Oven"))
        plant.deliver("1.5", asset_id=kiln, tracking_id="A")
        plant.deliver(3, asset_id=oven, tracking_id="A")
        plant.bill("100.0000001")
        plant.generate()
        plant.deliver(7, asset_id=oven, tracking_id="B")
        plant.generate()

    async def verified():
        async with Database(migrated_database, connections_max=2) as database:
            return await verify(database)

    assert [check.violations for check in asyncio.run(verified()).checks if check.violations] == []
