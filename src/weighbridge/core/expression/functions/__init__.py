"""The functions of the expression language: one table that check, evaluation and reference come from."""

from typing import Final

from weighbridge.core.expression.functions.aggregate import AGGREGATES
from weighbridge.core.expression.functions.choice import CHOICE
from weighbridge.core.expression.functions.conversion import CONVERSION
from weighbridge.core.expression.functions.function import Function, Language
from weighbridge.core.expression.functions.lookup import LOOKUP
from weighbridge.core.expression.functions.mathematics import MATHEMATICS

FUNCTIONS: Final = {
    function.name: function for function in (*AGGREGATES, *MATHEMATICS, *CHOICE, *LOOKUP, *CONVERSION)
}
"""Every function by its name."""

MODELS: Final = Language(FUNCTIONS)
"""The language of model formulas."""

__all__ = ["FUNCTIONS", "MODELS", "Function", "Language"]
