"""A trace: every value lies where its number says, however long or large the number is."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

from weighbridge.web.display.charts import trace


def drawn(*values, breaks=None):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    points = [
        SimpleNamespace(
            start=start + timedelta(hours=hour), low=value, high=value, captured=None, is_imputed=False
        )
        for hour, value in enumerate(map(Decimal, values))
    ]
    series = SimpleNamespace(
        start=start, end=start + timedelta(hours=len(points)), points=points, pins=[], outages=[]
    )
    return str(trace(series, alt_text="values", ticks=[], breaks=breaks))


def heights_of(picture):
    [path] = re.findall(r'd="([^"]*)" class="line"', picture)
    return [Decimal(height) for height in re.findall(r"[ML]\S+ (\S+)", path)]


def test_the_largest_value_lies_highest():
    lowest, middle, highest = heights_of(drawn("1", "2.5", "4"))

    assert lowest > middle > highest
    assert lowest - middle == middle - highest


def test_values_that_differ_in_the_last_of_34_digits_lie_apart():
    one = "1234567890123456789012345678901234"
    another = "1234567890123456789012345678901235"

    assert heights_of(drawn("1", "2")) == heights_of(drawn(one, another))


def test_values_of_many_digits_before_the_point_are_labelled():
    picture = drawn("1e40", "2e40")

    assert heights_of(picture) == heights_of(drawn("1", "2"))
    assert ">16" in picture


def test_a_pause_breaks_the_line():
    assert drawn("1", "2", "3", breaks=timedelta(minutes=30)).count('class="line"') == 3
