"""What was chosen on the page of a mapping, as the contents of the mapping, and the other way round.

Invariant: a page that nobody touched sends the contents that it shows. So whatever a mapping names has a
field, even if the registry, the template or the project does not have it any more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.reporting.isometric.records import CatalogueRecord
from weighbridge.web.framework.visit import Visit
from weighbridge.web.pages.certify.offered import CatalogueByKind
from weighbridge.web.pages.certify.rows import Named, read_rows, write_rows

_LIST: Final = "LIST"
"""The shape of an input that takes several data points, in the registry's words."""
_FIXED: Final = "fixed"

MEASURES: Final = ("arrival", "departure", "rate")
"""What an application of biochar says in numbers."""

PAIRS: Final = {"feedstock": "feedstock_type", "location": "storage_location"}
"""Records of ours that are mapped one by one, and the kind that each becomes there."""


@dataclass(frozen=True, slots=True)
class ShownInput:
    """An input of a component as the page has it."""

    place: str
    """By which its fields are named."""
    input_key: str
    label: str
    unit: str
    """That the registry gives as an example; empty where it gives none."""
    is_list: bool
    is_fixed: bool
    """Whether the template has its value, and the mapping says nothing of it."""
    kept: Mapping[str, Any] | None
    """What the mapping says of it; None where it says nothing."""


@dataclass(frozen=True, slots=True)
class ShownComponent:
    """A component of the template, or one that the mapping names and the template has no more."""

    id: str
    name: str
    legend: str
    inputs: Sequence[ShownInput]


def list_components(
    catalogue: CatalogueByKind, template: CatalogueRecord, contents: Mapping[str, Any]
) -> list[ShownComponent]:
    """The components that the page shows: those of the template, and what else the mapping names."""
    blueprints = {
        (one.record_id, given["input_key"]): given
        for one in catalogue.get("component_blueprint", ())
        for given in one.contents["inputs"]
    }
    kept = {one["id"]: one for one in contents.get("components", ())}
    there = template.contents["components"]
    known = {component["id"] for component in there}
    gone = [
        {"id": number, "display_name": one.get("name", ""), "blueprint_key": "", "group": "", "inputs": []}
        for number, one in kept.items()
        if number not in known
    ]
    return [
        ShownComponent(
            component["id"],
            component["display_name"],
            f"{component['group']}: {component['display_name']}"
            if component["id"] in known
            else f"{component['display_name'] or component['id']}, which is not in the template",
            [*_list_inputs(component, kept.get(component["id"], {}).get("inputs", ()), blueprints)],
        )
        for component in [*there, *gone]
    ]


def _list_inputs(
    component: Mapping[str, Any],
    kept: Sequence[Mapping[str, Any]],
    blueprints: Mapping[tuple[str, str], Mapping[str, Any]],
) -> Iterator[ShownInput]:
    of_key: dict[str, list[Mapping[str, Any] | None]] = {one["input_key"]: [] for one in component["inputs"]}
    for mapped in kept:
        of_key.setdefault(mapped["input_key"], []).append(mapped)
    given = {one["input_key"]: one for one in component["inputs"]}
    for key, all_mapped in of_key.items():
        there, blueprint = given.get(key), blueprints.get((component["blueprint_key"], key), {})
        for at, one in enumerate(all_mapped or [None]):
            yield ShownInput(
                f"{component['id']}.{key}" + (f".{at + 1}" if at else ""),
                key,
                there["display_name"] if there else f"{key}, which is not in the template",
                blueprint.get("compatible_unit") or "",
                blueprint.get("data_shape") == _LIST if one is None else one.get("is_list", False),
                one is None and there is not None and there["type"] == _FIXED,
                one,
            )


def read_contents(visit: Visit, catalogue: CatalogueByKind, kept: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of the mapping that a form sends; `kept` are those that it has."""
    template = find_template(catalogue, visit.text("template"))
    named = _name_records(catalogue, kept)

    def name(kind: str, number: str) -> Mapping[str, str]:
        return named.get((kind, number), {"id": number})

    contents: dict[str, Any] = {
        "project": name("project", template.parent if template else ""),
        "removal_template": name("removal_template", visit.text("template")),
        "components": [*_read_components(visit, catalogue, template, kept)],
    }
    for kind, there in PAIRS.items():
        contents[f"{kind}s"] = [
            {f"{kind}_id": field.removeprefix(f"{kind}-"), there: name(there, visit.text(field))}
            for field in visit.typed
            if field.startswith(f"{kind}-") and visit.text(field)
        ]
    if kind := visit.text("feedstock_type"):
        contents["feedstock_type"] = name("feedstock_type", kind)
    if point := visit.text("delivery"):
        event_type, _, mass = point.partition(":")
        contents["feedstock_batches"] = {"event_type": event_type, "mass": mass, **_units(visit, "delivery")}
    if ledger := visit.text("production"):
        facility = name("facility", visit.text("facility"))
        units = _units(visit, "production")
        contents["production_batches"] = {"ledger_id": ledger, "facility": facility, **units}
    if visit.text("arrival"):
        contents["applications"] = _read_applications(visit, named)
    return contents | read_rows(visit, named)


def _read_applications(visit: Visit, named: Named) -> dict[str, Any]:
    """The events that are applications of biochar: the type is that of the mass on arrival."""
    measures = {
        name: {"data_point": visit.text(name).partition(":")[2], **_units(visit, name)} for name in MEASURES
    }
    place = visit.text("spread")
    location = named.get(("storage_location", place), {"id": place}) if place else None
    return {"event_type": visit.text("arrival").partition(":")[0], "storage_location": location, **measures}


def find_template(catalogue: CatalogueByKind, number: str) -> CatalogueRecord | None:
    """The removal template of this id; None where the catalogue has none."""
    return next((one for one in catalogue.get("removal_template", ()) if one.record_id == number), None)


def _name_records(catalogue: CatalogueByKind, kept: Mapping[str, Any]) -> Named:
    """The registry's records with their names: as it has them now, else as the mapping kept them."""
    found = {(kind, one["id"]): one for kind, one in list_kept_records(kept)}
    return found | {
        (kind, one.record_id): {"id": one.record_id, "name": one.name}
        for kind, records in catalogue.items()
        for one in records
    }


def list_kept_records(part: Any) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The registry's records that the contents of a mapping name, each with its kind."""
    if isinstance(part, Mapping):
        for name, one in part.items():
            if name != "components" and isinstance(one, Mapping) and "id" in one:
                yield name, dict(one)
            elif name != "components":
                yield from list_kept_records(one)
    elif isinstance(part, list):
        for one in part:
            yield from list_kept_records(one)


def _read_components(
    visit: Visit, catalogue: CatalogueByKind, template: CatalogueRecord | None, kept: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for component in list_components(catalogue, template, kept) if template else ():
        inputs = [_read_input(visit, one) for one in component.inputs if visit.text(f"value-{one.place}")]
        if inputs:
            yield {"id": component.id, "name": component.name, "inputs": inputs}


def _read_input(visit: Visit, one: ShownInput) -> dict[str, Any]:
    source, _, slug = visit.text(f"value-{one.place}").partition(":")
    evidence = [text for text in visit.texts(f"evidence-{one.place}") if text.isascii() and text.isdecimal()]
    return {
        "input_key": one.input_key, "source": source, "slug": slug, "is_list": one.is_list,
        "type": visit.text(f"type-{one.place}", "DERIVED"), "name": visit.text(f"name-{one.place}"),
        "evidence_ids": [int(text[:18]) for text in evidence], **_units(visit, one.place),
    }  # fmt: skip


def _units(visit: Visit, place: str) -> dict[str, str | None]:
    return {"unit": visit.text(f"unit-{place}"), "own_unit": visit.text(f"own-{place}") or None}


def write_entries(components: Sequence[ShownComponent], contents: Mapping[str, Any]) -> dict[str, str]:
    """What the fields of the page hold for a mapping; evidence is several, and stands with its input."""
    entries: dict[str, str] = {}
    for one in (each for component in components for each in component.inputs if each.kept):
        kept = one.kept or {}
        entries[f"value-{one.place}"] = f"{kept['source']}:{kept.get('slug', '')}"
        entries[f"type-{one.place}"] = kept.get("type", "DERIVED")
        entries[f"name-{one.place}"] = kept.get("name", "")
        entries |= _write_units(one.place, kept)
    for kind, there in PAIRS.items():
        for one in contents.get(f"{kind}s", ()):
            entries[f"{kind}-{one[f'{kind}_id']}"] = one[there]["id"]
    if usual := contents.get("feedstock_type"):
        entries["feedstock_type"] = usual["id"]
    if batches := contents.get("feedstock_batches"):
        entries["delivery"] = f"{batches['event_type']}:{batches['mass']}"
        entries |= _write_units("delivery", batches)
    if production := contents.get("production_batches"):
        entries |= {"production": production["ledger_id"], "facility": production["facility"]["id"]}
        entries |= _write_units("production", production)
    if spread := contents.get("applications"):
        entries["spread"] = (spread.get("storage_location") or {}).get("id", "")
        for name in MEASURES:
            entries[name] = f"{spread['event_type']}:{spread[name]['data_point']}"
            entries |= _write_units(name, spread[name])
    return entries | write_rows(contents)


def _write_units(place: str, mapped: Mapping[str, Any]) -> dict[str, str]:
    return {f"unit-{place}": mapped["unit"], f"own-{place}": mapped.get("own_unit") or ""}
