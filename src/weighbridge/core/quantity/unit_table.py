"""The table of single units: what each name means, with or without a prefix.

It is made of the definitions of pint (`tools/unit_table.py`), and read as pint reads a name: the whole name
first, then each prefix before each unit, then the same with an `s` at the end. To have pint itself read them
would take a third of a second of each process.

Invariants: whatever was asked before, a name means the same; a factor is an exact rational.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Final

Meaning = tuple[tuple[tuple[str, int], ...], Fraction, Fraction]
"""Dimensions, the factor to base units, the offset of zero."""

_PLURAL: Final = "s"


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The lines of the table by their names; a unit without a factor, such as dB, has no other fields."""

    prefixes: dict[str, str]
    units: dict[str, tuple[str, ...]]


def meaning(name: str) -> Meaning | None:
    """What a name means; None where it means nothing, or nothing that has a factor."""
    table = _table()
    name = name.replace("°", "degree")
    if name in table.units:
        return _meaning(table.units[name])
    for ending in ("", _PLURAL):
        for prefix in ("", *table.prefixes):
            if name.startswith(prefix) and name.endswith(ending):
                stem = name[len(prefix) :].removesuffix(ending)
                is_letter = bool(ending) and len(stem) == 1
                if stem in table.units and not is_letter:
                    return _prefixed(table.prefixes.get(prefix), table.units[stem])
    return None


def _prefixed(scale: str | None, line: tuple[str, ...]) -> Meaning | None:
    found = _meaning(line)
    if scale is None or found is None:
        return found
    dimensions, factor, offset = found
    return None if offset else (dimensions, factor * Fraction(scale), offset)


def _meaning(line: tuple[str, ...]) -> Meaning | None:
    factor, offset, dimensions = line
    if not factor:
        return None
    powers = (part.split("^") for part in dimensions.split())
    return tuple((name, int(power)) for name, power in powers), Fraction(factor), Fraction(offset)


@cache
def _table() -> UnitTable:
    text = files("weighbridge.core.quantity").joinpath("units.tsv").read_text(encoding="utf-8")
    prefixes: dict[str, str] = {}
    units: dict[str, tuple[str, ...]] = {}
    for names, *rest in (line.split("\t") for line in text.splitlines()):
        if names.endswith("-"):
            prefixes[names[:-1]] = rest[0]
        else:
            units.update(dict.fromkeys(names.split(" "), tuple(rest)))
    return UnitTable(prefixes, units)
