"""Models: the document read, checked, put in order, made ready to run, written canonically, compared.

model, flaws = parse_model(source)     structure; the model is None when there are flaws
check_model(model)                     meaning: names, circles, units, cases
prepare(model)                         what the engine runs
"""

from weighbridge.core.model.aggregates import is_listed
from weighbridge.core.model.canonical import (
    DocumentChange,
    VersionDifference,
    canonical_text,
    difference,
    sha256,
)
from weighbridge.core.model.checking import check_model, unknown_event_types
from weighbridge.core.model.definition import (
    COMPUTED_KINDS,
    NODE_KINDS,
    OUTSIDE_KINDS,
    Aggregate,
    Amount,
    Available,
    Body,
    Case,
    Constant,
    Dimension,
    EventFilter,
    Formula,
    Input,
    Join,
    Model,
    Node,
    Rounding,
    Share,
    StaticInput,
    Straddle,
    Upstream,
    required_features,
)
from weighbridge.core.model.node_types import ALONE, Surroundings, ancestors, needs, order
from weighbridge.core.model.parsing import parse_model
from weighbridge.core.model.prepared import Equation, PreparedModel, equations, prepare, show
from weighbridge.core.model.source import Flaw, ModelError

__all__ = [
    "ALONE",
    "COMPUTED_KINDS",
    "NODE_KINDS",
    "OUTSIDE_KINDS",
    "Aggregate",
    "Amount",
    "Available",
    "Body",
    "Case",
    "Constant",
    "Dimension",
    "DocumentChange",
    "Equation",
    "EventFilter",
    "Flaw",
    "Formula",
    "Input",
    "Join",
    "Model",
    "ModelError",
    "Node",
    "PreparedModel",
    "Rounding",
    "Share",
    "StaticInput",
    "Straddle",
    "Surroundings",
    "Upstream",
    "VersionDifference",
    "ancestors",
    "canonical_text",
    "check_model",
    "difference",
    "equations",
    "is_listed",
    "needs",
    "order",
    "parse_model",
    "prepare",
    "required_features",
    "sha256",
    "show",
    "unknown_event_types",
]
