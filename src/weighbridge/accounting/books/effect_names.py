"""What people call effects: the name of a certificate, or a static input with its value and its date.

Calibrations are effects under their ids, and values of static inputs are owners under their numbers
(`core/engine/uncertainty.py`). All others are called by the names that they have.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from weighbridge.accounting.records.batches import BatchUncertainty, UncertaintyLine
from weighbridge.accounting.records.uncertainty import WeighedEffect
from weighbridge.core import identity
from weighbridge.core.number import plain
from weighbridge.core.uncertainty.effects import Uncertainty, UncertaintyEffect
from weighbridge.db.engine import Read

_STATIC_INPUT: Final = re.compile(r"static input ([0-9]{1,9})")

EffectNames = Mapping[UncertaintyEffect, str]
"""What effects are called; those that are missing by the names that they have."""


def find_static_input(owner: str | None) -> int | None:
    """Return the number of the static input that is the owner of an effect; None for other owners."""
    found = _STATIC_INPUT.fullmatch(owner or "")
    return int(found[1]) if found else None


async def read_effect_names(tx: Read, project: int, effects: Iterable[UncertaintyEffect]) -> EffectNames:
    """Read what effects are called that a calibration or a static input of a project is; in one query."""
    calibrations: dict[int, list[UncertaintyEffect]] = {}
    statics: dict[int, list[UncertaintyEffect]] = {}
    for effect in set(effects):
        key = None if effect.owner else identity.parse("calibration", effect.name)
        static = find_static_input(effect.owner)
        if key is not None and key.project == project:
            calibrations.setdefault(key.key, []).append(effect)
        elif static is not None:
            statics.setdefault(static, []).append(effect)
    if not calibrations and not statics:
        return {}
    rows = await tx.tuples(
        _NAMES, {"project": project, "calibrations": [*calibrations], "statics": [*statics]}
    )
    names: dict[UncertaintyEffect, str] = {}
    for is_calibration, number, name, value, unit, day in rows:
        found = calibrations if is_calibration else statics
        text = name if is_calibration else f"{name} {plain(value)}{f' {unit}' if unit else ''} from {day}"
        names |= dict.fromkeys(found[number], text)
    return names


def name_effect(names: EffectNames, effect: UncertaintyEffect) -> str:
    """Return what an effect is called."""
    return names.get(effect, effect.name)


def describe_effect(names: EffectNames, uncertainty: Uncertainty, effect: UncertaintyEffect) -> WeighedEffect:
    """Describe an effect of a result: what it is called, and by which inputs it acts."""
    inputs = sorted(uncertainty.components[effect].by_input)
    return WeighedEffect(effect.name, effect.owner or None, name_effect(names, effect), inputs)


async def name_lines(tx: Read, project: int, lines: Sequence[UncertaintyLine]) -> list[UncertaintyLine]:
    """Return the lines of a budget with the names that their effects have now."""
    return _apply_names(await read_effect_names(tx, project, map(_read_effect, lines)), lines)


async def name_budgets(
    tx: Read, project: int, uncertainties: Sequence[BatchUncertainty | None]
) -> list[BatchUncertainty | None]:
    """Return what batches show of their uncertainty with the names that effects have now."""
    lines = [line for one in uncertainties if one is not None for line in one.budget]
    names = await read_effect_names(tx, project, map(_read_effect, lines))
    return [
        None if one is None else msgspec.structs.replace(one, budget=_apply_names(names, one.budget))
        for one in uncertainties
    ]


def _apply_names(names: EffectNames, lines: Sequence[UncertaintyLine]) -> list[UncertaintyLine]:
    return [msgspec.structs.replace(line, name=name_effect(names, _read_effect(line))) for line in lines]


def _read_effect(line: UncertaintyLine) -> UncertaintyEffect:
    return UncertaintyEffect(line.effect, line.owner or "")


_NAMES: Final = """
    SELECT true, c.id, c.name, NULL::numeric, NULL, NULL::text FROM calibrations c
     WHERE c.project_id = %(project)s AND c.id = ANY (%(calibrations)s::integer[])
    UNION ALL
    SELECT false, s.id, s.slug, s.value, s.unit,
           to_char(s.effective_from AT TIME ZONE p.time_zone, 'YYYY-MM-DD')
      FROM static_inputs s JOIN projects p ON p.id = s.project_id
     WHERE s.project_id = %(project)s AND s.id = ANY (%(statics)s::integer[])
"""
