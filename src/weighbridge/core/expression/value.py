"""A value is a type and its content: one number, text or truth, or a tuple with one for each event.

In place of a content may stand a fault: a missing value, or an operation without a result. A fault
spreads through what is computed from it and is raised only when it reaches the end, so that
`if(days = 0, 0, mass / days)` and `coalesce(late_reading, 0)` do what they say, element by element.

Invariants: the content agrees with the type; every number in it is finite.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, Overflow

from weighbridge.core.expression.error import ExpressionError, Position, UndefinedResultError
from weighbridge.core.expression.kind import TEXT, Origin, Type, number
from weighbridge.core.quantity.number import EXPONENT_MAX
from weighbridge.core.quantity.unit import Unit, conversion, convert_by

Scalar = Decimal | str | bool


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no value; missing means that none was given."""

    error: ExpressionError
    is_missing: bool = False


Element = Scalar | Fault | None
Content = Element | tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """What a name stands for and what an evaluation yields; None as content is a missing value."""

    type: Type
    content: Content


def quantity(amount: Decimal | None, unit: Unit) -> Value:
    """One number with its unit."""
    return Value(number(unit), amount)


def quantities(amounts: Sequence[Decimal | None], unit: Unit, origin: Origin) -> Value:
    """An array of numbers with one unit."""
    return Value(number(unit, origin), tuple(amounts))


def text(content: str | None) -> Value:
    """One text."""
    return Value(TEXT, content)


def first_fault(content: Content) -> Fault | None:
    """The first fault in a content."""
    elements = content if isinstance(content, tuple) else (content,)
    return next((element for element in elements if isinstance(element, Fault)), None)


def lift(function: Callable[..., Scalar], contents: Sequence[Content], position: Position) -> Content:
    """Apply a function of scalars to contents, element by element where there are arrays."""
    return spread(lambda *row: guarded(function, row, position), contents, position, function)


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
    if unguarded is not None and not any(map(first_fault, contents)):
        try:
            return tuple(map(unguarded, *columns))
        except ArithmeticError:
            pass  # some element has no result: the guarded function finds out which
    return tuple(map(function, *columns))


def numbers_in(value: Value, unit: Unit | None, position: Position) -> Content:
    """The numbers of a value, converted to a unit."""
    source = value.type.unit
    if source is None or unit is None:
        raise ExpressionError("The unit of this value is not known.", position)
    if source is unit or (source.factor == unit.factor and source.offset == unit.offset):
        return value.content
    slope, shift, divisor = conversion(source, unit)
    return lift(lambda amount: convert_by(amount, slope, shift, divisor), [value.content], position)


def guarded(function: Callable[..., Scalar], row: Sequence[Content], position: Position) -> Element:
    """Apply a function once; a fault among its arguments, or no result, makes a fault."""
    for element in row:
        if isinstance(element, Fault):
            return element
    try:
        return function(*row)
    except UndefinedResultError as undefined:
        return Fault(ExpressionError(str(undefined), position))
    except Overflow:
        return Fault(ExpressionError(f"The result is beyond 1e{EXPONENT_MAX}.", position))
    except ArithmeticError:
        return Fault(ExpressionError("The operation has no result for these numbers.", position))
