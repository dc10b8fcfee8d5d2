"""What a sample leaves open is found, and nothing is that only one reading fits."""

import pytest

from weighbridge.exchange.tables.ambiguity import (
    choose_examples,
    is_mark_open,
    lacks_offset,
    list_time_formats,
)


@pytest.mark.parametrize(
    ("times", "formats"),
    [
        (["03/04/2025", "05/06/2025"], ["%d/%m/%Y", "%m/%d/%Y"]),
        (["03/04/2025 06:15", "13/04/2025 06:15"], ["%d/%m/%Y %H:%M"]),
        (["03/04/2025", "04/13/2025"], ["%m/%d/%Y"]),
        (["03/13/2025", "13/03/2025"], []),
        (["01.02.2025 06:00"], ["%d.%m.%Y %H:%M", "%m.%d.%Y %H:%M"]),
        (["31.01.2025 06:00:00"], ["%d.%m.%Y %H:%M:%S"]),
        (["01-02-2025"], ["%d-%m-%Y", "%m-%d-%Y"]),
        (["01/02/03"], ["%d/%m/%y", "%m/%d/%y", "%y/%m/%d"]),
        (["31.12.25", "30.11.25"], ["%d.%m.%y"]),
        (["1/2/2025 3:15 PM"], ["%d/%m/%Y %I:%M %p", "%m/%d/%Y %I:%M %p"]),
        (["2025-01-02", "2025-01-02T06:00:00Z"], []),
        (["soon"], []),
        ([], []),
    ],
)
def test_all_formats_that_read_every_time_are_found(times, formats):
    assert list_time_formats(times) == formats


def test_examples_begin_with_times_that_the_formats_read_differently():
    times = ["03/03/2025", "03/03/2025", "04/04/2025", "03/04/2025", "05/05/2025"]

    assert choose_examples(times, ["%d/%m/%Y", "%m/%d/%Y"]) == ["03/04/2025", "03/03/2025", "04/04/2025"]


@pytest.mark.parametrize(
    ("times", "formats", "lacks"),
    [
        (["2025-01-02T06:00:00Z"], [], False),
        (["2025-01-02T06:00:00+01:00", "2025-01-02 07:00"], [], True),
        (["01/02/2025"], ["%d/%m/%Y", "%m/%d/%Y"], True),
        (["soon"], [], False),
    ],
)
def test_a_time_without_an_offset_leaves_its_zone_open(times, formats, lacks):
    assert lacks_offset(times, formats) is lacks


@pytest.mark.parametrize(
    ("numbers", "delimiter", "is_open"),
    [
        (["1,234", "12,500"], ";", True),
        (["1,234", "12,500"], ",", True),
        (["1.234"], ";", True),
        (["1.234"], ",", False),
        (["1,234", "12,5"], ";", False),
        (["0,123", "1,234"], ";", False),
        (["1,234", "1.5"], ";", False),
        (["1,234", "12500"], ";", False),
        (["1,234", "12"], ";", True),
        (["12", "13"], ";", False),
        (["1,234,567"], ";", False),
        (["n/a"], ";", False),
    ],
)
def test_a_mark_is_open_where_it_may_separate_thousands(numbers, delimiter, is_open):
    assert is_mark_open(numbers, delimiter) is is_open
