"""The page of machines follows from the measured figures, and each of its quantities from those before."""

import pytest
from tests.architecture.source import ROOT
from tools import sizing


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    """The cells of the page's lines by their first."""
    cells = [
        [one.strip() for one in line.strip("|").split("|")]
        for line in sizing.page().splitlines()
        if "|" in line
    ]
    return {first: rest for first, *rest in cells}


def test_a_hundred_times_the_values_take_a_hundred_times_the_disk(rows):
    [_, small, large] = (
        float(cell.replace(",", "")) if place else cell for place, cell in enumerate(rows["disk, TB"])
    )

    assert large / small == pytest.approx(100, rel=0.01)


def test_the_quantities_are_those_of_the_arithmetic(rows):
    measured, assumed = sizing.read()["measured"], sizing.read()["assumed"]
    events = assumed["values_kept"][0] / measured["values_per_event"]

    said = {
        name: float(cells[1].replace(",", ""))
        for name, cells in rows.items()
        if name.startswith(("ev", "disk"))
    }

    assert said["events"] == pytest.approx(events)
    assert said["disk, TB"] == pytest.approx(events * measured["bytes_per_event"] / 1e12, rel=0.01)
    mean = events / (assumed["years_kept"] * 365 * 24 * 3600)
    assert said["events a second, mean"] == pytest.approx(mean, rel=0.01)
    assert said["events a second, peak"] == pytest.approx(mean * assumed["peak_of_ingest"], rel=0.01)


def test_a_node_that_fills_up_can_give_a_cell_away(rows):
    assumed = sizing.read()["assumed"]
    [_, one_machine, several] = rows["database machines"]

    assert rows["cells"][1:] == [one_machine, str(int(several) * assumed["cells_of_a_node"])]
    disk, of_cell = (float(rows[name][2]) for name in ("disk, TB", "disk of a cell, TB"))
    assert disk / of_cell == pytest.approx(float(rows["cells"][2]), rel=0.01)


def test_the_guide_to_cells_is_named():
    assert (ROOT / "docs/howto/add-cells.md").exists()
    assert "add-cells.md" in sizing.page()
