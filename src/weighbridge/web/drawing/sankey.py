"""A Sankey diagram: what flows between ledgers, each band as wide as its amount.

Bars stand in columns as boxes of a layered graph do; a bar is as high as the more of what comes and goes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

from weighbridge.web.drawing.layers import BOX_WIDTH, COLUMN_GAP, arranged
from weighbridge.web.drawing.svg import at, element, label, link, picture

NODE_WIDTH: Final = 12
HEIGHT: Final = 320
NODE_GAP: Final = 26
LEAST: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A ledger, or the world outside, with its amount in words."""

    key: str
    title: str
    said: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    """What goes from one to another: a share of the picture by its weight, and the amount in words.

    Amounts of different units have no common measure, so the caller says what one weighs against another.
    """

    source: str
    target: str
    weight: Decimal
    said: str


def sankey(nodes: Sequence[FlowNode], flows: Sequence[Flow], *, says: str) -> Markup:
    """The diagram; flows of no weight, to themselves or to nobody are left out."""
    keys = {node.key for node in nodes}
    shown = [
        flow
        for flow in flows
        if flow.weight > 0 and flow.source != flow.target and {flow.source, flow.target} <= keys
    ]
    places = arranged([node.key for node in nodes], [(flow.source, flow.target) for flow in shown])
    columns: dict[int, list[FlowNode]] = {}
    for node in sorted(nodes, key=lambda one: places[one.key][1]):
        columns.setdefault((places[node.key][0] - 1) // (BOX_WIDTH + COLUMN_GAP), []).append(node)
    weights = {node.key: _weight(node.key, shown) for node in nodes}
    tallest = max(
        (sum((weights[one.key] for one in column), Fraction(0)) for column in columns.values()),
        default=Fraction(0),
    )
    scale = Fraction(HEIGHT) / tallest if tallest else Fraction(0)
    spots = _spots(columns, weights, scale)
    bands = _bands(shown, spots, scale)
    drawn = [*bands, *(_node(node, spots[node.key]) for node in nodes)]
    width = max((x for x, _, _ in spots.values()), default=0) + BOX_WIDTH
    height = max((y + h for _, y, h in spots.values()), default=Fraction(0)) + 20
    return picture(width, height, drawn, says=says, kind="sankey")


_Spot = tuple[int, Fraction, Fraction]


def _weight(key: str, flows: Sequence[Flow]) -> Fraction:
    comes = sum((Fraction(flow.weight) for flow in flows if flow.target == key), Fraction(0))
    goes = sum((Fraction(flow.weight) for flow in flows if flow.source == key), Fraction(0))
    return max(comes, goes)


def _spots(
    columns: Mapping[int, Sequence[FlowNode]], weights: Mapping[str, Fraction], scale: Fraction
) -> dict[str, _Spot]:
    spots: dict[str, _Spot] = {}
    for column, nodes in columns.items():
        y = Fraction(16)
        for node in nodes:
            height = max(weights[node.key] * scale, LEAST)
            spots[node.key] = (column * (BOX_WIDTH + COLUMN_GAP), y, height)
            y += height + NODE_GAP
    return spots


def _bands(flows: Sequence[Flow], spots: Mapping[str, _Spot], scale: Fraction) -> list[Markup]:
    left = {key: y for key, (_, y, _) in spots.items()}
    right = dict(left)
    bands = []
    for flow in sorted(flows, key=lambda one: (spots[one.source][1], spots[one.target][1])):
        width = max(Fraction(flow.weight) * scale, LEAST)
        x1, x2 = spots[flow.source][0] + NODE_WIDTH, spots[flow.target][0]
        y1, y2 = right[flow.source], left[flow.target]
        right[flow.source] += width
        left[flow.target] += width
        bend = (x1 + x2) // 2
        way = (
            f"M{at(x1)} {at(y1)} C{bend} {at(y1)} {bend} {at(y2)} {at(x2)} {at(y2)} "
            f"L{at(x2)} {at(y2 + width)} "
            f"C{bend} {at(y2 + width)} {bend} {at(y1 + width)} {at(x1)} {at(y1 + width)} Z"
        )
        bands.append(element("path", element("title", escape(flow.said)), d=way, class_="flow"))
    return bands


def _node(node: FlowNode, spot: _Spot) -> Markup:
    x, y, height = spot
    drawn = element(
        "g",
        element("title", escape(f"{node.title} {node.said}".strip())),
        element("rect", x=x, y=y, width=NODE_WIDTH, height=height, class_="node"),
        label(node.title, x + NODE_WIDTH + 6, y + 11, kind="strong"),
        label(node.said, x + NODE_WIDTH + 6, y + 25, kind="label"),
    )
    return link(node.address, drawn) if node.address else drawn
