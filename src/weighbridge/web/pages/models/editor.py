"""The editor of a model: its document, checked while it is typed, and the panel that adds parts to it.

A new model begins empty, with a model of a package or from a text. A part is added, renamed or removed in the
text that was typed; nothing is stored before the document is saved as a version.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.accounting.ledgers import list_project_ledgers
from weighbridge.collection.event_types import list_event_types
from weighbridge.core.expression import print_tree
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.model import NODE_KINDS, Aggregate, Formula, Model, ModelError, Node
from weighbridge.core.model.aggregates import AGGREGATES
from weighbridge.core.model.editing import EditError, Readers, find_readers
from weighbridge.core.model.parts import list_next_steps, read_parts, type_parts
from weighbridge.core.model.prepared import Types
from weighbridge.core.model.writing import write_scalar
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import CADENCES
from weighbridge.errors import Invalid
from weighbridge.modelling import editing
from weighbridge.modelling.documents import read_source, read_surroundings
from weighbridge.modelling.models import (
    create_model,
    create_model_version,
    get_model,
    get_model_schema,
    validate_model_yaml,
    validate_yaml,
)
from weighbridge.modelling.records import Complaint, Validation
from weighbridge.modelling.static_inputs import list_static_inputs
from weighbridge.packages.origins import read_installed_models
from weighbridge.packages.shipped import read_library
from weighbridge.platform.tenancy import project_number
from weighbridge.web.forms.choices import build_return, find_return
from weighbridge.web.forms.model_parts import (
    BETWEEN,
    CHOSEN_AT_FIRST,
    KINDS,
    MEANINGS,
    OUTPUT_KINDS,
    OfferedLedger,
    OfferedValue,
    PartDraft,
    PartReader,
    PartsOffered,
)
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.models.versions import (
    ONE,
    PATH,
    build_version_context,
    read_document,
    read_version,
)

# A new model: empty by its name, cadence and partitions, with a model of a package, or from a text.


@dataclass(frozen=True, slots=True)
class ExampleModel:
    """A model of a package that a new one may begin with."""

    key: str
    """The names of the package and of the model."""
    name: str
    package: str
    """The title of the package."""
    document: str
    equations: Sequence[str]
    is_installed: bool = False
    """Whether it is of a package that the project has, as that has it."""


EMPTY: Final = "empty"
TEXT: Final = "text"
"""How a new model may begin, beside an example."""


async def new_model(visit: Visit) -> View:
    """A model that is to be made: first how it begins, then its document."""
    example, begin = visit.asked("example"), visit.asked("begin")
    if visit.typed or begin == TEXT:
        return await _show_new(visit, None)
    examples = await _list_examples(visit)
    if found := examples.get(example):
        return await _show_new(visit, None, found.document)
    if begin != EMPTY:
        return _show_beginnings(visit, examples)
    if problems := [*_check_beginning(visit)]:
        return replace(_show_beginnings(visit, examples, problems), status=422)
    text = (
        f"name: {write_scalar(visit.asked('name').strip())}\n"
        f"cadence: {visit.asked('cadence')}\n"
        f"partition_type: {visit.asked('partition_type')}\n\nnodes:\n"
    )
    return await _show_new(visit, None, text)


def _check_beginning(visit: Visit) -> Iterator[Problem]:
    if not visit.asked("name").strip():
        yield Problem("Give the model a name.", "name", "required")
    for name, allowed in (("cadence", CADENCES), ("partition_type", DIMENSIONS)):
        if visit.asked(name) not in allowed:
            yield Problem(f"{name} must be one of {', '.join(allowed)}.", name, "invalid")


def _show_beginnings(
    visit: Visit, examples: Mapping[str, ExampleModel], problems: Sequence[Problem] = ()
) -> View:
    models = visit.url("models")
    return view(
        "models/beginnings.html", "New model", crumbs=(("Models", models),), call="/models", method="POST",
        examples=[*examples.values()], path=f"{models}/new", cadences=CADENCES, partition_types=[*DIMENSIONS],
        problems=problems, returning=find_return(visit), return_query=urlencode(find_return(visit)),
    )  # fmt: skip


async def _list_examples(visit: Visit) -> Mapping[str, ExampleModel]:
    """The models that a new one may begin with, by key: of the project's packages, then of the library."""
    installed = await read_installed_models(visit.reading, project_number(visit.path["project_id"]))

    def build() -> Mapping[str, ExampleModel]:
        own = [_build_example(one.package, one.title, one.name, one.document) for one in installed]
        mine = {example.key: replace(example, is_installed=True) for example in own}
        return mine | {key: one for key, one in _read_examples().items() if key not in mine}

    return await visit.reading.in_thread(build)


@cache
def _read_examples() -> Mapping[str, ExampleModel]:
    """The models of the library by key, in order of package and model; they are read once."""
    return {
        example.key: example
        for package in read_library()
        for name, text in package.models.items()
        for example in [_build_example(package.manifest.name, package.manifest.title, name, text)]
    }


def _build_example(package: str, title: str, name: str, text: str) -> ExampleModel:
    model = read_parts(read_source(text))
    return ExampleModel(f"{package}/{name}", model.name, title, text, [*_list_equations(model)])


def _list_equations(model: Model) -> Iterator[str]:
    for node in model.nodes:
        if isinstance(node.body, Formula):
            yield f"{node.slug} = {print_tree(node.body.tree)}"


@form(f"{PATH}/new", permission="production_accounting:write", error_page=new_model, computes=True)
async def make_model(visit: Visit) -> Redirect:
    """Make the model; its first version is active at once."""
    project = visit.path["project_id"]
    created_model = await visit.do(
        create_model, {"model": {"yaml": read_typed_document(visit), "project_id": project}}
    )
    return build_return(visit, created_model, "Model created.") or Redirect(
        f"/projects/{project}/models/{created_model.id}", "Model created. You can assign it to a ledger."
    )


# The document of a version, to be saved as the next one.


async def edit_model(visit: Visit) -> View | Redirect:
    """The document of a version, to be saved as the next one."""
    return await show_editor(visit, None)


@form(f"{ONE}/edit", permission="production_accounting:write", error_page=edit_model, computes=True)
async def save_version(visit: Visit) -> Redirect:
    """Save the document as the next version."""
    body = {
        "yaml": read_typed_document(visit), "version_label": visit.text("version_label") or None,
        "description": visit.text("description") or None, "activate": visit.text("activate") == "yes",
    }  # fmt: skip
    created_version = await visit.do(create_model_version, body)
    path = f"/projects/{visit.path['project_id']}/models/{created_version.id}"
    was = visit.path["model_id"]
    return Redirect(
        f"{path}/changes?to={created_version.id}&from={was}", f"Version {created_version.version} created."
    )


@form(
    f"{PATH}/validate",
    permission="production_accounting:read",
    error_page=new_model,
    computes=True,
    asks=True,
)
async def check_new_model(visit: Visit) -> View:
    """Say everything that is wrong with the document; nothing is stored."""
    return await _show_new(visit, await _validate(visit))


@form(
    f"{ONE}/validate",
    permission="production_accounting:read",
    error_page=edit_model,
    computes=True,
    asks=True,
)
async def check_version(visit: Visit) -> View | Redirect:
    """Say everything that is wrong with the document that is to be the next version; nothing is stored."""
    return await show_editor(visit, await _validate(visit))


async def _validate(visit: Visit) -> Validation:
    text = read_typed_document(visit)
    if "model_id" in visit.path:
        of_version: Validation = await visit.do(validate_model_yaml, {"yaml": text})
        return of_version
    of_new: Validation = await visit.do(validate_yaml, {"yaml": text, "project_id": visit.path["project_id"]})
    return of_new


def read_typed_document(visit: Visit) -> str:
    """The document as it was typed; spaces around it are part of it."""
    return next(iter(visit.texts("yaml")), "")


# Adding, renaming and removing a part: the same page with another text.


ADD: Final = "add"
CHANGE: Final = "change"
RENAME, REMOVE = "rename", "remove"
"""The buttons of the panel; the one that adds says which kind."""


@form(
    f"{PATH}/parts", permission="production_accounting:write", error_page=new_model, computes=True, asks=True
)
async def edit_parts_of_new_model(visit: Visit) -> View:
    """Add, rename or remove a part of a document that is to be a model; nothing is stored."""
    edited, notice = await _edit_parts(visit)
    return await _show_new(edited, await _validate(edited) if notice else None, notice=notice)


@form(
    f"{ONE}/parts", permission="production_accounting:write", error_page=edit_model, computes=True, asks=True
)
async def edit_parts(visit: Visit) -> View | Redirect:
    """Add, rename or remove a part of a document that is to be a version; nothing is stored."""
    edited, notice = await _edit_parts(visit)
    return await show_editor(edited, await _validate(edited) if notice else None, notice=notice)


async def _edit_parts(visit: Visit) -> tuple[Visit, str]:
    """The visit with the edited document, and what was done; without a button nothing is."""
    text, kind, change = read_typed_document(visit), visit.text(ADD), visit.text(CHANGE)
    slug = visit.text("part")
    try:
        if kind in KINDS:
            panel = await _read_panel(visit, text)
            draft = panel.drafts.get(kind) or panel.read_part(visit, kind)
            if draft.problems:
                raise Invalid(draft.problems)
            is_primary = bool(draft.fields.get("output")) and not panel.model.primary_output
            edited = await visit.reading.in_thread(_add, text, draft, is_primary)
            return with_document(visit, edited, f"{kind}."), f"Part {draft.slug} added."
        if change == RENAME:
            edited = await visit.reading.in_thread(editing.rename_node, text, slug, visit.text("new_slug"))
            return with_document(visit, edited, "new_slug"), f"Part {slug} is now {visit.text('new_slug')}."
        if change == REMOVE:
            edited = await visit.reading.in_thread(editing.remove_node, text, slug)
            return with_document(visit, edited, "part"), f"Part {slug} removed."
    except EditError as refusal:
        name = "new_slug" if change == RENAME else "part" if change == REMOVE else f"{kind}.name"
        raise Invalid([Problem(str(refusal), name, "invalid")]) from None
    except ModelError as refusal:
        raise Invalid([flaw.problem() for flaw in refusal.flaws]) from None
    return visit, ""


def _add(text: str, draft: PartDraft, is_primary: bool) -> str:  # noqa: FBT001 - passed on by a thread
    return editing.add_node(text, draft.fields, is_primary=is_primary)


def with_document(visit: Visit, text: str, cleared: str) -> Visit:
    """The visit as if the edited document had been typed, without the fields that were used up."""
    kept = {name: values for name, values in visit.typed.items() if not name.startswith(cleared)}
    return replace(visit, typed={**kept, "yaml": (text,)})


# The panel: the parts of the document, and what the project offers for others.


LEDGERS_READ_MAX: Final = 20
"""Ledgers of which the panel offers the outputs."""

_LONG: Final = (("page_size", "200"),)


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A part of the document as the list shows it."""

    node: Node
    kind: str
    readers: Readers
    is_primary: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """What stands beside a document: its parts, what can be added, and what it still needs."""

    model: Model
    types: Types
    offered: PartsOffered
    drafts: Mapping[str, PartDraft] = field(default_factory=dict)
    trouble: str = ""
    """Why the document cannot be read."""
    parts: Sequence[DocumentPart] = ()

    def read_part(self, visit: Visit, kind: str) -> PartDraft:
        """What was typed for a part of a kind."""
        return PartReader(kind, visit.text, visit.texts, self.model, self.types, self.offered).read()

    @property
    def names(self) -> Sequence[str]:
        """What a formula can name: nodes, what travels along with draws, and the partition."""
        return [*self.types]

    @property
    def next_steps(self) -> Sequence[str]:
        return [] if self.trouble else [*list_next_steps(self.model)]


async def _read_panel(visit: Visit, text: str) -> Panel:
    """The panel of a document; of one that cannot be read, with the reason and without parts."""
    project = visit.frame.project
    trouble = ""
    try:
        model = await visit.reading.in_thread(lambda: read_parts(read_source(text)))
    except ModelError as error:
        model, trouble = read_parts(read_source("{}")), str(error.flaws[0])
    surroundings = await read_surroundings(
        visit.reading, project.number if project else None, text, is_final=False
    )
    types = await visit.reading.in_thread(type_parts, model, surroundings)
    parts = await visit.reading.in_thread(_list_parts, model)
    panel = Panel(model, types, await _read_offered(visit), trouble=trouble, parts=parts)
    drafts = {
        kind: panel.read_part(visit, kind)
        for kind in KINDS
        if any(
            name.startswith(f"{kind}.") and name not in CHOSEN_AT_FIRST and any(visit.texts(name))
            for name in visit.typed
        )
    }
    return replace(panel, drafts=drafts)


def _list_parts(model: Model) -> list[DocumentPart]:
    readers = find_readers(model)
    return [
        DocumentPart(
            node,
            NODE_KINDS[type(node.body)].replace("_", " "),
            readers.get(node.slug, Readers()),
            node.slug == model.primary_output,
        )
        for node in model.nodes
    ]


async def _read_offered(visit: Visit) -> PartsOffered:
    """What the project offers, as far as the person may read it."""
    points: list[OfferedValue] = []
    static_inputs: dict[str, OfferedValue] = {}
    if visit.may("data_collection:read"):
        points = [
            OfferedValue(
                f"{event_type.slug}{BETWEEN}{point.slug}",
                f"{event_type.name}: {point.name}",
                point.unit or "",
            )
            for event_type in (await visit.ask(list_event_types, (*_LONG, ("sort", "name")))).data
            for point in event_type.data_point_types
            if point.value_type == "number"
        ]
        for one in (await visit.ask(list_static_inputs, (*_LONG, ("sort", "slug")))).data:
            static_inputs.setdefault(one.slug, OfferedValue(one.slug, one.slug, one.unit or ""))
    ledgers = (await visit.ask(list_project_ledgers, (*_LONG, ("sort", "name")))).data
    return PartsOffered(
        points,
        [*static_inputs.values()],
        [
            await _offer_ledger(visit, ledger, has_outputs=number < LEDGERS_READ_MAX)
            for number, ledger in enumerate(ledgers)
        ],
    )


async def _offer_ledger(visit: Visit, ledger: Any, *, has_outputs: bool) -> OfferedLedger:
    outputs: list[OfferedValue] = []
    if ledger.system_ledger_type:
        attributes = PRESETS[ledger.system_ledger_type].attributes
        outputs = [OfferedValue(slug, slug, unit.text) for slug, unit in attributes.items()]
    elif ledger.latest_model and has_outputs:
        schema = await visit.ask(get_model_schema, model_id=ledger.latest_model.id)
        outputs = [OfferedValue(output.slug, output.name, output.unit) for output in schema.outputs]
    unit = "" if ledger.unit == "dimensionless" else ledger.unit
    return OfferedLedger(ledger.name, unit, DIMENSIONS.get(ledger.partition_type or "", ()), outputs)


async def _show_new(visit: Visit, validation: Validation | None, text: str = "", *, notice: str = "") -> View:
    models = visit.url("models")
    shown = read_typed_document(visit) if visit.typed else text
    return view(
        "models/editor.html", "New model", crumbs=(("Models", models),), call="/models", method="POST",
        yaml=shown, action=f"{models}/new", checking=f"{models}/validate", editing=f"{models}/parts",
        models_path=models, model=None, tab="edit", path="", returning=find_return(visit),
        **await _build_context(visit, shown, validation, notice),
    )  # fmt: skip


async def show_editor(visit: Visit, validation: Validation | None, *, notice: str = "") -> View | Redirect:
    """Show the editor of a version, with its document or the one that was typed."""
    model_record = await read_version(visit)
    if isinstance(model_record, Redirect):
        return model_record
    text, _ = await read_document(visit)
    context: dict[str, Any] = build_version_context(visit, model_record, "edit")
    shown = read_typed_document(visit) if visit.typed else text
    return view(
        "models/editor.html", "Document", call=f"/models/{model_record.id}",
        yaml=shown, action=f"{context['path']}/edit", checking=f"{context['path']}/validate",
        editing=f"{context['path']}/parts" if model_record.is_latest else "", returning={},
        **await _build_context(visit, shown, validation, notice), **context,
    )  # fmt: skip


async def _build_context(
    visit: Visit, text: str, validation: Validation | None, notice: str
) -> dict[str, Any]:
    """What the editor shows beside the document: the panel only to those who may write."""
    panel = await _read_panel(visit, text) if visit.may("production_accounting:write") else None
    return {
        "panel": panel,
        "validation": validation,
        "errors": [] if validation is None else [*_list_errors(validation, panel)],
        "done": notice,
        "kinds": MEANINGS,
        "output_kinds": OUTPUT_KINDS,
        "aggregates": [(str(kind), AGGREGATES[kind].doc) for kind in Aggregate],
        "between": BETWEEN,
        "opened": visit.text(ADD),
        "entered": visit,
    }


def _list_errors(validation: Validation, panel: Panel | None) -> Iterator[Complaint]:
    """What is wrong; what is only missing yet stands among the next steps."""
    for error in validation.errors:
        if not (panel and panel.next_steps and error.code == "missing_key" and error.node is None):
            yield error


PAGES = [
    *page(f"{PATH}/new", permission="production_accounting:write")(new_model),
    *page(f"{ONE}/edit", permission="production_accounting:read", of=get_model)(edit_model),
    *make_model,
    *check_new_model,
    *edit_parts_of_new_model,
    *save_version,
    *check_version,
    *edit_parts,
]
