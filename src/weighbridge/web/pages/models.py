"""Calculation models: their versions, one version as a graph, and the editor of its document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup

from weighbridge.accounting.model_runs import list_model_runs
from weighbridge.accounting.records.model_runs import Calculation, ModelRun
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
from weighbridge.core.quantity.number import plain
from weighbridge.modelling.document.stored import find_owned_model
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.models import (
    activate_model,
    create_model,
    create_model_version,
    get_model,
    list_model_versions,
    list_project_models,
    set_version_label,
    update_model,
    validate_model_yaml,
    validate_yaml,
)
from weighbridge.modelling.records import models as records
from weighbridge.modelling.records.documents import Validation
from weighbridge.web.display.formula import formula
from weighbridge.web.display.graph import Box, GraphEdge, graph
from weighbridge.web.framework.listing import ListQuery, ListView, asked_for
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# One version of a model as a graph: what it reads, what it computes of that, what it gives.
#
# One node is always chosen and stands beside the graph; which one, the address says.


PATH: Final = "/projects/{project_id}/models"
ONE: Final = PATH + "/{model_id}"

RUNS_SHOWN: Final = "12"
"""Batches of the version, the latest, that stand with the value of the chosen node."""


@dataclass(frozen=True, slots=True)
class NodeOfRun:
    """What a node came to in one batch."""

    run: ModelRun
    value: Decimal | Sequence[Decimal] | None
    unit: str


async def model_of(visit: Visit) -> records.Model | Redirect:
    """The version that a path names; where it belongs to another project, the way there."""
    found: records.Model = await visit.ask(get_model)
    here, asked = visit.path["project_id"], visit.path["model_id"]
    if found.project_id is None or found.project_id == here:
        return found
    elsewhere = visit.request.url.path.replace(here, found.project_id, 1)
    return Redirect(elsewhere if asked == found.id else f"/projects/{found.project_id}/models/{found.id}")


async def document_of(visit: Visit) -> tuple[str, Model]:
    """The text of the version that a path names, and the model that it is."""
    stored = await find_owned_model(visit.reading, visit.actor, visit.path["model_id"])
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


async def model_version(visit: Visit) -> View | Redirect:
    """A version: its nodes as a graph, the chosen one beside it."""
    found = await model_of(visit)
    if isinstance(found, Redirect):
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
        for slug in list_needs(node)
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
        "fed_by": [_neighbour(model.by_slug[slug]) for slug in list_needs(node) if slug in model.by_slug],
        "feeds": [_neighbour(other) for other in model.nodes if node.slug in list_needs(other)],
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


# Models of a project, and the versions of one with their labels and notes.


def asked_for_models(visit: Visit) -> ListQuery:
    """What the list asks for: every version, those of one model together."""
    return asked_for(visit.query, sort="name,-version")


@page(PATH, permission="production_accounting:read", of=list_project_models, asked=asked_for_models)
async def models(visit: Visit) -> View:
    """The models of a project with their versions."""
    query = asked_for_models(visit)
    found = await visit.ask(list_project_models, query)
    path = f"/projects/{visit.path['project_id']}/models"
    return view(
        "models/models.html", "Models", call=f"{path}?{urlencode(query)}", has_csv=True,
        models=found.data, list=ListView(path, visit.query, found.info), path=path,
    )  # fmt: skip


async def model_versions(visit: Visit) -> View | Redirect:
    """The versions of a model, with what people call them and wrote about them."""
    found = await model_of(visit)
    if isinstance(found, Redirect):
        return found
    versions = await visit.ask(list_model_versions, (("page_size", "100"), ("sort", "-version")))
    return view(
        "models/versions.html", "Versions", call=f"/models/{found.id}/versions",
        versions=versions.data, **around(visit, found, "versions"),
    )  # fmt: skip


@form(f"{ONE}/notes", permission="production_accounting:write", again=model_versions)
async def note_version(visit: Visit) -> Redirect:
    """Write what people call a version, and what they should know of it."""
    await visit.do(set_version_label, {"model": {"version_label": visit.text("version_label") or None}})
    await visit.do(update_model, {"model": {"description": visit.text("description") or None}})
    return Redirect(_versions(visit), "Label and notes are kept.")


@form(f"{ONE}/activate", permission="production_accounting:write", again=model_versions, computes=True)
async def activate_version(visit: Visit) -> Redirect:
    """Make a version the one that ledgers run from now on."""
    made = await visit.do(activate_model, {})
    return Redirect(
        _versions(visit), f"Version {made.version} is active; batches that were made stay as they are."
    )


def _versions(visit: Visit) -> str:
    return f"/projects/{visit.path['project_id']}/models/{visit.path['model_id']}/versions"


# The editor of a model: its document, checked while it is typed, and saved as the next version.


EXAMPLES: Final = {
    "biochar-production": "biochar made of feedstock, by month and feedstock",
    "feedstock-inventory": "feedstock on stock, dry, with its transport",
    "net-removal": "net removal of biochar that was stored",
}
"""Models of the demonstration plant that a new one may begin with."""


async def new_model(visit: Visit) -> View:
    """A model that is to be made, from an example or from nothing."""
    return await _new(visit, None)


async def edit_model(visit: Visit) -> View | Redirect:
    """The document of a version, to be saved as the next one."""
    return await _edited(visit, None)


@form(f"{PATH}/new", permission="production_accounting:write", again=new_model, computes=True)
async def make_model(visit: Visit) -> Redirect:
    """Make the model; its first version is active at once."""
    project = visit.path["project_id"]
    made = await visit.do(create_model, {"model": {"yaml": _typed(visit), "project_id": project}})
    return Redirect(f"/projects/{project}/models/{made.id}", "The model is made; a ledger can run it.")


@form(f"{PATH}/validate", permission="production_accounting:read", again=new_model, computes=True, asks=True)
async def check_new_model(visit: Visit) -> View:
    """Say everything that is wrong with the document; nothing is stored."""
    body = {"yaml": _typed(visit), "project_id": visit.path["project_id"]}
    return await _new(visit, await visit.do(validate_yaml, body))


@form(f"{ONE}/edit", permission="production_accounting:write", again=edit_model, computes=True)
async def save_version(visit: Visit) -> Redirect:
    """Save the document as the next version."""
    body = {
        "yaml": _typed(visit), "version_label": visit.text("version_label") or None,
        "description": visit.text("description") or None, "activate": visit.text("activate") == "yes",
    }  # fmt: skip
    made = await visit.do(create_model_version, body)
    path = f"/projects/{visit.path['project_id']}/models/{made.id}"
    was = visit.path["model_id"]
    return Redirect(f"{path}/changes?to={made.id}&from={was}", f"Saved as version {made.version}.")


@form(f"{ONE}/validate", permission="production_accounting:read", again=edit_model, computes=True, asks=True)
async def check_version(visit: Visit) -> View | Redirect:
    """Say everything that is wrong with the document that is to be the next version; nothing is stored."""
    return await _edited(visit, await visit.do(validate_model_yaml, {"yaml": _typed(visit)}))


async def _new(visit: Visit, validation: Validation | None) -> View:
    models = f"/projects/{visit.path['project_id']}/models"
    example = visit.asked("example")
    text = _example(example) if example in EXAMPLES else ""
    return view(
        "models/editor.html", "New model", crumbs=(("Models", models),), call="/models", method="POST",
        yaml=_typed(visit) if visit.typed else text, action=f"{models}/new", checking=f"{models}/validate",
        validation=validation, examples=EXAMPLES, models_path=models, model=None, tab="edit", path="",
    )  # fmt: skip


async def _edited(visit: Visit, validation: Validation | None) -> View | Redirect:
    found = await model_of(visit)
    if isinstance(found, Redirect):
        return found
    text, _ = await document_of(visit)
    context: dict[str, Any] = around(visit, found, "edit")
    return view(
        "models/editor.html", "Document", call=f"/models/{found.id}",
        yaml=_typed(visit) if visit.typed else text, action=f"{context['path']}/edit",
        checking=f"{context['path']}/validate", validation=validation, examples={}, **context,
    )  # fmt: skip


def _example(name: str) -> str:
    return files("weighbridge").joinpath("demo", "models", f"{name}.yaml").read_text()


def _typed(visit: Visit) -> str:
    """The document as it was typed; spaces around it are part of it."""
    return next(iter(visit.texts("yaml")), "")


PAGES = [
    *page(ONE, permission="production_accounting:read", of=get_model)(model_version),
    *models,
    *page(f"{ONE}/versions", permission="production_accounting:read", of=list_model_versions)(model_versions),
    *note_version,
    *activate_version,
    *page(f"{PATH}/new", permission="production_accounting:write")(new_model),
    *page(f"{ONE}/edit", permission="production_accounting:read", of=get_model)(edit_model),
    *make_model,
    *check_new_model,
    *save_version,
    *check_version,
]
