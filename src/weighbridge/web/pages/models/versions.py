"""Calculation models: their versions, one version as a graph, the editor of its document, and trying it out.

A version is tried out by simulating it with own inputs, and by comparing it with another over a past period;
nothing is stored by that.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup

from weighbridge.accounting.model_runs import list_model_runs
from weighbridge.accounting.records.model_runs import Calculation, ComparedVersions, ModelRun
from weighbridge.accounting.version_comparisons import compare_over_period
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
    list_needs,
)
from weighbridge.core.number import plain
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.modelling import records
from weighbridge.modelling.documents import find_owned_model, read_model
from weighbridge.modelling.models import (
    activate_model,
    compare_models,
    get_model,
    list_model_versions,
    list_project_models,
    set_version_label,
    update_model,
)
from weighbridge.packages.records import PartKind
from weighbridge.web.display.formula import formula
from weighbridge.web.display.graph import Box, GraphEdge, graph
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.origins import list_origins, map_origins
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# One version of a model as a graph: what it reads, what it computes of that, what it gives.
#
# One node is always selected by the URL and shown in detail.


PATH: Final = "/projects/{project_id}/models"
ONE: Final = PATH + "/{model_id}"

RUNS_SHOWN: Final = "12"
"""The latest batches of the version, with the value of the selected node."""


@dataclass(frozen=True, slots=True)
class NodeOfRun:
    """The value of a node in one batch."""

    run: ModelRun
    value: Decimal | Sequence[Decimal] | None
    unit: str


async def read_version(visit: Visit) -> records.Model | Redirect:
    """The version that a path names; where it belongs to another project, the way there."""
    model_record: records.Model = await visit.ask(get_model)
    project_id, asked_id = visit.path["project_id"], visit.path["model_id"]
    if model_record.project_id is None or model_record.project_id == project_id:
        return model_record
    elsewhere = visit.request.url.path.replace(project_id, model_record.project_id, 1)
    return Redirect(
        elsewhere
        if asked_id == model_record.id
        else f"/projects/{model_record.project_id}/models/{model_record.id}"
    )


async def read_document(visit: Visit) -> tuple[str, Model]:
    """The text of the version that a path names, and the model that it is."""
    stored_model = await find_owned_model(visit.reading, visit.actor, visit.path["model_id"])
    return stored_model.document, await visit.reading.in_thread(read_model, stored_model.document)


def build_version_context(visit: Visit, model_record: records.Model, tab: str) -> dict[str, Any]:
    """What every page of a version shows around its own."""
    models = visit.url("models")
    return {
        "model": model_record,
        "tab": tab,
        "path": f"{models}/{model_record.id}",
        "models_path": models,
        "crumbs": (("Models", models), (model_record.name, f"{models}/{model_record.id}"))
        if tab
        else (("Models", models),),
    }


async def model_version(visit: Visit) -> View | Redirect:
    """Show a version: its nodes as a graph, and the selected one in detail."""
    model_record = await read_version(visit)
    if isinstance(model_record, Redirect):
        return model_record
    _, model = await read_document(visit)
    chosen_node = model.by_slug.get(visit.asked("node")) or model.by_slug[model.primary_output]
    context = build_version_context(visit, model_record, "")
    return view(
        "models/version.html", model_record.name, call=f"/models/{model_record.id}", about=model.about,
        picture=draw_graph(model, context["path"], chosen_node), chosen=describe_node(chosen_node, model),
        nodes=[describe_node(node, model) for node in model.nodes],
        latest=await _latest(visit, chosen_node.slug),
        origins=await list_origins(visit, PartKind.MODEL, model_record.id), **context,
    )  # fmt: skip


def draw_graph(model: Model, path: str, chosen_node: Node | None = None) -> Markup:
    """The graph of a model's nodes, units on the edges; each box leads to its node."""
    boxes = [
        Box(
            node.slug,
            node.label,
            f"{_kind(node)} · {node.unit}",
            "chosen" if node.is_output else "",
            f"{path}?node={node.slug}#node",
            is_current=chosen_node is not None and node.slug == chosen_node.slug,
        )
        for node in model.nodes
    ]
    edges = [
        GraphEdge(slug, node.slug, str(model.by_slug[slug].unit))
        for node in model.nodes
        for slug in list_needs(node)
        if slug in model.by_slug
    ]
    return graph(boxes, edges, alt_text=f"{model.name}: {len(boxes)} nodes and their inputs")


def describe_node(node: Node, model: Model) -> dict[str, Any]:
    """Describe a node, with its formula as mathematics and as text."""
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
        "fed_by": [_neighbour(model.by_slug[slug]) for slug in list_needs(node) if slug in model.by_slug],
        "feeds": [_neighbour(other) for other in model.nodes if node.slug in list_needs(other)],
        "math": None if tree is None else formula(tree, result=node.slug),
        "text": None if tree is None else f"{node.slug} = {print_tree(tree)}",
    }


async def _latest(visit: Visit, slug: str) -> list[NodeOfRun]:
    """Return the values of a node in the latest batches of the version."""
    listed_runs = await visit.ask(list_model_runs, (("page_size", RUNS_SHOWN), ("sort", "-start_time")))
    runs: list[ModelRun] = [value for value in listed_runs.data if value.batch_id is not None]
    values = [(run, _calculation_of(run.calculations, slug)) for run in runs]
    return [NodeOfRun(run, value.value, value.unit) for run, value in values if value is not None]


def _calculation_of(calculations: Sequence[Calculation], slug: str) -> Calculation | None:
    return next((calculation for calculation in calculations if calculation.slug == slug), None)


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
            return f"static input {slug}" + (f", by {by.value}" if by else "")
        case Constant(value=value):
            return f"constant {plain(value)}"
        case Upstream(ledger=ledger, order=order, is_manual=is_manual):
            return (
                f"withdrawn from {ledger}, {'from manually selected batches' if is_manual else order.value}"
            )
        case Available(ledger=ledger):
            return f"balance of {ledger} at the end of the period"
    return ""


# Models of a project, and the versions of one with their labels and notes.


_QUERY: Final = partial(list_query, sort="name,-version")
"""Every version, those of one model together."""


@page(PATH, permission="production_accounting:read", of=list_project_models, query_of=_QUERY)
async def models(visit: Visit) -> View:
    """The models of a project with their versions."""
    query = _QUERY(visit)
    listed_models = await visit.ask(list_project_models, query)
    path = visit.url("models")
    return view(
        "models/models.html", "Models", call=f"{path}?{urlencode(query)}", has_csv=True,
        models=listed_models.data, list=ListView(path, visit.query, listed_models.info), path=path,
        origins=await map_origins(visit, PartKind.MODEL, listed_models.data),
    )  # fmt: skip


async def model_versions(visit: Visit) -> View | Redirect:
    """The versions of a model, with what people call them and wrote about them."""
    model_record = await read_version(visit)
    if isinstance(model_record, Redirect):
        return model_record
    versions = await visit.ask(list_model_versions, (("page_size", "100"), ("sort", "-version")))
    return view(
        "models/versions.html", "Versions", call=f"/models/{model_record.id}/versions",
        versions=versions.data, **build_version_context(visit, model_record, "versions"),
    )  # fmt: skip


@form(f"{ONE}/notes", permission="production_accounting:write", error_page=model_versions)
async def note_version(visit: Visit) -> Redirect:
    """Write what people call a version, and what they should know of it."""
    await visit.do(set_version_label, {"model": {"version_label": visit.text("version_label") or None}})
    await visit.do(update_model, {"model": {"description": visit.text("description") or None}})
    return Redirect(visit.url("models/{model_id}/versions"), "Label and notes saved.")


@form(f"{ONE}/activate", permission="production_accounting:write", error_page=model_versions, computes=True)
async def activate_version(visit: Visit) -> Redirect:
    """Make a version the one that ledgers run from now on."""
    active_model = await visit.do(activate_model, {})
    return Redirect(
        visit.url("models/{model_id}/versions"),
        f"Version {active_model.version} activated. Existing batches are unchanged.",
    )


VERSIONS_OFFERED: Final = (("page_size", "100"), ("sort", "-version"))
"""Versions that a comparison offers."""

LINES_AROUND: Final = 2
"""Lines that a difference shows around each that changed."""


@page(f"{ONE}/changes", permission="production_accounting:read", of=get_model, computes=True, tries=True)
async def model_changes(visit: Visit) -> View | Redirect:
    """What differs between two versions, and what one would have changed over a past period."""
    model_record = await read_version(visit)
    if isinstance(model_record, Redirect):
        return model_record
    versions = (await visit.ask(list_model_versions, VERSIONS_OFFERED)).data
    other = next((version for version in versions if version.id == visit.asked("from")), None)
    other = other or next(
        (version for version in versions if version.is_active and version.id != model_record.id), None
    )
    other = other or next((version for version in versions if version.id != model_record.id), None)
    difference = lines = compared = None
    problems: tuple[Problem, ...] = ()
    if other is not None:
        difference = await visit.ask(compare_models, (("to", model_record.id),), model_id=other.id)
        lines = [*_lines(await _document(visit, other.id), await _document(visit, model_record.id))]
        compared, problems = await _compare(visit, other.id)
    return view(
        "models/changes.html", "Compare", call=f"/models/{model_record.id}", versions=versions,
        other=other, difference=difference, lines=lines, compared=compared, refused=problems,
        period=(visit.asked("start"), visit.asked("end")),
        **build_version_context(visit, model_record, "changes"),
    )  # fmt: skip


async def _compare(visit: Visit, against: str) -> tuple[ComparedVersions | None, tuple[Problem, ...]]:
    start, end = (visit.moments.typed(visit.asked(name)) for name in ("start", "end"))
    if start is None or end is None:
        return None, ()
    body = {"start_time": start.text, "end_time": end.text, "against": against}
    try:
        return await visit.do(compare_over_period, body), ()
    except (Invalid, Malformed, Conflict) as refusal:
        return None, tuple(refusal.problems)


async def _document(visit: Visit, model: str) -> str:
    return (await find_owned_model(visit.reading, visit.actor, model)).document


def _lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The lines that differ, with some around them: kind and text."""
    kinds = {"+": "added", "-": "removed", "@": "place"}
    unified = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=LINES_AROUND)
    for at, line in enumerate(unified):
        if at > 1:
            yield kinds.get(line[:1], "same"), line


PAGES = [
    *page(ONE, permission="production_accounting:read", of=get_model)(model_version),
    *models,
    *page(f"{ONE}/versions", permission="production_accounting:read", of=list_model_versions)(model_versions),
    *note_version,
    *activate_version,
    *model_changes,
]
