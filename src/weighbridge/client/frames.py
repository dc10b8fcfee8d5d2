"""Records as a table of columns, for Arrow, pandas and polars, with every digit.

The rules, which are those of the service's own files where it writes the same list as Parquet:

- a field of a nested record has a column with a dot, `primary_output.value`; a list stands as JSON;
- the data points of an event have a column each, `value.<slug>`;
- numbers are decimals as wide as the values of the column: of 128 bits up to 38 digits, of 256 bits up to 76,
  and texts beyond;
- a field that may be a number, a text or a truth becomes two columns, whatever it holds: `value` has the
  numbers, `text_value` the rest as texts;
- times are in UTC, to the millisecond; what is not there is null, never NaN;
- a unit that is the same in all rows is kept as metadata of its column.

Invariant: no number becomes a binary float unless the caller asks for that in so many words.
"""

import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Literal

import msgspec

Numbers = Literal["decimal", "float_of_15_digits"]
"""How numbers are given: exactly, or as binary floats, which keep 15 to 16 digits and round the rest away."""

LEFT_OUT: Final = frozenset({"input_data", "input_data_next", "allocations", "downstream_batch_allocations"})
"""Fields of batches that have lists of their own, as the service's files leave them out."""

POINTS: Final = "data_points"
"""The field whose values become columns."""
VALUE: Final = "value."
UNIT: Final = "unit"
NARROW: Final = 38
WIDE: Final = 76
"""Digits of the decimals of 128 and of 256 bits."""
FLOAT_DIGITS: Final = 15

_json: Final = msgspec.json.Encoder(decimal_format="number")


class Kind(Enum):
    """What a column holds."""

    NUMBER = "number"
    WHOLE = "whole"
    TRUTH = "truth"
    MOMENT = "moment"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its cells, None where there is none, and the unit that all of them have."""

    name: str
    kind: Kind
    cells: Sequence[Any]
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Records as columns. Arrow, pandas and polars are loaded when one of them is asked for."""

    columns: Sequence[Column]

    @property
    def units(self) -> dict[str, str]:
        """The units of the columns that have one, by their names."""
        return {column.name: column.unit for column in self.columns if column.unit is not None}

    def to_arrow(self, *, numbers: Numbers = "decimal") -> Any:
        """The table for Arrow, the units as metadata `unit` of its fields.

        `numbers="float_of_15_digits"` makes binary floats of numbers, which keep 15 digits of each.
        """
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        fields, arrays = [], []
        for column in self.columns:
            kind, values = _arrow(column, numbers)
            fields.append(pa.field(column.name, kind, metadata={UNIT: column.unit} if column.unit else None))
            arrays.append(pa.array(values, kind))
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def to_pandas(self, *, numbers: Numbers = "decimal") -> Any:
        """The table as a data frame of pandas whose columns stay Arrow's, the units in `frame.attrs`.

        Needs `weighbridge[pandas]`. `numbers` is as for `to_arrow`.
        """
        import pandas as pd  # noqa: PLC0415 - only for those who have it

        frame = self.to_arrow(numbers=numbers).to_pandas(types_mapper=pd.ArrowDtype)
        frame.attrs["units"] = self.units
        return frame

    def to_polars(self, *, numbers: Numbers = "decimal") -> Any:
        """The table as a data frame of polars; the units are in `units` of the table.

        Needs `weighbridge[polars]`. Its decimals have 38 digits: columns that need more are texts.
        `numbers` is as for `to_arrow`.
        """
        import polars as pl  # noqa: PLC0415
        import pyarrow as pa  # noqa: PLC0415

        table = self.to_arrow(numbers=numbers)
        for place, column in enumerate(self.columns):
            if pa.types.is_decimal256(table.schema.field(place).type):
                texts = pa.array(map(_write_number, column.cells), pa.string())
                table = table.set_column(place, column.name, texts)
        return pl.from_arrow(table)


def tabulate(records: Iterable[Any], record: type[msgspec.Struct] | None = None) -> Table:
    """The records of one kind as a table; without any, with the columns that records of `record` have."""
    rows = [*records]
    record = record or (type(rows[0]) if rows else None)
    return Table(_with_units([*_columns(rows, record, "")]) if record is not None else [])


def _columns(rows: Sequence[Any], record: type[msgspec.Struct], above: str) -> Iterator[Column]:
    hints = typing.get_type_hints(record)
    for field in msgspec.structs.fields(record):
        name = field.encode_name
        if name in LEFT_OUT:
            continue
        values = [None if row is None else getattr(row, field.name) for row in rows]
        kinds = _alternatives(hints[field.name])
        [one, *more] = kinds or [Any]
        if not more and isinstance(one, type) and issubclass(one, msgspec.Struct):
            yield from _columns(values, one, f"{above}{name}.")
        elif name == POINTS and {"slug", "value", "unit"} <= _fields_of_items(one):
            yield from _value_columns(values)
        else:
            yield from _plain(above, name, kinds, values)


def _fields_of_items(kind: Any) -> set[str]:
    """The fields of the records of which a list is one; none of what is no such list."""
    [item, *_] = typing.get_args(kind) or [None]
    return {*getattr(item, "__struct_fields__", ())}


def _alternatives(hint: Any) -> list[Any]:
    """What a field may hold besides nothing."""
    if typing.get_origin(hint) in {typing.Union, types.UnionType}:
        found = [each for part in typing.get_args(hint) for each in _alternatives(part)]
        return [each for each in found if each not in {type(None), msgspec.UnsetType}]
    return [hint]


_KINDS: Final[Mapping[Any, Kind]] = {
    Decimal: Kind.NUMBER,
    int: Kind.WHOLE,
    bool: Kind.TRUTH,
    datetime: Kind.MOMENT,
}


def _plain(above: str, name: str, kinds: Sequence[Any], values: Sequence[Any]) -> Iterator[Column]:
    if kinds == [Any] or (len(kinds) > 1 and {*kinds} & {Decimal, int}):
        yield from _mixed(above, name, values)
        return
    kind = _KINDS.get(kinds[0], Kind.TEXT) if len(kinds) == 1 else Kind.TEXT
    yield Column(above + name, kind, [*map(_write_text, values)] if kind is Kind.TEXT else values)


def _mixed(above: str, name: str, values: Sequence[Any]) -> Iterator[Column]:
    """A field that may be a number or something else, in two columns that do not depend on what it holds."""
    yield Column(above + name, Kind.NUMBER, [value if _is_number(value) else None for value in values])
    texts = [None if _is_number(value) else _write_text(value) for value in values]
    yield Column(f"{above}text_{name}", Kind.TEXT, texts)


def _is_number(value: Any) -> bool:
    return isinstance(value, Decimal | int) and not isinstance(value, bool)


def _write_text(value: Any) -> str | None:
    """A value as a text: a truth and a moment as the interface writes them, a list as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal | int):
        return _write_number(value)
    if isinstance(value, list | dict):
        return _json.encode(value).decode() if value else None
    return _json.encode(value).decode().strip('"')


def _write_number(value: Decimal | int | None) -> str | None:
    """A number without an exponent; an int would be written by way of a float."""
    return None if value is None else format(Decimal(value), "f")


# The values of events: a column for each slug, as all values of it are.


def _value_columns(lists: Sequence[Any]) -> Iterator[Column]:
    slugs = dict.fromkeys(point.slug for points in lists for point in points or ())
    rows = [{point.slug: point for point in points or ()} for points in lists]
    for slug in slugs:
        points = [row.get(slug) for row in rows]
        values = [None if point is None else point.value for point in points]
        kind = _kind_of_values([value for value in values if value is not None])
        units = [None if point is None else point.unit for point in points]
        yield Column(
            VALUE + slug, kind, [*map(_write_text, values)] if kind is Kind.TEXT else values, _one(units)
        )
        if len({unit for unit in units if unit is not None}) > 1:
            yield Column(f"{UNIT}.{slug}", Kind.TEXT, units)


def _kind_of_values(values: Sequence[Any]) -> Kind:
    """Numbers or truths where all of them are, else texts."""
    if values and all(map(_is_number, values)):
        return Kind.NUMBER
    return Kind.TRUTH if values and all(isinstance(value, bool) for value in values) else Kind.TEXT


def _one(units: Sequence[str | None]) -> str | None:
    """The unit that all have which have one."""
    found = {unit for unit in units if unit is not None}
    return found.pop() if len(found) == 1 else None


def _with_units(columns: Sequence[Column]) -> Sequence[Column]:
    """The columns, each `value` with the unit that its neighbour `unit` has in all rows."""
    units = {column.name: column for column in columns if column.kind is Kind.TEXT}
    return [
        Column(column.name, column.kind, column.cells, _one(neighbour.cells))
        if column.kind is Kind.NUMBER and column.unit is None and (neighbour := units.get(_unit_of(column)))
        else column
        for column in columns
    ]


def _unit_of(column: Column) -> str:
    return column.name.rpartition(".")[0] + "." * ("." in column.name) + UNIT


# Types of Arrow.


def _arrow(column: Column, numbers: Numbers) -> tuple[Any, Sequence[Any]]:
    """The type of a column and its values, as that type takes them."""
    import pyarrow as pa  # noqa: PLC0415

    if column.kind is Kind.NUMBER:
        if numbers == "float_of_15_digits":
            return pa.float64(), [None if value is None else float(value) for value in column.cells]
        return _decimals(column.cells)
    plain: Mapping[Kind, Callable[[], Any]] = {
        Kind.WHOLE: pa.int64,
        Kind.TRUTH: pa.bool_,
        Kind.TEXT: pa.string,
        Kind.MOMENT: lambda: pa.timestamp("ms", tz="UTC"),
    }
    return plain[column.kind](), column.cells


def _decimals(values: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """Decimals as wide as the values: the most digits before the point, and the most behind it."""
    import pyarrow as pa  # noqa: PLC0415

    numbers = [None if value is None else Decimal(value) for value in values]
    whole, places = 1, 0
    for number in numbers:
        if number is not None:
            _, digits, exponent = number.as_tuple()
            assert isinstance(exponent, int), "JSON has no number that is none"  # noqa: S101
            whole, places = max(whole, len(digits) + exponent), max(places, -exponent)
    if whole + places > WIDE:
        return pa.string(), [*map(_write_number, numbers)]
    wide = whole + places > NARROW
    return (pa.decimal256(WIDE, places) if wide else pa.decimal128(NARROW, places)), numbers
