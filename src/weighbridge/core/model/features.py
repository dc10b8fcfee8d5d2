"""The features of the language that a model makes use of, so that an engine can refuse what it lacks.

Formulas, constants, weights and defaults are understood by every engine and are no features; cadence
and partition type stand in the model.

Invariants: two models that differ in what an engine must be able to do differ in their features.
"""

from collections.abc import Iterator
from typing import Final

from weighbridge.core.expression import Expression, names
from weighbridge.core.expression.tree import FunctionCall, walk
from weighbridge.core.ledger.allocation import SHARE_PLACES_DEFAULT
from weighbridge.core.model.definition import (
    JOINED_ON,
    Available,
    Formula,
    Input,
    Model,
    Node,
    StaticInput,
    Straddle,
    Upstream,
)

_OF_TIME: Final = frozenset({"duration_hours", "period_days", "period_hours"})
"""The functions that ask how long something lasts."""


def required_features(model: Model) -> set[str]:
    """What an engine must support, as words: `aggregate:median`, `join:tracking_id`, `upstream:fifo`."""
    of_nodes = {feature for node in model.nodes for feature in _features(node, model)}
    return of_nodes if model.share_places == SHARE_PLACES_DEFAULT else of_nodes | {"share_places"}


def _features(node: Node, model: Model) -> Iterator[str]:
    match node.body:
        case Input() as used:
            yield from _input_features(used, model)
        case StaticInput(at=at, by=by):
            yield "static_input"
            yield from ["static_input:at"] if at else []
            yield from [f"static_input:by:{by}"] if by else []
        case Upstream() as upstream:
            yield "upstream"
            yield "upstream:manual" if upstream.is_manual else f"upstream:{upstream.order}"
            yield from ["upstream:attributes"] if upstream.attributes else []
            yield from ["upstream:match"] if upstream.match else []
        case Available():
            yield "available"
        case Formula(tree=tree):
            yield from _formula_features(tree)


def _input_features(used: Input, model: Model) -> Iterator[str]:
    yield f"aggregate:{used.aggregate}"
    if used.share_written is not None or model.partition_type != "time":
        yield f"share:{used.share}"
    if used.straddle is not Straddle.REPORT:
        yield f"straddle:{used.straddle}"
    if used.where is not None:
        yield "where"
    if used.join is not None:
        yield f"join:{used.join.on if used.join.on in JOINED_ON else 'text'}"
    if used.is_any_period:
        yield "period:any"
    if used.coverage or (used.coverage is None and used.straddle is Straddle.PRORATE):
        yield "coverage"


def _formula_features(tree: Expression) -> Iterator[str]:
    for name in names(tree):
        if name.path[0] == "partition":
            yield "partition_name"
    for node in walk(tree):
        if isinstance(node, FunctionCall) and node.function in _OF_TIME:
            yield f"function:{node.function}"
