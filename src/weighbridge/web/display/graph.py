"""Layered graphs of boxes and edges, and Sankey diagrams whose bands are as wide as their amounts.

Invariants: the same graph is drawn the same; no two boxes overlap.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

from weighbridge.web.display.charts import at, element, label, link, picture

# A layered graph: boxes in columns, edges from left to right; for models, lineage and the flow of data.
#
# A box is in the column after the last of its inputs. Boxes of a column are placed where their
# neighbours lie, by a few sweeps there and back (Sugiyama, Tagawa and Toda 1981, the barycentre of each
# box).
#
# Invariants: the same graph is drawn the same; no two boxes overlap; a circle is drawn as a line that turns
# back, for the edge that closes it is laid aside while columns are chosen.


BOX_WIDTH: Final = 160
BOX_HEIGHT: Final = 42
COLUMN_GAP: Final = 62
ROW_GAP: Final = 14
SWEEPS: Final = 6
LETTERS_MAX: Final = 24
"""Letters of a line in a box; the rest is in its title."""

STRONG_LETTERS_MAX: Final = 20
"""Letters of the stronger line of a box, which takes more room."""

WORD_LETTERS_MAX: Final = 9
"""Letters of the word at an edge, which lies between two columns; the rest is in its title."""


@dataclass(frozen=True, slots=True)
class Box:
    """One box: a line of words, a line that says more, and where it leads. Kinds: chosen, waits."""

    key: str
    title: str
    detail: str = ""
    kind: str = ""
    address: str = ""
    is_current: bool = False
    """Whether the page shows details of this box."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge between two boxes, with a word at it, such as a unit."""

    source: str
    target: str
    word: str = ""


Position = tuple[int, int]


def graph(boxes: Sequence[Box], edges: Sequence[GraphEdge], *, alt_text: str) -> Markup:
    """The picture of a graph."""
    places = arrange_boxes([box.key for box in boxes], [(edge.source, edge.target) for edge in edges])
    width = max((x for x, _ in places.values()), default=0) + BOX_WIDTH + 2
    height = max((y for _, y in places.values()), default=0) + BOX_HEIGHT + 2
    shapes = [_edge(edge, places) for edge in edges if edge.source in places and edge.target in places]
    shapes += [_box(box, places[box.key]) for box in boxes]
    return picture(width, height, shapes, alt_text=alt_text, kind="graph")


def arrange_boxes(keys: Sequence[str], edges: Sequence[tuple[str, str]]) -> Mapping[str, Position]:
    """Where each box has its upper left corner."""
    known_keys = set(keys)
    forward = _without_circles(
        keys, [(a, b) for a, b in edges if a in known_keys and b in known_keys and a != b]
    )
    columns = _columns(keys, forward)
    _sweep(columns, forward)
    most = max((len(column) for column in columns), default=0)
    return {
        key: (
            1 + index * (BOX_WIDTH + COLUMN_GAP),
            1 + (most - len(column)) * (BOX_HEIGHT + ROW_GAP) // 2 + row * (BOX_HEIGHT + ROW_GAP),
        )
        for index, column in enumerate(columns)
        for row, key in enumerate(column)
    }


def _without_circles(keys: Sequence[str], edges: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The edges without those that lead back to a box that is still being walked from."""
    following = defaultdict(list)
    for source, target in edges:
        following[source].append(target)
    known_keys, finished_keys = set(keys), set[str]()
    acyclic_edges: list[tuple[str, str]] = []
    for start in keys:
        walk, on_way = [(start, iter(following[start]))] if start not in finished_keys else [], {start}
        while walk:
            key, remaining_targets = walk[-1]
            target = next(remaining_targets, "")
            if target not in known_keys:
                walk.pop()
                on_way.discard(key)
                finished_keys.add(key)
            elif target not in on_way:
                acyclic_edges.append((key, target))
                if target not in finished_keys:
                    on_way.add(target)
                    walk.append((target, iter(following[target])))
    return acyclic_edges


def _columns(keys: Sequence[str], edges: list[tuple[str, str]]) -> list[list[str]]:
    """Return the boxes by columns, each after the last of its inputs."""
    before, open_edges = defaultdict(list), dict.fromkeys(keys, 0)
    for source, target in edges:
        before[source].append(target)
        open_edges[target] += 1
    depth = dict.fromkeys(keys, 0)
    ready = [key for key in keys if not open_edges[key]]
    for key in ready:
        for target in before[key]:
            depth[target] = max(depth[target], depth[key] + 1)
            open_edges[target] -= 1
            if not open_edges[target]:
                ready.append(target)
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for key in keys:
        columns[depth[key]].append(key)
    return columns


def _sweep(columns: list[list[str]], edges: list[tuple[str, str]]) -> None:
    """Put the boxes of each column in the order of the middle of their neighbours, there and back."""
    neighbours = defaultdict(list)
    for source, target in edges:
        neighbours[source].append(target)
        neighbours[target].append(source)
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            place = {
                key: Fraction(2 * row + 1, 2 * len(column_keys))
                for column_keys in columns
                for row, key in enumerate(column_keys)
            }
            column.sort(
                key=lambda key: (
                    _middle([place[neighbour] for neighbour in neighbours[key]], place[key]),
                    place[key],
                )
            )


def _middle(places: Sequence[Fraction], own_place: Fraction) -> Fraction:
    return sum(places, Fraction(0)) / len(places) if places else own_place


def _box(box: Box, place: Position) -> Markup:
    x, y = place
    rectangle = element(
        "g",
        element("title", escape(f"{box.title} {box.detail}".strip())),
        element("rect", x=x, y=y, width=BOX_WIDTH, height=BOX_HEIGHT, rx=5, class_=_classes(box)),
        label(_short(box.title), x + 10, y + 17, kind="label"),
        label(_short(box.detail, STRONG_LETTERS_MAX), x + 10, y + 33, kind="strong"),
    )
    return link(box.address, rectangle, is_current=box.is_current) if box.address else rectangle


def _classes(box: Box) -> str:
    return " ".join(
        class_name for class_name in ("box", box.kind, "current" if box.is_current else "") if class_name
    )


def _edge(edge: GraphEdge, places: Mapping[str, Position]) -> Markup:
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    x1, y1, y2 = x1 + BOX_WIDTH, y1 + BOX_HEIGHT // 2, y2 + BOX_HEIGHT // 2
    bend = COLUMN_GAP // 2
    way = f"M{at(x1)} {at(y1)} C{at(x1 + bend)} {at(y1)} {at(x2 - bend)} {at(y2)} {at(x2)} {at(y2)}"
    path = element("path", d=way, class_="edge")
    if not edge.word:
        return path
    middle = (x1 + x2) // 2
    word = _short(edge.word, WORD_LETTERS_MAX)
    title = element("title", escape(edge.word))
    return element("g", title, path, label(word, middle, (y1 + y2) // 2 - 4, kind="label", anchor="middle"))


def _short(text: str, letters_max: int = LETTERS_MAX) -> str:
    return text if len(text) <= letters_max else text[: letters_max - 1] + "…"


# A Sankey diagram: what flows between ledgers, each band as wide as its amount.
#
# Bars are arranged in columns like boxes; the height of a bar is the larger of its inflow and outflow.


NODE_WIDTH: Final = 12
HEIGHT: Final = 320
NODE_GAP: Final = 26
LEAST: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A ledger, or the world outside, with its amount in words."""

    key: str
    title: str
    amount: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    """What goes from one to another: a share of the picture by its weight, and the amount in words.

    Amounts of different units have no common measure, so the caller says what one weighs against another.
    """

    source: str
    target: str
    weight: Decimal
    title: str


def sankey(nodes: Sequence[FlowNode], flows: Sequence[Flow], *, alt_text: str) -> Markup:
    """The diagram; flows of no weight, to themselves or to nobody are left out."""
    keys = {node.key for node in nodes}
    shown_flows = [
        flow
        for flow in flows
        if flow.weight > 0 and flow.source != flow.target and {flow.source, flow.target} <= keys
    ]
    places = arrange_boxes([node.key for node in nodes], [(flow.source, flow.target) for flow in shown_flows])
    columns: dict[int, list[FlowNode]] = {}
    for node in sorted(nodes, key=lambda flow_node: places[flow_node.key][1]):
        columns.setdefault((places[node.key][0] - 1) // (BOX_WIDTH + COLUMN_GAP), []).append(node)
    weights = {node.key: _weight(node.key, shown_flows) for node in nodes}
    tallest = max(
        (sum((weights[flow_node.key] for flow_node in column), Fraction(0)) for column in columns.values()),
        default=Fraction(0),
    )
    scale = Fraction(HEIGHT) / tallest if tallest else Fraction(0)
    spots = _spots(columns, weights, scale)
    bands = _bands(shown_flows, spots, scale)
    shapes = [*bands, *(_node(node, spots[node.key]) for node in nodes)]
    width = max((x for x, _, _ in spots.values()), default=0) + BOX_WIDTH
    height = max((y + h for _, y, h in spots.values()), default=Fraction(0)) + 20
    return picture(width, height, shapes, alt_text=alt_text, kind="sankey")


_Spot = tuple[int, Fraction, Fraction]


def _weight(key: str, flows: Sequence[Flow]) -> Fraction:
    inflow = sum((Fraction(flow.weight) for flow in flows if flow.target == key), Fraction(0))
    outflow = sum((Fraction(flow.weight) for flow in flows if flow.source == key), Fraction(0))
    return max(inflow, outflow)


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
    for flow in sorted(flows, key=lambda flow_: (spots[flow_.source][1], spots[flow_.target][1])):
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
        bands.append(element("path", element("title", escape(flow.title)), d=way, class_="flow"))
    return bands


def _node(node: FlowNode, spot: _Spot) -> Markup:
    x, y, height = spot
    rectangle = element(
        "g",
        element("title", escape(f"{node.title} {node.amount}".strip())),
        element("rect", x=x, y=y, width=NODE_WIDTH, height=height, class_="node"),
        label(node.title, x + NODE_WIDTH + 6, y + 11, kind="strong"),
        label(node.amount, x + NODE_WIDTH + 6, y + 25, kind="label"),
    )
    return link(node.address, rectangle) if node.address else rectangle
