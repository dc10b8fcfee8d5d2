"""Custom fields: which labels and values there may be, and how values stand in cells."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.collection.custom_field import (
    VALUE_TYPES,
    CustomValueError,
    check_label,
    checked,
    read_cell,
    write_cell,
)

numbers = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent),
    st.integers(-(10**34) + 1, 10**34 - 1),
    st.integers(-60, 60),
)
texts = st.text(st.sampled_from("'=+-@\t\r\n\uff1d") | st.characters(exclude_categories=["Cs"]), min_size=1)
values = {
    "text": texts.filter(str.strip),
    "number": numbers,
    "boolean": st.booleans(),
    "date": st.dates().map(str),
}


@pytest.mark.parametrize(
    "label", ["id", "Name", "ASSET_TYPE", "serial_number", " description ", "Asset Type", "serial-number"]
)
def test_the_label_of_a_standard_column_is_reserved(label):
    [problem] = check_label(label, "label")

    assert problem.code == "reserved"
    assert problem.message.endswith("are id, name, asset_type, serial_number, description.")


@pytest.mark.parametrize("label", ["Serial numbers", "type of asset", "Identifier", "=1+1", "ID 2"])
def test_other_labels_are_free(label):
    assert not [*check_label(label, "label")]


@pytest.mark.parametrize(
    ("label", "code"),
    [("", "required"), ("x" * 101, "invalid"), ("a\nb", "invalid"), ("a\u2028b", "invalid")],
)
def test_a_label_that_cannot_head_a_column_is_refused(label, code):
    assert [problem.code for problem in check_label(label, "label")] == [code]


@pytest.mark.parametrize(
    ("value_type", "value"),
    [
        ("text", "x"), ("text", " x "), ("number", 5), ("number", Decimal("0.10")), ("boolean", True),
        ("boolean", False), ("date", "2024-02-29"),
    ],
)  # fmt: skip
def test_a_value_of_its_type_is_taken_as_it_is(value_type, value):
    assert checked(value_type, value) == value


@pytest.mark.parametrize(
    ("value_type", "value", "message"),
    [
        ("text", 5, "is 5; it takes a text that is not blank."),
        ("text", " ", "is blank; it takes a text that is not blank."),
        ("text", "x" * 10_001, "has 10001 characters; allowed are 10,000."),
        ("number", "5", "is '5'; it takes a number."),
        ("number", True, "is true; it takes a number."),
        ("number", None, "is null; it takes a number."),
        ("boolean", 1, "is 1; it takes true or false."),
        ("boolean", "true", "is 'true'; it takes true or false."),
        ("date", "2025-02-29", "is '2025-02-29'; it takes a date such as 2025-01-31."),
        ("date", "20250131", "is '20250131'; it takes a date such as 2025-01-31."),
        ("date", 20250131, "is 20250131; it takes a date such as 2025-01-31."),
        ("date", [], "is a list; it takes a date such as 2025-01-31."),
        ("date", {}, "is an object; it takes a date such as 2025-01-31."),
    ],
)
def test_a_value_of_another_type_is_refused_with_what_is_allowed(value_type, value, message):
    with pytest.raises(CustomValueError) as refused:
        checked(value_type, value)

    assert str(refused.value) == message


def test_a_number_out_of_limits_is_refused():
    with pytest.raises(CustomValueError, match="more than 34 significant digits"):
        checked("number", Decimal("1" * 35))


@pytest.mark.parametrize(
    ("value_type", "value", "cell"),
    [
        ("number", Decimal("-1.50"), "-1.50"),
        ("number", Decimal("1E+3"), "1000"),
        ("text", "-1.50", "'-1.50"),
        ("boolean", True, "true"),
        ("date", "2025-01-31", "2025-01-31"),
    ],
)
def test_only_texts_are_quoted_in_a_cell(value_type, value, cell):
    assert write_cell(value_type, value) == cell


@pytest.mark.parametrize(
    ("value_type", "cell", "value"),
    [
        ("number", " 12 ", 12),
        ("number", "1e3", 1000),
        ("boolean", "TRUE", True),
        ("boolean", " false", False),
    ],
)
def test_a_cell_that_a_program_wrote_its_own_way_is_read(value_type, cell, value):
    assert read_cell(value_type, cell) == value


@pytest.mark.parametrize(
    ("value_type", "cell"), [("number", "1,5"), ("number", "'5"), ("boolean", "yes"), ("date", "31.01.2025")]
)
def test_a_cell_of_another_type_is_refused(value_type, cell):
    with pytest.raises(CustomValueError):
        read_cell(value_type, cell)


@given(st.data())
def test_every_value_comes_back_from_its_cell(data):
    value_type = data.draw(st.sampled_from(VALUE_TYPES))
    value = checked(value_type, data.draw(values[value_type]))

    assert read_cell(value_type, write_cell(value_type, value)) == value
