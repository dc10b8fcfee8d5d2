"""A sample is read as a data feed reads its file, and a flaw has the line and the column of its cell."""

import pytest

from weighbridge.packages.checking import check_package
from weighbridge.packages.reading import read_package
from weighbridge.packages.samples import FLAWS_SHOWN
from weighbridge.packages.skeleton import write_skeleton

FINE = """\
start_time,end_time,energy,notes
2025-01-01T00:00:00Z,2025-02-01T00:00:00Z,12.5,"first, estimated"
2025-02-01T00:00:00Z,2025-03-01T00:00:00Z,11.25,
"""


def check(sample, name="fuel-bill", event_types=None):
    """The flaws of a skeleton with this sample, and with other event types if a test says so."""
    files = dict(write_skeleton("soda-ash")) | {f"samples/{name}.csv": sample}
    if event_types is not None:
        before, after = event_types
        assert before in files["event_types.yaml"]
        files["event_types.yaml"] = files["event_types.yaml"].replace(before, after)
    contents = {file: text.encode() for file, text in files.items()}
    return [str(flaw) for flaw in check_package(read_package(contents)).flaws]


def test_a_sample_that_a_feed_would_take_has_no_flaw():
    assert check(FINE) == []


@pytest.mark.parametrize(
    ("before", "after", "flaw"),
    [
        ("12.5", "many", "samples/fuel-bill.csv:2:43: A feed would refuse the row: column 'energy': 'many'"),
        ("11.25", "", "samples/fuel-bill.csv:3:43: The event lacks energy, which its type requires."),
        ("2025-02-01T00:00:00Z,12", "2024-02-01T00:00:00Z,12", "samples/fuel-bill.csv:2:22: The event ends"),
        ("Z,2025-03", ",2025-03", "samples/fuel-bill.csv:3:1: A feed would refuse the row: start_time: "),
        ("energy,", "energie,", "samples/fuel-bill.csv:1:21: The column 'energie' is not mapped"),
        ("start_time", "notes", "samples/fuel-bill.csv:1:1: "),
        (",energy", "", "samples/fuel-bill.csv:1:1: The sample lacks the column energy, which events of fu"),
        ("11.25,", "11.25", "samples/fuel-bill.csv:3:1: A feed would refuse the row: it has 3 cells"),
    ],
)
def test_a_flaw_of_a_sample_has_the_place_of_its_cell(before, after, flaw):
    assert before in FINE

    found = check(FINE.replace(before, after))

    assert any(one.startswith(flaw) for one in found), found


def test_a_cell_is_placed_past_commas_within_quotes():
    moved = FINE.replace("energy,notes", "notes,energy").replace(
        '12.5,"first, estimated"', '"first, estimated",x'
    )

    found = check(moved)

    assert [one.split(" ")[0] for one in found] == [
        "samples/fuel-bill.csv:2:62:",
        "samples/fuel-bill.csv:3:49:",
    ], found


def test_a_sample_of_no_event_type_is_refused_by_name():
    [flaw] = check(FINE, "fuel")

    assert flaw.startswith("samples/fuel.csv:1:1: A sample is named by the slug of its event type, one of")


def test_a_sample_without_rows_is_refused():
    assert check(FINE.splitlines()[0]) == [
        "samples/fuel-bill.csv:1:1: The sample has no row below its header."
    ]


def test_an_event_type_with_a_location_asks_for_its_column():
    [flaw] = check(FINE, event_types=("expected_locations: none", "expected_locations: one"))

    assert flaw.startswith("samples/fuel-bill.csv:1:1: The sample lacks the column location")


def test_a_separator_of_lines_within_a_cell_begins_no_line():
    assert check(FINE.replace("first, estimated", "first\u2028estimated")) == []


def test_of_many_flaws_the_first_are_named():
    header, first, *_ = FINE.splitlines(keepends=True)

    found = check(header + first.replace("12.5", "x") * 1000)

    assert len(found) == FLAWS_SHOWN + 1
    assert any("more flaws than the 20 that are named" in flaw for flaw in found)
