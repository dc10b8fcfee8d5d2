"""The expression language of models and rules: arithmetic with units, tests and functions.

    tree = parse("sum(wet_mass * (1 - moisture))")
    check(tree, NameScope({"wet_mass": ..., "moisture": ...}))           the type, or an ExpressionError
    evaluate(tree, Environment({"wet_mass": ..., "moisture": ...}))  the value, or an ExpressionError

The package knows nothing of models, rules or events: the caller defines what a name means.

`tree` defines expressions, and `parsing` reads one. `value` has types, values and the rules about missing
ones. The meaning of each operator and function is a row of one table: `meaning` defines the row; the rows
are in `arithmetic`, `comparison` and `functions`, which has the whole table. `compiler` has the
backends that make types, values, closures and gradients of it.
"""

from weighbridge.core.expression.compiler import CompiledExpression, check, compile_columns, evaluate
from weighbridge.core.expression.functions import FUNCTIONS, MODELS
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
from weighbridge.core.expression.value import (
    PLAIN,
    TEXT,
    TRUTH,
    Kind,
    Table,
    TableColumn,
    Type,
    Value,
    number,
    quantities,
    quantity,
    text,
)

__all__ = [
    "FUNCTIONS",
    "MODELS",
    "PLAIN",
    "RESERVED",
    "TEXT",
    "TRUTH",
    "Budget",
    "CompiledExpression",
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
    "compile_columns",
    "evaluate",
    "names",
    "number",
    "parse",
    "print_tree",
    "quantities",
    "quantity",
    "text",
]
