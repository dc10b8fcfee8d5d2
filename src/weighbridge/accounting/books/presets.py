"""Presets: what a system ledger is made with. Its unit comes with its kind, and it runs no model.

What a caller says besides may repeat the preset and not contradict it.
"""

import msgspec

from weighbridge.accounting.ledgers.records import NewLedger
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.problem import Problem
from weighbridge.errors import Malformed


def with_preset(given: NewLedger) -> tuple[NewLedger, str, list[Problem]]:
    """What a ledger is to be made with and its unit; and what is wrong with it as a system ledger."""
    if given.system_ledger_type is None:
        if given.unit is None:
            raise Malformed([Problem("ledger.unit is required.", "ledger.unit", "required")])
        return given, given.unit, []
    preset = PRESETS.get(given.system_ledger_type)
    if preset is None:
        field = "ledger.system_ledger_type"
        message = f"system_ledger_type is {given.system_ledger_type!r}; it is one of {', '.join(PRESETS)}."
        return given, given.unit or "1", [Problem(message, field, "invalid")]
    kind = preset.name.lower()
    problems = [
        Problem(f"A system ledger runs no model; leave {name} out.", f"ledger.{name}", "system_ledger")
        for name in ("model_id", "output")
        if getattr(given, name) is not None
    ]
    if given.unit not in {None, preset.unit}:
        message = f"unit is {given.unit!r}; a ledger of {kind} is kept in {preset.unit}."
        problems.append(Problem(message, "ledger.unit", "system_ledger"))
    without_model = msgspec.structs.replace(given, unit=preset.unit, model_id=None, output=None)
    return without_model, preset.unit, problems
