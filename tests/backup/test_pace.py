"""A backup works half of the time."""

import pytest

from weighbridge.backup.base_backup import STRETCH_SECONDS, BackupPace


class Processor:
    """Counts what is worked and what is rested, in seconds."""

    def __init__(self):
        self.worked, self.rested = 7.0, []
        self.pace = BackupPace(worked=lambda: self.worked, rest=self.rested.append)

    def work(self, seconds):
        self.worked += seconds
        self.pace.keep()


@pytest.mark.parametrize("piece", [0.05, 0.07, 0.013, 2.0])
def test_it_rests_as_long_as_it_works(piece):
    processor = Processor()

    for _ in range(100):
        processor.work(piece)

    assert sum(processor.rested) == pytest.approx(100 * piece, abs=STRETCH_SECONDS + piece)


def test_it_does_not_rest_after_each_small_piece():
    processor = Processor()

    for _ in range(10):
        processor.work(STRETCH_SECONDS / 10.5)

    assert processor.rested == []


def test_what_passes_while_it_rests_is_no_work():
    processor = Processor()

    processor.work(1.0)
    processor.pace.keep()

    assert processor.rested == [pytest.approx(1.0)]
