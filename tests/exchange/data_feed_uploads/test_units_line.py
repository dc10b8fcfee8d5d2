"""A line of units below the header: numbers are converted from them, and any other line is refused."""

from decimal import Decimal

import pytest
from tests.given.feeds import Feeding

LOG = "start_time,mass,driver\n{units}\n2025-01-01T06:00:00Z,1500,Eva\n"


@pytest.fixture
def feeding(account):
    return Feeding(account)


@pytest.mark.parametrize("units", [",kg,", ",[kg],text", " , (kg) ,-"])
def test_numbers_are_converted_from_the_units_of_the_line(feeding, units):
    upload = feeding.upload(feeding.feed(units_line=True), LOG.format(units=units))

    assert (upload["state"], upload["rows"], upload["stored"]) == ("complete", 1, 1)
    assert feeding.values() == [("2025-01-01T06:00:00.000Z", {"mass": Decimal("1.5"), "driver": "Eva"})]


def test_an_empty_cell_is_in_the_unit_of_the_data_point_and_what_the_feed_says_has_to_be_the_same(feeding):
    said = [{"column": "mass", "field": "mass", "unit": "g"}]
    feed = feeding.feed(units_line=True, columns=said)

    refused = feeding.upload(feed, LOG.format(units=",kg,"))
    same = feeding.upload(feed, LOG.format(units=",g,"))
    unknown = feeding.upload(feed, LOG.format(units=",Nm3/h,").replace("06:00:00Z,1500", "07:00:00Z,3"))
    silent = feeding.upload(feeding.feed(name="Other", units_line=True), LOG.format(units=",,"))

    assert (
        "has 'kg' for the column 'mass', and the data feed says that it is in 'g'."
        in refused["error_message"]
    )
    assert [one["state"] for one in (same, unknown, silent)] == ["complete"] * 3
    assert [str(values["mass"]) for _, values in feeding.values()] == ["0.0015", "1500", "0.000003"]


@pytest.mark.parametrize(
    ("units", "said"),
    [
        (
            ",2,",
            "Line 2 of units has '2' for the column 'mass', which is a number, so that the line is a row.",
        ),
        ("2025-01-01T05:00:00Z,,Ali", "which is a time, so that the line is a row."),
        (",°C,", "has '°C' for the column 'mass'"),
        (",Nm3/h,", "has 'Nm3/h' for the column 'mass'"),
        (",kg", "Line 2 of units has 2 cells, but the header has 3."),
    ],
)
def test_what_is_no_line_of_units_refuses_the_file(feeding, units, said):
    upload = feeding.upload(feeding.feed(units_line=True), LOG.format(units=units))

    assert upload["state"] == "failed"
    assert said in upload["error_message"]
    assert feeding.events() == []
