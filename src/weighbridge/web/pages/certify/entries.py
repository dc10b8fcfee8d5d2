"""What was chosen on the page of a mapping, as the contents of the mapping, and the other way round.

The page chooses components with their inputs, feedstocks, locations, and batches of feedstock and production.
What it does not choose (samples, sensors, series) is JSON in one field, with ids that the catalogue lists.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.reporting.isometric.mapping import FIELD
from weighbridge.reporting.isometric.records import CatalogueRecord
from weighbridge.web.framework.visit import Visit
from weighbridge.web.pages.certify.offered import CatalogueByKind

TYPED_AS_JSON: Final = ("samples", "sensors", "series")
"""The parts of a mapping that are typed as JSON."""


def read_contents(visit: Visit, catalogue: CatalogueByKind) -> dict[str, Any]:
    """The contents of the mapping that a form sends; Invalid for what is no JSON."""
    template = find_template(catalogue, visit.text("template"))
    contents: dict[str, Any] = {
        "project": _name(catalogue, "project", template.parent if template else ""),
        "removal_template": _name(catalogue, "removal_template", visit.text("template")),
        "components": [*_list_components(visit, template)],
        "feedstocks": [*_list_pairs(visit, catalogue, "feedstock", "feedstock_type")],
        "locations": [*_list_pairs(visit, catalogue, "location", "storage_location")],
    }
    if kind := visit.text("feedstock_type"):
        contents["feedstock_type"] = _name(catalogue, "feedstock_type", kind)
    if point := visit.text("delivery"):
        event_type, _, mass = point.partition(":")
        contents["feedstock_batches"] = {"event_type": event_type, "mass": mass, **_units(visit, "delivery")}
    if ledger := visit.text("production"):
        facility = _name(catalogue, "facility", visit.text("facility"))
        units = _units(visit, "production")
        contents["production_batches"] = {"ledger_id": ledger, "facility": facility, **units}
    return contents | _read_rest(visit.text("rest"))


def find_template(catalogue: CatalogueByKind, number: str) -> CatalogueRecord | None:
    """The removal template of this id; None where the catalogue has none."""
    return next((one for one in catalogue.get("removal_template", ()) if one.record_id == number), None)


def _name(catalogue: CatalogueByKind, kind: str, number: str) -> dict[str, str]:
    names = {one.record_id: one.name for one in catalogue.get(kind, ())}
    return {"id": number, "name": names.get(number, "")}


def _list_components(visit: Visit, template: CatalogueRecord | None) -> Iterator[dict[str, Any]]:
    for component in template.contents["components"] if template else ():
        inputs = []
        for one in component["inputs"]:
            place = f"{component['id']}.{one['input_key']}"
            chosen = visit.text(f"value-{place}")
            if chosen:
                source, _, slug = chosen.partition(":")
                inputs.append(
                    {
                        "input_key": one["input_key"], "source": source, "slug": slug,
                        "type": visit.text(f"type-{place}", "DERIVED"),
                        "is_list": visit.text(f"list-{place}") == "yes", **_units(visit, place),
                    }
                )  # fmt: skip
        if inputs:
            yield {"id": component["id"], "name": component["display_name"], "inputs": inputs}


def _units(visit: Visit, place: str) -> dict[str, str | None]:
    return {"unit": visit.text(f"unit-{place}"), "own_unit": visit.text(f"own-{place}") or None}


def _list_pairs(visit: Visit, catalogue: CatalogueByKind, kind: str, there: str) -> Iterator[dict[str, Any]]:
    prefix = f"{kind}-"
    for field in visit.typed:
        if field.startswith(prefix) and (chosen := visit.text(field)):
            yield {f"{kind}_id": field.removeprefix(prefix), there: _name(catalogue, there, chosen)}


def _read_rest(text: str) -> dict[str, Any]:
    try:
        rest = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError as error:
        message = f"Samples, sensors and series must be JSON: {error}."
        raise Invalid([Problem(message, f"{FIELD}.rest", "invalid")]) from None
    if not isinstance(rest, dict) or set(rest) - set(TYPED_AS_JSON):
        message = f"The JSON must be an object with {', '.join(TYPED_AS_JSON)}, or some of them."
        raise Invalid([Problem(message, f"{FIELD}.rest", "invalid")])
    return rest


def write_entries(contents: Mapping[str, Any]) -> dict[str, str]:
    """What the fields of the page hold for a mapping."""
    entries = {"template": contents["removal_template"]["id"]}
    for component in contents["components"]:
        for one in component["inputs"]:
            place = f"{component['id']}.{one['input_key']}"
            entries[f"value-{place}"] = f"{one['source']}:{one.get('slug', '')}"
            entries[f"type-{place}"] = one.get("type", "DERIVED")
            entries |= _write_units(place, one)
    for kind, there in (("feedstock", "feedstock_type"), ("location", "storage_location")):
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
    rest = {name: contents[name] for name in TYPED_AS_JSON if contents.get(name)}
    encoded = msgspec.json.Encoder(decimal_format="number").encode(rest)
    return entries | {"rest": msgspec.json.format(encoded, indent=2).decode() if rest else ""}


def _write_units(place: str, mapped: Mapping[str, Any]) -> dict[str, str]:
    return {f"unit-{place}": mapped["unit"], f"own-{place}": mapped.get("own_unit") or ""}


def list_compatible_units(blueprints: Sequence[CatalogueRecord]) -> dict[tuple[str, str], str]:
    """The unit that each input of a blueprint takes, by its key and that of the input."""
    return {
        (one.record_id, given["input_key"]): given["compatible_unit"] or ""
        for one in blueprints
        for given in one.contents["inputs"]
    }
