"""The parts of a package in the order in which they are made, each in the form by which it is compared.

A form is what people set of a record, as texts and truths by field; ids of other records are what people call
these. Fields without a value do not count, so a field that the service adds later changes no form. Invariant:
the form of a part and that of the record that is made of it are equal, as far as the part says it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from graphlib import TopologicalSorter
from typing import Any, Final

import msgspec
from msgspec import Struct, structs

from weighbridge.accounting.records.ledgers import Ledger, NewLedgerBody
from weighbridge.collection.records.data_points import EVENT_TYPE_BODIES, EventType
from weighbridge.core.identity import make_slug
from weighbridge.core.number import plain
from weighbridge.core.signing import write_canonical_json
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies
from weighbridge.http.wire import decode
from weighbridge.modelling.records import STATIC_INPUT_BODIES, StaticInput
from weighbridge.packages.records import (
    PackageContents,
    PackageEntry,
    PackageModel,
    PartDifference,
    PartKind,
)
from weighbridge.quality.records.rules import RULE_BODIES, Rule
from weighbridge.reporting.records.registries import METHODOLOGY_BODIES, Methodology

Form = Mapping[str, Any]

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
_OF_EVENT_TYPE: Final = tuple(EVENT_TYPE_BODIES.fields)
_OF_POINT: Final = ("name", "value_type", "unit", "required", "uncertainty")
_OF_STATIC_INPUT: Final = ("slug", "value", "unit", "effective_from", "uncertainty")
_OF_LEDGER: Final = ("name", "unit", "scale", "rounding", "output", "asset_category", "display_places")
_OF_RULE: Final = tuple(
    name for name in RULE_BODIES.fields if name not in {"event_type_id", "asset_id", "model_id"}
)
_OF_METHODOLOGY: Final = tuple(METHODOLOGY_BODIES.fields)


@dataclass(frozen=True, slots=True)
class PackagedPart:
    """A record that a package brings."""

    kind: PartKind
    key: str
    form: Form
    record: Mapping[str, Any] = field(default_factory=dict)
    """What is sent to create it, with what the package calls other records in the place of their ids."""
    model: PackageModel | None = None
    """The model itself; of a ledger, the one that credits it."""

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"{self.kind.replace('_', ' ')} {self.key!r}"


def list_parts(contents: PackageContents) -> tuple[PackagedPart, ...]:
    """All parts of a package: each behind what it names, ledgers in the order of their draws."""
    models = {model.name: model for model in contents.models}
    titles = {name: model.title for name, model in models.items()}
    forms: Mapping[PartKind, tuple[Sequence[PackageEntry], Callable[[PackageEntry], Form]]] = {
        PartKind.EVENT_TYPE: (_sort_types(contents), _form_of_new),
        PartKind.STATIC_INPUT: (contents.static_inputs, _form_of_value),
        PartKind.LEDGER: (_sort_ledgers(contents, models), lambda one: _form_of_ledger(one, models)),
        PartKind.RULE: (contents.rules, lambda one: _form_of_rule(one, titles)),
        PartKind.METHODOLOGY: (contents.methodologies, lambda one: _form_of_methodology(one, titles)),
    }
    of_kind = {
        kind: [
            PackagedPart(kind, one.key, build(one), one.record, models.get(one.model or ""))
            for one in entries
        ]
        for kind, (entries, build) in forms.items()
    }
    of_kind[PartKind.MODEL] = [
        PackagedPart(PartKind.MODEL, one.name, build_model_form(one.title, one.sha256), {}, one)
        for one in contents.models
    ]
    return tuple(part for kind in PartKind for part in of_kind[kind])


def _sort_types(contents: PackageContents) -> list[PackageEntry]:
    """Event types, those that others are rolled up from first."""
    by_key = {one.key: one for one in contents.event_types}
    sources = {
        key: [source]
        for key, one in by_key.items()
        if (source := (one.record.get("rolled_up_from") or {}).get("event_type")) in by_key
    }
    return _sort(by_key, sources)


def _sort_ledgers(contents: PackageContents, models: Mapping[str, PackageModel]) -> list[PackageEntry]:
    """Ledgers, those that others draw from first."""
    by_key = {one.key: one for one in contents.ledgers}
    sources = {key: models[one.model or ""].draws_from for key, one in by_key.items()}
    return _sort(by_key, sources)


def _sort(by_key: Mapping[str, PackageEntry], sources: Mapping[str, Iterable[str]]) -> list[PackageEntry]:
    known = {key: [one for one in sources.get(key, ()) if one in by_key] for key in by_key}
    return [by_key[key] for key in TopologicalSorter(known).static_order()]


# The bodies of requests that create parts.


def decode_body(bodies: RequestBodies[Any], record: Mapping[str, Any]) -> Struct:
    """What a package says of a record as the body that creates it."""
    body: Struct = decode(_ENCODER.encode({bodies.noun: record}), bodies.new_body)
    return body


def decode_change(bodies: RequestBodies[Any], record: Mapping[str, Any]) -> Struct:
    """Fields of a record as the body that changes it."""
    body: Struct = decode(_ENCODER.encode({bodies.noun: record}), bodies.change_body)
    return body


def decode_ledger(record: Mapping[str, Any]) -> NewLedgerBody:
    """What a package says of a ledger as the body that creates it."""
    body: NewLedgerBody = decode(_ENCODER.encode({"ledger": record}), NewLedgerBody)
    return body


# Forms of parts.


def _form_of_new(entry: PackageEntry) -> Form:
    return build_event_type_form(EVENT_TYPE_BODIES.created(decode_body(EVENT_TYPE_BODIES, entry.record)))


def _form_of_value(entry: PackageEntry) -> Form:
    return build_static_input_form(
        STATIC_INPUT_BODIES.created(decode_body(STATIC_INPUT_BODIES, entry.record))
    )


def _form_of_ledger(entry: PackageEntry, models: Mapping[str, PackageModel]) -> Form:
    ledger, model = decode_ledger(entry.record).ledger, models[entry.model or ""]
    values = structs.asdict(ledger) | {
        "name": ledger.name.strip(), "output": ledger.output or model.primary_output,
    }  # fmt: skip
    return _build_form({name: values[name] for name in _OF_LEDGER} | {"model": model.title})


def _form_of_rule(entry: PackageEntry, titles: Mapping[str, str]) -> Form:
    """What the package says of it; the service completes the rest, each version in its own way."""
    values = RULE_BODIES.sent(decode_body(RULE_BODIES, entry.record))
    written = {name: values[name] for name in _OF_RULE if name in entry.record}
    named = {"event_type": values["event_type_id"], "model": titles.get(values["model_id"] or "")}
    return _build_form(written | named)


def _form_of_methodology(entry: PackageEntry, titles: Mapping[str, str]) -> Form:
    body = decode_body(METHODOLOGY_BODIES, entry.record)
    methodology = METHODOLOGY_BODIES.created(body)
    names = [titles[name] for name in METHODOLOGY_BODIES.sent(body)["model_ids"]]
    return _build_form(
        {name: getattr(methodology, name) for name in _OF_METHODOLOGY} | {"models": sorted(names)}
    )


# Forms of records.


def build_event_type_form(event_type: EventType) -> Form:
    """The form of an event type, with its data point types by slug."""
    values = {name: getattr(event_type, name) for name in _OF_EVENT_TYPE}
    values["slug"] = event_type.slug or make_slug(event_type.name)
    values["data_point_types"] = {
        one.slug or make_slug(one.name): {name: getattr(one, name) for name in _OF_POINT}
        for one in event_type.data_point_types
    }
    if event_type.rolled_up_from is not None:
        points = event_type.rolled_up_from.data_points
        values["rolled_up_from"] = structs.asdict(event_type.rolled_up_from) | {
            "data_points": {
                one.data_point: structs.asdict(one) | {"source": one.source or one.data_point}
                for one in points
            }
        }
    return _build_form(values)


def build_static_input_form(value: StaticInput) -> Form:
    """The form of a value of a static input."""
    return _build_form({name: getattr(value, name) for name in _OF_STATIC_INPUT})


def build_model_form(title: str, sha256: str) -> Form:
    """The form of a version of a model: what it is called, and what it computes."""
    return {"name": title, "sha256": sha256}


def build_ledger_form(ledger: Ledger) -> Form:
    """The form of a ledger."""
    model = None if ledger.latest_model is None else ledger.latest_model.name
    return _build_form({name: getattr(ledger, name) for name in _OF_LEDGER} | {"model": model})


def build_rule_form(rule: Rule) -> Form:
    """The form of a rule."""
    values = {name: getattr(rule, name) for name in _OF_RULE}
    return _build_form(values | {"event_type": rule.event_type, "asset": rule.asset, "model": rule.model})


def build_methodology_form(methodology: Methodology) -> Form:
    """The form of a methodology."""
    names = [model.name for model in methodology.models]
    values = {name: getattr(methodology, name) for name in _OF_METHODOLOGY}
    return _build_form(values | {"models": sorted(names)})


def _build_form(values: Mapping[str, Any]) -> Form:
    form: Form = _simplify(values) or {}
    return form


def _simplify(value: Any) -> Any:
    """A value as texts, truths, lists and mappings; what is empty is None."""
    simple: Any = None
    match value:
        case Struct():
            simple = _simplify(structs.asdict(value))
        case Mapping():
            inner = {str(key): _simplify(one) for key, one in value.items()}
            simple = {key: one for key, one in inner.items() if one is not None}
        case list() | tuple():
            simple = [_simplify(one) for one in value]
        case bool():
            simple = value
        case datetime():
            simple = Instant.of(value).text
        case int() | Decimal():
            return plain(Decimal(value))
        case str():
            simple = str(value)
    return simple or None


def compute_digest(form: Form) -> bytes:
    """The digest by which a change of a record is seen."""
    return hashlib.sha256(write_canonical_json(form)).digest()


# Differences between forms.


def list_form_differences(before: Form, after: Form, *, path: str = "") -> list[PartDifference]:
    """The fields in which two forms differ, in order of name, down to the innermost."""
    return [*_compare(before, after, path)]


def _compare(before: Any, after: Any, path: str) -> Iterator[PartDifference]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in sorted({**before, **after}):
            yield from _compare(before.get(name), after.get(name), f"{path}.{name}" if path else name)
    elif before != after:
        yield PartDifference(path, before, after)


def restrict_form(form: Form, written: Form) -> Form:
    """A form as far as another one says something."""
    return {name: value for name, value in form.items() if name in written}


def order_by_kind(parts: Sequence[PackagedPart]) -> dict[tuple[PartKind, str], PackagedPart]:
    """Parts by kind and key."""
    return {(part.kind, part.key): part for part in parts}
