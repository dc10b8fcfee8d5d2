"""Which incomplete events rules have filled as far as a reader needs: SQL over the event `e`.

An event that the service made, imputed or rolled up, may lack values that its type requires, and nobody can
complete it by hand. A value that a rule puts in counts for whoever reads no other that is missing: an hour
whose concentration was imputed counts for an input that reads the concentration alone, though the flow, which
is required too, has no value. Its status stays `incomplete`.

Invariant: an event whose values are all its own is never usable by this.
"""

from collections.abc import Collection
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.condition import EventCondition, value_of
from weighbridge.collection.measurements.value import CAPTURED, FILLABLE, ValueColumn
from weighbridge.db.literal import Literal

IS_FILLED: Final = f"({FILLABLE} AND t.value_type = 'number' AND e.numbers[t.position] IS NULL)"
"""Whether the value of a data point type `t`, which is there, was put in by a rule."""


def complete_or_filled(columns: Collection[ValueColumn], condition: EventCondition | None) -> Composable:
    """Whether an event is complete, or has all these values, at least one of them put in by a rule, and what
    a condition asks for.
    """
    if not columns:
        return SQL("e.is_complete")
    there = [SQL("{} IS NOT NULL").format(value_of(column)) for column in columns]
    own = [SQL(CAPTURED[one.value_type]).format(Literal(one.position)) for one in columns]
    return SQL("(e.is_complete OR {fillable} AND {there} AND ({lacking}) AND {decided})").format(
        fillable=SQL(FILLABLE),
        there=SQL(" AND ").join(there),
        lacking=SQL(" OR ").join(SQL("{} IS NULL").format(value) for value in own),
        decided=SQL("true") if condition is None else SQL("({}) IS NOT NULL").format(condition.truth),
    )
