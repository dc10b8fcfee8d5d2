"""Parsing makes a model of a source: it reads the structure, and notes every flaw of it.

What needs more than one node to decide (names, cycles, units) is left to `checking`.

Invariants: `parse_model` returns a model exactly when there is no flaw of structure; it never raises.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Final, TypeVar

from weighbridge.core.expression import Table
from weighbridge.core.halt import proceed
from weighbridge.core.identity import SLUG_RULE, is_slug
from weighbridge.core.ledger.allocation import DIMENSIONS, SHARE_PLACES_DEFAULT, SHARE_PLACES_MAX
from weighbridge.core.ledger.drawing import DrawOrder
from weighbridge.core.model.definition import (
    FULL_COVERAGE,
    NO_COVERAGE,
    SHAREABLE,
    Aggregate,
    Available,
    Body,
    BoundaryPolicy,
    Case,
    Constant,
    Dimension,
    DocumentFlaw,
    EventFilter,
    Formula,
    Input,
    Join,
    Model,
    Node,
    Rounding,
    Scalar,
    Share,
    Source,
    SourceListing,
    SourceMapping,
    StaticInput,
    UncertaintyKey,
    Upstream,
    describe,
)
from weighbridge.core.model.reading import Reader, is_node_slug, read_table
from weighbridge.core.model.uncertainty import (
    read_case_statements,
    read_column_statements,
    read_discount,
    read_expected,
    read_setting,
    read_statement,
)
from weighbridge.core.number import PLACES_MAX, ROUNDING_MODES
from weighbridge.core.time.calendar import CADENCES
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.core.unit import Unit

# Reading the part of a node that says where its value comes from: exactly one of six keys.
#
# Invariants: a body that was read keeps every rule that can be seen in one node alone.


INPUT_KEYS: Final = (
    "event_type", "data_point_type", "aggregate", "weight", "partitions", "share", "share_by", "straddle",
    "where", "join", "period", "coverage",
)  # fmt: skip
UPSTREAM_KEYS: Final = ("ledger", "amount", "order", "match", "attributes", "select", "allocation_group")
MATCH_DIMENSIONS: Final = ("tracking_id", "feedstock", "asset")
PRORATED: Final = frozenset({Aggregate.SUM, Aggregate.VALUES, Aggregate.TIME_WEIGHTED})
JOINED: Final = frozenset({Aggregate.VALUES, Aggregate.AVERAGE})

_PERCENT: Final = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s*%")


def read_body(reader: Reader) -> Body | None:
    """Read the one way in which a node gets its value."""
    present = [key for key in BODY_KEYS if reader.has(key)]
    if len(present) != 1:
        fact = f"it has {' and '.join(present)}" if present else "it has none"
        reader.note(f"{reader.what} needs exactly one of {', '.join(BODY_KEYS)}; {fact}.", code="body")
        return None
    if present[0] != "static_input" and (reader.has("at") or reader.has("by")):
        reader.note(f"The keys at and by belong to a static_input; {reader.what} is none.")
    return _READERS[present[0]](reader)


def _read_input(reader: Reader) -> Input | None:
    options = reader.reader("input", f"the input of {reader.what}")
    if options is None:
        return None
    options.allow(INPUT_KEYS)
    event_type = _read_slug(options, "event_type")
    data_point_type = _read_slug(options, "data_point_type")
    aggregate = options.member("aggregate", Aggregate, is_required=True)
    if event_type is None or data_point_type is None or aggregate is None:
        return None
    body = Input(
        event_type=event_type,
        data_point_type=data_point_type,
        aggregate=aggregate,
        weight=_read_slug(options, "weight", is_required=False),
        is_partitioning=options.truth("partitions"),
        share_written=options.member("share", Share),
        share_by=options.slug("share_by"),
        straddle=options.member("straddle", BoundaryPolicy) or BoundaryPolicy.REPORT,
        where=_read_where(options),
        join=_join(options),
        is_any_period=options.choice("period", ("any", "slot")) == "any",
        coverage=_read_coverage(options),
    )
    _check_combinations(body, options)
    return body


def _check_combinations(body: Input, options: Reader) -> None:
    """Note options that do not go together."""
    if body.weight is not None and body.aggregate is not Aggregate.AVERAGE:
        options.note_within(f"weight belongs to aggregate: average; the aggregate is {body.aggregate}.")
    if body.share_written in {Share.EVEN, Share.BY} and body.aggregate not in SHAREABLE:
        options.note_within(
            f"share: {body.share_written} divides an amount; {body.aggregate} is none and can only be"
            f" repeated. Amounts are {', '.join(sorted(SHAREABLE))}."
        )
    if (body.share_written is Share.BY) is not (body.share_by is not None):
        options.note_within(
            "share: by needs share_by with the node to share by, and share_by needs share: by."
        )
    if body.is_partitioning and body.share_written is Share.REPEAT:
        options.note("An input with partitions: true is never repeated.")
    if body.straddle is BoundaryPolicy.PRORATE and body.aggregate not in PRORATED:
        options.note_within(
            f"straddle: prorate takes the part of an event inside the slot; {body.aggregate} has no parts."
            f" It goes with {', '.join(sorted(PRORATED))}."
        )
    if body.join is not None and body.aggregate not in JOINED:
        options.note(
            f"A join goes with aggregate {' or '.join(sorted(JOINED))}; the aggregate is {body.aggregate}."
        )


def _read_where(options: Reader) -> EventFilter | None:
    condition = options.expression("where")
    return None if condition is None else EventFilter(*condition)


def _join(options: Reader) -> Join | None:
    join = options.reader("join", f"the join of {options.node}")
    if join is None:
        return None
    join.allow(("to", "on"))
    to = join.slug("to", is_required=True)
    on = _read_slug(join, "on")
    return None if to is None or on is None else Join(to, on)


def _read_coverage(options: Reader) -> Decimal | None:
    source = options.get("coverage")
    words = {"full": FULL_COVERAGE, "any": NO_COVERAGE}
    if source is None:
        return None
    text = source.text if isinstance(source, Scalar) else ""
    percent = _PERCENT.fullmatch(text)
    if text in words:
        return words[text]
    if percent and Decimal(percent[1]) <= FULL_COVERAGE:
        return Decimal(percent[1])
    options.note("The coverage must be full, any or a percentage such as 95%.", source.mark)
    return None


def _read_static_input(reader: Reader) -> StaticInput | None:
    source = reader.get("static_input")
    options = reader
    if isinstance(source, SourceMapping):
        options = Reader(source, f"the static_input of {reader.what}", reader.flaws, reader.node)
        options.allow(("slug", "at", "by"))
        slug = _read_slug(options, "slug")
    else:
        slug = _read_slug(reader, "static_input")
    at, dimension = options.slug("at"), options.member("by", Dimension)
    return None if slug is None else StaticInput(slug, at, dimension)


def _read_constant(reader: Reader) -> Constant | None:
    value = reader.number("constant")
    return None if value is None else Constant(value)


def _read_formula(reader: Reader) -> Formula | None:
    formula = reader.expression("formula")
    return None if formula is None else Formula(*formula)


def _read_upstream(reader: Reader) -> Upstream | None:
    options = reader.reader("upstream", f"the upstream of {reader.what}")
    if options is None:
        return None
    options.allow(UPSTREAM_KEYS)
    ledger = options.text("ledger", is_required=True)
    amount = options.slug("amount")
    is_manual = options.choice("select", ("manual",)) == "manual"
    if (amount is None) is not is_manual:
        options.note_within("there is either an amount, which names a node, or select: manual.")
    if options.has("allocation_group") and not is_manual:
        options.note_within("allocation_group belongs to select: manual.")
    order = options.member("order", DrawOrder)
    if order is not None and is_manual:
        options.note_within("order belongs to an amount; with select: manual the caller names the sources.")
    if ledger is None:
        return None
    return Upstream(
        ledger=ledger,
        amount=amount,
        order=order or DrawOrder.FIFO,
        match=_match(options),
        attributes=_read_attributes(options),
        is_manual=is_manual,
        allocation_group=options.text("allocation_group"),
    )


def _match(options: Reader) -> tuple[str, ...]:
    dimensions = []
    for item in options.items("match"):
        if isinstance(item, Scalar) and item.text in MATCH_DIMENSIONS:
            dimensions.append(item.text)
        else:
            options.note_within(
                f"match lists dimensions of a partition: {', '.join(MATCH_DIMENSIONS)}.", item.mark
            )
    return tuple(dimensions)


def _read_attributes(options: Reader) -> dict[str, Unit | None]:
    """Attributes as a list of slugs, each alone or as `slug: unit`, or as one mapping."""
    source = options.get("attributes")
    attributes: dict[str, Unit | None] = {}
    items = source.items if isinstance(source, SourceListing) else () if source is None else (source,)
    for item in items:
        if isinstance(item, Scalar):
            attributes[item.text] = None
        elif isinstance(item, SourceMapping):
            attributes |= {entry.key: options.unit_of(entry.value) for entry in item.entries}
    if source is not None and (not attributes or not all(map(is_node_slug, attributes))):
        options.note_within(
            "attributes lists slugs of outputs of the source, each alone or as slug: unit.", source.mark
        )
    return attributes


def _read_available(reader: Reader) -> Available | None:
    source: Source | None = reader.get("available")
    if not isinstance(source, SourceMapping):
        ledger = reader.text("available")
        return None if ledger is None else Available(ledger)
    options = Reader(source, f"the available of {reader.what}", reader.flaws, reader.node)
    options.allow(("ledger",))
    ledger = options.text("ledger", is_required=True)
    return None if ledger is None else Available(ledger)


def _read_slug(reader: Reader, key: str, *, is_required: bool = True) -> str | None:
    """The slug of something outside the model, which may have hyphens."""
    text = reader.text(key, is_required=is_required)
    if text is None or is_slug(text):
        return text
    reader.note(f"The {key} of {reader.what} must be {SLUG_RULE}; here is {text[:60]!r}.")
    return None


_READERS: Final[dict[str, Callable[[Reader], Body | None]]] = {
    "input": _read_input,
    "static_input": _read_static_input,
    "constant": _read_constant,
    "upstream": _read_upstream,
    "available": _read_available,
    "formula": _read_formula,
}
BODY_KEYS: Final = tuple(_READERS)
"""The keys of which a node has exactly one."""


Item = TypeVar("Item")

NODES_MAX: Final = 500
CASES_MAX: Final = 200
TABLES_MAX: Final = 50

MODEL_KEYS: Final = (
    "name", "about", "cadence", "partition_type", "primary_output", "share_places", "uncertainty", "tables",
    "nodes", "cases",
)  # fmt: skip
NODE_KEYS: Final = (
    "slug", "name", "description", "unit", *BODY_KEYS, "at", "by",
    "source", "tags", "optional", "default", "output", "round", "uncertainty", "discount",
)  # fmt: skip
EXPECTED_OF_UNCERTAINTY: Final = ("expect_uncertainty", "expect_credit")
CASE_KEYS: Final = (
    "name", "source", "inputs", "expect", "places", "mode", "partition", "durations", "period_days",
    "period_hours", "uncertainties", *EXPECTED_OF_UNCERTAINTY,
)  # fmt: skip


def parse_model(source: Source) -> tuple[Model | None, list[DocumentFlaw]]:
    """Read a model; None when its structure has flaws."""
    flaws: list[DocumentFlaw] = []
    if not isinstance(source, SourceMapping):
        expected = f"A model document is a mapping with the keys {', '.join(MODEL_KEYS)}; here is"
        return None, [DocumentFlaw(f"{expected} {describe(source)}.", source.mark)]
    model = _read_model(Reader(source, "the model", flaws))
    return (None if flaws else model), flaws


def parse_readable(source: Source) -> Model:
    """The model as far as it can be read, without the nodes that cannot; a required key may be empty.

    For those who write a document step by step, which is no model before its last one.
    """
    mapping = source if isinstance(source, SourceMapping) else SourceMapping(())
    return _read_model(Reader(mapping, "the model", []))


def _read_model(reader: Reader) -> Model:
    reader.allow(MODEL_KEYS)
    share_places = reader.whole("share_places", least=0, most=SHARE_PLACES_MAX)
    tables, table_uncertainties = _read_tables(reader)
    nodes = _read_nodes(reader)
    return Model(
        name=reader.text("name", is_required=True) or "",
        about=reader.text("about"),
        cadence=reader.choice("cadence", CADENCES, is_required=True) or "",
        partition_type=reader.choice("partition_type", DIMENSIONS, is_required=True) or "",
        primary_output=reader.slug("primary_output", is_required=True) or "",
        tables=tables,
        nodes=nodes,
        cases=_read_cases(reader, {node.slug: node.unit for node in nodes}),
        share_places=SHARE_PLACES_DEFAULT if share_places is None else share_places,
        uncertainty=read_setting(reader),
        table_uncertainties=table_uncertainties,
        primary_output_mark=reader.mark_of("primary_output"),
    )


def _read_tables(
    reader: Reader,
) -> tuple[dict[str, Table], dict[UncertaintyKey, UncertaintyStatement]]:
    tables = {}
    uncertainties: dict[UncertaintyKey, UncertaintyStatement] = {}
    for entry in _limit_items(TABLES_MAX, reader, "tables", reader.entries("tables")):
        if not isinstance(entry.value, SourceMapping):
            reader.note(f"The table {entry.key} must be a mapping.", entry.value.mark)
            continue
        of_table = Reader(entry.value, f"the table {entry.key}", reader.flaws)
        table = read_table(entry.key, of_table)
        if table is not None:
            tables[entry.key] = table
            uncertainties |= read_column_statements(of_table, table)
    return tables, uncertainties


def _read_nodes(reader: Reader) -> tuple[Node, ...]:
    items = _limit_items(NODES_MAX, reader, "nodes", reader.items("nodes", is_required=True))
    if not items and reader.has("nodes"):
        reader.note("The model has no nodes.")
    nodes = []
    for index, item in enumerate(items, start=1):
        proceed()
        if not isinstance(item, SourceMapping):
            reader.note(f"Node {index} must be a mapping; here is {describe(item)}.", item.mark)
            continue
        node = _read_node(Reader(item, f"node {index}", reader.flaws))
        if node is not None:
            nodes.append(node)
    return tuple(nodes)


def _read_node(reader: Reader) -> Node | None:
    slug = reader.slug("slug", is_required=True)
    if slug is not None:
        reader.node, reader.what = slug, slug
    reader.allow(NODE_KEYS)
    unit = reader.unit("unit", is_required=True)
    body = read_body(reader)
    rounding = _read_rounding(reader, body)
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
        uncertainty=read_statement(reader, "uncertainty", unit),
        discount=read_discount(reader),
    )


def _read_rounding(reader: Reader, body: Body | None) -> Rounding | None:
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


def _read_cases(reader: Reader, units: Mapping[str, Unit]) -> tuple[Case, ...]:
    cases = []
    for index, item in enumerate(_limit_items(CASES_MAX, reader, "cases", reader.items("cases")), start=1):
        if not isinstance(item, SourceMapping):
            reader.note(f"Case {index} must be a mapping; here is {describe(item)}.", item.mark)
            continue
        cases.append(_read_case(Reader(item, f"case {index}", reader.flaws), units))
    return tuple(cases)


def _read_case(reader: Reader, units: Mapping[str, Unit]) -> Case:
    reader.allow(CASE_KEYS)
    reader.get("inputs", is_required=True)
    reader.get("expect", is_required=not any(map(reader.has, EXPECTED_OF_UNCERTAINTY)))
    return Case(
        name=reader.text("name", is_required=True) or "",
        source=reader.text("source"),
        inputs=reader.each("inputs", reader.numbers_of),
        expect=reader.each("expect", reader.numbers_of),
        places=reader.whole("places", least=0, most=PLACES_MAX),
        mode=reader.choice("mode", ROUNDING_MODES) or "half_even",
        partition=reader.each("partition", reader.text_of),
        durations=reader.each("durations", lambda key, source: _to_list(reader.numbers_of(key, source))),
        period_days=reader.number("period_days"),
        period_hours=reader.number("period_hours"),
        uncertainties=read_case_statements(reader, units),
        expect_uncertainty=reader.each("expect_uncertainty", partial(read_expected, reader)),
        expect_credit=reader.each("expect_credit", reader.number_of),
        mark=reader.mark,
    )


def _to_list(numbers: Decimal | tuple[Decimal, ...] | None) -> tuple[Decimal, ...] | None:
    return (numbers,) if isinstance(numbers, Decimal) else numbers


def _limit_items(limit: int, reader: Reader, key: str, items: tuple[Item, ...]) -> tuple[Item, ...]:
    if len(items) > limit:
        reader.note(f"The model has {len(items)} {key}; {limit} are allowed.", code="limit")
    return items[:limit]
