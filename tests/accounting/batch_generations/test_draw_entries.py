"""What runs of a generation draw and give back is posted by their new batches."""

from datetime import UTC, datetime
from decimal import Decimal

from weighbridge.accounting.planning.proposal import draw_entries
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.ledger.drawing import Drawer, Lot, Need, SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.time.calendar import Interval

LEDGER = 1


def month(number):
    return Interval(datetime(2025, number, 1, tzinfo=UTC), datetime(2025, number + 1, 1, tzinfo=UTC))


def pool_of(drawer, counted_for):
    """A drawer that holds 5 of January's batch, which were drawn for a moment."""
    source = SourceBatch(1, LEDGER, month(1), "2025-01", Partition(), Decimal(0))
    return Pool([source], {drawer: [Lot(1, Decimal(5), 1, counted_for)]})


def test_a_run_that_stands_as_it_was_needs_no_batch_to_hold_what_could_count_otherwise():
    drawer = Drawer(month(2), Partition(), "drawn")
    pool = pool_of(drawer, month(3).end)

    pool.draw(drawer, Need(LEDGER, 6, Decimal(5), month(2).end))

    assert pool.moved() != {}
    assert draw_entries([], pool) == ([], [])


def test_a_run_that_gives_back_needs_a_batch_that_says_so():
    drawer = Drawer(month(2), Partition(), "drawn")
    pool = pool_of(drawer, month(2).end)

    pool.draw(drawer, Need(LEDGER, 6, Decimal(3), month(2).end))

    assert [len(part) for part in draw_entries([], pool)] == [0, 1]
