"""The expression language of models and rules: arithmetic with units, tests and functions.

    tree = parse("sum(wet_mass * (1 - moisture))")
    check(tree, NameScope({"wet_mass": ..., "moisture": ...}))           the type, or an ExpressionError
    evaluate(tree, Environment({"wet_mass": ..., "moisture": ...}))  the value, or an ExpressionError

The package knows nothing of models, rules or events: what a name stands for is the caller's affair.
"""

from weighbridge.core.expression.compiled import Compiled, compiled
from weighbridge.core.expression.error import ExpressionError, Position
from weighbridge.core.expression.evaluation import check, evaluate
from weighbridge.core.expression.functions import FUNCTIONS, MODELS, Function, Language
from weighbridge.core.expression.kind import PLAIN, TEXT, TRUTH, Kind, Type, number
from weighbridge.core.expression.operation import Budget, Environment, NameScope
from weighbridge.core.expression.parsing import RESERVED, parse
from weighbridge.core.expression.printing import print_tree
from weighbridge.core.expression.table import Table, TableColumn
from weighbridge.core.expression.tree import Expression, names
from weighbridge.core.expression.value import Value, quantities, quantity, text

__all__ = [
    "FUNCTIONS",
    "MODELS",
    "PLAIN",
    "RESERVED",
    "TEXT",
    "TRUTH",
    "Budget",
    "Compiled",
    "Environment",
    "Expression",
    "ExpressionError",
    "Function",
    "Kind",
    "Language",
    "NameScope",
    "Position",
    "Table",
    "TableColumn",
    "Type",
    "Value",
    "check",
    "compiled",
    "evaluate",
    "names",
    "number",
    "parse",
    "print_tree",
    "quantities",
    "quantity",
    "text",
]
