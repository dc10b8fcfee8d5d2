"""The derivative of an expression: how fast its result changes with each value that it names.

In come a tree, the values of what it names, and how fast something further on changes with the result; out
goes, by name, how fast that changes with what was named: one number, or one for each element of an array.
`reverse.py` walks the tree backwards; `arithmetic.py` and `functions.py` know each operation's derivative.

`degree.py` tells without values how results grow.

A worked example: of `(gross - tare) * fraction` with gross 120 t, tare 20 t and fraction 0.5, and an outer
gradient of 1, gross has 0.5, tare -0.5 and fraction 100 t.

Exact rules in decimals of 34 digits, no differences. Where a function is not smooth a convention decides:

    round floor ceil               1: rounding changes the digits of a value, not what it rests on
    min max                        1 for the first of those that are least or greatest, else 0
    median                         1 for the one in the middle, or a half for each of two
    abs clamp                      of the branch that holds; of abs at zero 0
    if coalesce                    of what is chosen; a condition has none
    sqrt, a power at zero          0 where there is none
    lookup count, tests, texts     0: they go in steps
    interpolate                    that of the stretch to the right; at the last key, of the one to the left

Invariant: values that cannot change the result because of a choice are not looked at, so a fault among them
does no harm.
"""

from weighbridge.core.expression.derivative.local import PARTIALS, WITHOUT_DERIVATIVE
from weighbridge.core.expression.derivative.reverse import Gradient, Traced, gradients_of, plus, trace

__all__ = ["PARTIALS", "WITHOUT_DERIVATIVE", "Gradient", "Traced", "gradients_of", "plus", "trace"]
