"""The OpenAPI document: every endpoint as it declares itself, so that the two cannot disagree.

It is made from the operations of the routes and the types of their records. The introduction, the two
ways to send a token and the results of tasks are added here.
"""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

import msgspec

from weighbridge.core.platform.permission import ANY, LINK
from weighbridge.http.admission import is_of_projects
from weighbridge.http.messages import body as upload
from weighbridge.http.messages.operation import Endpoint, Operation
from weighbridge.http.openapi import answers
from weighbridge.http.openapi import parameters as openapi_parameters
from weighbridge.http.openapi.answers import Examples
from weighbridge.http.openapi.schemas import Schemas
from weighbridge.http.openapi.site import (
    INDEX,
    MODEL_LANGUAGE,
    OF_TAG,
    RULE_LANGUAGE,
    TUTORIAL,
    address,
    operation_address,
    tag_of,
    title_of,
)
from weighbridge.http.pieces import PIECE_BYTES_MAX
from weighbridge.http.text import Schema

# What tasks come to, by their type: the one field of an answer whose form another field decides.
#
# The operations say it that begin the tasks. A result is returned as it was stored, which an earlier release
# may have done; so fields that came later are not required of it.


def list_task_results(operations: Iterable[Operation]) -> dict[str, type[Any]]:
    """The record that each type of task comes to."""
    return {kind: result for operation in operations for kind, result in operation.task_results.items()}


def tell_results(schemas: Schemas, task: type[Any], results: Mapping[str, type[Any]]) -> None:
    """State in the schema of a task that its `result` is null or the record of its `type`."""
    if not results:
        return
    result_schemas = {kind: schemas.of(result) for kind, result in sorted(results.items())}
    schema = schemas.components[schemas.of(task)["$ref"].rpartition("/")[2]]
    unique = {result_schema["$ref"]: result_schema for result_schema in result_schemas.values()}
    schema["properties"]["result"] |= {"anyOf": [*unique.values(), {"type": "null"}]}
    schema["allOf"] = [
        _if(kind, {"anyOf": [result, {"type": "null"}]}) for kind, result in result_schemas.items()
    ]


def _if(kind: str, result: Schema) -> Schema:
    return {
        "if": {"properties": {"type": {"const": kind}}},
        "then": {"properties": {"result": result}},
    }


# The OpenAPI document: every endpoint as it declares itself, so that the two cannot disagree.
#
# It is made from the operations of the routes and the types of their records. What is not said there (the
# introduction, the two ways to send a token) is said here.


INTERFACE_VERSION: Final = "1.1.0"
"""The version of the interface; that of the package moves on its own."""

Slices = Sequence[Sequence[Endpoint]]

_INTRODUCTION: Final = f"""\
Collect measurements, run versioned models over them, and keep mass-balance ledgers that can be defended.

**Tokens.** Each request carries `Authorization: Bearer <token>`; the bare token is accepted too. Each
operation names the permission it needs; `write` includes `read`. A permission that ends in `@` and the id of
a project holds in that project alone, for operations with `x-permission-by-project`; every other project is
then as if it were not there.

**Numbers** are exact. Read and write them as decimals, never as binary floats.

**Times** are ISO 8601. Answers are UTC to the millisecond; requests need an offset or `Z`.

**Ids.** Most records have a friendly id, a prefix and 24 hexadecimal digits, such as `evt_…`; treat it as
opaque. Tasks and evidence have integer ids.

**Lists** answer `data` and `info`, page by page; `cursor` walks a long one, each page at the same cost.
Filters are written `filter[field][comparator]=value`, with the comparators `eq`, `geq` and `leq`; an unknown
filter or parameter is refused.

**Refusals** have one shape: `errors`, each with a `message`, a `code` and, where it applies, a `field`: the
path below the key that wraps the record. A body of the wrong shape is 400, a value that breaks a rule 422.
The `request_id` finds the request in the logs.

**Sending again.** A POST or PATCH with an `Idempotency-Key` has its effect once; the same request with the
same key gets the stored answer, for 24 hours. Events may have a `client_reference`, each of which is stored
once.

**Limits.** Every answer says in `RateLimit-*` headers how many requests the token has left in this minute;
429 says in `Retry-After` when to come back.

**Guides.** [{title_of(TUTORIAL)}]({address(TUTORIAL)});
[write a model]({address("howto/write-a-model.md")}) in the [model language]({address(MODEL_LANGUAGE)});
[watch data with rules]({address("howto/watch-data-with-rules.md")}) in the
[rule language]({address(RULE_LANGUAGE)}); [all guides]({address(INDEX)}), with a
[glossary]({address("reference/glossary.md")}) of the words used here.
"""

_SECURITY: Final = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token, as `Authorization: Bearer <token>`. The bare token is accepted too.",
    },
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "The same token, bare: `Authorization: <token>`.",
    },
}
_encode = msgspec.json.Encoder(decimal_format="number").encode


def document(slices: Slices, prefix: str) -> dict[str, Any]:
    """Describe the endpoints of the slices, served below the prefix."""
    declared = [endpoint.operation for routes in slices for endpoint in routes]
    operations = {operation.name: operation for operation in declared}
    results = list_task_results(operations.values())
    schemas = Schemas(
        records_read=_records_in(
            [*(body_operation.body for body_operation in operations.values()), *results.values()]
        )
    )
    reader = operations.get(answers.TASK_READER)
    paths: dict[str, dict[str, Schema]] = {}
    for operation in declared:
        described = _described(operation, _package(operation), schemas, reader)
        paths.setdefault(prefix + operation.path, {})[operation.method.lower()] = described
    if reader is not None:
        tell_results(schemas, reader.returns, results)
    responses = answers.list_shared_answers(schemas)
    examples = Examples(schemas.components)
    for path in paths.values():
        for described in path.values():
            answers.give_example(described["responses"], examples)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Weighbridge",
            "version": INTERFACE_VERSION,
            "summary": "Measurements in, defensible tonnes out.",
            "description": _INTRODUCTION,
            "contact": {"name": "The maintainers of Weighbridge"},
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "The service that gave this document."}],
        "security": [{name: []} for name in _SECURITY],
        "tags": [_tag(package) for package in dict.fromkeys(map(_package, declared))],
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "examples": examples.components,
            "parameters": openapi_parameters.COMPONENTS,
            "responses": responses,
            "headers": answers.HEADERS,
            "securitySchemes": _SECURITY,
        },
    }


def _records_in(types: Iterable[Any]) -> Iterable[Any]:
    """The records that types hold, themselves included."""
    schemas = Schemas()
    for kind in types:
        if kind is not None:
            schemas.of(kind)
    return schemas.records


def written(slices: Slices, prefix: str) -> bytes:
    """The document as JSON, the same bytes for the same endpoints."""
    return msgspec.json.format(_encode(document(slices, prefix)), indent=2)


def _described(operation: Operation, package: str, schemas: Schemas, reader: Operation | None) -> Schema:
    summary, _, description = inspect.cleandoc(operation.summary).partition("\n\n")
    permission = f"Needs the permission `{operation.permission}`."
    if operation.permission == ANY:
        permission = "Any token may ask for it."
    if operation.permission == LINK:
        permission = "It takes no token: whoever has the link may follow it."
    parameters = [*openapi_parameters.of_path(operation.path), *openapi_parameters.of_query(operation.query)]
    parameters += openapi_parameters.of_options(operation.options)
    parameters += openapi_parameters.of_moments(operation.moments)
    parameters += openapi_parameters.of_switches(operation.switches)
    if operation.looks_back:
        parameters += openapi_parameters.of_looking_back()
    if operation.body is not None and operation.permission != LINK:
        parameters += openapi_parameters.of_sending_again()
    if operation.listing is not None:
        parameters += openapi_parameters.of_listing(operation.listing)
    described: Schema = {
        "tags": [tag_of(package)],
        "summary": " ".join(summary.split()).removesuffix("."),
        "description": f"{description}\n\n{permission} {_guide(operation)}".strip(),
        "operationId": operation.name,
        "x-permission": operation.permission,
        "x-permission-by-project": is_of_projects(
            operation.permission,
            openapi_parameters.names_in(operation.path),
            spans_projects=operation.spans_projects,
        ),
    }
    if operation.permission == LINK:
        described["security"] = []
    if parameters:
        described["parameters"] = parameters
    if operation.body is not None:
        described["requestBody"] = _body(operation, schemas)
    answer = answers.success(operation, schemas, reader)
    described["responses"] = {str(operation.status): answer} | answers.refusals(operation)
    return described


def _guide(operation: Operation) -> str:
    """Where the guide speaks of it: a link of the text, which holds at whatever address the service has.

    `externalDocs` takes whole addresses alone, and the document does not know its own.
    """
    return f"[Guides that speak of it]({operation_address(operation.name)})."


def _body(operation: Operation, schemas: Schemas) -> Schema:
    content: Schema = {"schema": schemas.of(operation.body)}
    if operation.example is not None:
        content["example"] = operation.example
    if operation.examples:
        content["examples"] = {
            name: {"summary": meaning, "value": body} for name, (meaning, body) in operation.examples.items()
        }
    contents = {operation.text or answers.JSON: content}
    if operation.form is not None:
        contents[upload.MEDIA_TYPE] = {"schema": _form(operation.form)}
    return {
        "description": _length(operation.body_bytes_max),
        "required": not operation.may_lack_body,
        "content": contents,
    }


def _length(most: int | None) -> str:
    """How long a body may be."""
    if most is not None:
        return f"At most {most:,} bytes."
    long_limit = "As long as the service takes any, 67,108,864 bytes by default"
    return f"{long_limit}; each of its records takes {PIECE_BYTES_MAX:,} at most."


def _form(form: upload.Form) -> Schema:
    file = {"type": "string", "format": "binary", "description": form.file}
    texts = {name: {"type": "string", "description": meaning} for name, meaning in form.texts.items()}
    return {
        "type": "object",
        "properties": {upload.FILE_PART: file, **texts},
        "required": [upload.FILE_PART],
        "additionalProperties": False,
    }


def _tag(package: str) -> Schema:
    description = " ".join((import_module(package).__doc__ or "").split())
    sentence, stop, _ = description.partition(". ")
    tag: Schema = {"name": tag_of(package), "description": sentence + stop.strip()}
    if guide := OF_TAG.get(tag["name"]):
        tag["description"] += f"\n\nGuide: [{title_of(guide)}]({address(guide)})."
    return tag


def _package(operation: Operation) -> str:
    """The module of the noun."""
    return operation.module.removesuffix(".routes")
