"""The expression language of models and rules: arithmetic with units, tests and functions.

    tree = parse("sum(wet_mass * (1 - moisture))")
    check(tree, NameScope({"wet_mass": ..., "moisture": ...}))           the type, or an ExpressionError
    evaluate(tree, Environment({"wet_mass": ..., "moisture": ...}))  the value, or an ExpressionError

The package knows nothing of models, rules or events: what a name stands for is the caller's affair.

`tree` says what an expression is, and `parsing` reads one. What each operator and function means is a row of
one table: `meaning` says what a row has, `null` what may become of missing values; the rows are in
`arithmetic`, `mathematics`, `comparison`, `lookup` and `functions`, which has the whole table. `compiler`
and `derivative` are the backends that make types, values, closures and gradients of it.
"""

from weighbridge.core.expression.compiler import Compiled, check, compiled, evaluate
from weighbridge.core.expression.functions import FUNCTIONS, MODELS
from weighbridge.core.expression.kind import PLAIN, TEXT, TRUTH, Kind, Table, TableColumn, Type, number
from weighbridge.core.expression.meaning import Budget, Environment, Function, Language, NameScope
from weighbridge.core.expression.parsing import parse
from weighbridge.core.expression.tree import (
    RESERVED,
    Expression,
    ExpressionError,
    Position,
    names,
    print_tree,
)
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
