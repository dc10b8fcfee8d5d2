"""Write values as YAML that the reader of model documents reads as the same values.

Invariants: a text stands without quotes only where it is read as that text, beside brackets as well where
it stands in brackets; a number keeps its digits.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.number import plain

Written = str | Decimal | bool | Sequence["Written"] | Mapping[str, "Written"]
"""What a key of a document may have as its value."""

Fields = Mapping[str, Written]
"""The keys of a node or a case with their values, in the order in which they are written."""

_ON_ONE_LINE: Final = 100
"""Characters up to which a mapping is written on one line."""

_PLAIN: Final = re.compile(r"(?!.*(: |:$| #))[^\W_][^\n]*(?<! )|\((?!.*(: |:$| #))[^\n]+(?<! )")
"""A text that needs no quotes outside of brackets: it begins with a letter, a digit or a parenthesis."""

_BRACKETS: Final = frozenset(",[]{}:")
_ESCAPED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_SPECIAL: Final = re.compile(r"[+-]?[0-9][0-9.eE+-]*|true|false|null")
"""What is read as a number, a truth or nothing, or resembles it."""


def write_block(fields: Fields, indent: int, break_: str) -> str:
    """An item of a list: a dash, then one key on each line; without a break at its end."""
    lines = [line for key, value in fields.items() for line in _write_entry(key, value)]
    space = " " * indent
    return break_.join(f"{space}{'- ' if number == 0 else '  '}{line}" for number, line in enumerate(lines))


def write_flow(value: Written) -> str:
    """A value on one line, for a place inside brackets."""
    match value:
        case Mapping():
            return "{" + ", ".join(f"{write_flow(key)}: {write_flow(of)}" for key, of in value.items()) + "}"
        case str() | Decimal() | bool():
            return write_scalar(value, in_brackets=True)
    return "[" + ", ".join(map(write_flow, value)) + "]"


def write_scalar(value: str | Decimal | bool, *, in_brackets: bool = False) -> str:  # noqa: FBT001 - a value
    """A text, a number, true or false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return plain(value)
    is_special = _SPECIAL.fullmatch(value) is not None or (in_brackets and not _BRACKETS.isdisjoint(value))
    if value.isprintable() and not is_special and _PLAIN.fullmatch(value):
        return value
    return '"' + "".join(map(_escape, value)) + '"'


def _write_entry(key: str, value: Written) -> Iterator[str]:
    if isinstance(value, str | Decimal | bool):
        yield f"{write_scalar(key)}: {write_scalar(value)}"
        return
    line = f"{write_scalar(key)}: {write_flow(value)}"
    if not isinstance(value, Mapping) or len(line) <= _ON_ONE_LINE:
        yield line
        return
    yield f"{write_scalar(key)}:"
    for inner, of in value.items():
        written = write_scalar(of) if isinstance(of, str | Decimal | bool) else write_flow(of)
        yield f"  {write_scalar(inner)}: {written}"


def _escape(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"
