"""The lineage of a batch: as one picture, and level by level from the result down to readings and draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from markupsafe import Markup

from weighbridge.accounting.batches.records import Batch, LineageNode
from weighbridge.core.quantity.number import plain
from weighbridge.web.drawing.layers import Box, GraphEdge, graph
from weighbridge.web.showing.figures import rounded
from weighbridge.web.showing.words import plural

BOXES_MAX: Final = 60
"""Boxes of a picture; a larger lineage is read level by level."""


@dataclass(frozen=True, slots=True)
class LineageLevel:
    """A node with what it is computed from; one that stands elsewhere already is only named."""

    node: LineageNode
    below: Sequence["LineageLevel"]
    is_repeated: bool = False


def levels(nodes: Sequence[LineageNode]) -> list[LineageLevel]:
    """The outputs, the one that the ledger keeps first, with all that lies below each."""
    by_slug = {node.slug: node for node in nodes}
    seen: set[str] = set()
    tops = sorted((node for node in nodes if node.is_output), key=lambda node: not node.is_primary)
    return [_level(node, by_slug, seen) for node in tops]


def _level(node: LineageNode, by_slug: Mapping[str, LineageNode], seen: set[str]) -> LineageLevel:
    if node.slug in seen:
        return LineageLevel(node, (), is_repeated=True)
    seen.add(node.slug)
    below = [_level(by_slug[slug], by_slug, seen) for slug in node.reads if slug in by_slug]
    return LineageLevel(node, below)


def lineage_picture(home: str, batch: Batch, nodes: Sequence[LineageNode]) -> Markup | None:
    """Readings and draws on the left, the batch on the right; None where it is too large to be read."""
    boxes: list[Box] = []
    edges: list[GraphEdge] = []
    for node in nodes:
        boxes.append(_box(node))
        edges += [GraphEdge(slug, node.slug) for slug in node.reads]
        if node.input is not None:
            key = f"events of {node.slug}"
            count = node.input.event_count
            said = plural(count, "event")
            boxes.append(Box(key, node.input.event_type.replace("-", " "), said, "", f"#node-{node.slug}"))
            edges.append(GraphEdge(key, node.slug))
        for draw in node.draws:
            key = f"draw {draw.batch_id}"
            if all(box.key != key for box in boxes):
                address = f"{home}/batches/{draw.batch_id}"
                boxes.append(
                    Box(key, draw.tracking_id, f"{_short(draw.amount)} {draw.unit}", "chosen", address)
                )
            edges.append(GraphEdge(key, node.slug))
    if len(boxes) > BOXES_MAX:
        return None
    return graph(boxes, edges, says=f"What {batch.tracking_id} was made of")


def _box(node: LineageNode) -> Box:
    value = f"{_short(node.value)} {node.unit}" if node.value is not None else ""
    if node.element_count is not None:
        value = f"{plural(node.element_count, 'value')}, {node.unit}"
    kind = "chosen" if node.is_primary else "waits" if node.skipped_input else ""
    return Box(node.slug, node.name, value, kind, f"#node-{node.slug}")


def _short(value: object) -> str:
    return plain(rounded(value)) if isinstance(value, Decimal) else ""
