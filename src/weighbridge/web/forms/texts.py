"""A record as the texts that stand in the fields of its form, by the names of the fields.

A field inside a record is named by its path, `address.city`, and one of a row by its line,
`data_point_types[0].name`: as the interface names what a problem is about.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.core.quantity.number import plain
from weighbridge.web.forms.field import FormField
from weighbridge.web.showing.moments import Moments, moment_of

Texts = Mapping[str, str]

LINES_MAX: Final = 1_000
"""Rows of a form that are read, at most."""

_LINE: Final = re.compile(r"\[(\d+)\]\.")
_DIGITS_READ: Final = 9
"""Digits of a row's number that are read; a longer number is beyond any form."""


def texts_of(fields: Sequence[FormField], record: Any, when: Moments, within: str = "") -> dict[str, str]:
    """The texts of a record; those of what it does not have are left out."""
    texts: dict[str, str] = {}
    for one in fields:
        value, path = _value(record, one.name), within + one.name
        if value is None:
            continue
        if one.kind == "group":
            texts |= texts_of(one.fields, value, when, f"{path}.")
        elif one.kind == "rows":
            for at, row in enumerate(value):
                texts |= texts_of(one.fields, row, when, f"{path}[{at}].")
        else:
            texts[path] = _text(one, value, when)
    return texts


def usual_texts(fields: Sequence[FormField]) -> dict[str, str]:
    """What stands in the fields of a new record."""
    return {one.name: one.usual for one in fields if one.usual and not one.fields}


def lines_of(texts: Iterable[str], path: str) -> int:
    """How many rows there are of a path, blank ones among them."""
    return min(max(_lines(texts, path), default=-1) + 1, LINES_MAX)


def count_fields(texts: Iterable[str]) -> int:
    """About how many fields a form with these has, which shows the rows before the last one as well."""
    names = [*texts]
    rows = [_number(digits) for name in names for digits in _LINE.findall(name)]
    return max([len(names), *(min(row + 1, LINES_MAX) for row in rows)])


def is_beyond_lines(texts: Texts, path: str) -> bool:
    """Whether something was typed into a row that is not read."""
    return any(line >= LINES_MAX for line in _lines((name for name, text in texts.items() if text), path))


def _lines(texts: Iterable[str], path: str) -> Iterator[int]:
    for name in texts:
        if name.startswith(path) and (match := _LINE.match(name, len(path))) is not None:
            yield _number(match[1])


def _number(digits: str) -> int:
    return int(digits.lstrip("0")[:_DIGITS_READ] or "0")


def _value(record: Any, name: str) -> Any:
    found = record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)
    return None if found is msgspec.UNSET else found


def _text(one: FormField, value: Any, when: Moments) -> str:
    if one.kind == "truth":
        return "yes" if value else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal | int):
        return plain(Decimal(value))
    if one.kind == "moment" and isinstance(value, datetime | str):
        return _clock(when, value)
    return str(value)


def _clock(when: Moments, value: datetime | str) -> str:
    """A moment by the clock of the project, with seconds where it has any."""
    local = when.local(moment_of(value))
    if local.microsecond:
        return f"{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond // 1000:03d}"
    return f"{local:%Y-%m-%dT%H:%M:%S}" if local.second else f"{local:%Y-%m-%dT%H:%M}"
