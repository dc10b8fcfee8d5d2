"""A `where` is a condition on single events: on their asset, location, feedstock, tracking id and data.

A data point is named by its slug, with underscores where the slug has hyphens, or verbatim in braces:
`meter_name = 'north' and {{wet-mass}} > 2`. Numbers are compared as they stand, in the unit of the
data point type. Of functions `coalesce` alone is part of it, so that it can be answered for each event by
itself.

Invariants: a condition that was checked against the data point types of its event type names nothing
but those and DIMENSIONS, and is true or false for every event that has what it names; of one that lacks some
of it, it may be neither.
"""

from collections.abc import Mapping
from typing import Final

from weighbridge.core.expression import Expression, ExpressionError, Kind, NameScope, Type, check
from weighbridge.core.expression.kind import PLAIN, TEXT
from weighbridge.core.expression.tree import FunctionCall, Number, Text, walk

DIMENSIONS: Final = ("asset", "location", "feedstock", "tracking_id")
"""What a condition may name beside data points; all are texts."""

FUNCTIONS: Final = ("coalesce",)
"""The functions that a condition may have."""


def check_where(tree: Expression, types: Mapping[str, Type] | None = None) -> None:
    """Refuse what is no condition; with the types of the data points, also what does not fit together."""
    for node in walk(tree):
        if isinstance(node, FunctionCall) and node.function not in FUNCTIONS:
            said = (
                f"A where has no functions; here is {node.function}. Only {', '.join(FUNCTIONS)} is allowed."
            )
            raise ExpressionError(said, node.position)
    if isinstance(tree, Number | Text):
        raise ExpressionError("A where must be true or false for an event.", tree.position)
    if types is None:
        return
    as_they_stand = {
        slug: PLAIN if of_point.kind is Kind.NUMBER else of_point for slug, of_point in types.items()
    }
    spelled = {slug.replace("-", "_"): of_point for slug, of_point in as_they_stand.items()}
    result = check(tree, NameScope({**spelled, **as_they_stand, **dict.fromkeys(DIMENSIONS, TEXT)}))
    if result.kind is not Kind.TRUTH:
        raise ExpressionError(f"A where must be true or false for an event; this is {result}.", tree.position)
