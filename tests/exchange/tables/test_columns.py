"""What the columns of a file give."""

import pytest

from weighbridge.exchange.tables.columns import Point, build_columns, choose_fields

TYPES = {"ambient-temperature": "number", "nox": "number", "operator": "string"}
POINTS = "ambient-temperature, nox, operator"
OF_EVENTS = (
    "start_time, end_time, utc_offset, tracking_id, feedstock, asset, client_reference, notes, location"
)
FIELDS = f"{POINTS}, {OF_EVENTS}"
OR_NOT = "leave it out there with '-', or let other_columns be leave_out."


def map_columns(header, asked, types):
    chosen, problems = choose_fields(header, _named(asked), types)
    assert problems == []
    return build_columns(header, chosen, types)


def complaints(header, asked=(), types=TYPES):
    _, problems = choose_fields(header, _named(asked), types)
    assert problems != []
    return [problem.message for problem in problems]


def _named(asked):
    """What a feed says of columns, of `COLUMN=FIELD`."""
    return {column.strip(): field.strip() for column, _, field in (one.rpartition("=") for one in asked)}


def test_columns_are_known_by_their_names():
    columns = map_columns(["Start time", "Ambient temperature", "NOx"], (), TYPES)

    assert columns.fields == {"start_time": (0,)}
    assert columns.points == (Point(1, "ambient-temperature", "number"), Point(2, "nox", "number"))


def test_hyphens_and_underscores_count_as_the_same_in_a_name():
    columns = map_columns(["ambient_temperature"], (), TYPES)

    assert columns.points == (Point(0, "ambient-temperature", "number"),)


def test_a_name_that_fits_two_data_points_maps_by_none():
    assert len(complaints(["A b"], (), {"a-b": "number", "a_b": "number"})) == 1


def test_columns_are_mapped_as_is_asked():
    columns = map_columns(["T=amb", "Who", "x"], ["T=amb=nox", " Who = operator ", "x=-"], TYPES)

    assert columns.as_mapping() == {"T=amb": "nox", "Who": "operator", "x": "-"}


def test_what_is_asked_stands_before_the_name():
    columns = map_columns(["NOx", "CO"], ["NOx=-", "CO=nox"], TYPES)

    assert columns.as_mapping() == {"NOx": "-", "CO": "nox"}


def test_a_data_point_stands_before_the_events_own_field_of_the_same_name():
    columns = map_columns(["Notes"], (), {"notes": "string"})

    assert columns.points == (Point(0, "notes", "string"),)
    assert columns.fields == {}


def test_a_date_and_a_time_of_day_that_are_asked_to_give_one_time_do_so_together():
    columns = map_columns(["Date", "Time", "NOx"], ["Date=start_time", "Time=start_time"], TYPES)

    assert columns.fields == {"start_time": (0, 1)}
    assert columns.as_mapping() == {"Date": "start_time", "Time": "start_time", "NOx": "nox"}


@pytest.mark.parametrize(
    ("header", "asked"),
    [
        (["Start time", "Clock"], ["Clock=start_time"]),
        (["Date", "Date"], ["Date=start_time"]),
        (["Date", "Time"], ["Date=tracking_id", "Time=tracking_id"]),
    ],
)
def test_other_columns_give_nothing_together(header, asked):
    assert len(complaints(header, asked)) == 1


def test_columns_without_a_name_are_left_out_together():
    columns = map_columns(["nox", "", ""], ["=-"], TYPES)

    assert columns.points == (Point(0, "nox", "number"),)


def test_everything_that_is_wrong_with_a_mapping_is_told_at_once():
    assert complaints(["A", "B", "nox"], ["A=nosuch", "C=nox"]) == [
        "The data feed names the column 'C'; line 1 of the file has 'A', 'B', 'nox'.",
        "The column 'A' gives 'nosuch', which the event type does not have.",
        f"The column 'B' is not mapped; set in columns of the data feed which of {FIELDS} it gives, {OR_NOT}",
    ]


def test_two_columns_cannot_give_the_same():
    assert complaints(["NOx", "nox"]) == [
        "The columns 'NOx', 'nox' all give nox; leave all but one out with '-'."
    ]


def test_a_single_column_that_maps_nowhere_hints_at_the_delimiter():
    assert complaints(["Time;NOx"]) == [
        "The file has a single column 'Time;NOx'; is another delimiter needed?"
    ]
