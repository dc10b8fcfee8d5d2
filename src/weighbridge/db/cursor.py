"""A cursor marks a position in an ordered list: after the row whose sort values it holds.

Walking by cursor costs the same for every page, and rows that come or go meanwhile shift nothing: each row
that was there all the time is met exactly once.

Invariants: `read(write(order, values))` gives order and values back; the values are never null, because
every column that a list is sorted by has a value in every row.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.db.json import written
from weighbridge.db.literal import Literal

CURSOR_LENGTH_MAX: Final = 4000
"""Characters of a cursor; those that we write are far shorter."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """One column of an order, and which way it runs."""

    expression: LiteralString
    descends: bool

    @property
    def sql(self) -> Composable:
        return SQL("{} DESC" if self.descends else "{}").format(SQL(self.expression))


class _Position(msgspec.Struct, array_like=True, frozen=True):
    order: list[str]
    values: list[str]


def write(order: Sequence[str], values: Sequence[Any]) -> str:
    """Write the cursor of a row in an order."""
    position = _Position(list(order), [_text(value) for value in values])
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def read(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the order and the values of a cursor; ValueError for a text that is none."""
    if len(text) > CURSOR_LENGTH_MAX:
        raise ValueError(text)
    try:
        decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        position = msgspec.json.decode(decoded, type=_Position)
    except (binascii.Error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(text) from error
    if any("\x00" in value for value in position.values):
        raise ValueError(text)
    return tuple(position.order), tuple(position.values)


def after(order: Sequence[SortKey], values: Sequence[str]) -> Composable:
    """The condition that a row stands behind the cursor's in the order.

    The values are untyped literals, which PostgreSQL reads as what they are compared with.
    """
    if len({column.descends for column in order}) == 1:
        return _compared(order, "<" if order[0].descends else ">", values)
    alternatives = []
    for index, column in enumerate(order):
        equal = [
            SQL("{} = {}").format(SQL(before.expression), Literal(value))
            for before, value in zip(order[:index], values[:index], strict=True)
        ]
        beyond = SQL("{} {} {}").format(
            SQL(column.expression), SQL("<" if column.descends else ">"), Literal(values[index])
        )
        alternatives.append(SQL("({})").format(SQL(" AND ").join([*equal, beyond])))
    return SQL("({})").format(SQL(" OR ").join(alternatives))


def not_before(order: Sequence[SortKey], values: Sequence[str]) -> Composable:
    """The condition that a row does not stand before the cursor's, by the first columns of one direction."""
    return _compared(order, "<=" if order[0].descends else ">=", values)


def _compared(order: Sequence[SortKey], operator: LiteralString, values: Sequence[str]) -> Composable:
    return SQL("({}) {} ({})").format(
        SQL(", ").join(SQL(column.expression) for column in order),
        SQL(operator),
        SQL(", ").join(Literal(value) for value in values[: len(order)]),
    )


def _text(value: Any) -> str:
    assert value is not None, "a list is sorted by columns that always have a value"  # noqa: S101
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(written(value))
