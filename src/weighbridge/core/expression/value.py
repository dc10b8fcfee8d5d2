"""A value is a type and its content: one number, text or truth, or a tuple with one for each event.

In place of a content there may be a fault: a missing value, or an operation without a result. A fault
spreads through what is computed from it and is raised only when it reaches the end, so that
`if(days = 0, 0, mass / days)` and `coalesce(late_reading, 0)` do what they say, element by element.

Invariants: the content agrees with the type; every number in it is finite.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, Overflow

from weighbridge.core.expression.kind import TEXT, Origin, Type, number
from weighbridge.core.expression.tree import ExpressionError, Position, UndefinedResultError
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
Convert = Callable[[Content], Content]


@dataclass(frozen=True, slots=True)
class Value:
    """What a name stands for and what an evaluation yields; None as content is a missing value."""

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


def first_fault(content: Content) -> Fault | None:
    """Find the first fault in a content."""
    elements = content if isinstance(content, tuple) else (content,)
    return next((element for element in elements if isinstance(element, Fault)), None)


def require_content(content: Content) -> Content:
    """Return the content; where it has no value, raise what is the matter."""
    fault = first_fault(content)
    if fault is not None:
        raise fault.error
    return content


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


def guarded(function: Callable[..., Scalar], row: Sequence[Content], position: Position) -> Element:
    """Apply a function once; a fault among its arguments, or no result, makes a fault."""
    for element in row:
        if isinstance(element, Fault):
            return element
    try:
        return function(*row)
    except ArithmeticError as error:
        return fault_of(error, position)


def fault_of(error: ArithmeticError, position: Position) -> Fault:
    """Say why an operation has no result."""
    reason = "The operation has no result for these numbers."
    if isinstance(error, UndefinedResultError):
        reason = str(error)
    elif isinstance(error, Overflow):
        reason = f"The result is beyond 1e{EXPONENT_MAX}."
    return Fault(ExpressionError(reason, position))


def numbers_in(value: Value, unit: Unit | None, position: Position) -> Content:
    """Convert the numbers of a value to a unit."""
    convert = converter(value.type.unit, unit, position)
    return value.content if convert is None else convert(value.content)


def converter(source: Unit | None, unit: Unit | None, position: Position) -> Convert | None:
    """Return what converts numbers from one unit to another; None where there is nothing to convert."""
    if source is None or unit is None:
        raise ExpressionError("The unit of this value is not known.", position)
    if source is unit or (source.factor == unit.factor and source.offset == unit.offset):
        return None
    slope, shift, divisor = conversion(source, unit)
    return lambda content: lift(lambda amount: convert_by(amount, slope, shift, divisor), [content], position)
