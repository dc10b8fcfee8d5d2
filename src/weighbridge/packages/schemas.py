"""The JSON Schemas of the files of a package, by which an editor completes keys and says what each means.

Parts that the interface takes have the schema of its requests; what a package says besides, and its own
files, follow the tables by which they are read.

Invariants: every file of a package without flaws fits its schema; the same code gives the same schemas.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from weighbridge.accounting.records.ledgers import NewLedger
from weighbridge.collection.records.data_points import EVENT_TYPE_BODIES
from weighbridge.core.engine.revisions import ENGINE_REVISION, REVISION_OF_1_0_0
from weighbridge.core.model.schema import TEXT, Schema, write_model_schema
from weighbridge.http.openapi.schemas import REFERENCE, Schemas
from weighbridge.modelling.records import STATIC_INPUT_BODIES
from weighbridge.packages.contents import (
    EVENT_TYPES,
    LEDGERS,
    MANIFEST,
    METHODOLOGY,
    MODELS_FOLDER,
    RULES,
    SOURCES,
    STATIC_INPUTS,
)
from weighbridge.packages.reading import (
    ADDED_KEYS,
    MANIFEST_KEYS,
    PARTS_MAX,
    RANGE,
    REQUIRED_MAX,
    SOURCE_KEYS,
    SOURCES_MAX,
    TAKEN_KEYS,
    VERSION,
)
from weighbridge.packages.rule_cases import CASE_KEYS, CASE_SLOTS_MAX, CASES_MAX, EXPECT_KEYS, RUN_KEYS
from weighbridge.quality.records.rules import RULE_BODIES
from weighbridge.reporting.records.registries import METHODOLOGY_BODIES

SCHEMAS_FOLDER: Final = ".schemas"
"""Where the schemas lie in the folder of a package; hidden files are no part of it."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_SLUG: Final[Schema] = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
_OPTIONAL: Final = ("engine_revision", "requires", "tables", "cases")
_SLOT: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": CASE_SLOTS_MAX}
_OF_CASES: Final[Mapping[str, Schema]] = {
    "count": _SLOT, "slot": _SLOT, "from": _SLOT, "to": _SLOT, "operating": {"type": "boolean"},
    "alert": {"type": "boolean"}, "values": {"type": "object"},
    "add": {"type": "object", "additionalProperties": {"type": "number"}},
}  # fmt: skip
"""What is no text in the slots of a case and in what it expects of them."""


@dataclass(frozen=True, slots=True)
class ListedPart:
    """What the parts of one file are: the key of the list, and the body of the request that creates one."""

    key: str
    body: type[msgspec.Struct]


_NAMED: Final = {
    "event_type_id": "The slug of the event type.",
    "model_id": "The name of the model's file, without its ending.",
}
"""What a package names by what it is called, for ids are given when it is installed."""

LISTED_PARTS: Final[Mapping[str, ListedPart]] = {
    EVENT_TYPES: ListedPart("event_types", EVENT_TYPE_BODIES.new_body),
    STATIC_INPUTS: ListedPart("static_inputs", STATIC_INPUT_BODIES.new_body),
    LEDGERS: ListedPart("ledgers", NewLedger),
    RULES: ListedPart("rules", RULE_BODIES.new_body),
    METHODOLOGY: ListedPart("methodologies", METHODOLOGY_BODIES.new_body),
}
"""The files that list parts as the interface takes them."""


def write_schemas() -> Mapping[str, bytes]:
    """Write the schemas of all files, by the names of their own files, such as `event_types.json`."""
    schemas = {
        MANIFEST: _write_manifest(),
        SOURCES: _write_sources(),
        **{file: _write_parts(file, part) for file, part in LISTED_PARTS.items()},
        f"{MODELS_FOLDER}.yaml": write_model_schema(),
    }
    return {
        file.removesuffix(".yaml") + ".json": _encode({"$schema": DIALECT, **schema})
        for file, schema in schemas.items()
    }


def write_reference(file: str) -> str:
    """Write the first line of a file, by which an editor finds its schema; nothing where it has none."""
    if not file.endswith(".yaml"):
        return ""
    folder, *inner = file.split("/")
    name = f"{folder if inner else folder.removesuffix('.yaml')}.json"
    return f"# yaml-language-server: $schema={'../' * len(inner)}{SCHEMAS_FOLDER}/{name}\n"


def _encode(schema: Schema) -> bytes:
    return json.dumps(schema, indent=1, ensure_ascii=False, default=float).encode("utf-8") + b"\n"


def _write_mapping(meanings: Mapping[str, str], kinds: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": {
            key: {**kinds.get(key, TEXT), "description": sentence} for key, sentence in meanings.items()
        },
        "required": [key for key in meanings if key not in _OPTIONAL],
        "additionalProperties": False,
    }


def _write_manifest() -> Schema:
    kinds: Mapping[str, Schema] = {
        "name": _SLUG,
        "version": {"type": "string", "pattern": f"^{VERSION.pattern}$"},
        "engine_revision": {"type": "integer", "minimum": REVISION_OF_1_0_0, "maximum": ENGINE_REVISION},
        "requires": {
            "type": "object",
            "additionalProperties": {"type": "string", "pattern": f"^{RANGE.pattern}$"},
            "propertyNames": _SLUG,
            "maxProperties": REQUIRED_MAX,
        },
    }
    return _write_mapping(MANIFEST_KEYS, kinds)


def _write_sources() -> Schema:
    taken = _write_mapping(TAKEN_KEYS, {"tables": {"type": "array", "items": {"type": "string"}}})
    kinds: Mapping[str, Schema] = {"key": _SLUG, "taken": {"type": "array", "items": taken}}
    listed = {"type": "array", "items": _write_mapping(SOURCE_KEYS, kinds), "maxItems": SOURCES_MAX}
    return {**_close({"sources": listed}), "required": ["sources"]}


def _write_parts(file: str, part: ListedPart) -> Schema:
    body = part.body if part.body is NewLedger else msgspec.structs.fields(part.body)[0].type
    met = Schemas()
    met.of(body)
    schemas = Schemas(met.records)
    name = schemas.of(body)["$ref"].removeprefix(REFERENCE)
    components = dict(_list_definitions(schemas.components))
    added = ADDED_KEYS.get(file, {})
    item = components[name]
    named = {key: sentence for key, sentence in _NAMED.items() if key in item["properties"]}
    item["properties"] |= {key: {**TEXT, "description": sentence} for key, sentence in named.items()}
    item["properties"] |= {
        key: {**(_write_cases() if key == "cases" else TEXT), "description": sentence}
        for key, sentence in added.items()
    }
    item["required"] = [*item["required"], *(key for key in added if key not in _OPTIONAL)]
    items = {"type": "array", "items": {"$ref": f"#/$defs/{name}"}, "maxItems": PARTS_MAX}
    return {**_close({part.key: items}), "required": [part.key], "$defs": components}


def _write_cases() -> Schema:
    """The cases of a rule."""
    inner = {"slots": RUN_KEYS, "expect": EXPECT_KEYS}
    listed = {
        name: {"type": "array", "items": _close({key: _OF_CASES.get(key, TEXT) for key in keys})}
        for name, keys in inner.items()
    }
    case = _close({key: listed.get(key, TEXT) for key in CASE_KEYS})
    required = ["name", "source", "slots", "expect"]
    return {"type": "array", "items": {**case, "required": required}, "maxItems": CASES_MAX}


def _close(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _list_definitions(components: Mapping[str, Schema]) -> Iterator[tuple[str, Schema]]:
    for name, schema in components.items():
        yield name, _refer_within(schema)


def _refer_within(schema: Any) -> Any:
    """The schema with references to its own definitions."""
    match schema:
        case {"$ref": str(reference), **rest}:
            return {"$ref": reference.replace(REFERENCE, "#/$defs/"), **_refer_within(rest)}
        case dict():
            return {key: _refer_within(value) for key, value in schema.items()}
        case list():
            return [_refer_within(value) for value in schema]
    return schema
