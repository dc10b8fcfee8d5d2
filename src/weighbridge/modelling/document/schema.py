"""The schema of a model: what it takes from outside, what it gives, and a simulation to begin with."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.expression import FUNCTIONS
from weighbridge.core.identity import ids
from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.core.model import (
    COMPUTED_KINDS,
    NODE_KINDS,
    Case,
    Input,
    Model,
    Node,
    StaticInput,
    Upstream,
    required_features,
)
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.models.records import ModelName, Schema, SchemaInput, SchemaOutput, Simulation
from weighbridge.modelling.versions.stored import owned_model

OPERATORS: Final = (
    *("add", "subtract", "multiply", "divide", "power", "negate"),
    *("equal", "not_equal", "less", "less_or_equal", "greater", "greater_or_equal"),
    *("and", "or", "not", "between", "in", "is_null"),
    *("contains", "starts_with", "ends_with", "matches"),
)
"""What formulas can do beside calling functions."""

_EXAMPLE: Final = (datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC))


async def schema_of(tx: Read, actor: Actor, friendly: str) -> Schema:
    """Describe a version to someone who has to feed it or to read its results."""
    version = await owned_model(tx, actor, friendly)
    model = await tx.in_thread(read_model, version.document)
    return Schema(
        ModelName(ids.of("model", 0, version.id), version.name, version.version),
        [_input(node) for node in model.nodes if kind_of(node) not in COMPUTED_KINDS],
        [_output(number, node, model) for number, node in enumerate(model.outputs, 1)],
        list(OPERATORS),
        sorted(FUNCTIONS),
        _example(model),
    )


def kind_of(node: Node) -> str:
    """The key of the document under which a node's body stands."""
    return NODE_KINDS[type(node.body)]


def outside_slug(node: Node) -> str:
    """What a node's value is called outside the model: the slug of its data point type or static input."""
    match node.body:
        case Input(data_point_type=slug) | StaticInput(slug=slug):
            return slug
    return node.slug


def is_array(node: Node) -> bool:
    """Whether a node takes one value for each event or draw."""
    match node.body:
        case Input() as body:
            return body.is_array
        case StaticInput(at=at):
            return at is not None
    return isinstance(node.body, Upstream)


def is_array_of_events(node: Node) -> bool:
    """Whether a node takes one value for each event, so that its elements have durations."""
    return isinstance(node.body, Input) and node.body.is_array


def given_names(node: Node) -> Iterator[str]:
    """The names under which a simulation gives a node its values: its slug, and its attributes."""
    yield node.slug
    if isinstance(node.body, Upstream):
        yield from (f"{node.slug}.{attribute}" for attribute in node.body.attributes)


def _input(node: Node) -> SchemaInput:
    body = node.body if isinstance(node.body, Input) else None
    return SchemaInput(
        slug=outside_slug(node),
        node=node.slug,
        name=node.label,
        type="numeric",
        unit=node.unit.text,
        description=node.description,
        kind=kind_of(node),
        event_type=body.event_type if body else None,
        aggregate=str(body.aggregate) if body else None,
        is_array=is_array(node),
        is_required=not node.is_optional and node.default is None,
        default=node.default,
    )


def _output(number: int, node: Node, model: Model) -> SchemaOutput:
    return SchemaOutput(
        id=number,
        slug=node.slug,
        name=node.label,
        unit=node.unit.text,
        ghg=node.tags.get("ghg"),
        lca_role=node.tags.get("lca_role"),
        category=node.tags.get("category"),
        is_primary=node.slug == model.primary_output,
    )


def _example(model: Model) -> Simulation:
    """A simulation with a value for every input: those of a case that names them all, else ones."""
    ones: dict[str, Any] = {
        name: [Decimal(1)] if is_array(node) else Decimal(1)
        for node in model.nodes
        if kind_of(node) not in COMPUTED_KINDS
        for name in given_names(node)
    }
    partition = {dimension: f"a {dimension}" for dimension in DIMENSIONS[model.partition_type]}
    case = next((case for case in model.cases if case.inputs.keys() >= ones.keys()), None)
    if case is not None:
        return _like(case, partition)
    asks = "function:duration_hours" in required_features(model)
    durations = {node.slug: [Decimal(1)] for node in model.nodes if asks and is_array_of_events(node)}
    return Simulation(ones, *_EXAMPLE, partition=partition, durations=durations)


def _like(case: Case, partition: dict[str, str]) -> Simulation:
    given = {name: _listed(value) for name, value in case.inputs.items()}
    durations = {slug: list(hours) for slug, hours in case.durations.items()}
    return Simulation(given, *_EXAMPLE, partition=partition | dict(case.partition), durations=durations)


def _listed(value: Decimal | tuple[Decimal, ...]) -> Decimal | list[Decimal]:
    return list(value) if isinstance(value, tuple) else value
