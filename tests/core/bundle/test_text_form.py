"""One way to write each value: whatever else is written is refused."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.bundle.archive import UnreadableError
from weighbridge.core.bundle.rows import TextKind, read, read_record, record_text, split_fields, write_line
from weighbridge.core.bundle.tables import STATIC_INPUTS, SlotLine, parse_ranges, read_rows, write_ranges


@given(st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8"))), min_size=1))
def test_a_row_is_read_as_it_was_written(fields):
    line = write_line(fields)

    assert write_line(split_fields(line[:-1])) == line
    assert list(split_fields(line[:-1])) == fields


@pytest.mark.parametrize("text", ["1.0", "01", "+1", "1e3", "-0", "1.", ".5", " 1", "1_0", "\u0661", "NaN"])
def test_a_number_written_otherwise_is_none(text):
    with pytest.raises(UnreadableError, match="mass is"):
        read(TextKind.NUMBER, text, is_optional=False, column="mass")


@pytest.mark.parametrize("text", ["0", "-0.25", "10", "0.001", "12345678901234567890123456789012.34"])
def test_a_number_keeps_every_digit(text):
    assert read(TextKind.NUMBER, text, is_optional=False, column="mass") == Decimal(text)


@pytest.mark.parametrize("line", ['"a",b', 'a"b', '"a', '"a""', "a\rb"])
def test_marks_where_none_are_needed_or_missing_ones_make_no_row(line):
    with pytest.raises(ValueError, match="quotation mark"):
        split_fields(line)


@given(st.sets(st.integers(0, 60)))
def test_ranges_are_read_as_they_were_written(numbers):
    assert parse_ranges(write_ranges(sorted(numbers))) == sorted(numbers)


@pytest.mark.parametrize("ranges", ["2-1", "1,2", "3,1", "1-1", "1,1", "01", "a", "1-", "-1", "1-9999999999"])
def test_ranges_written_otherwise_are_none(ranges):
    with pytest.raises(UnreadableError):
        parse_ranges(ranges)


def test_a_record_has_its_fields_and_no_others():
    line = SlotLine(1, 2, [3], [])

    assert read_record(SlotLine, record_text(line)) == line
    for text in (
        b'{"generation":1,"model":2,"batches":[3]}\n',
        b'{"alongside":[],"batches":[3],"generation":1,"model":2,"more":0}\n',
        b'{"alongside":[],"batches":[true],"generation":1,"model":2}\n',
        b'{"alongside": [],"batches":[3],"generation":1,"model":2}\n',
        b"[]\n",
        b"[" * 100_000,
    ):
        with pytest.raises(UnreadableError):
            read_record(SlotLine, text)


def test_rows_are_sorted_and_each_is_there_once():
    rows = ["{},factor,1.5,t,2025-01-01T00:00:00.000Z,,,", "{},factor,1,,2025-02-01T00:00:00.000Z,,,"]
    one = STATIC_INPUTS.header + "".join(f"{row}\n" for row in rows)

    assert len(list(read_rows(STATIC_INPUTS, memoryview(one.format(1, 2).encode())))) == 2
    for first, second in ((2, 1), (1, 1)):
        with pytest.raises(UnreadableError, match="sorted"):
            list(read_rows(STATIC_INPUTS, memoryview(one.format(first, second).encode())))
