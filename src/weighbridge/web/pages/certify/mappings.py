"""The mappings of a project to Isometric Certify: all of them, and one, which is set up by choosing."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.reporting.isometric.mapping import (
    MEASUREMENT_TYPES,
    AllocationStrategy,
    DatapointType,
    SubmissionType,
)
from weighbridge.reporting.isometric.records import RegistryMapping
from weighbridge.reporting.registry_mappings import (
    create_registry_mapping,
    delete_registry_mapping,
    get_registry_mapping,
    list_registry_mappings,
    update_registry_mapping,
)
from weighbridge.reporting.registry_statements import read_registry_catalogue
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.certify.entries import (
    PAIRS,
    ShownComponent,
    find_template,
    list_components,
    list_kept_records,
    read_contents,
    write_entries,
)
from weighbridge.web.pages.certify.offered import (
    CatalogueByKind,
    list_certify_registries,
    list_evidence,
    list_own_records,
    list_values,
    read_catalogue,
    suggest_own_unit,
)
from weighbridge.web.pages.certify.rows import (
    KINDS,
    TAKES,
    count_rows,
    list_blueprint_inputs,
    list_quantity_kinds,
)

PATH: Final = "/projects/{project_id}/registry_mappings"
ONE: Final = PATH + "/{registry_mapping_id}"
_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"


@page(PATH, permission=_READ, of=list_registry_mappings)
async def mappings(visit: Visit) -> View:
    """The mappings of a project, and a form to begin one."""
    return await show_mappings(visit)


async def show_mappings(visit: Visit) -> View:
    """Show the mappings of a project."""
    listed = await visit.ask(list_registry_mappings, (("page_size", "200"),))
    registries = await list_certify_registries(visit)
    catalogues = {one.id: await read_catalogue(visit, one.id) for one in registries}
    own = await list_own_records(visit)
    path = visit.url("registry_mappings")
    return view(
        "records/registry_mappings.html", "Registry mappings", call=path, path=path, mappings=listed.data,
        registries=registries, catalogues=catalogues, names={one.id: one.name for one in registries},
        ledgers=own["ledgers"], ledger_names={one.id: one.name for one in own["ledgers"]},
    )  # fmt: skip


async def new_mapping(visit: Visit) -> View:
    """A mapping of the chosen ledger to the chosen registry and template, before it is stored."""
    chosen = {name: visit.asked(name) or visit.text(name) for name in ("registry", "ledger", "template")}
    registry = chosen["registry"]
    number = int(registry) if registry.isascii() and registry.isdecimal() and len(registry) <= 9 else 0
    return await _show_form(visit, number, chosen["ledger"], {}, chosen["template"])


@form(PATH, permission=_WRITE, error_page=new_mapping)
async def make_mapping(visit: Visit) -> Redirect:
    """Store a mapping."""
    number = _read_number(visit.text("registry"))
    contents = read_contents(visit, await read_catalogue(visit, number), {})
    body = {"registry_id": number, "ledger_id": visit.text("ledger"), "contents": contents}
    made: RegistryMapping = await visit.do(create_registry_mapping, {"registry_mapping": body})
    return Redirect(visit.url(f"registry_mappings/{made.id}"), "Mapping created.")


def _read_number(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= 9:
        return int(text)
    raise Invalid([Problem("Choose a registry.", "registry_mapping.registry_id", "required")])


async def mapping(visit: Visit) -> View:
    """One mapping, as it is chosen."""
    found: RegistryMapping = await visit.ask(get_registry_mapping)
    template = found.contents["removal_template"]["id"]
    return await _show_form(visit, found.registry_id, found.ledger_id, found.contents, template, found)


async def _show_form(
    visit: Visit,
    registry: int,
    ledger: str,
    contents: Mapping[str, Any],
    template: str,
    found: RegistryMapping | None = None,
) -> View:
    catalogue: CatalogueByKind = await read_catalogue(visit, registry) if registry else {}
    chosen = find_template(catalogue, template)
    components = list_components(catalogue, chosen, contents) if chosen else []
    typed = {name: visit.text(name) for name in visit.typed}
    entries = {**write_entries(components, contents), **typed}
    path = visit.url("registry_mappings")
    return view(
        "records/registry_mapping.html", "Registry mapping" if found else "Map a ledger", call=path,
        crumbs=(("Registry mappings", path),), path=path, mapping=found, registry=registry, ledger=ledger,
        chosen=chosen, components=components, entries=entries,
        rows={one: count_rows(entries, one) for one in KINDS},
        values=await list_values(visit, ledger) if ledger else [], suggest=suggest_own_unit,
        types=tuple(DatapointType), measurement_types=MEASUREMENT_TYPES,
        submission_types=tuple(SubmissionType), strategies=tuple(AllocationStrategy), takes=TAKES,
        blueprint_inputs=list_blueprint_inputs(catalogue), quantity_kinds=list_quantity_kinds(catalogue),
        there=_list_choices(catalogue, contents), evidence=await list_evidence(visit),
        chosen_evidence=_choose_evidence(visit, components), own=await _list_mapped(visit, entries),
    )  # fmt: skip


def _list_choices(catalogue: CatalogueByKind, contents: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The registry's records by kind, their names by their ids; those that it lost keep the name they had."""
    choices: dict[str, dict[str, str]] = {}
    for kind, records in catalogue.items():
        choices[kind] = {one.record_id: one.name for one in records}
    for kind, one in list_kept_records(contents):
        choices.setdefault(kind, {}).setdefault(one["id"], one.get("name") or one["id"])
    return choices


def _choose_evidence(visit: Visit, components: Sequence[ShownComponent]) -> dict[str, list[str]]:
    """The evidence of each input, by its place: as it was sent, else as the mapping has it."""
    return {
        one.place: [*visit.texts(f"evidence-{one.place}")]
        if visit.typed
        else [str(number) for number in (one.kept or {}).get("evidence_ids", ())]
        for component in components
        for one in component.inputs
    }


async def _list_mapped(visit: Visit, entries: Mapping[str, str]) -> dict[str, Any]:
    """What the project has that a mapping names, and what the mapping names that is not listed."""
    own = await list_own_records(visit)
    for kind in PAIRS:
        names = {one.id: one.name for one in own[f"{kind}s"]}
        named = (name.removeprefix(f"{kind}-") for name in entries if name.startswith(f"{kind}-"))
        own[f"{kind}s"] = names | {number: number for number in named if number not in names}
    return own


@form(ONE, permission=_WRITE, error_page=mapping)
async def change_mapping(visit: Visit) -> Redirect:
    """Store what is chosen now."""
    found: RegistryMapping = await visit.ask(get_registry_mapping)
    contents = read_contents(visit, await read_catalogue(visit, found.registry_id), found.contents)
    await visit.do(update_registry_mapping, {"registry_mapping": {"contents": contents}})
    return Redirect(visit.url(f"registry_mappings/{found.id}"), "Mapping changed.")


@form(f"{ONE}/removal", permission=_WRITE, error_page=mapping)
async def remove_mapping(visit: Visit) -> Redirect:
    """Remove a mapping."""
    await visit.do(delete_registry_mapping)
    return Redirect(visit.url("registry_mappings"), "Mapping removed.")


@form(f"{PATH}/reading", permission=_WRITE, error_page=show_mappings)
async def read_registry(visit: Visit) -> Redirect:
    """Have what a registry has read anew."""
    number = str(_read_number(visit.text("registry")))
    await visit.do(read_registry_catalogue, {}, registry_id=number)
    return Redirect(
        visit.url("registry_mappings"), "The registry is being read. Open this page again shortly."
    )


PAGES = [
    *mappings,
    *page(f"{PATH}/new", permission=_WRITE)(new_mapping),
    *make_mapping,
    *page(ONE, permission=_READ, of=get_registry_mapping)(mapping),
    *change_mapping,
    *remove_mapping,
    *read_registry,
]
