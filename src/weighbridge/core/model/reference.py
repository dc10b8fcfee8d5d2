"""The reference of the model language as Markdown, made from the tables that the engine itself uses.

Invariants: every function, aggregate and limit of the language stands in it, each with the sentence of
its own table; the same code gives the same text.
"""

from collections.abc import Iterable
from typing import Final

from weighbridge.core.expression import FUNCTIONS
from weighbridge.core.expression.arithmetic import EXPONENT_MAX
from weighbridge.core.expression.building import DEPTH_MAX, NODES_MAX
from weighbridge.core.expression.functions.lookup import MATCHES
from weighbridge.core.expression.operation import COST_MAX
from weighbridge.core.expression.parsing import LENGTH_MAX
from weighbridge.core.model.aggregates import AGGREGATES
from weighbridge.core.model.definition import SHAREABLE, Share
from weighbridge.core.number import DIGITS_MAX, ROUNDING_MODES
from weighbridge.core.number import EXPONENT_MAX as NUMBER_EXPONENT_MAX

_LIMITS: Final = (
    ("characters of an expression", LENGTH_MAX),
    ("depth of nesting, parentheses included", DEPTH_MAX),
    ("numbers, names and operations of an expression", NODES_MAX),
    ("exponent of a power, either way", EXPONENT_MAX),
    ("operations on elements in one run", COST_MAX),
    ("significant digits of a number", DIGITS_MAX),
    ("powers of ten of a number, either way", NUMBER_EXPONENT_MAX),
)


def functions_table() -> str:
    """The functions of the expression language."""
    rows = (
        (f"`{function.name}({function.parameters})`", function.doc, f"`{function.example}`")
        for function in FUNCTIONS.values()
    )
    return _table(("Function", "Yields", "Example"), rows)


def aggregates_table() -> str:
    """The aggregates of an input, and what sharing does to each when nothing is said."""
    rows = (
        (f"`{kind}`", definition.doc, f"`{Share.EVEN if kind in SHAREABLE else Share.REPEAT}`")
        for kind, definition in AGGREGATES.items()
    )
    return _table(("Aggregate", "Value of the node", "Default `share`"), rows)


def matches_table() -> str:
    """The ways in which `lookup` finds a row."""
    return _table(("Match", "Finds"), ((f"`{match}`", doc) for match, doc in MATCHES.items()))


def limits_table() -> str:
    """The limits of the language."""
    return _table(("Limit", "At most"), ((what, f"{limit:,}") for what, limit in _LIMITS))


def rounding_modes() -> str:
    """The rounding modes in one line."""
    return ", ".join(f"`{mode}`" for mode in ROUNDING_MODES)


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )
