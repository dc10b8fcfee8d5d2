"""Models of a project, and the versions of one with their labels and notes."""

from typing import Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.modelling.models.routes import (
    activate_model,
    list_model_versions,
    list_project_models,
    set_version_label,
    update_model,
)
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.models.version import around, model_of
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/models"
ONE: Final = PATH + "/{model_id}"


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


async def model_versions(visit: Visit) -> View | Moved:
    """The versions of a model, with what people call them and wrote about them."""
    found = await model_of(visit)
    if isinstance(found, Moved):
        return found
    versions = await visit.ask(list_model_versions, (("page_size", "100"), ("sort", "-version")))
    return view(
        "models/versions.html", "Versions", call=f"/models/{found.id}/versions",
        versions=versions.data, **around(visit, found, "versions"),
    )  # fmt: skip


@form(f"{ONE}/notes", permission="production_accounting:write", again=model_versions)
async def note_version(visit: Visit) -> Moved:
    """Write what people call a version, and what they should know of it."""
    await visit.do(set_version_label, {"model": {"version_label": visit.text("version_label") or None}})
    await visit.do(update_model, {"model": {"description": visit.text("description") or None}})
    return Moved(_versions(visit), "Label and notes are kept.")


@form(f"{ONE}/activate", permission="production_accounting:write", again=model_versions, computes=True)
async def activate_version(visit: Visit) -> Moved:
    """Make a version the one that ledgers run from now on."""
    made = await visit.do(activate_model, {})
    return Moved(
        _versions(visit), f"Version {made.version} is active; batches that were made stay as they are."
    )


def _versions(visit: Visit) -> str:
    return f"/projects/{visit.path['project_id']}/models/{visit.path['model_id']}/versions"


PAGES: Final[list[HTTPRouteHandler]] = [
    *models,
    *page(f"{ONE}/versions", permission="production_accounting:read", of=list_model_versions)(model_versions),
    *note_version,
    *activate_version,
]
