"""Checking finds every flaw of a model that was read: names, circles, units, arrays, outputs, cases.

Invariants: it never raises for what a model says; a flaw is reported where it arises and not again at
each node that builds on it; a model without flaws has an order, and its units fit.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Final

from weighbridge.core.expression import ExpressionError, Kind, Type, names
from weighbridge.core.expression.tree import FunctionCall, Name, walk
from weighbridge.core.halt import proceed, proceeding
from weighbridge.core.identity import find_nearest
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.model.aggregates import is_listed
from weighbridge.core.model.definition import (
    FLAWS_MAX,
    JOINED_ON,
    Aggregate,
    Case,
    Constant,
    DocumentFlaw,
    Formula,
    Input,
    Model,
    Node,
    StaticInput,
    Upstream,
    build_expression_flaw,
    order_flaws,
)
from weighbridge.core.model.prepared import (
    ALONE,
    Surroundings,
    Types,
    find_cycles,
    list_needs,
    order,
    type_node,
    type_partition,
)
from weighbridge.core.model.reading import check_where
from weighbridge.core.model.uncertainty import check_uncertainty
from weighbridge.core.unit import are_compatible

SHOWN_NODES_MAX: Final = 12
"""How many nodes of a circle are named."""

DataPoints = Mapping[tuple[str, str], Type]


def check_model(model: Model, surroundings: Surroundings = ALONE) -> tuple[DocumentFlaw, ...]:
    """Find all flaws, from top to bottom; none means that the model can run."""
    flaws = list(islice(chain(_check_slugs(model), _check_references(model)), FLAWS_MAX))
    if not flaws:
        flaws = list(islice(chain(_check_cycles(model), check_uncertainty(model)), FLAWS_MAX))
    if not flaws:
        flaws = list(islice(_check_meaning(model, surroundings), FLAWS_MAX))
    return order_flaws(flaws)


def find_unknown_event_types(model: Model, surroundings: Surroundings) -> tuple[DocumentFlaw, ...]:
    """A flaw for each input whose event type is not among the surroundings, final or not."""
    if surroundings.data_points is None:
        return ()
    knnode_type = list(surroundings.data_points)
    events = {event for event, _ in knnode_type}
    return tuple(
        DocumentFlaw(
            _explain_missing_data_point(node, node.body, knnode_type),
            node.mark,
            node.slug,
            "unknown_event_type",
        )
        for node in model.nodes
        if isinstance(node.body, Input) and node.body.event_type not in events
    )[:FLAWS_MAX]


def _check_slugs(model: Model) -> Iterator[DocumentFlaw]:
    nodes_by_slug: dict[str, Node] = {}
    for node in model.nodes:
        if node.slug in nodes_by_slug:
            first = nodes_by_slug[node.slug].mark.line
            yield DocumentFlaw(
                f"The slug {node.slug} is already taken by the node at line {first}.", node.mark, node.slug
            )
        nodes_by_slug.setdefault(node.slug, node)


def _check_references(model: Model) -> Iterator[DocumentFlaw]:
    if model.primary_output not in model.by_slug:
        slug = model.primary_output
        message = f"The primary_output names {slug}: {_explain_missing_node(slug, model)}"
        yield DocumentFlaw(message, model.primary_output_mark, None, "unknown_node")
    for node in proceeding(model.nodes):
        if isinstance(node.body, Formula):
            yield from _name_flaws(node, node.body, model)
            continue
        for slug in list_needs(node):
            if slug not in model.by_slug:
                yield DocumentFlaw(
                    f"{node.slug} names {slug}: {_explain_missing_node(slug, model)}",
                    node.mark,
                    node.slug,
                    "unknown_node",
                )


def _name_flaws(node: Node, formula: Formula, model: Model) -> Iterator[DocumentFlaw]:
    for name in names(formula.tree):
        message = _explain_wrong_name(name, model)
        if message is not None:
            yield build_expression_flaw(
                ExpressionError(message, name.position), formula.written, "formula", node.slug
            )


def _explain_wrong_name(name: Name, model: Model) -> str | None:
    """Why a name in a formula names nothing; None when it does."""
    first, *path_rest = name.path
    if first == "partition":
        dimensions = DIMENSIONS[model.partition_type]
        if len(path_rest) == 1 and path_rest[0] in dimensions:
            return None
        have = f"has {', '.join(dimensions)}" if dimensions else "has no dimensions"
        return f"{name.text} is not known: a partition of type {model.partition_type} {have}."
    if first not in model.by_slug:
        return _explain_missing_node(first, model)
    if not path_rest:
        return None
    body = model.node(first).body
    attributes = list(body.attributes) if isinstance(body, Upstream) else []
    if len(path_rest) == 1 and path_rest[0] in attributes:
        return None
    return f"{first} has no attribute {'.'.join(path_rest)!r}; it has {', '.join(attributes) or 'none'}."


def _explain_missing_node(slug: str, model: Model) -> str:
    close = find_nearest(slug, model.slugs)
    return f"There is no node {slug!r}" + (f"; did you mean {close!r}?" if close else ".")


def _check_cycles(model: Model) -> Iterator[DocumentFlaw]:
    for circle in find_cycles(model):
        first = model.node(circle[0])
        shown = (
            circle if len(circle) <= SHOWN_NODES_MAX else (*circle[: SHOWN_NODES_MAX - 2], "…", circle[-1])
        )
        message = f"These nodes need one another in a circle: {' -> '.join(shown)}."
        yield DocumentFlaw(message, first.mark, first.slug, "cycle")


def _check_meaning(model: Model, surroundings: Surroundings) -> Iterator[DocumentFlaw]:
    types: dict[str, Type] = type_partition(model)
    unknown: set[str] = set()
    for slug in order(model):
        proceed()
        node = model.node(slug)
        if unknown.intersection(list_needs(node)):
            unknown.add(slug)
            continue
        try:
            types |= type_node(node, types, model, surroundings)
        except ExpressionError as error:
            unknown.add(slug)
            if isinstance(node.body, Formula):
                yield build_expression_flaw(error, node.body.written, "formula", slug)
            continue
        for message in _check_node(node, types, model, surroundings):
            yield DocumentFlaw(message, node.mark, slug)
        yield from _check_expressions(node, model, surroundings)
    yield from check_cases(model, types)


def _check_node(node: Node, types: Types, model: Model, surroundings: Surroundings) -> Iterator[str]:
    """What is wrong with a node, given the types of all that it needs."""
    slug, node_type = node.slug, types[node.slug]
    if node_type.is_array and (node.is_output or slug == model.primary_output):
        yield (
            f"{slug} is an output and must be one number, but is {node_type}. Aggregate it,"
            " for instance with sum."
        )
    if node.default is not None and node_type.is_array:
        yield f"{slug} is an array and has no default; without data it is empty."
    if (node.is_optional or node.default is not None) and isinstance(node.body, Formula | Constant):
        yield f"{slug} is computed, so it is not optional and has no default; use coalesce in the formula."
    match node.body:
        case Input() as body:
            yield from _check_input(node, body, types, model, surroundings)
        case StaticInput(at=str(at)) if not _is_values(model.node(at)):
            yield f"The at of {slug} must name an input with aggregate: values; {at} is none."
        case Upstream() as upstream:
            yield from _check_upstream(node, upstream, types, model)
        case _:
            pass


def _check_input(
    node: Node, body: Input, types: Types, model: Model, surroundings: Surroundings
) -> Iterator[str]:
    slug = node.slug
    if body.join is not None and not _is_values(model.node(body.join.to)):
        yield f"{slug} is joined to {body.join.to}, which must be an input with aggregate: values."
    if body.share_by is not None and types[body.share_by].is_array:
        share_type = types[body.share_by]
        yield f"{slug} is shared by {body.share_by}, which must be one number; it is {share_type}."
    if body.aggregate is Aggregate.COUNT and not node.unit.is_dimensionless:
        yield f"{slug} counts, so its unit is a plain number; it is {node.unit}."
    if surroundings.data_points is not None and surroundings.data_points_of(body.event_type) is not None:
        yield from _check_data_point(node, body, surroundings.data_points)
        yield from _check_partners(node, body, model, surroundings)


def _check_partners(node: Node, body: Input, model: Model, surroundings: Surroundings) -> Iterator[str]:
    """What is wrong with the data points that an input is weighted by or joined on."""
    other = model.node(body.join.to).body if body.join is not None else body
    event_types = [body.event_type, *([other.event_type] if isinstance(other, Input) else [])]
    known_nodes = {
        type_: points for type_ in event_types if (points := surroundings.data_points_of(type_)) is not None
    }
    if body.weight is not None and len(known_nodes) == len(set(event_types)):
        weights = [points.get(body.weight) for points in known_nodes.values()]
        if not any(weight is not None and weight.kind is Kind.NUMBER for weight in weights):
            yield f"{node.slug}: the weight {body.weight} is no number of the event type {body.event_type}."
    if body.join is None or body.join.on in JOINED_ON:
        return
    for event_type, points in known_nodes.items():
        joining = points.get(body.join.on)
        if joining is None or joining.kind is not Kind.TEXT:
            yield (
                f"{node.slug} is joined on {body.join.on}, which is no text of the event type {event_type};"
                f" a join is on {', '.join(JOINED_ON)} or a text data point of both."
            )


def _check_data_point(node: Node, body: Input, data_points: DataPoints) -> Iterator[str]:
    known_point = data_points.get((body.event_type, body.data_point_type))
    if known_point is None:
        yield _explain_missing_data_point(node, body, list(data_points))
    elif body.aggregate is Aggregate.COUNT:
        return
    elif known_point.kind is not Kind.NUMBER:
        of_type = f"{body.data_point_type} of {body.event_type}"
        yield f"{node.slug} needs numbers, but {of_type} is {known_point}."
    elif known_point.unit is not None and not are_compatible(known_point.unit, node.unit):
        yield (
            f"{node.slug} is in {node.unit}, to which {known_point.unit}, the unit of"
            f" {body.data_point_type} of {body.event_type}, cannot be converted."
        )


def _explain_missing_data_point(node: Node, body: Input, known_points: list[tuple[str, str]]) -> str:
    event_type = body.event_type
    if event_type not in {event for event, _ in known_points}:
        have = ", ".join(sorted({event for event, _ in known_points})) or "none"
        return f"{node.slug}: there is no event type {event_type!r}; there are {have}."
    have = ", ".join(slug for event, slug in known_points if event == event_type)
    return f"{node.slug}: {event_type} has no data point type {body.data_point_type!r}; it has {have}."


def _check_upstream(node: Node, upstream: Upstream, types: Types, model: Model) -> Iterator[str]:
    dimensions = DIMENSIONS[model.partition_type]
    for dimension in upstream.match:
        if dimension not in dimensions:
            yield f"{node.slug} matches {dimension}; a partition of type {model.partition_type} has none."
    if upstream.amount is None:
        return
    amount = types[upstream.amount]
    if amount.is_array:
        yield f"{node.slug} draws {upstream.amount}, which must be one number; it is {amount}."
    if amount.unit is not None and not are_compatible(amount.unit, node.unit):
        yield f"{node.slug} is in {node.unit} and draws {upstream.amount}, which is in {amount.unit}."


def _check_expressions(node: Node, model: Model, surroundings: Surroundings) -> Iterator[DocumentFlaw]:
    """Flaws with a position inside an expression of the node, beyond those of types."""
    match node.body:
        case Formula(tree=tree, written=written):
            for call in walk(tree):
                if isinstance(call, FunctionCall) and call.function == "duration_hours":
                    error = _check_duration(call, model)
                    if error is not None:
                        yield build_expression_flaw(error, written, "formula", node.slug)
        case Input(where=where) as body if where is not None:
            try:
                check_where(where.tree, surroundings.data_points_of(body.event_type))
            except ExpressionError as error:
                yield build_expression_flaw(error, where.written, "where", node.slug)


def _check_duration(call: FunctionCall, model: Model) -> ExpressionError | None:
    match call.arguments:
        case (Name(path=(slug,)),) if not _is_values(model.node(slug)):
            return ExpressionError(
                f"duration_hours needs an input with aggregate: values; {slug} is none.", call.position
            )
    return None


def _is_values(node: Node) -> bool:
    return isinstance(node.body, Input) and node.body.is_array


# Checking the cases that a document carries: that they name nodes, and give each what it takes.
#
# Invariants: a case without flaws can be run; it may still fail.


def check_cases(model: Model, types: Types) -> Iterator[DocumentFlaw]:
    """Every flaw of the cases, given the types of the nodes that have one."""
    for case in model.cases:
        for message in _check_case(case, model, types):
            yield DocumentFlaw(f"The case {case.name!r} {message}", case.mark, None, "case")


def _check_case(case: Case, model: Model, types: Types) -> Iterator[str]:
    for name, input_value in case.inputs.items():
        yield from _check_case_input(name, input_value, model, types)
    for name, expected in case.expect.items():
        if name not in model.by_slug:
            yield f"expects {name}, which is no node."
        elif name in types and types[name].is_array is not isinstance(expected, tuple):
            expected_form = "a list" if isinstance(expected, tuple) else "one number"
            yield f"expects {expected_form} of {name}, which is {types[name]}."
    yield from _check_case_uncertainty(case, model, types)
    for dimension in case.partition:
        if dimension not in DIMENSIONS[model.partition_type]:
            yield f"gives a {dimension}, which a partition of type {model.partition_type} does not have."
    for name in case.durations:
        if name not in model.by_slug or not isinstance(model.node(name).body, Input):
            yield f"gives durations of {name}, which is no input."


def _check_case_uncertainty(case: Case, model: Model, types: Types) -> Iterator[str]:
    """What is wrong with what a case states and expects of uncertainty."""
    for name in case.uncertainties:
        if name not in case.inputs:
            yield f"states the uncertainty of {name}, which it does not give."
    expected = {"expect_uncertainty": case.expect_uncertainty, "expect_credit": case.expect_credit}
    for key, named in expected.items():
        if named and model.uncertainty is None:
            yield f"has {key}, and the model does not ask for uncertainty; give it the key uncertainty."
        for name in named:
            if name not in model.by_slug:
                yield f"names {name} in {key}, which is no node."
            elif name in types and types[name].is_array:
                yield f"names {name} in {key}, which is {types[name]} and no single number."
            elif key == "expect_credit" and model.node(name).discount is None:
                yield f"names {name} in {key}, which has no discount."


def _check_case_input(name: str, input_value: object, model: Model, types: Types) -> Iterator[str]:
    slug, _, attribute = name.partition(".")
    if slug not in model.by_slug or (attribute and name not in types):
        yield f"gives {name}, which is no node."
        return
    body = model.node(slug).body
    if isinstance(body, Formula | Constant):
        yield f"gives {name}, which the model itself gives a value."
    elif (
        isinstance(input_value, tuple)
        and name in types
        and not types[name].is_array
        and not (isinstance(body, Input) and is_listed(body))
    ):
        yield f"gives a list for {name}, which is {types[name]}."
