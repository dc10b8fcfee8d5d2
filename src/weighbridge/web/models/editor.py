"""The editor of a model: its document, checked while it is typed, and saved as the next version."""

from importlib.resources import files
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.modelling.models.records import Validation
from weighbridge.modelling.models.routes import (
    create_model,
    create_model_version,
    get_model,
    validate_model_yaml,
    validate_yaml,
)
from weighbridge.web.models.version import around, document_of, model_of
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/models"
ONE: Final = PATH + "/{model_id}"

EXAMPLES: Final = {
    "biochar-production": "biochar made of feedstock, by month and feedstock",
    "feedstock-inventory": "feedstock on stock, dry, with its transport",
    "net-removal": "net removal of biochar that was stored",
}
"""Models of the demonstration plant that a new one may begin with."""


async def new_model(visit: Visit) -> View:
    """A model that is to be made, from an example or from nothing."""
    return await _new(visit, None)


async def edit_model(visit: Visit) -> View | Moved:
    """The document of a version, to be saved as the next one."""
    return await _edited(visit, None)


@form(f"{PATH}/new", permission="production_accounting:write", again=new_model, computes=True)
async def make_model(visit: Visit) -> Moved:
    """Make the model; its first version is active at once."""
    project = visit.path["project_id"]
    made = await visit.do(create_model, {"model": {"yaml": _typed(visit), "project_id": project}})
    return Moved(f"/projects/{project}/models/{made.id}", "The model is made; a ledger can run it.")


@form(f"{PATH}/validate", permission="production_accounting:read", again=new_model, computes=True, asks=True)
async def check_new_model(visit: Visit) -> View:
    """Say everything that is wrong with the document; nothing is stored."""
    body = {"yaml": _typed(visit), "project_id": visit.path["project_id"]}
    return await _new(visit, await visit.do(validate_yaml, body))


@form(f"{ONE}/edit", permission="production_accounting:write", again=edit_model, computes=True)
async def save_version(visit: Visit) -> Moved:
    """Save the document as the next version."""
    body = {
        "yaml": _typed(visit), "version_label": visit.text("version_label") or None,
        "description": visit.text("description") or None, "activate": visit.text("activate") == "yes",
    }  # fmt: skip
    made = await visit.do(create_model_version, body)
    path = f"/projects/{visit.path['project_id']}/models/{made.id}"
    was = visit.path["model_id"]
    return Moved(f"{path}/changes?to={made.id}&from={was}", f"Saved as version {made.version}.")


@form(f"{ONE}/validate", permission="production_accounting:read", again=edit_model, computes=True, asks=True)
async def check_version(visit: Visit) -> View | Moved:
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


async def _edited(visit: Visit, validation: Validation | None) -> View | Moved:
    found = await model_of(visit)
    if isinstance(found, Moved):
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


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(f"{PATH}/new", permission="production_accounting:write")(new_model),
    *page(f"{ONE}/edit", permission="production_accounting:read", of=get_model)(edit_model),
    *make_model,
    *check_new_model,
    *save_version,
    *check_version,
]
