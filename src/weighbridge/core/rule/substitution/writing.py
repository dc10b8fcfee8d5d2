"""Writing gives a filling back in the one form that it is answered and stored in, and says how a value was
found.

Invariants: what is written reads to the same filling; what is said of a value follows from the series alone.
"""

from typing import Any

from weighbridge.core.rule.substitution.definition import GapFilling, Tier
from weighbridge.core.rule.substitution.methods import (
    BorderMethod,
    Computed,
    ExtremeOf,
    FixedValue,
    FromBorders,
    FromWindow,
    SlotMethod,
    Without,
    name_of,
)
from weighbridge.core.rule.substitution.series import Absent, SlotOutcome
from weighbridge.core.rule.windows.window import write_window


def write_filling(filling: GapFilling) -> dict[str, Any]:
    """How a rule fills gaps, as JSON; numbers are decimals."""
    written: dict[str, Any] = {}
    if filling.is_tiered:
        written["tiers"] = [_tier(tier) for tier in filling.tiers]
    else:
        written.update(_tier(filling.tiers[0]))
    rounding = filling.rounding
    rest = {
        "border_where": filling.border_text,
        "operating_where": filling.operating_text,
        "availability_slots": filling.availability_slots,
        "round": None if rounding is None else {"places": rounding.places, "mode": rounding.mode},
        "conservative": filling.conservative.value,
    }
    return written | {name: value for name, value in rest.items() if value is not None}


def _tier(tier: Tier) -> dict[str, Any]:
    head = {"when": tier.when_text, "code": tier.code}
    return {name: value for name, value in head.items() if value is not None} | write_method(tier.method)


def write_method(method: SlotMethod) -> dict[str, Any]:
    """A method as JSON, with all it takes."""
    written: dict[str, Any] = {"method": name_of(method)}
    match method:
        case FixedValue(value=value):
            written["value"] = value
        case Computed(text=text):
            written["expression"] = text
        case ExtremeOf(methods=methods):
            written["methods"] = [write_method(part) for part in methods]
        case FromBorders(method=kind, without_after=after, without_before=before):
            if kind is not BorderMethod.PREVIOUS:
                written["without_after"] = _without(after)
            if before is not None:
                written["without_before"] = _without(before)
        case FromWindow():
            written |= _from_window(method)
    return written


def _without(without: Without | SlotMethod) -> Any:
    return without.value if isinstance(without, Without) else write_method(without)


def _from_window(method: FromWindow) -> dict[str, Any]:
    fields = {
        "p": method.p,
        "definition": method.definition,
        "factor": method.factor,
        "deviation": None if method.deviation is None else method.deviation.value,
        "window": write_window(method.look_back.window),
    }
    return {name: value for name, value in fields.items() if value is not None}


def write_outcome(outcome: SlotOutcome) -> dict[str, Any] | None:
    """How the value of a slot was found, as JSON: what a report lists hours by; None while it has none.

    `found_by` is the part of the method that gave the value; `availability` is null where no tier asks.
    """
    found = outcome.found
    if isinstance(found, Absent):
        return None
    return {
        "method": outcome.method,
        "found_by": str(found.method),
        "tier": outcome.tier,
        "code": outcome.code,
        "window": None if found.window is None else write_window(found.window),
        "members_used": found.members,
        "availability": outcome.availability,
        "gap_slots": outcome.gap_slots,
    }
