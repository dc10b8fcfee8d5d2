"""A row is the table of a record: for each of its fields the SQL that gives it and how that is read.

The table is the single source of what a statement selects and of how a row of it becomes a record, as a
`Listing` is of what a list may be filtered and sorted by; so a field cannot be given another's column.

    TOKENS = row_of(
        Token,
        Column("id", ("t.project_id", "t.id"), partial(ids.of, "token")),
        Column("name", "t.name"),
        Column("period", ("t.starts_at", "t.ends_at"), unless_null(Period)),
    )
    await tx.rows(TOKENS.make, f"SELECT {TOKENS.columns} FROM tokens t")

Invariants: every field without a default has one column, and no column names another field: a table that
breaks this fails on import. What several columns read is selected once. `make` takes a row by position and
builds the record by position: what is to be looked up by name is looked up when the table is made.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, LiteralString, TypeVar

Record = TypeVar("Record")
Value = TypeVar("Value")

Reader = Callable[..., Any]
"""Makes a field of the values of its expressions, which it takes by position."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a record: the expressions that it is read from, and the reader, if it needs one.

    A field that no statement gives, because what it holds is read by another, has no expressions and a
    reader that makes its empty value: `Column("children", (), list)`.
    """

    field: str
    sql: LiteralString | tuple[LiteralString, ...]
    read: Reader | None = None

    @property
    def expressions(self) -> tuple[LiteralString, ...]:
        return self.sql if isinstance(self.sql, tuple) else (self.sql,)


@dataclass(frozen=True, slots=True)
class Row(Generic[Record]):
    """What to select for a record, and what makes a record of a row of it."""

    columns: LiteralString
    make: Callable[..., Record]


def row_of(record: Callable[..., Record], *columns: Column) -> Row[Record]:
    """The table of a record; ValueError when it does not fit the record's fields."""
    by_field = {column.field: column for column in columns}
    if len(by_field) < len(columns):
        raise ValueError(f"A field of {record} has two columns.")
    unread = [column.field for column in columns if column.read is None and len(column.expressions) != 1]
    if unread:
        raise ValueError(f"Without a reader a column has one expression; {unread} of {record} has not.")
    ordered = _in_order_of_fields(record, by_field)
    selected = tuple(dict.fromkeys(sql for column in columns for sql in column.expressions))
    return Row(", ".join(selected), _maker(record, ordered, selected))


def unless_null(read: Callable[..., Value]) -> Callable[..., Value | None]:
    """A reader that gives null where one of its values is null."""

    def read_values(*values: Any) -> Value | None:
        return None if None in values else read(*values)

    return read_values


def _in_order_of_fields(record: Callable[..., Any], by_field: dict[str, Column]) -> list[Column]:
    """The columns in the order of the record's fields; fields that are left to their default come last."""
    parameters = inspect.signature(record).parameters
    unknown = by_field.keys() - parameters.keys()
    names = list(parameters)[: len(by_field)]
    missing = [name for name in names if name not in by_field] + [
        name
        for name, parameter in parameters.items()
        if name not in by_field and parameter.default is inspect.Parameter.empty
    ]
    if unknown or missing:
        raise ValueError(
            f"The columns of {record} do not fit: no such fields {sorted(unknown)}, no columns for {missing}."
        )
    return [by_field[name] for name in names]


def _maker(
    record: Callable[..., Record], columns: Sequence[Column], selected: Sequence[str]
) -> Callable[..., Record]:
    """Builds records by position: what readers make is put behind the row, and one pick orders all."""
    positions = {sql: index for index, sql in enumerate(selected)}
    reads: list[Callable[[Sequence[Any]], Any]] = []
    order: list[int] = []
    for column in columns:
        read_from = [positions[sql] for sql in column.expressions]
        if column.read is None:
            order.extend(read_from)
        else:
            order.append(len(selected) + len(reads))
            reads.append(_reading(column.read, read_from))
    if order == list(range(len(selected))):
        return record
    pick = _pick(order)

    def make(*row: Any) -> Record:
        return record(*pick((*row, *[read(row) for read in reads])))

    return make


def _reading(read: Reader, positions: Sequence[int]) -> Callable[[Sequence[Any]], Any]:
    if not positions:
        return lambda _row: read()
    if len(positions) == 1:
        [only] = positions
        return lambda row: read(row[only])
    if len(positions) == 2:
        first, second = positions
        return lambda row: read(row[first], row[second])
    pick = itemgetter(*positions)
    return lambda row: read(*pick(row))


def _pick(order: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    if len(order) == 1:
        [only] = order
        return lambda row: (row[only],)
    pick: Callable[[Sequence[Any]], Sequence[Any]] = itemgetter(*order)
    return pick
