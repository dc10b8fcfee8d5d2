"""Python types of the document's schemas, for answers and for requests."""

import keyword
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

HEAD: Final = (
    '"""{doc}\n\nMade by `make docs` from the OpenAPI document; change the service, not this file.\n"""\n\n'
)
TRIAL: Final = "dry_run"
"""The parameter with which a change is only tried."""
REF: Final = "#/components/schemas/"

_PLAIN: Final = {"string": "str", "integer": "int", "boolean": "bool", "number": "Decimal", "null": "None"}


class Operation(NamedTuple):
    """One operation of the document with the parameters that are its own."""

    method: str
    path: str
    spec: dict[str, Any]
    parameters: list[dict[str, Any]]
    on_trial: bool = False
    """Whether the change is only tried, and the answer says what it would come to."""

    @property
    def name(self) -> str:
        """The id of the operation."""
        return str(self.spec["operationId"])

    @property
    def tag(self) -> str:
        """The kind of records that it is about, as an attribute of the client."""
        return identifier(self.spec["tags"][0])

    @property
    def verb(self) -> str:
        """What it is called among the operations of its kind: its id without the kind's own name."""
        trial = "_on_trial" if self.on_trial else ""
        for noun in (self.tag, singular(self.tag)):
            if self.name.endswith(f"_{noun}"):
                verb, _, whose = self.name.removesuffix(f"_{noun}").partition("_")
                return (f"{verb}_of_{whose}" if whose else identifier(verb)) + trial
        return self.name + trial


def operations(document: dict[str, Any]) -> Iterator[Operation]:
    """The operations below the prefix, by tag and id."""
    shared = document["components"]["parameters"]
    found = []
    for path, methods in document["paths"].items():
        if not path.startswith("/api/v1/"):
            continue
        for method, spec in methods.items():
            if method in ("get", "post", "patch", "put", "delete"):
                parameters = [
                    shared[each["$ref"].rsplit("/", 1)[1]] if "$ref" in each else each
                    for each in spec.get("parameters", [])
                ]
                one = Operation(method.upper(), path.removeprefix("/api/v1"), spec, parameters)
                found.append(one)
                if any(each["name"] == TRIAL for each in parameters):
                    found.append(one._replace(on_trial=True))
    yield from sorted(found, key=lambda operation: (operation.tag, operation.name))


def identifier(text: str) -> str:
    """A text as a Python name."""
    name = re.sub(r"\W+", "_", text).strip("_").lower()
    return f"{name}_" if keyword.iskeyword(name) else name


def singular(plural: str) -> str:
    """One of many, by the spelling of the interface's nouns."""
    for end, one in (("ies", "y"), ("ches", "ch"), ("s", "")):
        if plural.endswith(end):
            return plural.removesuffix(end) + one
    return plural


def reference(schema: dict[str, Any]) -> str | None:
    """The name of the schema that this one refers to."""
    target = schema.get("$ref")
    return target.removeprefix(REF) if target is not None else None


def item_of_page(name: str, schemas: dict[str, Any]) -> str | None:
    """What a page of a list holds, where it is a plain one, which the client reads as `Page`."""
    if not name.startswith("PageOf"):
        return None
    items = schemas[name]["properties"]["data"]["items"]
    return "Or".join(either_of(items) or [reference(items) or ""])


def either_of(schema: dict[str, Any]) -> list[str] | None:
    """The names of the records of which an answer holds one, where it is one of several."""
    names = [reference(each) for each in schema.get("anyOf", [])]
    return [name for name in names if name] if len(names) > 1 and all(names) else None


def answered(schema: dict[str, Any]) -> str:
    """The type by which a part of an answer is read."""
    if (name := reference(schema)) is not None:
        return name
    if (names := either_of(schema)) is not None:
        return "Or".join(names)
    if "anyOf" in schema:
        return _either([answered(each) for each in schema["anyOf"]])
    if "enum" in schema:
        return _literal(schema["enum"])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return _either([answered({**schema, "type": kind}) for kind in kinds])
    if kinds == "string" and schema.get("format") == "date-time":
        return "datetime"
    if kinds == "array":
        return f"list[{answered(schema.get('items', {}))}]"
    if kinds == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {answered(values) if isinstance(values, dict) else 'Any'}]"
    return _PLAIN.get(kinds, "Any")


def requested(schema: dict[str, Any]) -> str:
    """The type that a caller may give for a part of a request: objects as mappings, times as texts too."""
    if reference(schema) is not None:
        return "Mapping[str, Any]"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(requested(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return _literal(schema["enum"])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return " | ".join(dict.fromkeys(requested({**schema, "type": kind}) for kind in kinds))
    if kinds == "string" and schema.get("format") == "date-time":
        return "Time"
    if kinds == "array":
        return f"Sequence[{requested(schema.get('items', {}))}]"
    if kinds == "object":
        return "Mapping[str, Any]"
    return {"number": "Decimal | int"}.get(kinds, _PLAIN.get(kinds, "Any"))


def _literal(words: list[Any]) -> str:
    told = [repr(word) for word in words if word is not None]
    listed = f"Literal[{', '.join(told)}]"
    return f"{listed} | None" if None in words else listed


def _either(kinds: list[str]) -> str:
    """One of several types. Those that JSON cannot tell apart by themselves are read as they come."""
    kinds = list(dict.fromkeys(kinds))
    null = " | None" if "None" in kinds else ""
    rest = [kind for kind in kinds if kind != "None"]
    if len(rest) == 1:
        return rest[0] + null
    if set(rest) <= {"Decimal", "int", "str", "bool"}:
        return "Value" if {"Decimal", "str"} <= set(rest) else " | ".join(rest) + null
    return "Any"
