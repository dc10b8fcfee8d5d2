"""Checking the cases that a document carries: that they name nodes, and give each what it takes.

Invariants: a case without flaws can be run; it may still fail.
"""

from collections.abc import Iterator

from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.core.model.aggregates import is_listed
from weighbridge.core.model.definition import Case, Constant, Formula, Input, Model
from weighbridge.core.model.flaw import Flaw
from weighbridge.core.model.node_types import Types


def case_flaws(model: Model, types: Types) -> Iterator[Flaw]:
    """Every flaw of the cases, given the types of the nodes that have one."""
    for case in model.cases:
        for message in _messages(case, model, types):
            yield Flaw(f"The case {case.name!r} {message}", case.mark, None, "case")


def _messages(case: Case, model: Model, types: Types) -> Iterator[str]:
    for name, given in case.inputs.items():
        yield from _input_messages(name, given, model, types)
    for name, expected in case.expect.items():
        if name not in model.by_slug:
            yield f"expects {name}, which is no node."
        elif name in types and types[name].is_array is not isinstance(expected, tuple):
            allowed = "a list" if isinstance(expected, tuple) else "one number"
            yield f"expects {allowed} of {name}, which is {types[name]}."
    for dimension in case.partition:
        if dimension not in DIMENSIONS[model.partition_type]:
            yield f"gives a {dimension}, which a partition of type {model.partition_type} does not have."
    for name in case.durations:
        if name not in model.by_slug or not isinstance(model.node(name).body, Input):
            yield f"gives durations of {name}, which is no input."


def _input_messages(name: str, given: object, model: Model, types: Types) -> Iterator[str]:
    slug, _, attribute = name.partition(".")
    if slug not in model.by_slug or (attribute and name not in types):
        yield f"gives {name}, which is no node."
        return
    body = model.node(slug).body
    if isinstance(body, Formula | Constant):
        yield f"gives {name}, which the model itself gives a value."
    elif (
        isinstance(given, tuple)
        and name in types
        and not types[name].is_array
        and not (isinstance(body, Input) and is_listed(body))
    ):
        yield f"gives a list for {name}, which is {types[name]}."
