"""What expressions compute with over trials: binary floats, one for each trial, and what operations make of
them.

A scalar is an array of shape (trials,), an array of the model one of shape (elements, trials). What is the
same in all trials has 1 in place of trials. Truths are 1 and 0. Texts are arrays of objects. An operation
without a result is a NaN, of texts None; a missing value is one too, and the mask `missing` tells it from the
other. Only where values are missing is there a mask.

The rows of the table of meanings say what they mean here by naming functions of this file; nothing else needs
NumPy, so they are given this module when the floats are asked for and not before.

Decimals that are equal may differ as floats, in their last bits. So where it matters which of two numbers is
greater, in tests, roundings and rows of tables, numbers within ALIKE of one another count as equal.

Invariants: every number follows from the operands of its own trial alone, by operations that give the same
bits on every machine; what has no value in the decimals has none here, but for results beyond 1e100, which
floats still hold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from weighbridge.core.expression.pattern import spend_nothing
from weighbridge.core.expression.value import Content, Fault
from weighbridge.core.uncertainty import float_functions
from weighbridge.core.uncertainty.draws import Column
from weighbridge.core.uncertainty.float_functions import NO_RESULT, sum_rows
from weighbridge.core.unit import Unit, find_conversion

ALIKE: Final = 2.0**-44
"""By what part of the greater two numbers may differ and count as equal: 256 units of the last bit."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrialValues:
    """Numbers, truths or texts over trials."""

    values: Any
    missing: Mask | None = None
    """Where a value is missing, rather than without a result; None where none is."""


FloatFunction = Callable[..., Any]
"""The meaning of an operation over columns; NaN in makes NaN out."""


def hold_content(content: Content) -> TrialValues:
    """Return a content of decimals, truths or texts as the same in all trials."""
    elements = content if isinstance(content, tuple) else (content,)
    is_of_texts = any(isinstance(element, str) for element in elements)
    held = [_hold_element(element, is_of_texts=is_of_texts) for element in elements]
    values = np.array(held, dtype=object if is_of_texts else np.float64)
    is_missing = np.array(
        [element is None or (isinstance(element, Fault) and element.is_missing) for element in elements],
        dtype=np.bool_,
    )
    if isinstance(content, tuple):
        values, is_missing = values.reshape(-1, 1), is_missing.reshape(-1, 1)
    return TrialValues(values, is_missing if is_missing.any() else None)


def _hold_element(element: Any, *, is_of_texts: bool) -> Any:
    if element is None or isinstance(element, Fault):
        return None if is_of_texts else NO_RESULT
    return element if isinstance(element, str) else float(element)


def find_faults(values: Any) -> Any:
    """Find where there is no value."""
    if values.dtype == object:
        return np.frompyfunc(lambda text: text is None, 1, 1)(values).astype(np.bool_)
    return np.isnan(values)


def convert_values(held: TrialValues, source: Unit, unit: Unit) -> TrialValues:
    """Convert numbers to another unit, by a factor and, for temperatures, a shift."""
    if source is unit or (source.factor == unit.factor and source.offset == unit.offset):
        return held
    slope, shift, divisor = map(Fraction, find_conversion(source, unit))
    values = held.values if slope == divisor else held.values * float(slope / divisor)
    return TrialValues(values + float(shift / divisor) if shift else values, held.missing)


# The null rules over trials.


def apply_strictly(function: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """Without one of its operands there is no result; the first that has none says whether it is missing."""
    values = function(*(content.values for content in contents))
    if all(content.missing is None for content in contents):
        return TrialValues(values)
    missing = np.zeros(values.shape, dtype=np.bool_)
    is_decided = missing.copy()
    for content in contents:
        is_fault = find_faults(content.values)
        if content.missing is not None:
            missing |= is_fault & content.missing & ~is_decided
        is_decided |= is_fault
    return _keep_missing(values, missing)


def aggregate(function: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """Take all elements of a single array; several operands element by element."""
    if len(contents) > 1:
        return apply_strictly(lambda *columns: function(np.stack(np.broadcast_arrays(*columns))), contents)
    [content] = contents
    values = function(content.values)
    if content.missing is None or not len(content.values):
        return TrialValues(values)
    first = np.argmax(find_faults(content.values), axis=0)
    return _keep_missing(values, np.take_along_axis(content.missing, first[np.newaxis], axis=0)[0])


def take_as_given(function: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """Take the operands as they are, missing or not."""
    return TrialValues(function(*(content.values for content in contents)))


def decide_and(_: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """`and` is decided by a false operand on its left."""
    left, right = contents
    return _select(left.values == 1.0, right, left)


def decide_or(_: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """`or` is decided by a true operand on its left."""
    left, right = contents
    return _select(left.values == 0.0, right, left)


def choose(_: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """`if` chooses in each trial; what is not chosen may have no value."""
    condition, when_true, when_false = contents
    chosen = _select(condition.values == 1.0, when_true, when_false)
    is_fault = np.isnan(condition.values)
    if not is_fault.any():
        return chosen
    nothing = None if chosen.values.dtype == object else NO_RESULT
    missing = np.where(is_fault, _mask_of(condition), _mask_of(chosen))
    return _keep_missing(np.where(is_fault, nothing, chosen.values), missing)


def tell_missing(_: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """`is null` is true where a value is missing; where there is no result it has none."""
    [content] = contents
    is_missing = _mask_of(content)
    return TrialValues(np.where(is_missing, 1.0, np.where(find_faults(content.values), NO_RESULT, 0.0)))


def give_first(_: FloatFunction, contents: Sequence[TrialValues]) -> TrialValues:
    """`coalesce` takes the first that is not missing, else the last."""
    *others, result = contents
    for content in reversed(others):
        result = _select(~_mask_of(content), content, result)
    return result


def _select(condition: Any, when_true: TrialValues, when_false: TrialValues) -> TrialValues:
    values = np.where(condition, when_true.values, when_false.values)
    if when_true.missing is None and when_false.missing is None:
        return TrialValues(values)
    return _keep_missing(values, np.where(condition, _mask_of(when_true), _mask_of(when_false)))


def _mask_of(content: TrialValues) -> Any:
    return np.zeros(1, dtype=np.bool_) if content.missing is None else content.missing


def _keep_missing(values: Any, missing: Any) -> TrialValues:
    return TrialValues(values, np.broadcast_to(missing, values.shape) if missing.any() else None)


# Operations between numbers.


def return_first(value: Any, *_: Any) -> Any:
    """Return the first operand as it was taken."""
    return value


def add(left: Column, right: Column) -> Column:
    return left + right


def subtract(left: Column, right: Column) -> Column:
    return left - right


def multiply(left: Column, right: Column) -> Column:
    return left * right


def divide(dividend: Column, divisor: Column) -> Column:
    """Divide; by zero there is no result."""
    return np.where(divisor == 0.0, NO_RESULT, dividend / divisor)


def negate(value: Column) -> Column:
    return -value


def raise_to(base: Column, exponent: Column, largest: int) -> Column:
    """Raise to a power, whose exponent is at most the largest either way."""
    return np.where(np.abs(exponent) > largest, NO_RESULT, float_functions.raise_any(base, exponent))


def raise_whole(base: Column, exponent: int) -> Column:
    return float_functions.raise_whole(base, exponent)


def absolute(value: Column) -> Column:
    return np.abs(value)


def clamp(value: Column, low: Column, high: Column) -> Column:
    """Return the value, or the bound that it is beyond; bounds the wrong way round have no result."""
    bounded = take_least(high, take_greatest(value, low))
    return np.where(low > high, NO_RESULT, bounded)


def square_root(value: Column) -> Column:
    return float_functions.square_root(value)


def exp(value: Column) -> Column:
    """E to the power x; what is beyond all floats has no result."""
    result = float_functions.exp(value)
    return np.where(np.isinf(result), NO_RESULT, result)


def ln(value: Column) -> Column:
    return float_functions.ln(value)


def log10(value: Column) -> Column:
    return float_functions.log10(value)


def take_least(left: Column, right: Column) -> Column:
    """Return the lesser of two; NaN where one is."""
    return np.where((right < left) | np.isnan(right), right, left)


def take_greatest(left: Column, right: Column) -> Column:
    """Return the greater of two; NaN where one is."""
    return np.where((right > left) | np.isnan(right), right, left)


# Rounding, as decimals are rounded.


def round_to(value: Column, places: int, mode: str) -> Column:
    """Round to so many places by a named mode; halves and wholes are those of the decimals."""
    scale = 10.0 ** abs(places)
    scaled = value * scale if places >= 0 else value / scale
    rounded = ROUNDINGS[mode](_settle(scaled))
    return rounded / scale if places >= 0 else rounded * scale


def floor(value: Column) -> Column:
    return np.floor(_settle(value))


def ceil(value: Column) -> Column:
    return np.ceil(_settle(value))


def _settle(value: Column) -> Column:
    """Take a number that is next to a half or a whole for that."""
    halves = np.rint(value + value) * 0.5
    return np.where(np.abs(value - halves) <= ALIKE * np.abs(value), halves, value)


def _round_by(is_up: Callable[[Column], Any]) -> Callable[[Column], Column]:
    """Round the magnitude by what its fraction is."""

    def rounded(value: Column) -> Column:
        magnitude = np.abs(value)
        whole = np.floor(magnitude)
        away = np.asarray(is_up(magnitude - whole), dtype=np.float64)
        return np.copysign(whole + away, value)

    return rounded


ROUNDINGS: Final[dict[str, Callable[[Column], Column]]] = {
    "half_even": np.rint,
    "half_up": _round_by(lambda fraction: fraction >= 0.5),
    "half_down": _round_by(lambda fraction: fraction > 0.5),
    "up": _round_by(lambda fraction: fraction > 0.0),
    "down": np.trunc,
    "floor": np.floor,
    "ceiling": np.ceil,
}
"""The rounding rules by name, as `core.number` has them."""


# Tests: a truth is 1 or 0, and NaN where an operand has no value.


def _answer(result: Any, *operands: Any) -> Column:
    has_none = find_faults(operands[0])
    for operand in operands[1:]:
        has_none = has_none | find_faults(operand)
    return np.where(has_none, NO_RESULT, np.asarray(result, dtype=np.float64))


def are_equal(left: Any, right: Any) -> Column:
    """Test whether two numbers, truths or texts are equal."""
    return _answer(_are_alike(left, right), left, right)


def differ(left: Any, right: Any) -> Column:
    return _answer(~_are_alike(left, right), left, right)


def is_less(left: Column, right: Column) -> Column:
    return _answer((left < right) & ~_are_alike(left, right), left, right)


def is_less_or_equal(left: Column, right: Column) -> Column:
    return _answer((left < right) | _are_alike(left, right), left, right)


def is_greater(left: Column, right: Column) -> Column:
    return is_less(right, left)


def is_greater_or_equal(left: Column, right: Column) -> Column:
    return is_less_or_equal(right, left)


def is_between(value: Column, low: Column, high: Column) -> Column:
    is_inside = (is_less_or_equal(low, value) == 1.0) & (is_less_or_equal(value, high) == 1.0)
    return _answer(is_inside, value, low, high)


def is_among(value: Any, *options: Any) -> Column:
    is_any = _are_alike(value, options[0])
    for option in options[1:]:
        is_any = is_any | _are_alike(value, option)
    return _answer(is_any, value, *options)


def negate_truth(value: Column) -> Column:
    return 1.0 - value


def _are_alike(left: Any, right: Any) -> Any:
    if left.dtype.kind == "O" or right.dtype.kind == "O":
        return np.equal(left, right).astype(np.bool_)
    return np.abs(left - right) <= ALIKE * np.maximum(np.abs(left), np.abs(right))


def build_text_test(test: Callable[[str, str], bool]) -> FloatFunction:
    """Return what tests texts one by one."""
    return lambda left, right: _apply_to_texts(test, left, right)


def build_text_search(search: Callable[..., bool]) -> FloatFunction:
    """Return what searches texts one by one; a model has few of them."""
    return lambda texts, *_: _apply_to_texts(lambda text: search(spend_nothing, text), texts)


def _apply_to_texts(test: Callable[..., bool], *texts: Any) -> Column:
    def of_row(*row: Any) -> float:
        return NO_RESULT if None in row else float(test(*row))

    answers: Column = np.frompyfunc(of_row, len(texts), 1)(*texts).astype(np.float64)
    return answers


# Aggregates over the rows of a column.


def total(rows: Column) -> Column:
    return sum_rows(rows)


def average(rows: Column) -> Column:
    return sum_rows(rows) / len(rows) if len(rows) else _have_no_result(rows)


def least(rows: Column) -> Column:
    return _reduce(take_least, rows)


def greatest(rows: Column) -> Column:
    return _reduce(take_greatest, rows)


def median(rows: Column) -> Column:
    """Return the middle one by size, or the mean of the two in the middle."""
    if not len(rows):
        return _have_no_result(rows)
    ordered = np.sort(rows + 0.0, axis=0)
    half = len(rows) // 2
    middle = ordered[half] if len(rows) % 2 else (ordered[half - 1] + ordered[half]) * 0.5
    # What is no number comes last.
    return np.where(np.isnan(ordered[-1]), NO_RESULT, middle)


def count_elements(elements: Any) -> Column:
    return np.array([float(len(elements) if elements.ndim > 1 else 1)])


def _reduce(function: Callable[[Column, Column], Column], rows: Column) -> Column:
    if not len(rows):
        return _have_no_result(rows)
    result: Column = rows[0]
    for row in rows[1:]:
        result = function(result, row)
    return result


def _have_no_result(rows: Column) -> Column:
    return np.full(rows.shape[1:], NO_RESULT)


# Tables, whose cells may differ from trial to trial.


@dataclass(frozen=True, slots=True)
class CellFunction:
    """The meaning of an operation that reads a column of a table."""

    table: str
    column: str
    compute: Callable[[Any, Any], Any]
    """Compute it of the cells, of shape (rows, trials), and the keys."""


def build_lookup(table: str, column: str, keys: Sequence[Decimal | str], match: str) -> CellFunction:
    """Return what takes the cell in the row of a key; outside of the table there is no result."""
    find = _find_text_rows if any(isinstance(key, str) for key in keys) else _find_number_rows
    return CellFunction(table, column, lambda cells, key: _take_cells(cells, find(keys, key, match)))


def build_interpolation(table: str, column: str, keys: Sequence[Decimal]) -> CellFunction:
    """Return what takes the number between two rows, on the straight line."""
    points = np.array([float(key) for key in keys])

    def number_at(cells: Column, key: Column) -> Column:
        low_bound, high_bound = (np.where(_are_alike(key, end), end, key) for end in (points[0], points[-1]))
        within = np.where(key < points[0], low_bound, np.where(key > points[-1], high_bound, key))
        is_inside = (within >= points[0]) & (within <= points[-1])
        high = np.minimum(np.searchsorted(points, within, side="right"), len(points) - 1)
        low = np.maximum(high - 1, 0)
        width = points[high] - points[low]
        part = np.where(width > 0.0, (within - points[low]) / width, 0.0)
        at_low, at_high = _take_cells(cells, low), _take_cells(cells, high)
        return np.where(is_inside, at_low + (at_high - at_low) * part, NO_RESULT)

    return CellFunction(table, column, number_at)


def _find_number_rows(keys: Sequence[Decimal | str], key: Column, match: str) -> Any:
    """Return the index of the row of each key, -1 where there is none."""
    numbers = np.array([float(each) for each in keys])
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    count = len(ordered)
    above = np.searchsorted(ordered, key)
    below = np.maximum(above - 1, 0)
    inside = np.minimum(above, count - 1)
    equal = np.where(
        _are_alike(ordered[below], key), below, np.where(_are_alike(ordered[inside], key), inside, -1)
    )
    if match == "below":
        equal = np.where(equal < 0, above - 1, equal)
    elif match == "above":
        equal = np.where(equal < 0, np.where(above < count, above, -1), equal)
    return np.where(np.isnan(key) | (equal < 0), -1, order[equal])


def _find_text_rows(keys: Sequence[Decimal | str], key: Any, _match: str) -> Any:
    rows = {name: row for row, name in reversed([*enumerate(keys)])}
    return np.frompyfunc(lambda name: rows.get(name, -1), 1, 1)(key).astype(np.int64)


def _take_cells(cells: Any, rows: Any) -> Any:
    """Take a cell of each trial; those of no row have no value."""
    nothing = None if cells.dtype == object else NO_RESULT
    taken = cells[rows, 0] if cells.shape[1] == 1 else cells[rows, np.arange(cells.shape[1])]
    return np.where(rows < 0, nothing, taken)
