"""One version of a model as a graph: what it reads, what it computes of that, what it gives.

One node is always chosen and stands beside the graph; which one, the address says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler
from markupsafe import Markup

from weighbridge.accounting.model_runs.records import Calculation, ModelRun
from weighbridge.accounting.model_runs.routes import list_model_runs
from weighbridge.core.expression import print_tree
from weighbridge.core.model import (
    NODE_KINDS,
    Available,
    Constant,
    Formula,
    Input,
    Model,
    Node,
    StaticInput,
    Upstream,
    needs,
)
from weighbridge.core.quantity.number import plain
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.models import records
from weighbridge.modelling.models.routes import get_model
from weighbridge.modelling.versions.stored import owned_model
from weighbridge.web.drawing.formula import formula
from weighbridge.web.drawing.layers import Box, GraphEdge, graph
from weighbridge.web.page import page
from weighbridge.web.visit import Moved, View, Visit, view

ONE: Final = "/projects/{project_id}/models/{model_id}"

RUNS_SHOWN: Final = "12"
"""Batches of the version, the latest, that stand with the value of the chosen node."""


@dataclass(frozen=True, slots=True)
class NodeOfRun:
    """What a node came to in one batch."""

    run: ModelRun
    value: Decimal | Sequence[Decimal] | None
    unit: str


async def model_of(visit: Visit) -> records.Model | Moved:
    """The version that a path names; where it belongs to another project, the way there."""
    found: records.Model = await visit.ask(get_model)
    here, asked = visit.path["project_id"], visit.path["model_id"]
    if found.project_id is None or found.project_id == here:
        return found
    elsewhere = visit.request.url.path.replace(here, found.project_id, 1)
    return Moved(elsewhere if asked == found.id else f"/projects/{found.project_id}/models/{found.id}")


async def document_of(visit: Visit) -> tuple[str, Model]:
    """The text of the version that a path names, and the model that it is."""
    stored = await owned_model(visit.reading, visit.actor, visit.path["model_id"])
    return stored.document, await visit.reading.in_thread(read_model, stored.document)


def around(visit: Visit, found: records.Model, tab: str) -> dict[str, Any]:
    """What every page of a version shows around its own."""
    models = f"/projects/{visit.path['project_id']}/models"
    return {
        "model": found,
        "tab": tab,
        "path": f"{models}/{found.id}",
        "models_path": models,
        "crumbs": (("Models", models), (found.name, f"{models}/{found.id}"))
        if tab
        else (("Models", models),),
    }


async def model_version(visit: Visit) -> View | Moved:
    """A version: its nodes as a graph, the chosen one beside it."""
    found = await model_of(visit)
    if isinstance(found, Moved):
        return found
    _, model = await document_of(visit)
    chosen = model.by_slug.get(visit.asked("node")) or model.by_slug[model.primary_output]
    context = around(visit, found, "")
    return view(
        "models/version.html", found.name, call=f"/models/{found.id}", about=model.about,
        picture=picture_of(model, context["path"], chosen), chosen=shown_node(chosen, model),
        nodes=[shown_node(node, model) for node in model.nodes],
        latest=await _latest(visit, chosen.slug), **context,
    )  # fmt: skip


def picture_of(model: Model, path: str, chosen: Node | None = None) -> Markup:
    """The graph of a model's nodes, units on the edges; each box leads to its node."""
    boxes = [
        Box(
            node.slug,
            node.label,
            f"{_kind(node)} · {node.unit}",
            "chosen" if node.is_output else "",
            f"{path}?node={node.slug}#node",
            is_current=chosen is not None and node.slug == chosen.slug,
        )
        for node in model.nodes
    ]
    edges = [
        GraphEdge(slug, node.slug, str(model.by_slug[slug].unit))
        for node in model.nodes
        for slug in needs(node)
        if slug in model.by_slug
    ]
    return graph(boxes, edges, says=f"{model.name}: {len(boxes)} nodes and what each is computed of")


def shown_node(node: Node, model: Model) -> dict[str, Any]:
    """A node in words, with its formula as mathematics beside its text."""
    tree = node.body.tree if isinstance(node.body, Formula) else None
    return {
        "slug": node.slug,
        "label": node.label,
        "kind": _kind(node),
        "unit": str(node.unit),
        "description": node.description,
        "source": node.source,
        "is_output": node.is_output,
        "is_primary": node.slug == model.primary_output,
        "reads": _reads(node),
        "event_type": node.body.event_type if isinstance(node.body, Input) else "",
        "fed_by": [_neighbour(model.by_slug[slug]) for slug in needs(node) if slug in model.by_slug],
        "feeds": [_neighbour(other) for other in model.nodes if node.slug in needs(other)],
        "math": None if tree is None else formula(tree, result=node.slug),
        "text": None if tree is None else f"{node.slug} = {print_tree(tree)}",
    }


async def _latest(visit: Visit, slug: str) -> list[NodeOfRun]:
    """What a node came to in the latest batches of the version."""
    listed = await visit.ask(list_model_runs, (("page_size", RUNS_SHOWN), ("sort", "-start_time")))
    runs: list[ModelRun] = [one for one in listed.data if one.batch_id is not None]
    values = [(run, _calculated(run.calculations, slug)) for run in runs]
    return [NodeOfRun(run, one.value, one.unit) for run, one in values if one is not None]


def _calculated(calculations: Sequence[Calculation], slug: str) -> Calculation | None:
    return next((one for one in calculations if one.slug == slug), None)


def _neighbour(node: Node) -> Mapping[str, str]:
    return {"slug": node.slug, "label": node.label, "unit": str(node.unit), "kind": _kind(node)}


def _kind(node: Node) -> str:
    return NODE_KINDS[type(node.body)].replace("_", " ")


def _reads(node: Node) -> str:
    match node.body:
        case Input() as body:
            words = f"{body.aggregate.value.replace('_', ' ')} of {body.data_point_type} of {body.event_type}"
            return f"{words}, where {body.where.written}" if body.where else words
        case StaticInput(slug=slug, by=by):
            return f"the project's {slug}" + (f", by {by.value}" if by else "")
        case Constant(value=value):
            return f"always {plain(value)}"
        case Upstream(ledger=ledger, order=order, is_manual=is_manual):
            return f"drawn from {ledger}, {'from batches named by hand' if is_manual else order.value}"
        case Available(ledger=ledger):
            return f"the balance of {ledger} at the end of the slot"
    return ""


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(ONE, permission="production_accounting:read", of=get_model)(model_version)
]
