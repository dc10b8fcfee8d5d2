"""Makes `operations.py`: for each operation the function that makes its call."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tools.client_source.types import (
    HEAD,
    TRIAL,
    Operation,
    either_of,
    identifier,
    item_of_page,
    operations,
    reference,
    requested,
)

IMPORTS: Final = """\
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from weighbridge.client.made import records
from weighbridge.client.calls import Call, call
from weighbridge.client.pages import Listing, Page
from weighbridge.client.calls import Time

"""
NOT_ASKED: Final = frozenset({"cursor", "response_mode", "export_format", TRIAL})
"""What a list takes that the client sees to, or answers that are no list."""
LEFT_OUT: Final = {"create_events": "events"}
"""A part of a body that has a method of its own: many events go through `Client.store`."""
TEXT: Final = {"type": "string"}
KEY_MEANING: Final = "A request sent again with the same key is executed once; made up where none is given."
OF_ADDRESSES: Final = re.compile(r" `filter\[\w+\]` alone means the same\.|, where \+ is sent as %2B")
"""What a description says about writing the request's address, which the client does."""
SUMMARY_WIDTH: Final = 104
COMPARED: Final = re.compile(r"^filter\[(\w+)\]\[(\w+)\]$")


class Argument(NamedTuple):
    """An argument of a function: its name, type, default, name in the request, and what it means.

    `schema` is that of the document, for types of other languages.
    """

    name: str
    kind: str
    default: str | None
    sent: str
    meaning: str = ""
    schema: Mapping[str, Any] = {}


def source(document: dict[str, Any]) -> str:
    """The text of the file."""
    schemas = document["components"]["schemas"]
    return (
        HEAD.format(doc="Every operation of the interface as a function that makes its call.")
        + IMPORTS
        + "\n\n".join(function(operation, schemas) for operation in operations(document))
    )


def function(operation: Operation, schemas: dict[str, Any]) -> str:
    """The text of one function."""
    names, query, wrapper, body = read_arguments(operation, schemas)
    keyed = takes_key(operation)
    key = [Argument("idempotency_key", "str | None", "None", "", KEY_MEANING)] if keyed else []
    kind, shape = answer(operation, schemas)
    return "\n".join(
        [
            f"def {operation.tag}_{operation.verb}(",
            *_signature(names, [*query, *body, *key]),
            f") -> {shape}:",
            *_docstring(operation, [*names, *query, *body, *key]),
            *_call(
                operation,
                kind,
                names=names,
                query=query,
                wrapper=wrapper,
                body=body,
                keyed=keyed,
                listing=shape.startswith("Listing"),
            ),
            "",
        ]
    )


def read_arguments(
    operation: Operation, schemas: dict[str, Any]
) -> tuple[list[Argument], list[Argument], str | None, list[Argument]]:
    """The arguments in the path, in the query and in the body, and the name below which the body has them."""
    names, query = _parameters(operation)
    return names, query, *_body(operation, schemas, {each.name for each in names})


def takes_key(operation: Operation) -> bool:
    """Whether a request may be sent again by its Idempotency-Key."""
    return any(each["name"] == "Idempotency-Key" for each in operation.parameters)


def answer(operation: Operation, schemas: dict[str, Any]) -> tuple[str, str]:
    """What the answer is read as, and what the function gives."""
    status = next(each for each in operation.spec["responses"] if each.startswith("2"))
    content = operation.spec["responses"][status].get("content", {})
    if not content:
        return "None", "Call[None]"
    schema = content.get("application/json", {}).get("schema")
    if schema is None or not {"$ref", "anyOf"} & set(schema):
        kind = "str" if all(each.startswith(("text/", "application/yaml")) for each in content) else "bytes"
        return kind, f"Call[{kind}]"
    alternatives = schema.get("anyOf", [{}])
    name = reference(schema) or reference(alternatives[-1 if operation.on_trial else 0]) or ""
    if (item := item_of_page(name, schemas)) is not None:
        return f"Page[records.{item}]", f"Listing[records.{item}]"
    record = f"records.{name}"
    listed = schemas[name].get("properties", {}).get("data", {}).get("items")
    info = schemas[name].get("properties", {}).get("info", {})
    if listed is not None and reference(info) == "Info" and operation.method == "GET":
        return record, f"Listing[records.{'Or'.join(either_of(listed) or [reference(listed) or ''])}]"
    return record, f"Call[{record}]"


def _parameters(operation: Operation) -> tuple[list[Argument], list[Argument]]:
    named = {each["name"]: each for each in operation.parameters if each["in"] == "path"}
    names = [
        Argument(
            identifier(name),
            _kind_of_name(named[name]),
            None,
            name,
            _meaning(named[name]),
            named[name]["schema"],
        )
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    asked = [each for each in operation.parameters if each["in"] == "query" and each["name"] not in NOT_ASKED]
    query: dict[str, Argument] = {}
    for each in asked:
        argument = _of_query(each, {each.name for each in names})
        query.setdefault(argument.name, argument)
    return names, list(query.values())


def _of_query(parameter: dict[str, Any], taken: set[str]) -> Argument:
    sent = parameter["name"]
    name = identifier(sent)
    if (compared := COMPARED.match(sent)) is not None:
        field, comparator = compared.groups()
        name = field if comparator == "eq" else f"{field}_{comparator}"
        if name in taken:
            name = f"filter_{name}"
    kind = requested(parameter["schema"])
    if kind.startswith("Sequence[") or sent == "sort":
        kind = "str | Sequence[str]"
    if parameter.get("required"):
        return Argument(name, kind, None, sent, _meaning(parameter), parameter["schema"])
    return Argument(name, f"{kind} | None", "None", sent, _meaning(parameter), parameter["schema"])


def _kind_of_name(parameter: dict[str, Any]) -> str:
    return "int" if parameter["schema"]["type"] == "integer" else "str"


def _meaning(described: dict[str, Any]) -> str:
    return OF_ADDRESSES.sub("", " ".join(str(described.get("description", "")).split()))


def _body(
    operation: Operation, schemas: dict[str, Any], taken: set[str]
) -> tuple[str | None, list[Argument]]:
    content = operation.spec.get("requestBody", {}).get("content", {})
    name = reference(content.get("application/json", {}).get("schema", {}))
    if name is None:
        if "text/csv" in content:
            return None, [Argument("content", "str", None, "", "The rows as CSV, with a header.", TEXT)]
        return None, []
    schema, wrapper = schemas[name], None
    properties = {
        field: described
        for field, described in schema.get("properties", {}).items()
        if LEFT_OUT.get(operation.name) != field
    }
    if len(properties) == 1:
        [(key, inner)] = properties.items()
        if (target := reference(inner)) is not None:
            wrapper, schema = key, schemas[target]
    required = set(schema.get("required", []))
    arguments = []
    for field, described in schema.get("properties", {}).items():
        if field in taken:
            continue
        kind = requested(described)
        if field in required:
            arguments.append(Argument(identifier(field), kind, None, field, _meaning(described), described))
        else:
            either = " | ".join([*(k for k in kind.split(" | ") if k != "None"), "UnsetType"])
            either += " | None" if "None" in kind.split(" | ") else ""
            arguments.append(
                Argument(identifier(field), either, "UNSET", field, _meaning(described), described)
            )
    return wrapper, arguments


def _signature(names: list[Argument], rest: list[Argument]) -> Iterator[str]:
    for each in names:
        yield f"    {each.name}: {each.kind},"
    if rest:
        yield "    *,"
    for each in sorted(rest, key=lambda argument: argument.default is not None):
        yield f"    {each.name}: {each.kind}" + (f" = {each.default}" if each.default else "") + ","


def _docstring(operation: Operation, arguments: list[Argument]) -> Iterator[str]:
    summary = operation.spec["summary"].rstrip(".") + "."
    if operation.on_trial:
        summary = f"Try, and change nothing: {summary[0].lower()}{summary[1:]}"
    lines = textwrap.wrap(f'"""{summary}', SUMMARY_WIDTH)
    yield from (f"    {line}" for line in lines)
    yield ""
    yield f"    {operation.method} {operation.path}"
    explained = [each for each in arguments if each.meaning]
    if explained:
        yield ""
        yield "    Args:"
    for each in explained:
        text = f"{each.name}: {each.meaning}".replace("\\", "\\\\")
        yield textwrap.fill(text, SUMMARY_WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12)
    if explained:
        yield ""
    yield '    """'


def _call(
    operation: Operation,
    kind: str,
    *,
    names: list[Argument],
    query: list[Argument],
    wrapper: str | None,
    body: list[Argument],
    keyed: bool,
    listing: bool,
) -> Iterator[str]:
    opening, closing = ("Listing(call(", "))") if listing else ("call(", ")")
    yield f"    return {opening}"
    yield f"        {operation.method!r}, {operation.path!r}, {kind},"
    if names:
        yield f"        names={{{', '.join(f'{each.sent!r}: {each.name}' for each in names)}}},"
    asked = [f"{each.sent!r}: {each.name}" for each in query]
    if operation.on_trial:
        asked.append(f"{TRIAL!r}: True")
    if asked:
        yield f"        query={{{', '.join(asked)}}},"
    if body and body[0].sent:
        told = f"{{{', '.join(f'{each.sent!r}: {each.name}' for each in body)}}}"
        yield f"        body={f'{{{wrapper!r}: {told}}}' if wrapper else told},"
    elif body:
        yield "        text=content,"
    elif operation.method in ("POST", "PATCH"):
        yield "        body={},"
    if keyed:
        yield "        takes_key=True, key=idempotency_key,"
    yield f"    {closing}"
