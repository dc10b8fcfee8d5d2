"""One package: what it is for, its equations, the examples that prove them, and its sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.collection.projects import create_project
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import time_zone_names
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import read_model
from weighbridge.packages.methodology_packages import get_methodology_package
from weighbridge.packages.package_installations import preview_package_installation
from weighbridge.packages.records import PackageModel
from weighbridge.web.display.markdown import render_markdown
from weighbridge.web.framework.page import page
from weighbridge.web.framework.visit import View, Visit, view
from weighbridge.web.pages.models.versions import describe_node
from weighbridge.web.pages.packages.catalogue import PATH

ONE: Final = PATH + "/{methodology_package_id}"

_BEGINNING: Final = ("administration:write", "data_collection:write", "production_accounting:write")
"""What somebody may do who starts a project with a package."""


@dataclass(frozen=True, slots=True)
class ModelOfPackage:
    """A model with its nodes as the page of a model shows them."""

    model: PackageModel
    nodes: Sequence[dict[str, Any]]


@page(ONE, permission="production_accounting:read", of=get_methodology_package)
async def package(visit: Visit) -> View:
    """A package with all that it brings."""
    record = await visit.ask(get_methodology_package)
    models = await visit.reading.in_thread(_describe_models, record.contents.models)
    shown = await visit.reading.in_thread(render_markdown, record.contents.page)
    return view(
        "packages/package.html", record.title, call=f"/methodology_packages/{record.id}", package=record,
        models=models, page=shown, crumbs=(("Methodology packages", PATH),), path=f"{PATH}/{record.id}",
        may_begin=all(visit.may(permission) for permission in _BEGINNING), zones=sorted(time_zone_names()),
    )  # fmt: skip


def _describe_models(models: Sequence[PackageModel]) -> list[ModelOfPackage]:
    found = []
    for one in models:
        model = read_model(one.document)
        found.append(ModelOfPackage(one, [describe_node(node, model) for node in model.nodes]))
    return found


@page(f"{ONE}/start", permission="administration:write", computes=True, tries=True)
async def start(visit: Visit) -> View:
    """What a new project would begin with."""
    record = await visit.ask(get_methodology_package)
    project = {"name": visit.asked("name"), "time_zone": visit.asked("time_zone") or "UTC"}
    made, preview = None, None
    refused: Sequence[Problem] = ()
    try:
        made = await visit.do(create_project, {"project": project})
        body = {"package_installation": {"package_id": record.id}}
        preview = await visit.do(preview_package_installation, body, project_id=made.id)
    except Invalid as refusal:
        refused = refusal.problems
    path = f"{PATH}/{record.id}"
    return view(
        "packages/start.html", "Start a project", call="/projects", method="POST", package=record,
        project=made, preview=preview, refused=refused,
        crumbs=(("Methodology packages", PATH), (record.title, path)),
    )  # fmt: skip


PAGES = [*package, *start]
