"""How data flow through a project as one picture: event types, the ledgers' models, ledgers."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from weighbridge.accounting.ledgers.routes import list_required_inputs
from weighbridge.web.drawing.layers import Box, GraphEdge, graph
from weighbridge.web.ledgers.rows import YearOfLedger
from weighbridge.web.visit import Visit

LEDGERS_DRAWN_MAX: Final = 12
"""Ledgers that the picture shows."""


async def dataflow(visit: Visit, rows: Sequence[YearOfLedger]) -> Markup | None:
    """The picture; None where no ledger runs a model yet."""
    home = visit.frame.home
    drawn = [row.ledger for row in rows if row.ledger.latest_model is not None][:LEDGERS_DRAWN_MAX]
    boxes: dict[str, Box] = {}
    edges: dict[GraphEdge, None] = {}
    for ledger in drawn:
        model = ledger.latest_model
        if model is None:
            continue
        boxes[model.id] = Box(model.id, model.name, "model", "", f"{home}/models/{model.id}")
        boxes[ledger.id] = Box(ledger.id, ledger.name, ledger.unit, "chosen", f"{home}/ledgers/{ledger.id}")
        edges[GraphEdge(model.id, ledger.id)] = None
        needed = await visit.ask(list_required_inputs, ledger_id=ledger.id)
        for one in needed.data:
            if one.category == "event":
                key = f"events {one.subcategory}"
                address = f"{home}/events?filter[slug]={one.subcategory}"
                boxes.setdefault(key, Box(key, one.subcategory.replace("-", " "), "events", "", address))
                edges[GraphEdge(key, model.id)] = None
            for source in one.output_of_ledgers:
                address = f"{home}/ledgers/{source.id}"
                boxes.setdefault(source.id, Box(source.id, source.name, source.unit, "chosen", address))
                edges[GraphEdge(source.id, model.id)] = None
    if not boxes:
        return None
    return graph([*boxes.values()], [*edges], says="How data flow from event types through models to ledgers")
