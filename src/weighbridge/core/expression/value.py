"""What expressions compute with: types, values, and the rules about missing values.

A type says what an expression yields: a number with a unit, a text or a truth; one or an array. An array has
an origin, the events or draws that its elements belong to, one element each. Two arrays may meet in one
operation only when they have the same origin. A table of the model document has a type for each of its
columns.

A value is a type and its content: one number, text or truth, or a tuple with one for each event. In place of
a content there may be a fault: a missing value, or an operation without a result. A fault spreads through
what is computed from it and is raised only when it reaches the end, so that `if(days = 0, 0, mass / days)`
and `coalesce(late_reading, 0)` do what they say, element by element.

A null rule says what an operation makes of operands that are missing, or that have no result. An expression
is computed in two ways. Over columns, as formulas of models are: the content of each operand is computed
before, and a missing value is a fault like any other, so the formula has no value. Over rows, as rules are:
an operand is computed when it is asked for, a missing value is None, and tests have the three values of SQL.
Each null rule states its meaning in both, one below the other, and names its meaning over trials, which is
that over columns. PostgreSQL has the same rules over rows.

Invariants: only numbers have a unit; a number's unit is None when only a run can determine it (the
attribute of a source whose model is not at hand), and then it is checked in the run; every row of a table has
one cell for each column, and no two rows have the same key, which is in the first column. The content of a
value agrees with its type, and every number in it is finite. What a null rule gives over rows raises nothing
but what spending raises; for rows without missing values both ways give the same.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, Overflow
from enum import StrEnum
from itertools import pairwise
from types import ModuleType
from typing import Any, Final

from weighbridge.core.expression.tree import ExpressionError, Position, UndefinedResultError
from weighbridge.core.number import EXPONENT_MAX
from weighbridge.core.unit import ONE, Unit, are_compatible, convert_by, find_conversion

Origin = str
"""What the elements of an array belong to, in words: `the events of biochar-delivery`."""


class Kind(StrEnum):
    NUMBER = "a number"
    TEXT = "a text"
    TRUTH = "true or false"


@dataclass(frozen=True, slots=True)
class Type:
    """What a value is."""

    kind: Kind
    unit: Unit | None = None
    origin: Origin | None = None

    @property
    def is_array(self) -> bool:
        return self.origin is not None

    def __str__(self) -> str:
        of_what = f"a number of {self.unit}" if self.unit is not None else str(self.kind)
        return f"an array, each element {of_what}" if self.is_array else of_what

    def of(self, origin: Origin | None) -> "Type":
        """The same for each element of an origin."""
        return replace(self, origin=origin)


PLAIN: Final = Type(Kind.NUMBER, ONE)
TEXT: Final = Type(Kind.TEXT)
TRUTH: Final = Type(Kind.TRUTH)


def number(unit: Unit | None, origin: Origin | None = None) -> Type:
    """The type of a number."""
    return Type(Kind.NUMBER, unit, origin)


def require(kind: Kind, operand: Type, operand_name: str, position: Position) -> None:
    """Refuse an operand of another kind; `what` names the operand, as in `The divisor`."""
    if operand.kind is not kind:
        raise ExpressionError(f"{operand_name} must be {kind}; it is {operand}.", position)


def require_plain(operand: Type, operand_name: str, position: Position) -> None:
    """Refuse an operand that counts something: a text, or a number whose unit has a dimension."""
    require(Kind.NUMBER, operand, operand_name, position)
    if operand.unit is not None and not operand.unit.is_dimensionless:
        raise ExpressionError(
            f"{operand_name} must be a plain number, but is in {operand.unit}. Divide by a quantity of the"
            f' same unit, or take the number out with value(…, "{operand.unit}").',
            position,
        )


def require_same_measure(first: Type, other: Type, action: str, position: Position) -> None:
    """Refuse two operands that cannot be converted into one another; `action` as in `adding`."""
    if first.kind is not other.kind:
        raise ExpressionError(
            f"{action} needs two of one kind; the first is {first}, the second is {other}.", position
        )
    if first.unit is not None and other.unit is not None and not are_compatible(first.unit, other.unit):
        raise ExpressionError(
            f"{action} is refused between {first.unit} and {other.unit}, which count different things.",
            position,
        )


def find_shared_origin(types: Sequence[Type], position: Position) -> Origin | None:
    """The one origin of all arrays among the operands; None when there is no array."""
    origins = list(dict.fromkeys(operand.origin for operand in types if operand.origin is not None))
    if len(origins) > 1:
        raise ExpressionError(
            f"Two arrays that do not run in parallel cannot be combined: one has an element for each of"
            f" {origins[0]}, the other for each of {origins[1]}. Join one to the other, or aggregate first.",
            position,
        )
    return origins[0] if origins else None


@dataclass(frozen=True, slots=True)
class TableColumn:
    """The name of a column and what each of its cells is."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; the first column is the key."""

    name: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Decimal | str, ...], ...]

    @property
    def key(self) -> TableColumn:
        return self.columns[0]

    @property
    def is_ascending(self) -> bool:
        """Whether the keys are numbers that rise from row to row."""
        keys = [row[0] for row in self.rows if isinstance(row[0], Decimal)]
        return len(keys) == len(self.rows) and all(low < high for low, high in pairwise(keys))

    def column(self, name: str) -> int | None:
        """The index of a column, None when there is none of that name."""
        return next((index for index, column in enumerate(self.columns) if column.name == name), None)


Tables = Mapping[str, Table]
"""Tables by name."""


Scalar = Decimal | str | bool


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no value; missing means that none was given."""

    error: ExpressionError
    is_missing: bool = False


Element = Scalar | Fault | None
Content = Element | tuple[Element, ...]
Convert = Callable[[Content], Content]


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a name or of an evaluation; None as content is a missing value."""

    type: Type
    content: Content


def quantity(amount: Decimal | None, unit: Unit) -> Value:
    """Return one number with its unit."""
    return Value(number(unit), amount)


def quantities(amounts: Sequence[Decimal | None], unit: Unit, origin: Origin) -> Value:
    """Return an array of numbers with one unit."""
    return Value(number(unit, origin), tuple(amounts))


def text(content: str | None) -> Value:
    """Return one text."""
    return Value(TEXT, content)


def find_first_fault(content: Content) -> Fault | None:
    """Find the first fault in a content."""
    elements = content if isinstance(content, tuple) else (content,)
    return next((element for element in elements if isinstance(element, Fault)), None)


def require_content(content: Content) -> Content:
    """Return the content; where it has no value, raise what is the matter."""
    fault = find_first_fault(content)
    if fault is not None:
        raise fault.error
    return content


def lift(function: Callable[..., Scalar], contents: Sequence[Content], position: Position) -> Content:
    """Apply a function of scalars to contents, element by element where there are arrays."""
    return spread(lambda *row: apply_guarded(function, row, position), contents, position, function)


def spread(
    function: Callable[..., Element],
    contents: Sequence[Content],
    position: Position,
    unguarded: Callable[..., Scalar] | None = None,
) -> Content:
    """Apply a function that deals with faults itself; try the unguarded one first, for speed."""
    lengths = {len(content) for content in contents if isinstance(content, tuple)}
    if not lengths:
        return function(*contents)
    if len(lengths) > 1:
        counts = " and ".join(str(length) for length in sorted(lengths))
        raise ExpressionError(f"Arrays of {counts} elements cannot be combined.", position)
    length = lengths.pop()
    columns = [content if isinstance(content, tuple) else (content,) * length for content in contents]
    if unguarded is not None and not any(map(find_first_fault, contents)):
        try:
            return tuple(map(unguarded, *columns))
        except ArithmeticError:
            pass  # some element has no result: the guarded function finds out which
    return tuple(map(function, *columns))


def apply_guarded(function: Callable[..., Scalar], row: Sequence[Content], position: Position) -> Element:
    """Apply a function once; a fault among its arguments, or no result, makes a fault."""
    for element in row:
        if isinstance(element, Fault):
            return element
    try:
        return function(*row)
    except ArithmeticError as error:
        return build_fault(error, position)


def build_fault(error: ArithmeticError, position: Position) -> Fault:
    """Say why an operation has no result."""
    reason = "The operation has no result for these numbers."
    if isinstance(error, UndefinedResultError):
        reason = str(error)
    elif isinstance(error, Overflow):
        reason = f"The result is beyond 1e{EXPONENT_MAX}."
    return Fault(ExpressionError(reason, position))


def convert_numbers(value: Value, unit: Unit | None, position: Position) -> Content:
    """Convert the numbers of a value to a unit."""
    convert = build_converter(value.type.unit, unit, position)
    return value.content if convert is None else convert(value.content)


def build_converter(source: Unit | None, unit: Unit | None, position: Position) -> Convert | None:
    """Return what converts numbers from one unit to another; None where there is nothing to convert."""
    if source is None or unit is None:
        raise ExpressionError("The unit of this value is not known.", position)
    if source is unit or (source.factor == unit.factor and source.offset == unit.offset):
        return None
    slope, shift, divisor = find_conversion(source, unit)
    return lambda content: lift(lambda amount: convert_by(amount, slope, shift, divisor), [content], position)


Row = Sequence[Element]
"""What an expression over rows may name: None is missing, a Fault is an operation without a result."""

RowStep = Callable[[Row], Element]

ScalarFunction = Callable[..., Any]
"""The meaning of an operation in Python, of scalars that are all there; it may raise ArithmeticError."""


RuleOverTrials = Callable[[ModuleType], Callable[..., Any]]
"""A function of the module `trial_values`, which is given because importing it takes NumPy."""


@dataclass(frozen=True, slots=True)
class NullRule:
    """How an operation with a function of scalars is applied to operands of which some have no value."""

    over_columns: Callable[[ScalarFunction, Sequence[Content], Position], Content]
    """Compute the operation for whole columns."""
    over_rows: Callable[[ScalarFunction, Sequence[RowStep], Position], RowStep]
    """Return what computes the operation for a row."""
    over_trials: RuleOverTrials
    """Compute the operation over columns of floats."""
    sees_missing: bool = False
    """Whether the result may distinguish a missing value from one that has no result."""


def _apply_strictly(function: ScalarFunction, operands: Sequence[RowStep], position: Position) -> RowStep:
    """Without one of its operands there is no result."""

    def step(row: Row) -> Element:
        values = [operand(row) for operand in operands]
        for value in values:
            if value is None or isinstance(value, Fault):
                return value
        try:
            return function(*values)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return build_fault(error, position)

    return _apply_to_few(function, operands, position) if len(operands) <= 2 else step


def _apply_to_few(function: ScalarFunction, operands: Sequence[RowStep], position: Position) -> RowStep:
    """Apply a function of one operand or two, as most are, without what a list costs."""
    left, right = operands[0], operands[-1]

    def step_of_one(row: Row) -> Element:
        value = left(row)
        if value is None or isinstance(value, Fault):
            return value
        try:
            return function(value)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return build_fault(error, position)

    def step_of_two(row: Row) -> Element:
        first, second = left(row), right(row)
        if first is None or isinstance(first, Fault):
            return first
        if second is None or isinstance(second, Fault):
            return second
        try:
            return function(first, second)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return build_fault(error, position)

    return step_of_one if len(operands) == 1 else step_of_two


def _aggregate_columns(function: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
    """All elements of a single array at once; several operands are taken element by element."""
    if len(contents) == 1:
        return find_first_fault(contents[0]) or apply_guarded(function, contents, position)
    return lift(lambda *row: function(row), contents, position)


def _decide_by(over_trials: RuleOverTrials, *, decisive: bool) -> NullRule:
    """`or` is decided by a true operand and `and` by a false one, so what is to its right may have no
    result.
    """

    def decide_columns(_: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
        undecided = not decisive
        return spread(lambda left, right: right if left is undecided else left, contents, position)

    def decide_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
        left, right = operands

        def step(row: Row) -> Element:
            first = left(row)
            if first is decisive or isinstance(first, Fault):
                return first
            other = right(row)
            if first is None and other is not decisive and not isinstance(other, Fault):
                return None
            return other

        return step

    return NullRule(decide_columns, decide_rows, over_trials)


def _compare_each(*tests: Callable[[Any, Any], bool], decisive: bool) -> NullRule:
    """One operand is compared with each of the others, and the tests are joined as by `and` or `or`.

    The last test applies to all further operands. `decisive` is the deciding result: false for `and`, true
    for `or`.
    """

    def compare_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
        value, *others = operands
        further = tests[-1:] * (len(others) - len(tests))
        pairs = tuple(zip((*tests, *further), others, strict=True))

        def step(row: Row) -> Element:
            subject = value(row)
            if subject is None or isinstance(subject, Fault):
                return subject
            result: Element = not decisive
            for test, other in pairs:
                against = other(row)
                if isinstance(against, Fault):
                    return against
                if against is None:
                    result = None
                elif test(subject, against) is decisive:
                    return decisive
            return result

        return step

    return NullRule(lift, compare_rows, lambda of: of.apply_strictly)


def _test_columns(_: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
    """`is null` is true for a missing operand; one that has no result has none here."""

    def is_missing(element: Element) -> Element:
        return (True if element.is_missing else element) if isinstance(element, Fault) else False

    return spread(is_missing, contents, position)


def _test_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
    (operand,) = operands

    def step(row: Row) -> Element:
        value = operand(row)
        return value if isinstance(value, Fault) else value is None

    return step


def _choose_columns(_: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
    """`if` has a condition that chooses one of two operands, and the other one may have no value."""

    def chosen(condition: Element, when_true: Element, when_false: Element) -> Element:
        if isinstance(condition, Fault):
            return condition
        return when_true if condition else when_false

    return spread(chosen, contents, position)


def _choose_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
    condition, when_true, when_false = operands

    def step(row: Row) -> Element:
        value = condition(row)
        if value is None or isinstance(value, Fault):
            return value
        return when_true(row) if value else when_false(row)

    return step


def find_given(row: Sequence[Content]) -> int:
    """Find the first that is not missing; the last when all are.

    So `coalesce` chooses: one that has no result is not passed over.
    """
    given_indices = (
        at for at, element in enumerate(row) if not (isinstance(element, Fault) and element.is_missing)
    )
    return next(given_indices, len(row) - 1)


def _give_first_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
    def step(row: Row) -> Element:
        for operand in operands:
            value = operand(row)
            if value is not None:
                return value
        return None

    return step


STRICT: Final = NullRule(lift, _apply_strictly, lambda of: of.apply_strictly)
AGGREGATED: Final = NullRule(
    _aggregate_columns,
    lambda function, operands, position: _apply_strictly(lambda *row: function(row), operands, position),
    lambda of: of.aggregate,
)
INDIFFERENT: Final = NullRule(
    lambda function, contents, _: function(*contents),
    lambda function, operands, _: lambda row: function(*(operand(row) for operand in operands)),
    lambda of: of.take_as_given,
    sees_missing=True,
)
"""The operands are taken as they are, missing or not."""
AND: Final = _decide_by(lambda of: of.decide_and, decisive=False)
OR: Final = _decide_by(lambda of: of.decide_or, decisive=True)
WITHIN: Final = _compare_each(operator.ge, operator.le, decisive=False)
AMONG: Final = _compare_each(operator.eq, decisive=True)
IS_MISSING: Final = NullRule(_test_columns, _test_rows, lambda of: of.tell_missing, sees_missing=True)
CHOSEN: Final = NullRule(_choose_columns, _choose_rows, lambda of: of.choose)
FIRST_GIVEN: Final = NullRule(
    lambda _, contents, position: spread(lambda *row: row[find_given(row)], contents, position),
    _give_first_rows,
    lambda of: of.give_first,
    sees_missing=True,
)
