"""The JSON Schema of a type, and the meaning of each of its fields.

Invariants: a record is one component, referred to everywhere else; names depend on nothing but the
order in which types are met.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.identity import PREFIXES, Link, ResourceAddress, id_pattern
from weighbridge.core.number import JsonNumber
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import Schema, friendly_id, needed

# What a field means: the sentence below it in its record, or the one that all records share.
#
# A sentence is looked for where it is most at home:
#
# 1. below the field itself, as the docstring of the attribute;
# 2. in the type of the field, of a request that is derived from its record, as `Sent` gives it;
# 3. below the field of the same name in the record that a request is about: for `NewFeedstock` and
#    `FeedstockChange` that of `Feedstock`, for `IssuedApiToken` that of `ApiToken`, in the same file;
# 4. in `SHARED`, for names that mean the same everywhere;
# 5. in the docstring of the record that is the field's value: its first sentence.
#
# Invariants: a name in `SHARED` is no record's alone; the same code gives the same sentences.


Docstrings = Mapping[str, Mapping[str, str]]
"""Sentences by class and field."""

SHARED: Final[Mapping[str, str]] = {
    "code": "A word for the kind of problem, which a program may switch on; the sentence may change.",
    "corrections_count": "How many corrections of it stand: one in force, the others beneath it.",
    "corrections_total": "How many corrections were ever made of it, those that were reverted included.",
    "created_at": "When the record was made.",
    "current_page": "The number of this page, from 1; null when the list is walked by `cursor`.",
    "data": "The records of the page, in the order that `info.sort` says.",
    "description": "What people write about it, up to 10,000 characters; null when there is nothing.",
    "dismissal_reason": "Why it was dismissed; null unless it was.",
    "dismissed_at": "When it was dismissed; null unless it was.",
    "dismissed_by": "The name of the user who dismissed it; null unless someone did.",
    "error_message": "Why it failed, in a sentence; null unless it did.",
    "errors": "Everything that is wrong, each in a sentence of its own.",
    "evaluated": "How many records were evaluated.",
    "field": "What it is about: the path in the body, such as `data_points[0].value`, or the parameter.",
    "filter": "The filters that the page was cut with, such as `start_time[geq]`.",
    "finished_at": "When it ended, well or not; null until then.",
    "ghg": (
        "The greenhouse gas that the document tags the node with, such as `CO2`; null when it has no "
        "such tag."
    ),
    "has_rule_alerts": "Whether a data rule has found something in it that stands and was not dismissed.",
    "has_rule_warnings": (
        "Whether a data rule whose severity is `warn` has found something in it that stands and was not "
        "dismissed."
    ),
    "imputed": "Whether its event was not captured but imputed by a rule.",
    "in_service_until": "Until when it is expected to measure, exclusive; null says nothing.",
    "info": "Where the page stands in its list, and how to go on.",
    "is_output": "Whether the model gives it as an output.",
    "is_static": "Always false: what holds for long is a static input of its own.",
    "items": "How many records the answer holds.",
    "lca_role": (
        "The role in the life-cycle assessment that the document tags the node with; null without such a tag."
    ),
    "message": "What is wrong, in a sentence that names what came and what is allowed.",
    "next_cursor": "What `cursor` takes to get the next page; null on the last one, or where none is taken.",
    "next_page": "The number of the next page; null on the last one, and when walked by `cursor`.",
    "numeric_id": "The number by which the `args` of tasks name it.",
    "page_size": "How many records a page holds at most.",
    "partition": "What the partition is called, such as `LOT-7 / Wood chips`; null where slots are not cut.",
    "passed_over_with_data": (
        "Those of `passed_over_slots` in which events lie that the model reads, counted elsewhere or not."
    ),
    "pending_evaluations": "Rules that correct and have not looked yet at data in the range that changed.",
    "pending_proposals": "Corrections of data in the range that wait for approval.",
    "pending_roll_ups": "Rolled-up data in the range that do not follow their readings yet.",
    "previous_page": "The number of the page before; null on the first one, and when walked by `cursor`.",
    "raw_value": "The value as it was captured, which never changes; null for one that was imputed.",
    "request_id": "The id of the request in the logs, which its answer carries as `X-Request-Id`.",
    "revoked_at": "When it was revoked; null for one that was not.",
    "rule_name": "What the rule is called now.",
    "rule_results": "What data rules found in it that stands, dismissed results included.",
    "rule_version": "Which version of the rule it was, counted from 1.",
    "slot": "What the slot is called, such as `2025-03` or `2025-W09`.",
    "sort": "The fields that the page is sorted by, in their order; a minus descends, as in `-created_at`.",
    "started_at": "When work on it began last; null while it waits.",
    "status": "Always the word `error`.",
    "statusCode": "The status of the answer, such as 422.",
    "substituted": "Whether a value that a rule made stands in the place of what was captured.",
    "total_is_estimate": "Whether `total_items` is an estimate, as it may be beyond 1,000.",
    "total_items": "How many records the whole list holds with these filters.",
    "total_pages": "How many pages that makes, 1 at least.",
    "ui_url": "Where the record opens in the web app.",
    "updated_at": "When the record was last changed.",
    "value_source": "Whether the value in force was captured, is a person's, or was made by a rule, and how.",
    "where": "An expression on a member's own values, such as `{{wet_mass}} > 0`; others are no members.",
    "yaml": "The document, as text in the model language.",
}
"""What a name means on every record that says nothing else about it."""

EXAMPLES: Final[Mapping[str, str]] = {
    "action": "event.create",
    "client_reference": "plant-7/2025-01-31/0042",
    "country": "DE",
    "event_type": "diesel-delivery",
    "external_id": "REC-2025-000117",
    "geography": "US-CA",
    "lat": "52.520008",
    "long": "13.404954",
    "postal_code": "10117",
    "request_id": "req_0f2c5a1be94d7783c6a01f52",
    "serial_number": "SN-48213",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "slug": "wet_mass",
    "time_zone": "Europe/Berlin",
    "token": "wb_live_…",
    "tracking_id": "LOT-7",
    "unit": "t",
    "user_email": "operator@example.com",
}
"""What a text of this name may look like."""

_ABOUT: Final = re.compile(r"^(?:New|Issued|Saved|Updated)?(?P<noun>.+?)(?:Change|Version)?$")


def meaning_of(record: type[msgspec.Struct], name: str, kind: Any) -> str | None:
    """The sentence for a field, with the records that its type is made of; None when there is none."""
    akin = [relative for about in _lineage(record) for other in _akin(about) for relative in _lineage(other)]
    return (
        _sentence_below(_lineage(record), name)
        or _noted_meaning(record, name)
        or _sentence_below(akin, name)
        or SHARED.get(name)
        or _first_sentence(kind)
    )


def _sentence_below(records: Iterable[type], name: str) -> str | None:
    """The docstring of the attribute in the first record that has one."""
    sentences = (_docstrings(record.__module__).get(record.__name__, {}).get(name) for record in records)
    return next(filter(None, sentences), None)


def _noted_meaning(record: type[msgspec.Struct], name: str) -> str | None:
    """The sentence that the type of a field has itself, in a request that is derived from its record."""
    is_derived = record.__name__ not in _docstrings(record.__module__)
    for field in msgspec.structs.fields(record) if is_derived else ():
        if field.encode_name == name:
            options = (field.type, *get_args(field.type))
            notes = (note for option in options for note in getattr(option, "__metadata__", ()))
            return next((sentence for note in notes if (sentence := _sentence_of(note))), None)
    return None


def _sentence_of(note: Any) -> str | None:
    if not isinstance(note, msgspec.Meta):
        return None
    return note.description or (note.extra or {}).get("meaning")


def _lineage(record: type) -> Iterator[type]:
    return (base for base in record.__mro__ if base is not object)


def _akin(record: type) -> Iterator[type]:
    """Return the record that a request is about, if it is in the same file."""
    about = _ABOUT.match(record.__name__)
    other = getattr(sys.modules.get(record.__module__), about["noun"], None) if about else None
    if isinstance(other, type) and other is not record:
        yield other


def _first_sentence(kind: Any) -> str | None:
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return None
    text = " ".join((kind.__doc__ or "").split())
    sentence, stop, _ = text.partition(". ")
    return sentence + stop.strip() or None


@cache
def _docstrings(module: str) -> Docstrings:
    """The docstrings of the attributes of every class of a module, each on one line."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):
        return {}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {record.name: dict(_docstrings_in(record)) for record in classes}


def _docstrings_in(record: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(record.body, record.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split())


# The schema of a type: what a record looks like as JSON, in the words of JSON Schema.
#
# msgspec's generator refuses unions that answers hold and requests do not (a decimal or a text, one of two
# records), so types are walked here and only plain types with their constraints are left to it.
#
# Invariants: a record occurs once, as a component, and is referred to everywhere else; names depend on
# nothing but the order in which types are asked for.


REFERENCE: Final = "#/components/schemas/"

EXACT: Final = "A number is an exact decimal; a binary float would lose digits."
DATA_POINT_VALUE: Final[Mapping[str, Any]] = {
    "type": ["number", "string", "boolean"],
    "maxLength": TEXT_LENGTH_MAX,
    "description": EXACT,
}

MOMENT_EXAMPLE: Final = "2025-01-01T00:00:00Z"

_LEAVES: Final[Mapping[Any, Mapping[str, Any]]] = {
    Any: {},
    NoneType: {"type": "null"},
    Instant: {
        "type": "string",
        "format": "date-time",
        "description": "UTC, to the millisecond.",
        "examples": ["2025-01-01T00:00:00.000Z"],
    },
    datetime: {
        "type": "string",
        "format": "date-time",
        "description": "A time with an offset or Z.",
        "examples": [MOMENT_EXAMPLE],
    },
    date: {"type": "string", "format": "date", "examples": ["2025-01-31"]},
    Decimal: {"type": "number", "description": EXACT, "examples": [Decimal("12.5")]},
    JsonNumber: {"type": "number", "description": EXACT, "examples": [Decimal("12.5")]},
    Link: {
        "type": "string",
        "format": "uri",
        "description": "Opens the record in the web app.",
    },
    ResourceAddress: {
        "type": "string",
        "format": "uri",
        "description": "Where a file is downloaded, or where a link leads.",
    },
}
_CONTAINERS: Final = (list, tuple, dict)
SHOWN_AS: Final = "shown_as"
"""What a note calls the type that a field is described as, while its value is read by other means."""

LISTED_IDS: Final[Mapping[str, Sequence[str]]] = {"result": ("data_point_result", "model_run_result")}
"""What a list of ids holds whose name is that of no one kind."""

_NO_TYPE: Final = {"type": "null"}
_NO_DEFAULT: Final = (msgspec.NODEFAULT, msgspec.UNSET)


class Schemas:
    """The components that the schemas asked for so far refer to.

    A field with a default may be left out by who sends a record; the service never leaves one out. So of a
    record that is sent alone every field is required, but not of those that are `read` as well: as bodies, or
    as what an earlier release stored.
    """

    def __init__(self, records_read: Iterable[Any] = ()) -> None:
        self._read = {*records_read}
        self._names: dict[Any, str] = {}
        self._components: dict[str, Schema] = {}

    @property
    def components(self) -> dict[str, Schema]:
        """Every record so far, by name."""
        return dict(sorted(self._components.items()))

    @property
    def records(self) -> Iterable[Any]:
        """The types of the records so far."""
        return self._names.keys()

    def of(self, kind: Any) -> Schema:
        """The schema of a type."""
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._annotated(kind, arguments[0], arguments[1:])
        if origin in {Union, UnionType}:
            return _either([self.of(argument) for argument in arguments if argument is not msgspec.UnsetType])
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if origin in _CONTAINERS:
            return {"type": "array", "items": self.of(arguments[0])}
        if _is_record(kind):
            return self._record(kind)
        return _leaf(kind)

    def _annotated(self, kind: Any, inner: Any, notes: Sequence[Any]) -> Schema:
        shown_types = [
            note.extra[SHOWN_AS] for note in notes if SHOWN_AS in (getattr(note, "extra", None) or {})
        ]
        if shown_types:
            return self.of(shown_types[0])
        container = get_origin(inner)
        if container in _CONTAINERS:
            return msgspec.json.schema(Annotated[container, *notes]) | self.of(inner)
        if container is None and inner not in _LEAVES and not _is_record(inner):
            return msgspec.json.schema(kind)
        schema = self.of(inner)
        for note in notes:
            schema |= {"description": note.description} if getattr(note, "description", None) else {}
            schema |= getattr(note, "extra_json_schema", None) or {}
        return schema

    def _record(self, kind: Any) -> Schema:
        name = self._names.get(kind)
        if name is None:
            name = self._names[kind] = self._free_name(kind)
            self._components[name] = {}  # taken, so that a record that holds itself comes to an end
            self._components[name] = self._record_schema(kind)
        return {"$ref": REFERENCE + name}

    def _record_schema(self, kind: Any) -> Schema:
        record = _class_of(kind)
        fields = msgspec.structs.fields(kind)
        required_names = {*needed(record)}
        is_whole = kind not in self._read and not record.__struct_config__.omit_defaults
        schema: Schema = {
            "type": "object",
            "description": " ".join((record.__doc__ or "").split()),
            "properties": {field.encode_name: self._field(record, field) for field in fields},
            "required": [
                field.encode_name
                for field in fields
                if field.required
                or field.name in required_names
                or (is_whole and field.default is not msgspec.UNSET)
            ],
        }
        if record.__struct_config__.forbid_unknown_fields:
            schema["additionalProperties"] = False
        return schema

    def _field(self, record: type[msgspec.Struct], field: FieldInfo) -> Schema:
        schema = self.of(field.type)
        if not schema and field.encode_name == "value":
            schema = dict(DATA_POINT_VALUE)
        if "string" in _types(schema) and "description" not in schema:
            schema |= _id_note(record, field, schema)
        if field.encode_name.endswith(("_id", "_ids")):
            schema = _numbered(_with_ids(field.encode_name, schema))
        if meaning := meaning_of(record, field.encode_name, _record_in(field.type)):
            schema = {**schema, "description": meaning}
        if schema.get("type") == "string" or schema.get("type") == ["string", "null"]:
            schema |= _example(field.encode_name, schema)
        if field.default not in _NO_DEFAULT:
            schema["default"] = msgspec.to_builtins(field.default, builtin_types=(Decimal,))
        elif field.default_factory in _CONTAINERS:
            schema["default"] = field.default_factory()
        return schema

    def _free_name(self, kind: Any) -> str:
        """The name of the type; of two records with one name, the second is named after its noun too."""
        name = _name(kind)
        if name not in self._components:
            return name
        *_, folder, module = _class_of(kind).__module__.split(".")
        noun = module if folder == "records" else folder
        return "".join(word.capitalize() for word in noun.split("_")) + name


def _id_note(record: type[msgspec.Struct], field: FieldInfo, schema: Schema) -> Schema:
    """What the name of a field says about the id in it."""
    name = field.encode_name
    if not name.endswith("id"):
        return {}
    kind = _kind_of(record) if name == "id" else name.removesuffix("_id")
    if kind not in PREFIXES:
        return {}
    note = friendly_id(kind)
    number = " Its number does as well." if "integer" in _types(schema) else ""
    pattern = f"^({id_pattern(kind)}|[0-9]+)$" if number else note["pattern"]
    return {
        "pattern": pattern, "description": note["description"] + number, "examples": note["examples"],
    }  # fmt: skip


def _with_ids(name: str, schema: Schema) -> Schema:
    """A list of friendly ids, with the form of each: `batch_ids` holds ids of batches."""
    kind = name.removesuffix("_ids")
    if kind == name or schema.get("items", {}).get("type") != "string":
        return schema
    kinds = [id_kind for id_kind in LISTED_IDS.get(kind, (kind,)) if id_kind in PREFIXES]
    if not kinds:
        return schema
    pattern = f"^({'|'.join(map(id_pattern, kinds))})$"
    return {**schema, "items": {**friendly_id(kinds[0]), "pattern": pattern}}


def _numbered(schema: Schema) -> Schema:
    """Ids that are numbers begin with 1."""
    if "items" in schema:
        return {**schema, "items": _numbered(schema["items"])}
    return {**schema, "minimum": 1} if "integer" in _types(schema) else schema


def _kind_of(record: type[msgspec.Struct]) -> str:
    """The kind of id that the name of a record ends with: `model_run` of `BatchModelRun`."""
    words = _snake(record.__name__.removesuffix("Ref")).split("_")
    ends = ("_".join(words[first:]) for first in range(len(words)))
    return next((end for end in ends if end in PREFIXES), "")


def _example(name: str, schema: Schema) -> Schema:
    """What a text of this name may look like, where nothing says so yet."""
    if name not in EXAMPLES or schema.keys() & {"examples", "enum", "format"}:
        return {}
    return {"examples": [EXAMPLES[name]]}


def _record_in(kind: Any) -> Any:
    """The one record that a field holds, when it holds nothing else but null."""
    if get_origin(kind) in {Union, UnionType}:
        others = [argument for argument in get_args(kind) if argument not in {NoneType, msgspec.UnsetType}]
        kind = others[0] if len(others) == 1 else None
    return kind


def _leaf(kind: Any) -> Schema:
    """The schema of a type that holds no other; words stay in the order in which they are written."""
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": [*get_args(kind)]}
    return dict(_LEAVES[kind]) if kind in _LEAVES else msgspec.json.schema(kind)


def _either(options: Sequence[Schema]) -> Schema:
    """One of several schemas, in the shortest way that says it."""
    options = [inner_option for option in options for inner_option in option.get("anyOf", (option,))]
    others = [option for option in options if option != _NO_TYPE]
    null = [_NO_TYPE] if len(others) < len(options) else []
    if any(not isinstance(option.get("type"), str) or "enum" in option for option in others):
        return others[0] if not null and len(others) == 1 else {"anyOf": [*others, *null]}
    keywords = [set(option) - {"description", "examples"} for option in others]
    if len(others) > 1 and any(words != {"type"} for words in keywords):
        return {"anyOf": [*others, *null]}
    merged_schema: Schema = {}
    for option in others:
        merged_schema = option | merged_schema
    types = list(dict.fromkeys(option["type"] for option in [*others, *null]))
    return merged_schema | {"type": types if len(types) > 1 else types[0]}


def _types(schema: Schema) -> Sequence[str]:
    types = schema.get("type", ())
    return (types,) if isinstance(types, str) else types


def _class_of(kind: Any) -> type[msgspec.Struct]:
    record: type[msgspec.Struct] = get_origin(kind) or kind
    return record


def _is_record(kind: Any) -> bool:
    record = get_origin(kind) or kind
    return isinstance(record, type) and issubclass(record, msgspec.Struct)


def _name(kind: Any) -> str:
    arguments = get_args(kind)
    name: str = (get_origin(kind) or kind).__name__
    return f"{name}Of{'And'.join(map(_name, arguments))}" if arguments else name


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
