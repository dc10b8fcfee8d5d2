"""The parts of a document that is being written: their types as far as known, the unit of a formula, what is
still missing.

A document that is written step by step is no model before its last step. What can be read of it is described
here, so that each part can be added by what the others say.

Invariants: nothing here raises for what a document says; a unit is what the core's own check of formulas
says, and where that refuses a formula its sentence is given instead.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from weighbridge.core.expression import ExpressionError, Kind, NameScope, Type, check, parse
from weighbridge.core.identity import NODE_SLUG_LENGTH_MAX, make_slug
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.model.definition import Input, Model, Source
from weighbridge.core.model.parsing import parse_readable
from weighbridge.core.model.prepared import ALONE, Surroundings, Types, list_needs, type_node, type_partition
from weighbridge.core.model.reading import is_node_slug
from weighbridge.core.unit import Unit


@dataclass(frozen=True, slots=True)
class InferredUnit:
    """What a formula comes to, or why it comes to nothing."""

    unit: Unit | None
    is_array: bool = False
    refusal: str = ""
    is_refused: bool = False
    """Whether the formula cannot be computed, whatever unit is given."""


def read_parts(source: Source) -> Model:
    """The model as far as it can be read; of an unknown partition type, one that has no dimensions."""
    model = parse_readable(source)
    return model if model.partition_type in DIMENSIONS else replace(model, partition_type="time")


def type_parts(model: Model, surroundings: Surroundings = ALONE) -> Types:
    """The types of the nodes and of what travels along with draws, of all that have one."""
    types: dict[str, Type] = type_partition(model)
    waiting = {node.slug: (node, list_needs(node)) for node in model.nodes}
    while True:
        ready = [node for node, needs in waiting.values() if all(slug in types for slug in needs)]
        if not ready:
            break
        for node in ready:
            del waiting[node.slug]
            try:
                types |= type_node(node, types, model, surroundings)
            except ExpressionError:
                continue
    return types


def infer_unit(text: str, types: Types, model: Model) -> InferredUnit:
    """The unit of a formula over the nodes of a document."""
    try:
        result = check(parse(text), NameScope(types, model.tables))
    except ExpressionError as error:
        return InferredUnit(None, refusal=f"At {error.position}: {error.message}", is_refused=True)
    if result.kind is not Kind.NUMBER:
        refusal = f"A formula yields a number, and this is {result}."
        return InferredUnit(None, refusal=refusal, is_refused=True)
    if result.unit is None:
        return InferredUnit(None, result.is_array, "What it reads has no known unit; give the unit yourself.")
    return InferredUnit(result.unit, result.is_array)


def suggest_slug(name: str, model: Model) -> str:
    """A slug for a node of this name that no other node has; empty if the name has none."""
    slug = make_slug(name).replace("-", "_")[:NODE_SLUG_LENGTH_MAX].strip("_")
    if not is_node_slug(slug):
        slug = f"part_{slug}".strip("_")[:NODE_SLUG_LENGTH_MAX].strip("_") if slug else ""
    taken, first, number = {*model.slugs}, slug, 1
    while slug in taken:
        number += 1
        ending = f"_{number}"
        slug = first[: NODE_SLUG_LENGTH_MAX - len(ending)].strip("_") + ending
    return slug


def list_next_steps(model: Model) -> Iterator[str]:
    """What a document still needs before it can be a model, in plain words."""
    if not model.name:
        yield "Give the model a name."
    if not model.cadence:
        yield "Say by the cadence how long a period is."
    if not any(isinstance(node.body, Input) for node in model.nodes):
        yield "Add an input: the values that are measured in each period."
    if model.nodes and not model.primary_output:
        yield "Mark one node as output: its value is what a ledger is credited with."
