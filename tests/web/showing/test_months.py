"""Charts show whole months by the clock on the project's wall."""

from decimal import Decimal

import pytest

from weighbridge.core.time.calendar import Instant
from weighbridge.web.display.figures import format_month, months_until, percent, percent_text


def at(text):
    return Instant.of(Instant.fromisoformat(text))


def test_the_last_month_is_the_one_that_the_moment_ends_or_lies_in():
    ended = months_until(at("2025-02-01T00:00:00+01:00"), "Europe/Berlin", 2)

    assert [edge.text for edge in ended] == [
        "2024-11-30T23:00:00.000Z",
        "2024-12-31T23:00:00.000Z",
        "2025-01-31T23:00:00.000Z",
    ]
    assert months_until(at("2025-01-10T00:00:00Z"), "Europe/Berlin", 2) == ended
    assert format_month(ended[0], "Europe/Berlin") == "December 2024"


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [(1, 3, "33.3\u202f%"), (9999, 10_000, "99.9\u202f%"), (2, 2, "100.0\u202f%"), (0, 0, "")],
)
def test_a_share_never_says_all_where_something_lacks(part, whole, said):
    assert percent_text(part, whole) == said


def test_a_share_keeps_its_digits_behind_its_tenths():
    shown = percent(Decimal("0.99996"))

    assert "99.9\u202f%" in shown
    assert 'title="99.99600 %"' in shown
    assert "100\u202f%" in percent(Decimal(1))
