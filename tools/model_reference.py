"""The reference of the model language as Markdown, made from the tables that the engine itself uses.

Invariants: every function, aggregate and limit of the language stands in it, each with the sentence of
its own table; the same code gives the same text.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import (
    FUNCTIONS,
    PLAIN,
    TEXT,
    TRUTH,
    Environment,
    Table,
    TableColumn,
    Value,
    evaluate,
    number,
    parse,
    quantities,
    quantity,
    text,
)
from weighbridge.core.expression.arithmetic import EXPONENT_MAX
from weighbridge.core.expression.functions import MATCHES
from weighbridge.core.expression.meaning import COST_MAX
from weighbridge.core.expression.parsing import DEPTH_MAX, LENGTH_MAX
from weighbridge.core.expression.parsing import NODES_MAX as EXPRESSION_NODES_MAX
from weighbridge.core.expression.value import Kind
from weighbridge.core.model.aggregates import AGGREGATES, Reading, aggregate_readings
from weighbridge.core.model.definition import SHAREABLE, Aggregate, Share
from weighbridge.core.model.parsing import CASES_MAX, INPUT_KEYS, MODEL_KEYS, NODE_KEYS, NODES_MAX, TABLES_MAX
from weighbridge.core.model.prepared import show
from weighbridge.core.model.reading import ROWS_MAX
from weighbridge.core.model.schema import INPUT_MEANINGS, MODEL_MEANINGS, NODE_MEANINGS
from weighbridge.core.number import DIGITS_MAX, ROUNDING_MODES, plain
from weighbridge.core.number import EXPONENT_MAX as NUMBER_EXPONENT_MAX
from weighbridge.core.time.calendar import Interval
from weighbridge.core.unit import ONE, parse_unit

_LIMITS: Final = (
    ("characters of an expression", LENGTH_MAX),
    ("depth of nesting, parentheses included", DEPTH_MAX),
    ("numbers, names and operations of an expression", EXPRESSION_NODES_MAX),
    ("exponent of a power, either way", EXPONENT_MAX),
    ("operations on elements in one run", COST_MAX),
    ("significant digits of a number", DIGITS_MAX),
    ("powers of ten of a number, either way", NUMBER_EXPONENT_MAX),
    ("nodes of a document", NODES_MAX),
    ("tables of a document", TABLES_MAX),
    ("rows of a table", ROWS_MAX),
    ("cases of a document", CASES_MAX),
)

_OPERATORS: Final = (
    ("a + b, a - b", "Of the same measure; the units are converted.", "load + change"),
    ("a * b, a / b", "Units are multiplied and divided with their numbers.", "load * 2"),
    ("a ^ n", "A power; `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`.", "2 ^ 3"),
    ("-a", "The negative; `-2 ^ 2` is `-(2 ^ 2)`.", "-2 ^ 2"),
    ("a = b, a != b", "Equal or not, of numbers of one measure, texts or truths.", "ratio = 100"),
    ("a < b, a <= b, a > b, a >= b", "Order, of numbers of one measure.", "coldest < temperature"),
    ("a and b, a or b, not a", "Logic, of truths.", "ratio > 20 and not wet"),
    ("a between b and c", "Whether b <= a <= c.", "fraction between 0 and 1"),
    ("a in (b, c, …)", "Whether a equals one of the others.", "feedstock in ('Wood', 'Straw')"),
    ("a is null", "Whether a is missing.", "lab_moisture is null"),
    ("a contains b", "Whether a text holds another.", "feedstock contains 'chip'"),
    ("a starts with b", "Whether a text begins with another.", "feedstock starts with 'Wood'"),
    ("a ends with b", "Whether a text ends with another.", "feedstock ends with 'chips'"),
    ("a matches b", "Whether a text matches a pattern somewhere.", "feedstock matches '^W.*s$'"),
)
"""The forms of operators, what each means, and an example; `not` goes before every test as well."""


def render_settings() -> str:
    """The keys of a document."""
    return _render_table(("Key", "Says"), ((f"`{key}`", MODEL_MEANINGS[key]) for key in MODEL_KEYS))


def render_nodes() -> str:
    """The keys of a node."""
    return _render_table(("Key", "Says"), ((f"`{key}`", NODE_MEANINGS[key]) for key in NODE_KEYS))


def render_options() -> str:
    """The options of an input."""
    return _render_table(("Option", "Says"), ((f"`{key}`", INPUT_MEANINGS[key]) for key in INPUT_KEYS))


def render_names() -> str:
    """The names that the examples are computed with."""
    rows = ((f"`{name}`", f"`{value}`") for name, value in list_names())
    return _render_table(("Name", "Value"), rows)


def render_operators() -> str:
    """The operators of the expression language."""
    rows = ((f"`{form}`", doc, *_render_example(example)) for form, doc, example in _OPERATORS)
    return _render_table(("Operator", "Yields", "Example", "Comes to"), rows)


def render_functions() -> str:
    """The functions of the expression language."""
    rows = (
        (f"`{function.name}({function.parameters})`", function.doc, *_render_example(function.example))
        for function in FUNCTIONS.values()
    )
    return _render_table(("Function", "Yields", "Example", "Comes to"), rows)


def list_examples() -> tuple[str, ...]:
    """Every example of an expression in the reference."""
    return (*(one for _, _, one in _OPERATORS), *(function.example for function in FUNCTIONS.values()))


def render_aggregates() -> str:
    """The aggregates of an input, what the readings of the example come to, and the share of each."""
    rows = (
        (
            f"`{kind}`",
            definition.doc,
            f"`{compute_aggregate(kind)}`",
            f"`{Share.EVEN if kind in SHAREABLE else Share.REPEAT}`",
        )
        for kind, definition in AGGREGATES.items()
    )
    return _render_table(("Aggregate", "Value of the node", "Comes to", "Default `share`"), rows)


def render_matches() -> str:
    """The ways in which `lookup` finds a row."""
    return _render_table(("Match", "Finds"), ((f"`{match}`", doc) for match, doc in MATCHES.items()))


def render_limits() -> str:
    """The limits of the language."""
    return _render_table(("Limit", "At most"), ((what, f"{limit:,}") for what, limit in _LIMITS))


def list_rounding_modes() -> str:
    """The rounding modes in one line."""
    return ", ".join(f"`{mode}`" for mode in ROUNDING_MODES)


def _render_example(example: str) -> tuple[str, str]:
    return f"`{example}`", f"`{compute_example(example)}`"


def _render_table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )


# What the examples of the reference are computed with: names, a table, readings, and their results.
#
# Invariants: every example of the reference can be computed from these names alone.


_DELIVERIES: Final = "the deliveries"


def _make_quantity(digits: str, unit: str = "") -> Value:
    return quantity(Decimal(digits), parse_unit(unit) if unit else ONE)


def _make_array(unit: str, *digits: str) -> Value:
    return quantities([Decimal(digit) for digit in digits], parse_unit(unit), _DELIVERIES)


NAMES: Final = {
    "mass": _make_array("t", "2.5", "1.5"),
    "ash": _make_array("%", "10", "20"),
    "energy": _make_quantity("7.2", "MJ"),
    "power": quantities([Decimal(10), Decimal(30)], parse_unit("kW"), "the meter"),
    "fraction": _make_quantity("0.97"),
    "temperature": _make_quantity("14.85", "degC"),
    "soil_temperature": _make_quantity("14.9", "degC"),
    "coldest": _make_quantity("7", "degC"),
    "change": _make_quantity("-3", "t"),
    "days": _make_quantity("2.5", "d"),
    "area": _make_quantity("2.25", "m**2"),
    "years": _make_quantity("100", "yr"),
    "decay": _make_quantity("0.005", "1/yr"),
    "ratio": _make_quantity("100"),
    "load": _make_quantity("12", "t"),
    "lab_moisture": Value(number(parse_unit("%")), None),
    "default_moisture": _make_quantity("15", "%"),
    "wet": Value(TRUTH, content=False),
    "feedstock": text("Wood chips"),
    "partition.feedstock": text("Wood"),
}
"""The names of the examples, beside the tables below."""

TABLES: Final = {
    "factors": Table(
        "factors",
        (TableColumn("feedstock", TEXT), TableColumn("kg_per_t", number(parse_unit("kg{CO2e}/t")))),
        (("Wood", Decimal("12.5")), ("Straw", Decimal(30))),
    ),
    "permanence_class": Table(
        "permanence_class",
        (TableColumn("temperature", number(parse_unit("degC"))), TableColumn("fraction", PLAIN)),
        ((Decimal(10), Decimal("0.9")), (Decimal(20), Decimal("0.8"))),
    ),
}
"""The tables that the examples look into."""

_MIDNIGHT: Final = datetime(2025, 1, 1, tzinfo=UTC)


def _make_reading(hour: int, digits: str) -> Reading:
    moment = _MIDNIGHT + timedelta(hours=hour)
    return Reading(Interval(moment, moment), Decimal(digits))


DAY: Final = Interval(_MIDNIGHT, _MIDNIGHT + timedelta(days=1))
READINGS: Final = (_make_reading(0, "20"), _make_reading(6, "26"), _make_reading(18, "38"))
"""What the examples of aggregates are computed of, over one day: readings at 0:00, 6:00 and 18:00."""

_HOURS: Final = Value(number(parse_unit("h"), "the meter"), (Decimal(1), Decimal("0.5")))
_ENVIRONMENT: Final = Environment(
    NAMES,
    TABLES,
    durations={"power": _HOURS},
    period_days=quantity(Decimal(31), parse_unit("d")),
    period_hours=quantity(Decimal(743), parse_unit("h")),
)


def compute_example(example: str) -> str:
    """Compute an example and write what it comes to."""
    return show_value(evaluate(parse(example), _ENVIRONMENT))


def compute_aggregate(kind: Aggregate) -> str:
    """Aggregate the readings of the examples over their day, and write what they come to."""
    aggregated = aggregate_readings(kind, READINGS, DAY)
    if isinstance(aggregated, tuple):
        return f"[{', '.join(plain(one) for one in aggregated)}]"
    return "nothing" if aggregated is None else plain(aggregated)


def list_names() -> Iterator[tuple[str, str]]:
    """Each name of the examples with its value."""
    return ((name, show_value(value)) for name, value in NAMES.items())


def show_value(value: Value) -> str:
    """Write a value as the documents show it."""
    content = value.content
    if value.type.kind is Kind.NUMBER and not isinstance(content, str | bool):
        unit = value.type.unit or ONE
        elements = tuple(content) if isinstance(content, tuple) else content
        return show(elements, unit)  # type: ignore[arg-type] # the content of a number is decimals
    if isinstance(content, Decimal):
        return plain(content)
    if isinstance(content, bool):
        return "true" if content else "false"
    return repr(content)
