"""Parsing makes a model of a source: it reads the structure, and notes every flaw of it.

What needs more than one node to decide (names, cycles, units) is left to `checking`.

Invariants: `parse_model` returns a model exactly when there is no flaw of structure; it never raises.
"""

from decimal import Decimal
from typing import Final, TypeVar

from weighbridge.core.expression import Table
from weighbridge.core.halt import proceed
from weighbridge.core.ledger.allocation import SHARE_PLACES_DEFAULT, SHARE_PLACES_MAX
from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.core.model.definition import Body, Case, Formula, Model, Node, Rounding
from weighbridge.core.model.document.bodies import BODY_KEYS, read_body
from weighbridge.core.model.document.reading import Reader
from weighbridge.core.model.document.source import Mapping, Source, describe
from weighbridge.core.model.document.tables import read_table
from weighbridge.core.model.flaw import Flaw
from weighbridge.core.quantity.number import PLACES_MAX, ROUNDING_MODES
from weighbridge.core.time.cadence import CADENCES

Item = TypeVar("Item")

NODES_MAX: Final = 500
CASES_MAX: Final = 200
TABLES_MAX: Final = 50

MODEL_KEYS: Final = (
    "name", "about", "cadence", "partition_type", "primary_output", "share_places", "tables", "nodes",
    "cases",
)  # fmt: skip
NODE_KEYS: Final = (
    "slug", "name", "description", "unit", *BODY_KEYS, "at", "by",
    "source", "tags", "optional", "default", "output", "round",
)  # fmt: skip
CASE_KEYS: Final = (
    "name", "source", "inputs", "expect", "places", "mode", "partition", "durations", "period_days",
    "period_hours",
)  # fmt: skip


def parse_model(source: Source) -> tuple[Model | None, list[Flaw]]:
    """Read a model; None when its structure has flaws."""
    flaws: list[Flaw] = []
    if not isinstance(source, Mapping):
        expected = f"A model document is a mapping with the keys {', '.join(MODEL_KEYS)}; here is"
        return None, [Flaw(f"{expected} {describe(source)}.", source.mark)]
    model = _model(Reader(source, "the model", flaws))
    return (None if flaws else model), flaws


def _model(reader: Reader) -> Model:
    reader.allow(MODEL_KEYS)
    share_places = reader.whole("share_places", least=0, most=SHARE_PLACES_MAX)
    return Model(
        name=reader.text("name", is_required=True) or "",
        about=reader.text("about"),
        cadence=reader.choice("cadence", CADENCES, is_required=True) or "",
        partition_type=reader.choice("partition_type", DIMENSIONS, is_required=True) or "",
        primary_output=reader.slug("primary_output", is_required=True) or "",
        tables=_tables(reader),
        nodes=_nodes(reader),
        cases=_cases(reader),
        share_places=SHARE_PLACES_DEFAULT if share_places is None else share_places,
        primary_output_mark=reader.mark_of("primary_output"),
    )


def _tables(reader: Reader) -> dict[str, Table]:
    tables = {}
    for entry in _at_most(TABLES_MAX, reader, "tables", reader.entries("tables")):
        if not isinstance(entry.value, Mapping):
            reader.note(f"The table {entry.key} must be a mapping.", entry.value.mark)
            continue
        table = read_table(entry.key, Reader(entry.value, f"the table {entry.key}", reader.flaws))
        if table is not None:
            tables[entry.key] = table
    return tables


def _nodes(reader: Reader) -> tuple[Node, ...]:
    items = _at_most(NODES_MAX, reader, "nodes", reader.items("nodes", is_required=True))
    if not items and reader.has("nodes"):
        reader.note("The model has no nodes.")
    nodes = []
    for index, item in enumerate(items, start=1):
        proceed()
        if not isinstance(item, Mapping):
            reader.note(f"Node {index} must be a mapping; here is {describe(item)}.", item.mark)
            continue
        node = _node(Reader(item, f"node {index}", reader.flaws))
        if node is not None:
            nodes.append(node)
    return tuple(nodes)


def _node(reader: Reader) -> Node | None:
    slug = reader.slug("slug", is_required=True)
    if slug is not None:
        reader.node, reader.what = slug, slug
    reader.allow(NODE_KEYS)
    unit = reader.unit("unit", is_required=True)
    body = read_body(reader)
    rounding = _rounding(reader, body)
    if slug is None or unit is None or body is None:
        return None
    return Node(
        slug=slug,
        unit=unit,
        body=body,
        mark=reader.mark,
        name=reader.text("name"),
        description=reader.text("description"),
        source=reader.text("source"),
        tags=reader.each("tags", reader.text_of),
        is_optional=reader.truth("optional"),
        default=reader.number("default"),
        is_output=reader.truth("output"),
        rounding=rounding,
    )


def _rounding(reader: Reader, body: Body | None) -> Rounding | None:
    rounding = reader.reader("round", f"round of {reader.what}")
    if rounding is None:
        return None
    rounding.allow(("places", "mode"))
    if body is not None and not isinstance(body, Formula):
        rounding.note(f"Only a formula is rounded; {reader.what} is none.")
    rounding.get("places", is_required=True)
    places = rounding.whole("places", least=-PLACES_MAX, most=PLACES_MAX)
    mode = rounding.choice("mode", ROUNDING_MODES)
    return None if places is None else Rounding(places, mode or "half_even")


def _cases(reader: Reader) -> tuple[Case, ...]:
    cases = []
    for index, item in enumerate(_at_most(CASES_MAX, reader, "cases", reader.items("cases")), start=1):
        if not isinstance(item, Mapping):
            reader.note(f"Case {index} must be a mapping; here is {describe(item)}.", item.mark)
            continue
        cases.append(_case(Reader(item, f"case {index}", reader.flaws)))
    return tuple(cases)


def _case(reader: Reader) -> Case:
    reader.allow(CASE_KEYS)
    reader.get("inputs", is_required=True)
    reader.get("expect", is_required=True)
    return Case(
        name=reader.text("name", is_required=True) or "",
        source=reader.text("source"),
        inputs=reader.each("inputs", reader.numbers_of),
        expect=reader.each("expect", reader.numbers_of),
        places=reader.whole("places", least=0, most=PLACES_MAX),
        mode=reader.choice("mode", ROUNDING_MODES) or "half_even",
        partition=reader.each("partition", reader.text_of),
        durations=reader.each("durations", lambda key, source: _listed(reader.numbers_of(key, source))),
        period_days=reader.number("period_days"),
        period_hours=reader.number("period_hours"),
        mark=reader.mark,
    )


def _listed(numbers: Decimal | tuple[Decimal, ...] | None) -> tuple[Decimal, ...] | None:
    return (numbers,) if isinstance(numbers, Decimal) else numbers


def _at_most(limit: int, reader: Reader, key: str, items: tuple[Item, ...]) -> tuple[Item, ...]:
    if len(items) > limit:
        reader.note(f"The model has {len(items)} {key}; {limit} are allowed.", code="limit")
    return items[:limit]
