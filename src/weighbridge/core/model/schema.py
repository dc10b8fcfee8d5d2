"""The JSON Schema of a model document, by which an editor completes its keys and says what each means.

The keys are those of the tables that the reader uses, and the sentences are those of the reference. The
schema judges one key at a time; whether a document is a model, its units and names included, the check says.

Invariants: every document that is read without a flaw fits the schema; a key that the reader refuses does
not.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from weighbridge.core.identity import NODE_SLUG_LENGTH_MAX
from weighbridge.core.ledger.allocation import DIMENSIONS, SHARE_PLACES_MAX
from weighbridge.core.ledger.drawing import DrawOrder
from weighbridge.core.model.definition import Aggregate, BoundaryPolicy, Dimension, Share
from weighbridge.core.model.parsing import (
    BODY_KEYS,
    CASE_KEYS,
    CASES_MAX,
    EXPECTED_OF_UNCERTAINTY,
    INPUT_KEYS,
    MATCH_DIMENSIONS,
    MODEL_KEYS,
    NODE_KEYS,
    NODES_MAX,
    UPSTREAM_KEYS,
)
from weighbridge.core.model.reading import NODE_SLUG, TABLE_KEYS
from weighbridge.core.model.uncertainty import (
    CORRELATION_KEYS,
    CORRELATIONS_MAX,
    DISCOUNT_KEYS,
    EXPECTED_KEYS,
    SETTING_KEYS,
)
from weighbridge.core.number import PLACES_MAX, ROUNDING_MODES
from weighbridge.core.time.calendar import CADENCES
from weighbridge.core.uncertainty.statement import PERCENTILE_KEYS, SIZES, STATEMENT_KEYS, Distribution

Schema = dict[str, Any]

MODEL_MEANINGS: Final[Mapping[str, str]] = {
    "name": "What the model is called. Required.",
    "about": "What it is for.",
    "cadence": "How time is cut into slots. Required.",
    "partition_type": "What a slot is cut by. Required.",
    "primary_output": "The node that a batch is about. Required.",
    "share_places": "Places after the point at which shares are cut, 0 to 12; 6 when not given.",
    "uncertainty": "Asks for the uncertainty of outputs: `coverage_probability` of intervals, 0.95 when not "
    "given, and `correlations`, each with `between` two effects or nodes and a `coefficient`.",
    "tables": "Tables by name, each with `columns` and `rows`; a column with a unit is written `name: unit`. "
    "`uncertainty` states that of columns, by name.",
    "nodes": "The steps, in any order. Required.",
    "cases": "Checks that the document carries: inputs, and what must come of them.",
}
"""What the keys of a document say."""

NODE_MEANINGS: Final[Mapping[str, str]] = {
    "slug": "The name by which formulas know it. Required.",
    "name": "What people call it.",
    "description": "What it is.",
    "unit": 'Its unit; `""` for a plain number. Required.',
    "input": "Data points of one type, aggregated; the options stand below.",
    "static_input": "A value of the project, in force at the slot's start.",
    "constant": "A number that never changes in this version.",
    "formula": "An expression over other nodes; its result is converted to the node's unit.",
    "upstream": "Draws from another ledger: `ledger`, `amount` or `select: manual`, `order`, `match`, "
    "`attributes`, `allocation_group`.",
    "available": "What the runs of the slot could draw from another ledger.",
    "at": "With `static_input`: the value in force at each element of that input.",
    "by": "With `static_input`: picked by `asset`, `feedstock` or `location`.",
    "source": "Where it stands in the methodology.",
    "tags": "Words about it, such as `ghg`, `lca_role` and `category`.",
    "optional": "`true`: the node may be without data.",
    "default": "What counts when there are no data.",
    "output": "`true`: its value becomes an output data point of the batch.",
    "round": "`{places, mode}`: rounds the result of a formula.",
    "uncertainty": "How well the value of a constant is known, or each value of an input or a static input "
    "that states none itself; the fields are described below.",
    "discount": "Of an output: how much less than its value a ledger is credited with; see below.",
}
"""What the keys of a node say."""

INPUT_MEANINGS: Final[Mapping[str, str]] = {
    "event_type": "The slug of the event type. Required.",
    "data_point_type": "The slug of the data point type of these events. Required.",
    "aggregate": "How the values become one; `values` is an array in time order. Required.",
    "weight": "With `average`: a data point of the same or the joined event to weigh by.",
    "partitions": "`true`: its data define the partitions that run. When no input says so, the first does.",
    "share": "For data without the partition's dimension: `even`, `by`, or `repeat`.",
    "share_by": "With `share: by`: the node whose values weigh the parts.",
    "straddle": "For events across a slot's boundary: `report` (when not given: left out and reported), "
    "`prorate` (the part inside, by running amounts that are rounded to 34 digits), "
    "`start` or `end` (whole, in the slot of that end).",
    "where": "A condition on each event: over asset, location, feedstock, tracking_id and its data points, "
    "with `is null` and `coalesce`. An event for which it is neither true nor false is not counted, and "
    "named with what it lacks.",
    "join": "`{to: input, on: …}`: matched to that input's elements by `tracking_id`, `interval` or a text "
    "data point.",
    "period": "`any`: events that match whatever their date; `slot` when not given.",
    "coverage": "`full`, a percentage, or `any`: how much of the slot must be covered. When not given, "
    "`full` with `straddle: prorate` or where the event type has a cadence, else `any`.",
}
"""What the options of an input say."""

CASE_MEANINGS: Final[Mapping[str, str]] = {
    "name": "What the case is called. Required.",
    "source": "Where the example stands in the methodology.",
    "inputs": "The value of each node that is no formula, by slug: a number, or a list of numbers. Required.",
    "expect": "What must come of them, by slug.",
    "places": "To how many places after the point results are compared; to the last digit when not given.",
    "mode": "How results are rounded for that.",
    "partition": "What the case is of, by dimension.",
    "durations": "The hours of the elements of an array, by slug.",
    "period_days": "How many days the slot has.",
    "period_hours": "How many hours the slot has.",
    "uncertainties": "How well inputs are known, by slug.",
    "expect_uncertainty": "The standard uncertainty and degrees of freedom that must come of them, by slug.",
    "expect_credit": "What a ledger must be credited with after the discount, by slug.",
}
"""What the keys of a case say."""

TEXT: Final[Schema] = {"type": ["string", "number", "boolean"]}
"""A text, with or without quotes: an edition of `2013` is written like a number."""

_NUMBER: Final[Schema] = {"type": "number"}
_TRUTH: Final[Schema] = {"type": "boolean"}
_SLUG: Final[Schema] = {
    "type": "string",
    "pattern": f"^{NODE_SLUG.pattern}$",
    "maxLength": NODE_SLUG_LENGTH_MAX,
}
_UNIT: Final[Schema] = {"type": ["string", "number"], "description": "A unit, such as kg{CO2e}/kWh."}
_NUMBERS: Final[Schema] = {"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER}]}
_PLACES: Final[Schema] = {"type": "integer", "minimum": -PLACES_MAX, "maximum": PLACES_MAX}
_MODE: Final[Schema] = {"enum": list(ROUNDING_MODES)}


def write_model_schema() -> Schema:
    """Write the JSON Schema of a model document (draft 2020-12)."""
    return _close(
        MODEL_KEYS,
        {
            "name": TEXT,
            "about": TEXT,
            "cadence": {"enum": list(CADENCES)},
            "partition_type": {"enum": list(DIMENSIONS)},
            "primary_output": _SLUG,
            "share_places": {"type": "integer", "minimum": 0, "maximum": SHARE_PLACES_MAX},
            "uncertainty": _write_setting(),
            "tables": {"type": "object", "additionalProperties": _write_table()},
            "nodes": {"type": "array", "minItems": 1, "maxItems": NODES_MAX, "items": _write_node()},
            "cases": {"type": "array", "maxItems": CASES_MAX, "items": _write_case()},
        },
        MODEL_MEANINGS,
        required=("name", "cadence", "partition_type", "primary_output", "nodes"),
    )


def _close(
    keys: Iterable[str],
    properties: Mapping[str, Schema],
    meanings: Mapping[str, str] | None = None,
    required: Iterable[str] = (),
) -> Schema:
    """A mapping with these keys and no others; a key without a value counts as left out."""
    needed = list(required)
    described = {
        key: {
            **(properties[key] if key in needed else _nullable(properties[key])),
            **({"description": meanings[key]} if meanings else {}),
        }
        for key in keys
    }
    schema: Schema = {"type": "object", "properties": described, "additionalProperties": False}
    return {**schema, "required": needed} if needed else schema


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _has(key: str) -> Schema:
    """A mapping that has a key with a value."""
    return {"required": [key], "properties": {key: {"not": {"type": "null"}}}}


def _by_slug(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def _write_setting() -> Schema:
    correlation = _close(
        CORRELATION_KEYS,
        {
            "between": {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2},
            "coefficient": {"type": "number", "minimum": -1, "maximum": 1},
        },
        required=CORRELATION_KEYS,
    )
    return _close(
        SETTING_KEYS,
        {
            "coverage_probability": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "correlations": {"type": "array", "items": correlation, "maxItems": CORRELATIONS_MAX},
        },
    )


def _write_table() -> Schema:
    column = {"anyOf": [TEXT, {"type": "object", "minProperties": 1, "maxProperties": 1}]}
    cell = {"type": ["string", "number", "boolean", "null"]}
    return _close(
        TABLE_KEYS,
        {
            "columns": {"type": "array", "minItems": 1, "items": column},
            "rows": {"type": "array", "items": {"type": "array", "items": cell}},
            "uncertainty": _by_slug(_write_statement()),
        },
        required=("columns", "rows"),
    )


def _write_node() -> Schema:
    node = _close(
        NODE_KEYS,
        {
            "slug": _SLUG,
            "name": TEXT,
            "description": TEXT,
            "unit": _UNIT,
            "input": _write_input(),
            "static_input": {"anyOf": [TEXT, _write_static_input()]},
            "constant": _NUMBER,
            "formula": TEXT,
            "upstream": _write_upstream(),
            "available": {"anyOf": [TEXT, _close(("ledger",), {"ledger": TEXT}, required=("ledger",))]},
            "at": _SLUG,
            "by": {"enum": list(Dimension)},
            "source": TEXT,
            "tags": _by_slug(TEXT),
            "optional": _TRUTH,
            "default": _NUMBER,
            "output": _TRUTH,
            "round": _close(("places", "mode"), {"places": _PLACES, "mode": _MODE}, required=("places",)),
            "uncertainty": _write_statement(),
            "discount": {
                **_close(DISCOUNT_KEYS, dict.fromkeys(DISCOUNT_KEYS, _NUMBER)),
                "minProperties": 1,
                "maxProperties": 1,
            },
        },
        NODE_MEANINGS,
        required=("slug", "unit"),
    )
    return {**node, "oneOf": [_has(key) for key in BODY_KEYS]}


def _write_input() -> Schema:
    return _close(
        INPUT_KEYS,
        {
            "event_type": TEXT,
            "data_point_type": TEXT,
            "aggregate": {"enum": list(Aggregate)},
            "weight": TEXT,
            "partitions": _TRUTH,
            "share": {"enum": list(Share)},
            "share_by": _SLUG,
            "straddle": {"enum": list(BoundaryPolicy)},
            "where": TEXT,
            "join": _close(("to", "on"), {"to": _SLUG, "on": TEXT}, required=("to", "on")),
            "period": {"enum": ["any", "slot"]},
            "coverage": {"type": "string", "pattern": r"^(full|any|[0-9]{1,3}(\.[0-9]{1,6})?\s*%)$"},
        },
        INPUT_MEANINGS,
        required=("event_type", "data_point_type", "aggregate"),
    )


def _write_static_input() -> Schema:
    keys = {"slug": TEXT, "at": _SLUG, "by": {"enum": list(Dimension)}}
    return _close(keys, keys, required=("slug",))


def _write_upstream() -> Schema:
    attribute = {"anyOf": [TEXT, _by_slug(_UNIT)]}
    return _close(
        UPSTREAM_KEYS,
        {
            "ledger": TEXT,
            "amount": _SLUG,
            "order": {"enum": list(DrawOrder)},
            "match": {"type": "array", "items": {"enum": list(MATCH_DIMENSIONS)}},
            "attributes": {"anyOf": [attribute, {"type": "array", "items": attribute}]},
            "select": {"const": "manual"},
            "allocation_group": TEXT,
        },
        required=("ledger",),
    )


def _write_statement() -> Schema:
    percentiles = _close(PERCENTILE_KEYS, dict.fromkeys(PERCENTILE_KEYS, _NUMBER), required=PERCENTILE_KEYS)
    sizes = {size: percentiles if size.endswith("percentiles") else _NUMBER for size in SIZES}
    statement = _close(
        STATEMENT_KEYS,
        {
            **sizes,
            "distribution": {"enum": list(Distribution)},
            "coverage_factor": _NUMBER,
            "degrees_of_freedom": _NUMBER,
            "unit": _UNIT,
            "effect": TEXT,
            "source": TEXT,
        },
    )
    return {**statement, "oneOf": [_has(size) for size in SIZES]}


def _write_case() -> Schema:
    expected = _close(EXPECTED_KEYS, dict.fromkeys(EXPECTED_KEYS, _NUMBER))
    case = _close(
        CASE_KEYS,
        {
            "name": TEXT,
            "source": TEXT,
            "inputs": _by_slug(_NUMBERS),
            "expect": _by_slug(_NUMBERS),
            "places": {"type": "integer", "minimum": 0, "maximum": PLACES_MAX},
            "mode": _MODE,
            "partition": _by_slug(TEXT),
            "durations": _by_slug(_NUMBERS),
            "period_days": _NUMBER,
            "period_hours": _NUMBER,
            "uncertainties": _by_slug(_write_statement()),
            "expect_uncertainty": _by_slug({"anyOf": [_NUMBER, expected]}),
            "expect_credit": _by_slug(_NUMBER),
        },
        CASE_MEANINGS,
        required=("name", "inputs"),
    )
    return {**case, "anyOf": [_has(key) for key in ("expect", *EXPECTED_OF_UNCERTAINTY)]}
