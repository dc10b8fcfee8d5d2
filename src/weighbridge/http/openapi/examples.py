"""What each answer may look like: one example of every type that an answer has, made of its schema.

A value is the first of: what the schema names (`const`, `examples`, the first word of `enum`), what its name
says (`_TEXTS`), the smallest that its limits take. A record has all of its fields; where it would hold
itself again it holds null, or nothing.

Invariants: an example holds for its schema; the same schemas give the same examples.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from weighbridge.http.openapi.meanings import EXAMPLES
from weighbridge.http.openapi.schemas import REFERENCE, Schema

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
    "reason": "The ticket was read wrongly.",
    "rejected_by": "Ada Lovelace",
    "rejection_reason": "The laboratory repeats the analysis.",
    "rule": "Wet mass is below 40 t",
    "rule_name": "Wet mass is below 40 t",
    "slot": "2025-03",
    "sort": "-created_at",
    "source": "{{wet_mass}} * 0.9",
    "state": "Berlin",
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

    def _value(self, name: str, schema: Schema, within: tuple[str, ...]) -> Any:
        if record := _record_of(schema):
            return self._value(name, self._components[record], (*within, record))
        if "anyOf" in schema:
            return self._either(name, schema["anyOf"], within)
        kind = schema.get("type", "null")
        kind = kind if isinstance(kind, str) else kind[0]
        if kind == "object":
            return self._fields(schema, within)
        if kind == "array":
            return self._list(name, schema, within)
        return _plain_value(name, kind, schema)

    def _either(self, name: str, options: list[Schema], within: tuple[str, ...]) -> Any:
        """The first that does not hold a record again."""
        free = [one for one in options if _record_of(one) not in within and one.get("type") != "null"]
        return self._value(name, free[0], within) if free else None

    def _fields(self, schema: Schema, within: tuple[str, ...]) -> dict[str, Any]:
        """The fields of a record; where one decides what another holds, as it decides."""
        fields = schema.get("properties", {})
        made = {name: self._value(name, field, within) for name, field in fields.items()}
        for rule in schema.get("allOf", ()):
            if all(made[name] == told["const"] for name, told in rule["if"]["properties"].items()):
                decided = rule["then"]["properties"].items()
                made |= {name: self._value(name, field, within) for name, field in decided}
        return made

    def _fields_of(self, record: str) -> set[str]:
        return set(self._components.get(record, {}).get("properties", {}))

    def _list(self, name: str, schema: Schema, within: tuple[str, ...]) -> list[Any]:
        items = schema.get("items", {})
        record = _record_of(items)
        # A linter takes whatever has a type and a default for a schema, wherever it stands.
        if record in within or self._fields_of(record) >= {"type", "default"}:
            return []
        return [self._value(name, items, within)] * max(1, schema.get("minItems", 1))


def _record_of(schema: Schema) -> str:
    """The name of the record that a schema refers to, or nothing."""
    return str(schema.get("$ref", "")).removeprefix(REFERENCE)


def _plain_value(name: str, kind: str, schema: Schema) -> Any:
    if "const" in schema:
        return schema["const"]
    named = schema.get("examples") or schema.get("enum")
    if named:
        return named[0]
    if kind == "string":
        return _TEXTS.get(name) or _FORMS.get(schema.get("format", ""), _TEXT)
    return schema.get("minimum", _FORMS[kind]) if kind == "integer" else _FORMS[kind]
