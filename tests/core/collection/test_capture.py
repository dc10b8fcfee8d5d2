"""The rate of what is expected of a meter that was captured. Design, Capture rate."""

from decimal import Decimal

import pytest

from weighbridge.core.collection.capture import CaptureCounts, CaptureTime


def test_a_rate_is_valid_of_expected_and_imputed_slots_are_missing():
    counts = CaptureCounts(expected=22, received=20, valid=19, substituted=1, imputed=1)

    assert counts.missing == 2
    assert counts.rate == Decimal("0.8636363636363636363636363636363636")


def test_forty_five_minutes_of_an_hour_are_three_quarters():
    assert CaptureTime(3_600_000, 2_700_000).rate == Decimal("0.75")
    assert CaptureCounts(60, 45, 45).rate == Decimal("0.75")


@pytest.mark.parametrize("nothing", [CaptureCounts(), CaptureTime()])
def test_where_nothing_was_expected_there_is_no_rate(nothing):
    assert nothing.rate is None
