"""A row is the table of a record: for each of its fields the SQL that gives it and how that is read.

The table is the single source of what a statement selects and of how a row of it becomes a record, as a
`Listing` is of what a list may be filtered and sorted by; so a field cannot be given another's column.

    TOKENS = row_of(
        Token,
        Column("id", ("t.project_id", "t.id"), partial(identity.of, "token")),
        Column("name", "t.name"),
    )

`remove_unused` removes a stored record.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, LiteralString, TypeVar

from psycopg.errors import ForeignKeyViolation
from psycopg.sql import SQL, Identifier

from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid

Record = TypeVar("Record")
OtherRecord = TypeVar("OtherRecord")
Value = TypeVar("Value")

Reader = Callable[..., Any]
"""Makes a field of the values that it is read from, which it takes by position."""

_Step = Callable[[Sequence[Any]], Any]
"""Makes one more value of those that are there."""


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
    def sources(self) -> tuple[LiteralString, ...]:
        return self.sql if isinstance(self.sql, tuple) else (self.sql,)


@dataclass(frozen=True, slots=True)
class Derived:
    """One field of a record that is made of others, whose columns stand before it."""

    field: str
    sources: tuple[str, ...]
    read: Reader


@dataclass(frozen=True, slots=True)
class Row(Generic[Record]):
    """What to select for a record, and what makes a record of a row of it."""

    sources: tuple[LiteralString, ...]
    make: Callable[..., Record]

    @property
    def columns(self) -> LiteralString:
        """The select list: every expression once, in the order in which `make` takes its values."""
        return ", ".join(self.sources)


def row_of(record: Callable[..., Record], *columns: Column | Derived) -> Row[Record]:
    """The table of a record; ValueError when it does not fit the record's fields."""
    fields = _fields(record, [column.field for column in columns])
    selected = tuple(
        dict.fromkeys(sql for column in columns if isinstance(column, Column) for sql in column.sources)
    )
    return Row(selected, _maker(record, columns, fields, selected))


def either_of(
    deciding: LiteralString, when_null: Row[Record], otherwise: Row[OtherRecord]
) -> Row[Record | OtherRecord]:
    """The table of a list of two kinds: a row is the first where an expression is null, else the other."""
    selected = tuple(dict.fromkeys((deciding, *when_null.sources, *otherwise.sources)))
    of_sql = {sql: index for index, sql in enumerate(selected)}
    of_null = _picked([of_sql[source] for source in when_null.sources])
    of_other = _picked([of_sql[source] for source in otherwise.sources])

    def make(*row: Any) -> Record | OtherRecord:
        return when_null.make(*of_null(row)) if row[0] is None else otherwise.make(*of_other(row))

    return Row(selected, make)


def unless_null(read: Callable[..., Value]) -> Callable[..., Value | None]:
    """A reader that gives null where one of its values is null."""

    def read_values(*values: Any) -> Value | None:
        return None if None in values else read(*values)

    return read_values


def _fields(record: Callable[..., Any], named: Sequence[str]) -> list[str]:
    """The record's fields that columns name, in its order; those that are left to their default come last."""
    parameters = inspect.signature(record).parameters
    fields = [
        name
        for index, (name, parameter) in enumerate(parameters.items())
        if index < len(named) or parameter.default is inspect.Parameter.empty
    ]
    if sorted(fields) != sorted(named):
        raise ValueError(f"The columns of {record} are {list(named)}; its fields are {fields}.")
    return fields


def _maker(
    record: Callable[..., Record],
    columns: Iterable[Column | Derived],
    fields: Sequence[str],
    selected: Sequence[str],
) -> Callable[..., Record]:
    """Builds records by position: what readers make is put behind the row, and one pick orders all."""
    of_sql = {sql: index for index, sql in enumerate(selected)}
    of_field: dict[str, int] = {}
    steps: list[_Step] = []
    for column in columns:
        known = of_sql if isinstance(column, Column) else of_field
        if not known.keys() >= {*column.sources}:
            raise ValueError(
                f"{column.field} of {record} is made of fields that stand behind it, or nowhere."
            )
        positions = [known[source] for source in column.sources]
        if column.read is not None:
            of_field[column.field] = len(selected) + len(steps)
            steps.append(_step(column.read, positions))
        elif len(positions) == 1:
            of_field[column.field] = positions[0]
        else:
            raise ValueError(f"{column.field} of {record} needs a reader, or one expression.")
    order = [of_field[name] for name in fields]
    if order == list(range(len(selected))):
        return record
    return _made_of(record, steps, _picked(order))


def _made_of(
    record: Callable[..., Record], steps: Sequence[_Step], pick: Callable[[Sequence[Any]], Iterable[Any]]
) -> Callable[..., Record]:
    def make(*row: Any) -> Record:
        values = [*row]
        for step in steps:
            values.append(step(values))
        return record(*pick(values))

    return make


def _step(read: Reader, positions: Sequence[int]) -> _Step:
    if not positions:
        return lambda _values: read()
    if len(positions) == 1:
        [only] = positions
        return lambda values: read(values[only])
    if len(positions) == 2:
        first, second = positions
        return lambda values: read(values[first], values[second])
    pick = itemgetter(*positions)
    return lambda values: read(*pick(values))


def _picked(positions: Sequence[int]) -> Callable[[Sequence[Any]], Iterable[Any]]:
    if len(positions) == 1:
        [only] = positions
        return lambda values: (values[only],)
    pick: Callable[[Sequence[Any]], Iterable[Any]] = itemgetter(*positions)
    return pick


async def remove_unused(tx: Write, table: LiteralString, project: int, number: int, *, used: str) -> None:
    """Remove a row of a project that no other row names; `used` is the refusal when one does."""
    statement = SQL("DELETE FROM {} WHERE project_id = %s AND id = %s").format(Identifier(table))
    try:
        await tx.execute(statement, (project, number))
    except ForeignKeyViolation:
        raise Invalid([Problem(used, code="in_use")]) from None
