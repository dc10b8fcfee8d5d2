"""Makes `records.py`: a class for each record that an answer holds."""

import json
import keyword
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from tools.client_source.types import HEAD, REF, answered, either_of, item_of_page, operations

IMPORTS: Final = """\
from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import msgspec

from weighbridge.client.calls import Value

"""


LINE: Final = 110
NOT_ASKED: Final = "ListSummaryOf"
"""What a list answers in the modes in which the client does not ask for it."""


def source(document: dict[str, Any]) -> str:
    """The text of the file."""
    schemas = document["components"]["schemas"]
    names = sorted(_reached(document))
    unions = _unions([schemas[name] for name in names], schemas)
    schemas, names = schemas | unions, sorted({*names, *unions})
    return (
        HEAD.format(doc="The records of the interface, as answers hold them.")
        + IMPORTS
        + "\n\n".join(_record(name, schemas[name]) for name in names)
    )


def _record(name: str, schema: dict[str, Any]) -> str:
    doc = schema.get("description", f"{name}.")
    lines = [f"class {name}(msgspec.Struct, frozen=True, kw_only=True):", *_doc(doc, "    "), ""]
    properties = schema.get("properties", {})
    # A field with a default came with a later release: services of before do not send it.
    required = {field for field in schema.get("required", []) if "default" not in properties[field]}
    for field, described in properties.items():
        lines.append(f"    {_field(field, described, required=field in required)}")
    if not properties:
        lines = lines[:-1]
    return "\n".join(lines) + "\n"


def _field(field: str, described: dict[str, Any], *, required: bool) -> str:
    kind = answered(described)
    if not required and "None" not in kind.split(" | ") and kind not in ("Any", "Value"):
        kind += " | None"
    if keyword.iskeyword(field) or not field.isidentifier():
        default = "" if required else ", default=None"
        return f"{field}_: {kind} = msgspec.field(name={field!r}{default})"
    return f"{field}: {kind}" + ("" if required else " = None")


def _unions(reached: list[dict[str, Any]], schemas: dict[str, Any]) -> dict[str, Any]:
    """For each place that holds one of several records a record with the fields of all of them.

    What not all of them have is null for the others.
    """
    made = {}
    for names in {tuple(names) for schema in reached for names in _choices(schema)}:
        parts = [schemas[name] for name in names]
        fields = [set(part["properties"]) for part in parts]
        told = " or ".join(names)
        made["Or".join(names)] = {
            "description": f"{told}; a field that only one of them has is None on the other.",
            "properties": {name: each for part in parts for name, each in part["properties"].items()},
            "required": sorted(set.intersection(*fields, *(set(part["required"]) for part in parts))),
        }
    return made


def _choices(part: Any) -> Iterator[list[str]]:
    if isinstance(part, dict):
        names = either_of(part)
        if names is not None:
            yield names
        for each in part.values():
            yield from _choices(each)
    elif isinstance(part, list):
        for each in part:
            yield from _choices(each)


def _doc(text: str, indent: str) -> Iterator[str]:
    if len(text) + len(indent) + 6 <= LINE:
        yield f'{indent}"""{text}"""'
    else:
        yield from (indent + line for line in textwrap.wrap(f'"""{text}', LINE - len(indent)))
        yield f'{indent}"""'


def _reached(document: dict[str, Any]) -> set[str]:
    """The schemas that the client's answers hold, and all that these refer to; pages are `Page`."""
    schemas = document["components"]["schemas"]
    rest: list[str] = []
    for operation in operations(document):
        for status, answer in operation.spec["responses"].items():
            if status.startswith("2"):
                rest += _names(answer)
    seen: set[str] = set()
    while rest:
        name = rest.pop()
        if name not in seen and not name.startswith(NOT_ASKED):
            seen.add(name)
            rest += _names(schemas[name])
    return {name for name in seen if item_of_page(name, schemas) is None}


def _names(part: Any) -> list[str]:
    text = json.dumps(part)
    return [piece.split('"', 1)[0] for piece in text.split(REF)[1:]]
