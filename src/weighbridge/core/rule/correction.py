"""A rule's correction says what stands in for a value that the rule finds wrong.

An adjustment is a calibration: an expression in the language of rules, computed from what was captured, as
far as no person corrected it, and never from what a rule has written. So it does not compound, however often
it is computed. A value that a person corrected is left to the person.

A rule that substitutes or imputes has another form of correction, which `substitution` reads: how gaps of a
meter's series are filled.

Invariants: what `read_correction` takes is written back in one form; every problem names its field; the same
captured values adjust to the same value.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from weighbridge.core.expression.value import Element, Fault, Scalar
from weighbridge.core.problem import Problem


class Purpose(StrEnum):
    """What a rule is for."""

    ALERT = "alert"
    ADJUST = "adjust"
    SUBSTITUTE = "substitute"
    """It puts other values in the place of captured ones that are not to count."""
    IMPUTE = "impute"
    """It makes events for slots of a cadence in which none came."""


FILLS_GAPS: Final = frozenset({Purpose.SUBSTITUTE, Purpose.IMPUTE})
"""The purposes of rules that fill gaps of a meter's series."""


class Method(StrEnum):
    """How the value of a correction is found."""

    EXPRESSION = "expression"


FIELDS: Final[Mapping[Method, tuple[str, ...]]] = {Method.EXPRESSION: ("expression",)}
"""What each method takes, all of it required."""

METHODS: Final[Mapping[Purpose, tuple[Method, ...]]] = {
    Purpose.ALERT: (),
    Purpose.ADJUST: (Method.EXPRESSION,),
}
"""The methods of each purpose that fills no gaps."""

FIELD: Final = "correction"
EXPRESSION: Final = f"{FIELD}.expression"


class AdjustedValue(NamedTuple):
    """What an adjustment comes to: another value, or why there is none; neither when nothing changes."""

    value: Scalar | None = None
    error: str | None = None


def read_correction(
    purpose: Purpose, given: Mapping[str, Any] | None
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Read the correction of a rule for a purpose: in its one form, with everything that is wrong with it."""
    if purpose is Purpose.ALERT:
        wrong = _problem("", "belongs to a rule that corrects; this one alerts")
        return None, [] if given is None else [wrong]
    if given is None:
        return None, [_problem("", f"says how a rule corrects whose purpose is {purpose}; it is missing")]
    method = next((one for one in METHODS[purpose] if one == given.get("method")), None)
    if method is None:
        allowed = ", ".join(METHODS[purpose])
        return None, [_problem("method", f"of a rule whose purpose is {purpose} is one of {allowed}")]
    problems = [
        _problem(name, f"is nothing that the method {method} takes")
        for name in given
        if name != "method" and name not in FIELDS[method]
    ]
    expression = given.get("expression")
    if not isinstance(expression, str) or not expression.strip():
        problems.append(_problem("expression", "is an expression, as a text"))
        return None, problems
    return {"method": method.value, "expression": expression.strip()}, problems


def expression_of(purpose: str, correction: Mapping[str, Any] | None) -> str | None:
    """The expression of an adjustment that was read; a rule of another purpose has none."""
    return correction["expression"] if correction is not None and purpose == Purpose.ADJUST else None


def adjusted(captured: Scalar | None, computed: Element) -> AdjustedValue:
    """What becomes of a captured value; None stands for one that is missing, or that a person corrected."""
    if captured is None:
        return AdjustedValue()
    if isinstance(computed, Fault):
        return AdjustedValue(error=f"The correction has no result. {computed.error}")
    if computed is None:
        return AdjustedValue(error="The correction has no result. A value that it reads is missing.")
    return AdjustedValue() if computed == captured else AdjustedValue(computed)


def _problem(name: str, what: str) -> Problem:
    field = f"{FIELD}.{name}" if name else FIELD
    return Problem(f"{field} {what}.", field, "invalid")
