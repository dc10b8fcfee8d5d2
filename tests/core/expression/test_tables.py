"""Tables in expressions: rows found by key, numbers between rows, and nothing beyond them."""

from decimal import Decimal

import pytest

from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    Environment,
    ExpressionError,
    Table,
    TableColumn,
    evaluate,
    number,
    parse,
    quantities,
    quantity,
    text,
)
from weighbridge.core.unit import parse_unit

CLASSES = Table(
    "classes",
    (
        TableColumn("temperature", number(parse_unit("degC"))),
        TableColumn("fraction", PLAIN),
        TableColumn("name", TEXT),
    ),
    (
        (Decimal(350), Decimal("0.65"), "low"),
        (Decimal(450), Decimal("0.80"), "middle"),
        (Decimal(600), Decimal("0.89"), "high"),
    ),
)
FACTORS = Table(
    "factors",
    (TableColumn("feedstock", TEXT), TableColumn("factor", number(parse_unit("kg{CO2e}/t")))),
    (("Wood", Decimal("12.5")), ("Straw", Decimal(30))),
)


def computed(expression, **values):
    names = {"partition.feedstock": text("Straw"), **values}
    return evaluate(parse(expression), Environment(names, {"classes": CLASSES, "factors": FACTORS}))


def at(degrees):
    return quantity(Decimal(degrees), parse_unit("degC"))


def test_a_row_is_found_by_a_text():
    found = computed("lookup(factors, factor, partition.feedstock)")

    assert (found.content, str(found.type.unit)) == (Decimal(30), "kg{CO2e}/t")


@pytest.mark.parametrize(
    ("match", "key", "expected"),
    [
        ("exact", 450, "middle"),
        ("below", 450, "middle"),
        ("below", 449, "low"),
        ("below", 9999, "high"),
        ("above", 450, "middle"),
        ("above", 451, "high"),
        ("above", 0, "low"),
    ],
)
def test_a_row_is_found_by_a_number(match, key, expected):
    assert computed(f"lookup(classes, name, key, {match})", key=at(key)).content == expected


@pytest.mark.parametrize(("match", "key"), [("exact", 451), ("below", 349), ("above", 601)])
def test_a_key_that_no_row_answers_is_an_error(match, key):
    with pytest.raises(ExpressionError, match=rf"classes has no row for {key} \({match}\)"):
        computed(f"lookup(classes, name, key, {match})", key=at(key))


@pytest.mark.parametrize(
    ("key", "expected"),
    [(350, "0.65"), (400, "0.725"), (450, "0.8"), (500, "0.83"), (600, "0.89")],
)
def test_a_number_between_rows_lies_on_the_straight_line(key, expected):
    assert computed("interpolate(classes, fraction, key)", key=at(key)).content == Decimal(expected)


@pytest.mark.parametrize("key", ["349.999", "600.001"])
def test_nothing_is_extrapolated(key):
    with pytest.raises(ExpressionError, match=rf"{key} is outside the table classes, 350 to 600"):
        computed("interpolate(classes, fraction, key)", key=at(key))


def test_the_key_is_converted_to_the_unit_of_its_column():
    assert computed(
        "interpolate(classes, fraction, key)", key=quantity(Decimal("673.15"), parse_unit("K"))
    ).content == Decimal("0.725")


def test_a_table_is_read_for_each_element_of_an_array():
    keys = quantities([Decimal(350), Decimal(500)], parse_unit("degC"), "the readings")

    assert computed("interpolate(classes, fraction, keys)", keys=keys).content == (
        Decimal("0.65"),
        Decimal("0.83"),
    )
    assert computed("lookup(classes, name, keys, below)", keys=keys).content == ("low", "middle")


def test_a_table_of_one_row_has_that_one_value():
    table = Table(
        "one", (TableColumn("key", PLAIN), TableColumn("value", PLAIN)), ((Decimal(1), Decimal(7)),)
    )

    assert evaluate(parse("interpolate(one, value, 1)"), Environment({}, {"one": table})).content == Decimal(
        7
    )
