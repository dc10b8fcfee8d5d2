"""Read the value of a data point as SQL, and translate conditions on values.

Every reader of values uses this file, so a correction counts everywhere or nowhere. The statements call
the event `e`. Only what PostgreSQL computes to the same digits as the engine is translated.

Invariants: `e.numbers`, `e.texts` and `e.booleans` contain captured values and never change once set;
`e.corrected_*` are NULL or whole arrays of values in force. Evaluating a condition never fails; it may
be undecided. An event whose values are all its own is never usable because a rule filled it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, LiteralString

from psycopg.sql import SQL, Composable

from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState
from weighbridge.core.expression.compiler import fold, read_constant
from weighbridge.core.expression.meaning import OperationMeaning
from weighbridge.core.expression.tree import Expression, Name, NullTest, names, print_tree
from weighbridge.core.problem import Problem
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid

# The value of a data point of an event: the captured one, unless a correction is in force.
#
# Every reader of values takes its SQL from here, so that a correction counts everywhere or nowhere. The
# statements speak of the event as `e`.
#
# Invariants: `e.numbers`, `e.texts` and `e.booleans` hold what was captured and never change where they
# have a value; `e.corrected_*` are NULL, or whole arrays in which the corrections in force stand.


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """Where the values of one data point type are in its events: a position in the array of their type."""

    position: int
    value_type: str
    is_before_rules: bool = False
    """Whether the captured or manually corrected value is read, without corrections by rules."""
    is_before_substitutes: bool = False
    """Whether it is read without what rules put in for other values; calibrations count."""


NUMBERS: Final = "coalesce(e.corrected_numbers, e.numbers)"
TEXTS: Final = "coalesce(e.corrected_texts, e.texts)"
BOOLEANS: Final = "coalesce(e.corrected_booleans, e.booleans)"

CURRENT: Final[Mapping[str, LiteralString]] = {
    "number": f"({NUMBERS})[{{}}]",
    "string": f"({TEXTS})[{{}}]",
    "boolean": f"({BOOLEANS})[{{}}]",
}
"""The value at a position, by value type."""

_BY_PEOPLE: Final = f"""
    FROM corrections c
   WHERE (c.project_id, c.event_id, c.position, c.field) = (e.project_id, e.id, {{0}}, '')
     AND c.state = '{CorrectionState.IN_FORCE}' AND c.source = '{CorrectionOrigin.MANUAL}'
"""
"""The manual correction of the value at a position; it takes precedence while it exists."""

CAPTURED: Final[Mapping[str, LiteralString]] = {
    "number": "e.numbers[{0}]",
    "string": "e.texts[{0}]",
    "boolean": "e.booleans[{0}]",
}
"""The value at a position as it was captured, by value type."""


FILLABLE: Final = "(e.corrected_numbers IS NOT NULL)"
"""Whether something is in force on the event, such as what a rule filled in for a value that it lacks."""


def _without_rules(kind: LiteralString, value: LiteralString) -> LiteralString:
    captured = CAPTURED[kind]
    corrected = f"(SELECT {value} {_BY_PEOPLE})"
    return f"CASE WHEN e.is_revised THEN coalesce({corrected}, {captured}) ELSE {captured} END"


WITHOUT_RULES: Final[Mapping[str, LiteralString]] = {
    "number": _without_rules("number", "c.to_value::numeric"),
    "string": _without_rules("string", "c.to_value #>> '{{}}'"),
    "boolean": _without_rules("boolean", "c.to_value::boolean"),
}
"""The value at a position as a person corrected it, or else as captured, without corrections by rules."""

_NO_SUBSTITUTE: Final = f"""
    FROM corrections c
   WHERE (c.project_id, c.event_id, c.position, c.field) = (e.project_id, e.id, {{0}}, '')
     AND c.state = '{CorrectionState.IN_FORCE}'
     AND c.source IN ('{CorrectionOrigin.MANUAL}', '{CorrectionOrigin.ADJUSTMENT}')
"""
"""The manual or calibration correction of the value at a position, which takes precedence."""


def _without_substitutes(kind: LiteralString, value: LiteralString) -> LiteralString:
    captured = CAPTURED[kind]
    corrected = f"(SELECT {value} {_NO_SUBSTITUTE})"
    return f"CASE WHEN e.is_revised THEN coalesce({corrected}, {captured}) ELSE {captured} END"


WITHOUT_SUBSTITUTES: Final[Mapping[str, LiteralString]] = {
    "number": _without_substitutes("number", "c.to_value::numeric"),
    "string": _without_substitutes("string", "c.to_value #>> '{{}}'"),
    "boolean": _without_substitutes("boolean", "c.to_value::boolean"),
}
"""The value at a position as a person or a calibration corrected it, or else as captured."""

IS_BY_PEOPLE: Final = f"(e.is_revised AND EXISTS (SELECT {_BY_PEOPLE}))"
"""Whether the value at a position is a person's."""

LEFT_TO_RULES: Final[Mapping[str, LiteralString]] = {
    kind: f"CASE WHEN NOT e.is_revised OR (SELECT c.id {_BY_PEOPLE}) IS NULL THEN {held} END"
    for kind, held in CAPTURED.items()
}
"""The captured value at a position; NULL where a person corrected it, so that no rule may."""

CAPTURED_ARRAYS: Final[Mapping[str, LiteralString]] = {
    array: f"CASE WHEN e.corrected_{array} IS NOT NULL THEN e.{array} END AS captured_{array}"
    for array in ("numbers", "texts", "booleans")
}
"""The captured values, by the name of the array; NULL where no correction is in force."""


# A `where` filter as SQL over the event `e`.
#
# The text of each operation is in its row of the table of meanings. Only what PostgreSQL computes to the
# same digits as the engine has one: comparisons, logic, text tests, `coalesce`, exact arithmetic, and
# division to 34 digits. A condition has three values: of an event that lacks a tag or value it may be
# neither true nor false. Such an event does not count, and is named.
#
# Invariant: deciding a condition never fails, whatever an event holds. A division by zero has no value, and
# is why a condition is not decided for an event that lacks nothing.


ValueColumns = Mapping[str, ValueColumn]
"""The data point types of the event type, by slug."""

TAGS: Final[Mapping[str, LiteralString]] = {
    "tracking_id": "e.tracking_id",
    "feedstock": """(SELECT f.name FROM feedstocks f
                     WHERE (f.project_id, f.id) = (e.project_id, e.feedstock_id))""",
    "asset": """(SELECT a.name FROM assets a
                 WHERE (a.project_id, a.id) = (e.project_id, e.asset_id))""",
    "location": """(SELECT l.name FROM locations l
                    WHERE (l.project_id, l.id) = (e.project_id, e.location_ids[1]))""",
}
"""The tags of an event by name."""


@dataclass(frozen=True, slots=True)
class EventCondition:
    """A filter with its three values, and what an event may lack that it needs."""

    text: str
    """The filter as it is written."""
    truth: Composable
    named: Mapping[str, Composable]
    """The data points it reads, without those it only tests for presence."""
    has_division: bool

    @property
    def passes(self) -> Composable:
        """Whether it is true for an event."""
        return SQL("({} IS TRUE)").format(self.truth)

    def is_decided_by(self, always: Collection[str]) -> bool:
        """Whether it is true or false for every event that has these data points."""
        return not self.has_division and all(
            name in always or name.replace("_", "-") in always for name in self.named
        )

    @property
    def missing(self) -> Composable:
        """The names of the data points an event lacks, as an array of texts."""
        slug_expressions = [
            SQL("CASE WHEN {} IS NULL THEN {} END").format(value, Literal(name))
            for name, value in self.named.items()
        ]
        return SQL("array_remove(ARRAY[{}]::text[], NULL)").format(SQL(", ").join(slug_expressions))


def condition(tree: Expression, columns: ValueColumns) -> Composable:
    """Translate a filter; raise Invalid naming what has no exact form in the database."""
    return event_condition(tree, columns).passes


def event_condition(tree: Expression, columns: ValueColumns) -> EventCondition:
    """Translate a filter with all that can keep it from being decided; raise Invalid as `condition` does."""
    return EventCondition(
        print_tree(tree),
        _sql(tree, columns),
        {name.text: _sql(name, columns) for name in names(tree, lambda node: isinstance(node, NullTest))},
        _may_lack_result(tree),
    )


def condition_without_rules(tree: Expression, columns: ValueColumns) -> Composable:
    """Translate a filter on captured or manually corrected values, without corrections by rules."""
    measured = {slug: replace(column, is_before_rules=True) for slug, column in columns.items()}
    return event_condition(tree, measured).passes


def _may_lack_result(tree: Expression) -> bool:
    return fold(tree, lambda _: False, lambda _, meaning, inner: meaning.lacks_result_in_sql or any(inner))


def value_of(column: ValueColumn) -> Composable:
    """The value of a data point of the event `e`: as corrected, unless the column excludes corrections."""
    values = WITHOUT_RULES if column.is_before_rules else CURRENT
    if column.is_before_substitutes:
        values = WITHOUT_SUBSTITUTES
    return SQL(values[column.value_type]).format(Literal(column.position))


def _sql(tree: Expression, columns: ValueColumns) -> Composable:
    def leaf(node: Expression) -> Composable:
        return _name(node, columns) if isinstance(node, Name) else Literal(read_constant(node))

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Composable]) -> Composable:
        # A division by zero is not a missing value, and has no substitute.
        if meaning.sql is None or (meaning.nulls.sees_missing and _may_lack_result(node)):
            raise Invalid([Problem(_NO_FORM, "where", "invalid")])
        first, *more_operands = operands
        return SQL(meaning.sql).format(first, *more_operands, rest=SQL(", ").join(more_operands))

    return fold(tree, leaf, operation)


_NO_FORM: Final = (
    "A where filter takes comparisons, logic, text tests, + - * / and coalesce; "
    "no other function, and no division inside coalesce or is null."
)


def _name(name: Name, columns: ValueColumns) -> Composable:
    if not name.is_verbatim and name.text in TAGS:
        return SQL(TAGS[name.text])
    column = columns.get(name.text if name.is_verbatim else name.text.replace("_", "-")) or columns.get(
        name.text
    )
    if column is None:
        allowed = ", ".join([*TAGS, *columns])
        raise Invalid(
            [Problem(f"A where filter names {name.text!r}; it can name {allowed}.", "where", "unknown")]
        )
    return value_of(column)


# Which incomplete events rules have filled as far as a reader needs: SQL over the event `e`.
#
# An event may lack values that its type requires: one that the service made, imputed or rolled up, which
# nobody completes by hand, or a received one whose value is still to come. A value that a rule puts in counts
# for whoever reads no other that is missing: an hour whose concentration was imputed counts for an input that
# reads the concentration alone, though the flow, which is required too, has no value. Its status stays
# `incomplete`.
#
# Invariant: an event whose values are all its own is never usable by this.


IS_FILLED: Final = f"({FILLABLE} AND t.value_type = 'number' AND e.numbers[t.position] IS NULL)"
"""Whether the value of a data point type `t`, which is there, was put in by a rule."""


def complete_or_filled(columns: Collection[ValueColumn], condition: EventCondition | None) -> Composable:
    """Whether an event is complete, or has all these values, at least one of them put in by a rule, and what
    a condition asks for.
    """
    if not columns:
        return SQL("e.is_complete")
    presence_conditions = [SQL("{} IS NOT NULL").format(value_of(column)) for column in columns]
    own = [
        SQL(CAPTURED[value_column.value_type]).format(Literal(value_column.position))
        for value_column in columns
    ]
    return SQL("(e.is_complete OR {fillable} AND {there} AND ({lacking}) AND {decided})").format(
        fillable=SQL(FILLABLE),
        there=SQL(" AND ").join(presence_conditions),
        lacking=SQL(" OR ").join(SQL("{} IS NULL").format(value) for value in own),
        decided=SQL("true") if condition is None else SQL("({}) IS NOT NULL").format(condition.truth),
    )
