"""Makes the files of the TypeScript client: records, shapes of JSON, operations, and the rules of calls.

They follow from the same table of operations as the Python client. Decimals are strings of a type of their
own; `shapes.ts` says of each record which numbers are decimals, so that none passes through a binary float.
"""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from tools.client_source.operations import Argument, answer, read_arguments, takes_key
from tools.client_source.types import TRIAL, Operation, operations, reference
from weighbridge.client import calls, flows
from weighbridge.core.problem import CODES

HEAD: Final = (
    "// {doc}\n// Made by `make docs` from the OpenAPI document; change the service, not this file.\n\n"
)
WIDTH: Final = 104
NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")

_PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "Decimal",
    "boolean": "boolean",
    "null": "null",
}


def sources(document: dict[str, Any]) -> dict[str, str]:
    """The text of each file by its name."""
    return {
        "records.ts": _records(document),
        "shapes.ts": _shapes(document),
        "operations.ts": _operations(document),
        "rules.ts": _rules(),
    }


# Types of TypeScript.


def kind_of(schema: Mapping[str, Any], prefix: str = "") -> str:
    """The type of a part of a request or of an answer."""
    if (name := reference(schema)) is not None:  # type: ignore[arg-type]
        return prefix + name
    if "anyOf" in schema:
        return _either([kind_of(each, prefix) for each in schema["anyOf"]])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return _either([json.dumps(word) for word in schema["enum"]])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        if {"number", "string"} <= {*kinds}:
            return _either(["Num", *(_PLAIN[kind] for kind in kinds if kind != "number")])
        return _either([kind_of({**schema, "type": kind}, prefix) for kind in kinds])
    if kinds == "array":
        item = kind_of(schema.get("items", {}), prefix)
        return f"{f'({item})' if ' | ' in item else item}[]"
    if kinds == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {kind_of(values, prefix) if isinstance(values, dict) else 'unknown'}>"
    return _PLAIN.get(kinds, "unknown")


def _either(kinds: list[str]) -> str:
    kinds = list(dict.fromkeys(kinds))
    return "unknown" if "unknown" in kinds else " | ".join(kinds)


def _property(name: str) -> str:
    return name if NAME.fullmatch(name) else json.dumps(name)


def _doc(text: str, indent: str) -> Iterator[str]:
    """A comment that editors show."""
    told = " ".join(text.split()).replace("*/", "* /")
    if len(told) + len(indent) + 8 <= WIDTH:
        yield f"{indent}/** {told} */"
    else:
        yield f"{indent}/**"
        yield from (f"{indent} * {line}" for line in textwrap.wrap(told, WIDTH - len(indent) - 3))
        yield f"{indent} */"


# Records.


def _records(document: dict[str, Any]) -> str:
    lines = ['import type { Decimal, Num } from "../json.js";', ""]
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines += [*_doc(schema.get("description", f"{name}."), ""), *_record(name, schema), ""]
    return HEAD.format(doc="The records of the interface, as requests and answers hold them.") + "\n".join(
        lines
    )


def _record(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    if "properties" not in schema:
        yield f"export type {name} = {kind_of(schema)};"
        return
    required = {*schema.get("required", [])}
    yield f"export interface {name} {{"
    for field, described in schema["properties"].items():
        if meaning := described.get("description"):
            yield from _doc(meaning, "  ")
        yield f"  {_property(field)}{'' if field in required else '?'}: {kind_of(described)};"
    yield "}"


# Shapes: what numbers are, of a value that JSON holds.
#
# `n` says what a number is, `l` is the shape of the items of a list, `m` that of the values of a free object,
# `r` names the records of which an object is one. A number of no shape is a `Num`.


def shape_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The shape of a part of a request or of an answer; empty where it says nothing."""
    if (name := reference(schema)) is not None:  # type: ignore[arg-type]
        return {"r": [name]}
    if "anyOf" in schema:
        return _joined([shape_of(each) for each in schema["anyOf"]])
    kinds = schema.get("type", [])
    if isinstance(kinds, list):
        if {"number", "string"} <= {*kinds}:
            return {}
        return _joined([shape_of({**schema, "type": kind}) for kind in kinds])
    made: dict[str, Any] = {}
    if kinds in {"number", "integer"}:
        made = {"n": kinds}
    elif kinds == "array" and (item := shape_of(schema.get("items", {}))):
        made = {"l": item}
    elif kinds == "object" and isinstance(values := schema.get("additionalProperties"), dict):
        made = {"m": shaped} if (shaped := shape_of(values)) else {}
    return made


def _joined(shapes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The shape of a value that has one of several."""
    made: dict[str, Any] = {}
    for shape in shapes:
        for key, value in shape.items():
            made[key] = [*made.get(key, []), *value] if key == "r" else value
    return made


def _shapes(document: dict[str, Any]) -> str:
    schemas = document["components"]["schemas"]
    lines = ['import type { Shape } from "../json.js";', "", "/** Fields with numbers in them, by record. */"]
    lines.append("export const SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {")
    for name, schema in sorted(schemas.items()):
        fields = {field: shape_of(each) for field, each in schema.get("properties", {}).items()}
        told = ", ".join(f"{_property(field)}: {_literal(shape)}" for field, shape in fields.items() if shape)
        if told:
            lines.append(f"  {name}: {{ {told} }},")
    return HEAD.format(doc="What the numbers of each record are.") + "\n".join([*lines, "};", ""])


def _literal(shape: Mapping[str, Any]) -> str:
    parts = []
    for key, value in shape.items():
        parts.append(f"{key}: {_literal(value) if isinstance(value, dict) else json.dumps(value)}")
    return f"{{ {', '.join(parts)} }}"


# Operations.


def _operations(document: dict[str, Any]) -> str:
    schemas = document["components"]["schemas"]
    kinds = [(tag, list(of)) for tag, of in groupby(operations(document), key=lambda each: each.tag)]
    lines = [
        'import type { Decimal, Num } from "../json.js";',
        'import type { Caller, Listing, Options, TaskHandle } from "../calls.js";',
        'import type * as records from "./records.js";',
        "",
    ]
    for tag, of in kinds:
        lines += [*_group(tag, of, schemas), ""]
    lines += ["/** Every kind of record, each as a property of the client. */", "export class Groups {"]
    lines += [f"  readonly {tag}: {_class(tag)};" for tag, _ in kinds]
    lines += ["", "  constructor(caller: Caller) {"]
    lines += [f"    this.{tag} = new {_class(tag)}(caller);" for tag, _ in kinds]
    lines += ["  }", "}", ""]
    doc = "The operations on each kind of record, as methods."
    return HEAD.format(doc=doc) + "\n".join(lines)


def _class(tag: str) -> str:
    return "".join(word.capitalize() for word in tag.split("_")) + "Operations"


def _group(tag: str, of: Sequence[Operation], schemas: dict[str, Any]) -> Iterator[str]:
    yield f"/** Operations on {of[0].spec['tags'][0].lower()}. */"
    yield f"export class {_class(tag)} {{"
    yield "  constructor(private readonly caller: Caller) {}"
    for operation in of:
        yield ""
        yield from _method(operation, schemas)
    yield "}"


def _method(operation: Operation, schemas: dict[str, Any]) -> Iterator[str]:
    names, query, wrapper, body = read_arguments(operation, schemas)
    asked = [*query, *body]
    needs = any(each.default is None for each in asked)
    execute, shape, gives = _gives(operation, schemas)
    summary = operation.spec["summary"].rstrip(".") + "."
    tried = "Try, and change nothing: " if operation.on_trial else ""
    yield from ("  " + line for line in _doc(f"{tried}{summary} `{operation.method} {operation.path}`", ""))
    yield f"  {operation.verb}("
    yield from (f"    {each.name}: {kind_of(each.schema)}," for each in names)
    if asked:
        yield "    asked: {"
        for each in asked:
            yield from _doc(each.meaning, "      ") if each.meaning else ()
            yield f"      {each.name}{'' if each.default is None else '?'}: {_asked_kind(each, query)};"
        yield "    }" + ("," if needs else " = {},")
    yield "    options: Options = {},"
    yield f"  ): {gives} {{"
    yield f"    return this.caller.{execute}<{_result(gives)}>("
    yield f"      {_described(operation, query, wrapper, body, shape)},"
    path = ", ".join(f"{json.dumps(each.sent)}: {each.name}" for each in names)
    yield f"      {{ {path} }}," if path else "      {},"
    yield f"      {'asked' if asked else '{}'},"
    yield "      options,"
    yield "    );"
    yield "  }"


def _asked_kind(argument: Argument, query: Sequence[Argument]) -> str:
    kind = kind_of(argument.schema, "records.")
    is_list = argument in query and (kind.endswith("[]") or argument.sent == "sort")
    return "string | readonly string[]" if is_list else kind


def _gives(operation: Operation, schemas: dict[str, Any]) -> tuple[str, dict[str, Any] | str, str]:
    """How the call is executed, the shape of its answer, and the type that the method returns."""
    kind, shape = answer(operation, schemas)
    if kind in {"None", "str", "bytes"}:
        gives = {"None": "void", "str": "string", "bytes": "Uint8Array"}[kind]
        return "call", gives, f"Promise<{gives}>"
    status = next(each for each in operation.spec["responses"] if each.startswith("2"))
    schema = operation.spec["responses"][status]["content"]["application/json"]["schema"]
    alternatives = schema.get("anyOf", [schema])
    chosen = alternatives[-1 if operation.on_trial else 0]
    if shape.startswith("Listing"):
        items = schemas[reference(chosen) or ""]["properties"]["data"]["items"]
        return "list", shape_of(chosen), f"Listing<{kind_of(items, 'records.')}>"
    if shape == "Call[records.AsyncTask]" and operation.tag != "async_tasks":
        return "start", shape_of(chosen), "Promise<TaskHandle>"
    return "call", shape_of(chosen), f"Promise<{kind_of(chosen, 'records.')}>"


def _result(gives: str) -> str:
    inner = gives.partition("<")[2].removesuffix(">")
    return "records.AsyncTask" if inner == "TaskHandle" else inner


def _described(
    operation: Operation,
    query: Sequence[Argument],
    wrapper: str | None,
    body: Sequence[Argument],
    shape: dict[str, Any] | str,
) -> str:
    """The call as an object: what is sent where, and what the answer is read as."""
    parts = [f"method: {json.dumps(operation.method)}", f"path: {json.dumps(operation.path)}"]
    sent = {each.name: each.sent for each in query}
    if operation.on_trial:
        parts.append(f"fixed: {json.dumps({TRIAL: 'true'})}")
    if sent:
        parts.append(f"query: {json.dumps(sent)}")
    if body and not body[0].sent:
        parts.append(f"text: {json.dumps(body[0].name)}")
    elif body or operation.method in {"POST", "PATCH"}:
        fields = {each.name: (each.sent, shape_of(each.schema)) for each in body}
        told = ", ".join(f"{name}: [{json.dumps(to)}, {_literal(of)}]" for name, (to, of) in fields.items())
        parts.append(f"body: {{ {told} }}")
    if wrapper:
        parts.append(f"wrapper: {json.dumps(wrapper)}")
    if takes_key(operation):
        parts.append("takesKey: true")
    parts.append(f"answer: {json.dumps(shape) if isinstance(shape, str) else _literal(shape)}")
    return f"{{ {', '.join(parts)} }}"


# Rules that the Python client has, too: how often a call is sent, and when again.


def _rules() -> str:
    values = {
        "PREFIX": calls.PREFIX,
        "ATTEMPTS_MAX": calls.ATTEMPTS_MAX,
        "FIRST_PAUSE_SECONDS": calls.FIRST_PAUSE_SECONDS,
        "PAUSE_SECONDS_MAX": calls.PAUSE_SECONDS_MAX,
        "BUSY": sorted(calls.BUSY),
        "IN_PROGRESS": calls.IN_PROGRESS,
        "EVENTS_MAX": flows.EVENTS_MAX,
        "FIRST_SECONDS": flows.FIRST_SECONDS,
        "SECONDS_MAX": flows.SECONDS_MAX,
        "GROWTH": flows.GROWTH,
    }
    lines = [f"export const {name} = {json.dumps(value)};" for name, value in values.items()]
    codes = " |\n  ".join(json.dumps(code) for code in sorted(CODES))
    lines += [
        "",
        "/** The kinds of problems that errors name by `code`. */",
        f"export type ErrorCode =\n  {codes};",
    ]
    doc = "How often calls are sent, and the codes of errors, as the Python client and the service have them."
    return HEAD.format(doc=doc) + "\n".join([*lines, ""])
