"""The months of an account in a further cell, maybe on a node: written, compared and computed with."""

import asyncio

import pytest
from tests.given import accounting

from weighbridge.archive.comparison import check_months
from weighbridge.archive.months import CalendarMonth
from weighbridge.archive.recomputation import recompute_archived
from weighbridge.archive.writer import ArchiveRequest, write_months
from weighbridge.backup.target import BackupTarget
from weighbridge.db.cell_creation import urls_in_cell
from weighbridge.db.engine import Database


@pytest.fixture
def archived(northern, two_cells, tmp_path):
    """What writing, comparing and computing anew said of a plant with two months."""
    plant = accounting.plant(northern.caller(), northern.drain)
    for mass, moment in ((2, "2025-01-10T00:00:00Z"), (3, "2025-02-01T00:00:00Z")):
        plant.deliver(mass, moment)
    plant.generate(accounting.QUARTER)
    place = BackupTarget.open_target(str(tmp_path / "archive"))
    number = plant.project["numeric_id"]
    request = ArchiveRequest(northern.actor, number, CalendarMonth.read("2025-12", "--through"))
    url = urls_in_cell(two_cells.urls, northern.cell).running

    async def run():
        async with Database(url, connections_max=2) as database:
            written = [month async for month in write_months(database, place, request)]
            checked = [month async for month in check_months(database, place, number)]
            return written, checked, await recompute_archived(database, place, number)

    return asyncio.run(run())


def test_the_months_of_a_further_cell_are_written_and_computed_with(archived):
    written, checked, recomputed = archived

    assert len(written) == len(checked) == 2
    assert all(month.is_clean for month in checked)
    assert (recomputed.batches, recomputed.is_clean) == (2, True)
