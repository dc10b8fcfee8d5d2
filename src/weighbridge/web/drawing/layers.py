"""A layered graph: boxes in columns, edges from left to right; for models, lineage and the flow of data.

A box stands in the column behind the last of what it depends on. Boxes of a column are put where their
neighbours lie, by a few sweeps there and back (Sugiyama, Tagawa and Toda 1981, the barycentre of each box).

Invariants: the same graph is drawn the same; no two boxes overlap; a circle is drawn as a line that turns
back, for the edge that closes it is laid aside while columns are chosen.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from markupsafe import Markup, escape

from weighbridge.web.drawing.svg import at, element, label, link, picture

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
    """Whether it is the one that stands beside the graph."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge between two boxes, with a word at it, such as a unit."""

    source: str
    target: str
    word: str = ""


Position = tuple[int, int]


def graph(boxes: Sequence[Box], edges: Sequence[GraphEdge], *, says: str) -> Markup:
    """The picture of a graph."""
    places = arranged([box.key for box in boxes], [(edge.source, edge.target) for edge in edges])
    width = max((x for x, _ in places.values()), default=0) + BOX_WIDTH + 2
    height = max((y for _, y in places.values()), default=0) + BOX_HEIGHT + 2
    drawn = [_edge(edge, places) for edge in edges if edge.source in places and edge.target in places]
    drawn += [_box(box, places[box.key]) for box in boxes]
    return picture(width, height, drawn, says=says, kind="graph")


def arranged(keys: Sequence[str], edges: Sequence[tuple[str, str]]) -> Mapping[str, Position]:
    """Where each box has its upper left corner."""
    known = set(keys)
    forward = _without_circles(keys, [(a, b) for a, b in edges if a in known and b in known and a != b])
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
    known, done = set(keys), set[str]()
    kept: list[tuple[str, str]] = []
    for start in keys:
        walk, on_way = [(start, iter(following[start]))] if start not in done else [], {start}
        while walk:
            key, rest = walk[-1]
            target = next(rest, "")
            if target not in known:
                walk.pop()
                on_way.discard(key)
                done.add(key)
            elif target not in on_way:
                kept.append((key, target))
                if target not in done:
                    on_way.add(target)
                    walk.append((target, iter(following[target])))
    return kept


def _columns(keys: Sequence[str], edges: list[tuple[str, str]]) -> list[list[str]]:
    """The boxes by columns, each behind the last of those that lead to it."""
    before, waiting = defaultdict(list), dict.fromkeys(keys, 0)
    for source, target in edges:
        before[source].append(target)
        waiting[target] += 1
    depth = dict.fromkeys(keys, 0)
    ready = [key for key in keys if not waiting[key]]
    for key in ready:
        for target in before[key]:
            depth[target] = max(depth[target], depth[key] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for key in keys:
        columns[depth[key]].append(key)
    return columns


def _sweep(columns: list[list[str]], edges: list[tuple[str, str]]) -> None:
    """Put the boxes of each column in the order of the middle of their neighbours, there and back."""
    near = defaultdict(list)
    for source, target in edges:
        near[source].append(target)
        near[target].append(source)
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            place = {
                key: Fraction(2 * row + 1, 2 * len(each)) for each in columns for row, key in enumerate(each)
            }
            column.sort(key=lambda key: (_middle([place[one] for one in near[key]], place[key]), place[key]))


def _middle(places: Sequence[Fraction], own: Fraction) -> Fraction:
    return sum(places, Fraction(0)) / len(places) if places else own


def _box(box: Box, place: Position) -> Markup:
    x, y = place
    drawn = element(
        "g",
        element("title", escape(f"{box.title} {box.detail}".strip())),
        element("rect", x=x, y=y, width=BOX_WIDTH, height=BOX_HEIGHT, rx=5, class_=_classes(box)),
        label(_short(box.title), x + 10, y + 17, kind="label"),
        label(_short(box.detail, STRONG_LETTERS_MAX), x + 10, y + 33, kind="strong"),
    )
    return link(box.address, drawn, is_current=box.is_current) if box.address else drawn


def _classes(box: Box) -> str:
    return " ".join(one for one in ("box", box.kind, "current" if box.is_current else "") if one)


def _edge(edge: GraphEdge, places: Mapping[str, Position]) -> Markup:
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    x1, y1, y2 = x1 + BOX_WIDTH, y1 + BOX_HEIGHT // 2, y2 + BOX_HEIGHT // 2
    bend = COLUMN_GAP // 2
    way = f"M{at(x1)} {at(y1)} C{at(x1 + bend)} {at(y1)} {at(x2 - bend)} {at(y2)} {at(x2)} {at(y2)}"
    drawn = element("path", d=way, class_="edge")
    if not edge.word:
        return drawn
    middle = (x1 + x2) // 2
    word = _short(edge.word, WORD_LETTERS_MAX)
    title = element("title", escape(edge.word))
    return element("g", title, drawn, label(word, middle, (y1 + y2) // 2 - 4, kind="label", anchor="middle"))


def _short(text: str, letters_max: int = LETTERS_MAX) -> str:
    return text if len(text) <= letters_max else text[: letters_max - 1] + "…"
