"""Write the table of units that `core/unit.py` reads, from the definitions of pint.

    python -m tools.unit_table

A line gives the names of a unit, its factor, its offset and its dimensions; a line that begins with a name
and `-` gives a prefix, and how many it stands for. Prefixes stand in the order in which they are tried.
"""

from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pint

from weighbridge.core import unit as unit_table

TABLE: Final = Path(unit_table.__file__).with_name("units.tsv")
TEMPERATURE: Final = (("temperature", 1),)


def written() -> str:
    """The table as text."""
    registry: Any = pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)
    of_unit: dict[str, list[str]] = {}
    for name in registry:
        unit = registry.get_name(name)
        of_unit.setdefault(unit, [unit]).extend([name] if name != unit else [])
    lines = [f"{prefix}-\t{_fraction(_size(registry, prefix))}" for prefix in _prefixes()]
    for unit, its_names in sorted(of_unit.items()):
        lines.append("\t".join((" ".join(its_names), *_meaning(registry, unit))))
    return "\n".join(lines) + "\n"


def _prefixes() -> list[str]:
    """The names of the prefixes in the order of pint's definitions: `kilo- = 1e3 = k-`, `_` for no symbol."""
    text = files(pint).joinpath("default_en.txt").read_text(encoding="utf-8")
    names: list[str] = []
    for line in text.splitlines():
        name, *others = (part.strip() for part in line.partition("#")[0].split("="))
        if name.endswith("-"):
            names += (one.removesuffix("-") for one in (name, *others[1:]) if one != "_")
    return names


def _size(registry: Any, prefix: str) -> Fraction:
    """How many a prefix stands for: so many bytes there are in a unit with it."""
    return Fraction(registry.Quantity(Fraction(1), f"{prefix}byte").to("byte").magnitude)


def meaning(registry: Any, name: str) -> unit_table.Meaning | None:
    """What pint knows of a name."""
    try:
        parsed = registry.parse_units(name)
        dimensions = registry.get_dimensionality(parsed)
        zero, one = (registry.Quantity(Fraction(n), parsed).to_root_units().magnitude for n in (0, 1))
    except Exception:  # noqa: BLE001 - pint fails in many ways on a name it does not know
        return None
    powers = tuple((str(base).strip("[]"), int(exponent)) for base, exponent in dimensions.items())
    if zero and powers != TEMPERATURE:
        return None  # logarithmic units such as dB have no factor
    return powers, Fraction(one - zero), Fraction(zero)


def _meaning(registry: Any, unit: str) -> tuple[str, str, str]:
    found = meaning(registry, unit)
    if found is None:
        return "", "", ""
    dimensions, factor, offset = found
    return _fraction(factor), _fraction(offset), " ".join(f"{name}^{power}" for name, power in dimensions)


def _fraction(value: Any) -> str:
    return str(Fraction(value))


if __name__ == "__main__":
    TABLE.write_text(written())
