"""The responses of an operation: its record, its headers, every error there can be, and an example of each.

Invariant: an example is valid under its schema; the same schemas give the same examples.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, cast, get_args

import msgspec

from weighbridge.errors import (
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    Malformed,
    NotFound,
    Refusal,
    TooLarge,
    TooManyRequests,
    TooSlow,
    Unauthorized,
    Unavailable,
    UnsupportedMediaType,
)
from weighbridge.http.endpoints.response_modes import ListSummary
from weighbridge.http.messages.edge import ErrorBody, ErrorItem
from weighbridge.http.messages.operation import Operation
from weighbridge.http.openapi.parameters import names_in
from weighbridge.http.openapi.schemas import EXAMPLES, REFERENCE, Schemas
from weighbridge.http.text import Schema

# What each answer may look like: one example of every type that an answer has, made of its schema.
#
# A value is the first of: what the schema names (`const`, `examples`, the first word of `enum`), what its
# name says (`_TEXTS`), the smallest that its limits take. A record has all of its fields; where it would
# hold itself again it holds null, or nothing.
#
# Invariants: an example holds for its schema; the same schemas give the same examples.


REFERENCE_TO_EXAMPLE: Final = "#/components/examples/"

_TEXT: Final = "Text"
_TEXTS: Final[Mapping[str, str]] = {
    **EXAMPLES,
    "approved_by": "Ada Lovelace",
    "asset": "Weighbridge 1",
    "asset_type": "Truck scale",
    "city": "Berlin",
    "code": "out_of_range",
    "column": "wet_mass_t",
    "created_by": "Ada Lovelace",
    "data_point": "Wet mass",
    "data_point_slug": "wet_mass",
    "data_point_type": "Wet mass",
    "description": "Chips of untreated wood, weighed on arrival.",
    "dismissal_reason": "The scale was calibrated on that day.",
    "dismissed_by": "Ada Lovelace",
    "email": "operator@example.com",
    "entered_value": "12.5",
    "equation": "{{wet_mass}} * (1 - {{moisture}})",
    "error_message": "The model has no active version.",
    "expression": "{{wet_mass}} > 0",
    "field": "data_points[0].value",
    "file_name": "deliveries-2025-03.csv",
    "filter": "start_time[geq]",
    "ledger": "Stored carbon",
    "message": "The value is 41.2 t; at most 40 t are allowed.",
    "model": "Biochar, weekly",
    "name": "Wood chips",
    "next_cursor": "WyIyMDI1LTAzLTAxIiw0Ml0",
    "node": "dry_mass",
    "partition": "LOT-7 / Wood chips",
    "predecessors": "rpt_5ddcb7c47918819ac458b979",
    "reason": "The ticket was read wrongly.",
    "rejected_by": "Ada Lovelace",
    "rejection_reason": "The laboratory repeats the analysis.",
    "rule": "Wet mass is below 40 t",
    "rule_name": "Wet mass is below 40 t",
    "slot": "2025-03",
    "sort": "-created_at",
    "source": "{{wet_mass}} * 0.9",
    "state": "Berlin",
    "successors": "rpt_9e3779b97f4ae2228a25bf2b",
    "street_address_1": "Hafenstrasse 7",
    "street_address_2": "Gate 2",
    "where": "{{wet_mass}} > 0",
}
"""What a text of this name looks like in an answer."""

_FORMS: Final[Mapping[str, Any]] = {
    "number": Decimal("12.5"),
    "integer": 1,
    "boolean": True,
    "null": None,
    "uri": "https://weighbridge.example.com/",
}


class Examples:
    """The examples of the schemas that were asked for, among components that hold all records."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components
        self._made: dict[str, Schema] = {}

    @property
    def components(self) -> dict[str, Schema]:
        """Every example so far, by name."""
        return dict(sorted(self._made.items()))

    def of(self, schema: Schema) -> Schema:
        """The `examples` of a content with this schema; a record's is a component that its answers share."""
        first = schema["anyOf"][0] if "anyOf" in schema else schema
        name = first.get("$ref", "").removeprefix(REFERENCE)
        if not name:
            return {"example": {"value": self._value("", schema, ())}}
        if name not in self._made:
            self._made[name] = {"value": self._value(name, first, ())}
        return {"example": {"$ref": REFERENCE_TO_EXAMPLE + name}}

    def _value(self, name: str, schema: Schema, outer_names: tuple[str, ...]) -> Any:
        if record := _record_of(schema):
            return self._value(name, self._components[record], (*outer_names, record))
        if "anyOf" in schema:
            return self._either(name, schema["anyOf"], outer_names)
        kind = schema.get("type", "null")
        kind = kind if isinstance(kind, str) else kind[0]
        if kind == "object":
            return self._fields(schema, outer_names)
        if kind == "array":
            return self._list(name, schema, outer_names)
        return _plain_value(name, kind, schema)

    def _either(self, name: str, options: list[Schema], outer_names: tuple[str, ...]) -> Any:
        """The first that does not hold a record again."""
        free = [
            option
            for option in options
            if _record_of(option) not in outer_names and option.get("type") != "null"
        ]
        return self._value(name, free[0], outer_names) if free else None

    def _fields(self, schema: Schema, outer_names: tuple[str, ...]) -> dict[str, Any]:
        """The fields of a record; where one decides what another holds, as it decides."""
        fields = schema.get("properties", {})
        values = {name: self._value(name, field, outer_names) for name, field in fields.items()}
        for rule in schema.get("allOf", ()):
            if all(
                values[name] == condition["const"] for name, condition in rule["if"]["properties"].items()
            ):
                decided = rule["then"]["properties"].items()
                values |= {name: self._value(name, field, outer_names) for name, field in decided}
        return values

    def _fields_of(self, record: str) -> set[str]:
        return set(self._components.get(record, {}).get("properties", {}))

    def _list(self, name: str, schema: Schema, outer_names: tuple[str, ...]) -> list[Any]:
        items = schema.get("items", {})
        record = _record_of(items)
        # A linter takes whatever has a type and a default for a schema, anywhere.
        if record in outer_names or self._fields_of(record) >= {"type", "default"}:
            return []
        return [self._value(name, items, outer_names)] * max(1, schema.get("minItems", 1))


def _record_of(schema: Schema) -> str:
    """The name of the record that a schema refers to, or nothing."""
    return str(schema.get("$ref", "")).removeprefix(REFERENCE)


def _plain_value(name: str, kind: str, schema: Schema) -> Any:
    if "const" in schema:
        return schema["const"]
    listed_values = schema.get("examples") or schema.get("enum")
    if listed_values:
        return listed_values[0]
    if kind == "string":
        return _TEXTS.get(name) or _FORMS.get(schema.get("format", ""), _TEXT)
    return schema.get("minimum", _FORMS[kind]) if kind == "integer" else _FORMS[kind]


# The responses of a request: the record, the headers with it, and every possible error response.


JSON: Final = "application/json"
TASK_READER: Final = "get_async_task"
"""The operation that an answer 202 is followed up with."""


def _header(meaning: str, kind: str = "string", **keywords: str) -> Schema:
    return {"description": meaning, "schema": {"type": kind, **keywords}}


HEADERS: Final = {
    "X-Request-Id": _header(
        "The id of the request in the logs: the caller's own, when it sent a usable one."
    ),
    "RateLimit-Limit": _header("How many requests the token may make in a minute.", "integer"),
    "RateLimit-Remaining": _header("How many of them are left.", "integer"),
    "RateLimit-Reset": _header("When the next minute begins, in seconds of Unix time.", "integer"),
    "Idempotency-Replayed": _header(
        "That the answer is that of the first request with this Idempotency-Key.", const="true"
    ),
    "As-Of-Number": _header(
        "The row of the audit log at which this was known, where `as_of` asks.", "integer"
    ),
    "As-Of-Time": _header("From which time on that was known.", format="date-time"),
    "Location": _header("Where the task is read.", format="uri-reference"),
    "Content-Disposition": _header("An attachment, and the name to save it under."),
    "Retry-After": _header("After how many seconds to ask again.", "integer"),
    "WWW-Authenticate": _header("How a request says who it is."),
}
"""Every header that answers carry, as components."""

_EVERYWHERE: Final = ("X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_ALWAYS: Final[tuple[type[Refusal], ...]] = (Malformed, Unauthorized, Forbidden, TooManyRequests, Unavailable)
_WITH_BODY: Final[tuple[type[Refusal], ...]] = (TooSlow, TooLarge, UnsupportedMediaType)
_WRITING: Final[tuple[type[Refusal], ...]] = (Conflict, Invalid)
_BROKEN: Final = ("InternalError", 500, "The service made a mistake; it is logged under the request id.")
_EXTRA_HEADERS: Final[Mapping[int, Sequence[str]]] = {
    202: ("Location", "Retry-After"),
    401: ("WWW-Authenticate",),
    409: ("Retry-After",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
_EXAMPLES: Final = {
    400: ErrorItem("project.name is required.", "required", "name"),
    401: ErrorItem(
        "The request carries no token; send it as Authorization: Bearer <token>.", "token_missing"
    ),
    403: ErrorItem("The token lacks the permission data_collection:write.", "permission_missing"),
    404: ErrorItem("record not found", "not_found", None, (), "event", "evt_3f2a9c41d07be8564a1c9d20"),
    408: ErrorItem("The body did not arrive within 30 seconds.", TooSlow.code),
    409: ErrorItem("The record is in a state that does not allow this.", Conflict.code),
    410: ErrorItem(
        "after is '17.0', and what comes behind it was removed because of its age; read the lists anew, and "
        "the feed after=latest before.",
        Gone.code,
        "after",
    ),
    413: ErrorItem(
        "The body is larger than this request takes; it takes 1,048,576 bytes at most.", TooLarge.code
    ),
    415: ErrorItem(
        "The content type is text/plain; this request takes application/json.", UnsupportedMediaType.code
    ),
    422: ErrorItem("project.name is blank; it takes a text.", "invalid", "name"),
    429: ErrorItem("The token has made its 1,000 requests of this minute.", TooManyRequests.code),
    500: ErrorItem("The service made a mistake; it is logged under the request id.", Refusal.code),
    503: ErrorItem("The database cannot be reached just now; try again shortly.", Unavailable.code),
}


def success(operation: Operation, schemas: Schemas, reader: Operation | None) -> Schema:
    """The answer to a request that went well; to work that is only started, with where to follow it."""
    answer: Schema = {"description": _describe(operation), "headers": _headers(operation.status)}
    for name, meaning in operation.headers.items():
        answer["headers"][name] = {"description": meaning, "schema": {"type": "string"}}
    if operation.looks_back:
        for name in ("As-Of-Number", "As-Of-Time"):
            answer["headers"][name] = {"$ref": f"#/components/headers/{name}"}
    if operation.body is not None:
        answer["headers"]["Idempotency-Replayed"] = {"$ref": "#/components/headers/Idempotency-Replayed"}
    if operation.returns is not None:
        answer["content"] = {JSON: {"schema": _schema(operation, schemas)}}
    if operation.streams:
        answer["content"]["text/event-stream"] = {}  # its events are those of the page, one by one
    if operation.sends:
        answer["headers"]["Content-Disposition"] = {"$ref": "#/components/headers/Content-Disposition"}
        answer["content"] = {kind: {} for kind in operation.sends}  # raw bytes have no schema
    if operation.status == 202 and reader is not None:
        (task,) = names_in(reader.path)
        answer["links"] = {
            reader.name: {
                "operationId": reader.name,
                "parameters": {task: "$response.body#/id"},
                "description": "Read the task until it is complete or failed.",
            }
        }
    return answer


def give_example(responses: Mapping[str, Schema], examples: Examples) -> None:
    """Show what the JSON of an answer that went well looks like; refusals have theirs already."""
    for answer in responses.values():
        content = answer.get("content", {}).get(JSON, {})
        if "schema" in content:
            content["examples"] = examples.of(content["schema"])


def _schema(operation: Operation, schemas: Schemas) -> Schema:
    """What an operation returns; a list returns a page, or a summary where that is asked for."""
    returned = schemas.of(operation.returns)
    records = get_args(operation.returns)
    if operation.listing is None or not records:
        return returned
    return {"anyOf": [returned, schemas.of(cast("Any", ListSummary).__class_getitem__(records[0]))]}


def refusals(operation: Operation) -> dict[str, Schema]:
    """A reference for each refusal that an operation may answer with, by status."""
    kinds: list[type[Refusal]] = [*_ALWAYS, *operation.refuses]
    if operation.body is not None or names_in(operation.path):
        kinds.append(NotFound)
    if operation.looks_back:
        kinds.append(Gone)
    if operation.method != "GET":
        kinds += _WRITING
    if operation.listing is not None and (operation.listing.indexes or operation.listing.needs):
        kinds.append(Invalid)
    if operation.body is not None:
        kinds += _WITH_BODY
    names_by_status = {kind.status: kind.__name__ for kind in kinds} | {_BROKEN[1]: _BROKEN[0]}
    return {
        str(status): {"$ref": f"#/components/responses/{name}"}
        for status, name in sorted(names_by_status.items())
    }


def list_shared_answers(schemas: Schemas) -> dict[str, Schema]:
    """Every refusal as a component; the sentence of each is that of the refusal itself."""
    kinds: list[type[Refusal]] = [*_ALWAYS, NotFound, Gone, *_WRITING, *_WITH_BODY]
    kinds_known = [(kind.__name__, kind.status, " ".join((kind.__doc__ or "").split())) for kind in kinds]
    return {
        name: _refusal(status, meaning, schemas) for name, status, meaning in sorted([*kinds_known, _BROKEN])
    }


def _refusal(status: int, meaning: str, schemas: Schemas) -> Schema:
    example = ErrorBody("error", status, [_EXAMPLES[status]], "req_0f2c5a1be94d7783c6a01f52")
    content: dict[str, Any] = {"schema": schemas.of(ErrorBody), "example": msgspec.to_builtins(example)}
    return {"description": meaning, "headers": _headers(status), "content": {JSON: content}}


def _headers(status: int) -> Schema:
    names = (*_EVERYWHERE, *_EXTRA_HEADERS.get(status, ()))
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _describe(operation: Operation) -> str:
    if operation.status == 202:
        return "The work is started; the answer is its task."
    if operation.status == 204:
        return "It is done; the answer is empty."
    if operation.listing is not None:
        return "One page of the list."
    return "What was made." if operation.status == 201 else "The answer."
