"""Pictures show what they are given: bars as high as amounts, boxes apart, bands as wide as flows."""

import re
from datetime import date, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from weighbridge.web.display.calendar import CalendarRow, DayCell, heat_map, kind_of
from weighbridge.web.display.charts import SPARKLINE_HEIGHT, sparkline, stacked_bar
from weighbridge.web.display.graph import (
    BOX_HEIGHT,
    BOX_WIDTH,
    Box,
    Flow,
    FlowNode,
    GraphEdge,
    arrange_boxes,
    graph,
    sankey,
)

DAY = date(2025, 3, 1)


def heights(picture: str, kind: str) -> list[str]:
    return [
        re.findall(r'height="([\d.]+)"', one)[0]
        for one in re.findall(rf'<rect[^>]*class="{kind}"/>', picture)
    ]


def test_the_highest_bar_of_a_sparkline_has_its_whole_height():
    drawn = sparkline([Decimal(1), Decimal(2), None], alt_text="12 months")

    assert heights(drawn, "bar") == [
        str((SPARKLINE_HEIGHT - 1) / 2).removesuffix(".0"),
        str(SPARKLINE_HEIGHT - 1),
    ]


def test_a_sparkline_of_nothing_is_a_line():
    assert "<rect" not in sparkline([None, Decimal(0)], alt_text="nothing")


def test_parts_of_a_bar_are_as_long_as_their_amounts():
    drawn = stacked_bar([("drawn", Decimal(30)), ("remaining", Decimal(70))], alt_text="a", width=100)

    assert re.findall(r'width="(\d+)" height="10" class="(\w+)"', drawn) == [
        ("30", "drawn"),
        ("70", "remaining"),
    ]


def test_a_day_is_what_most_of_it_is():
    assert kind_of(DayCell(DAY, 24, measured=24)) == "full"
    assert kind_of(DayCell(DAY, 24, measured=20)) == "most"
    assert kind_of(DayCell(DAY, 24, measured=2)) == "few"
    assert kind_of(DayCell(DAY, 24)) == "missing"
    assert kind_of(DayCell(DAY, 24, substituted=24)) == "substituted"
    assert kind_of(DayCell(DAY, 24, imputed=24)) == "imputed"
    assert kind_of(DayCell(DAY, 0, outage=24)) == "outage"


def test_a_calendar_has_a_cell_for_each_day_and_says_each_month_once():
    cells = [DayCell(DAY + timedelta(days=at), 1, measured=1) for at in range(40)]

    drawn = heat_map([CalendarRow("Power <hourly>", cells, "100 %")], alt_text="March and April")

    assert drawn.count('class="cell full"') == 40
    assert (drawn.count(">March<"), drawn.count(">April<")) == (1, 1)
    assert "Power &lt;hourly&gt;" in drawn


NODES = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)
EDGES = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=20)


@given(NODES, EDGES)
def test_no_two_boxes_overlap_whatever_the_graph(nodes: list[str], edges: list[tuple[str, str]]):
    places = list(arrange_boxes(nodes, edges).values())

    assert len(places) == len(nodes)
    for at, (x, y) in enumerate(places):
        for other_x, other_y in places[at + 1 :]:
            assert abs(x - other_x) >= BOX_WIDTH or abs(y - other_y) >= BOX_HEIGHT


def test_a_box_stands_behind_all_that_it_depends_on():
    places = arrange_boxes(["c", "a", "b"], [("a", "b"), ("b", "c"), ("a", "c")])

    assert places["a"][0] < places["b"][0] < places["c"][0]


def test_a_circle_is_drawn_too():
    drawn = graph(
        [Box("a", "A"), Box("b", "B")], [GraphEdge("a", "b", "t"), GraphEdge("b", "a")], alt_text="a circle"
    )

    assert drawn.count('class="edge"') == 2


def test_bands_are_as_wide_as_what_flows():
    nodes = [FlowNode("wood", "Wood"), FlowNode("char", "Char"), FlowNode("waste", "Waste")]
    flows = [Flow("wood", "char", Decimal(3), "3 t"), Flow("wood", "waste", Decimal(1), "1 t")]

    drawn = sankey(nodes, flows, alt_text="flows")

    assert heights(drawn, "node") == ["320", "240", "80"]
    assert drawn.count('class="flow"') == 2
