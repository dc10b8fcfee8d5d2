"""The value of a data point of an event: what was captured, unless a correction is in force.

Every reader of values takes its SQL from here, so that a correction counts everywhere or nowhere. The
statements speak of the event as `e`.

Invariants: `e.numbers`, `e.texts` and `e.booleans` hold what was captured and never change where they have a
value; `e.corrected_*` are NULL, or whole arrays in which the corrections in force stand.
"""

from collections.abc import Mapping
from typing import Final, LiteralString

NUMBERS: Final = "coalesce(e.corrected_numbers, e.numbers)"
TEXTS: Final = "coalesce(e.corrected_texts, e.texts)"
BOOLEANS: Final = "coalesce(e.corrected_booleans, e.booleans)"

CURRENT: Final[Mapping[str, LiteralString]] = {
    "number": f"({NUMBERS})[{{}}]",
    "string": f"({TEXTS})[{{}}]",
    "boolean": f"({BOOLEANS})[{{}}]",
}
"""The value at a position, by value type."""

CURRENT_ARRAYS: Final = f"{NUMBERS} AS numbers, {TEXTS} AS texts, {BOOLEANS} AS booleans"
"""All values of the event, as three columns."""

CAPTURED_ARRAYS: Final = """
    CASE WHEN e.corrected_numbers IS NOT NULL THEN e.numbers END AS captured_numbers,
    CASE WHEN e.corrected_texts IS NOT NULL THEN e.texts END AS captured_texts,
    CASE WHEN e.corrected_booleans IS NOT NULL THEN e.booleans END AS captured_booleans
"""
"""What was captured, as three columns that are NULL where nothing else stands now."""
