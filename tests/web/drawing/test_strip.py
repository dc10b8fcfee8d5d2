"""A strip of slots: cells that say the same are one, shares stand over one another, none leaves its range."""

import re
from datetime import UTC, datetime, timedelta

from weighbridge.web.display.calendar import KINDS, WIDTH, StripCell, join_cells, strip

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)


def cell(hour, **counts):
    start = BEGIN + timedelta(hours=hour)
    return StripCell(start, start + timedelta(hours=1), tuple(counts.get(kind, 0) for kind in KINDS))


def rects(picture):
    return re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', picture)


def test_cells_beside_one_another_that_are_all_the_same_are_one():
    cells = [*join_cells([cell(0, captured=1), cell(1, captured=1), cell(2, missing=1), cell(3, captured=1)])]

    assert [(one.only, sum(one.counts), one.end - one.start) for one in cells] == [
        ("captured", 2, timedelta(hours=2)),
        ("missing", 1, timedelta(hours=1)),
        ("captured", 1, timedelta(hours=1)),
    ]


def test_cells_with_a_pause_between_them_stay_apart():
    assert len([*join_cells([cell(0, captured=1), cell(2, captured=1)])]) == 2


def test_a_mixed_cell_shows_its_shares_over_one_another():
    end = BEGIN + timedelta(hours=2)

    drawn = strip(
        [cell(0, captured=1), cell(1, captured=3, missing=1)],
        BEGIN,
        end,
        alt_text="Slots",
        span=lambda *_: "then",
    )

    half = str(WIDTH // 2)
    assert rects(drawn) == [
        ("0", "0", half, "14"), (half, "3.5", half, "10.5"), (half, "0", half, "3.5"),
    ]  # fmt: skip
    assert "then: 4 intervals, 3 captured, 1 missing" in drawn


def test_a_cell_that_reaches_over_the_end_is_cut_there():
    drawn = strip(
        [cell(0, captured=1)], BEGIN, BEGIN + timedelta(minutes=30), alt_text="Slots", span=lambda *_: "then"
    )

    assert rects(drawn) == [("0", "0", str(WIDTH), "14")]
