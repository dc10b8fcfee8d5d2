"""Models: the document read, checked, put in order, computed, written canonically, compared.

model, flaws = parse_model(source)     structure; the model is None when there are flaws
check_model(model)                     meaning: names, circles, units, cases
prepare(model).run(Facts(inputs))      the value of every node, in its unit
run_cases(model)                       the document's own checks
"""

from weighbridge.core.model.canonical import canonical_text, sha256
from weighbridge.core.model.cases import CaseResult, Comparison, Equation, equations, run_cases, show
from weighbridge.core.model.checking import check_model, unknown_event_types
from weighbridge.core.model.definition import (
    Aggregate,
    Available,
    Body,
    Case,
    Constant,
    Dimension,
    Filter,
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
)
from weighbridge.core.model.difference import Change, Difference, difference
from weighbridge.core.model.evaluation import (
    EvaluationError,
    Facts,
    Program,
    Result,
    evaluate,
    evaluate_node,
    prepare,
)
from weighbridge.core.model.features import required_features
from weighbridge.core.model.flaw import Flaw, ModelError
from weighbridge.core.model.node_types import ALONE, Surroundings
from weighbridge.core.model.order import ancestors, needs, order
from weighbridge.core.model.parsing import parse_model

__all__ = [
    "ALONE",
    "Aggregate",
    "Available",
    "Body",
    "Case",
    "CaseResult",
    "Change",
    "Comparison",
    "Constant",
    "Difference",
    "Dimension",
    "Equation",
    "EvaluationError",
    "Facts",
    "Filter",
    "Flaw",
    "Formula",
    "Input",
    "Join",
    "Model",
    "ModelError",
    "Node",
    "Program",
    "Result",
    "Rounding",
    "Share",
    "StaticInput",
    "Straddle",
    "Surroundings",
    "Upstream",
    "ancestors",
    "canonical_text",
    "check_model",
    "difference",
    "equations",
    "evaluate",
    "evaluate_node",
    "needs",
    "order",
    "parse_model",
    "prepare",
    "required_features",
    "run_cases",
    "sha256",
    "show",
    "unknown_event_types",
]
