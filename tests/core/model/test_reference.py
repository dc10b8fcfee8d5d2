"""The reference of the language is made from the tables that the engine uses."""

from weighbridge.core.expression import FUNCTIONS
from weighbridge.core.model import Aggregate
from weighbridge.core.model.reference import (
    aggregates_table,
    functions_table,
    limits_table,
    matches_table,
    rounding_modes,
)


def test_every_function_and_aggregate_is_in_the_reference():
    functions, aggregates = functions_table(), aggregates_table()

    assert all(f"| `{name}(" in functions for name in FUNCTIONS)
    assert all(f"| `{kind}` |" in aggregates for kind in Aggregate)
    assert "| `delta` | Of a totaliser" in aggregates
    assert "| `sum` | All values added; 0 of none. | `even` |" in aggregates


def test_the_limits_and_words_of_the_language_are_in_the_reference():
    assert "| characters of an expression | 10,000 |" in limits_table()
    assert "| `below` | the last row whose key is not above the key |" in matches_table()
    assert rounding_modes().startswith("`half_even`, `half_up`")


def test_a_table_has_one_line_for_each_row():
    assert len(functions_table().splitlines()) == len(FUNCTIONS) + 2
