"""A rule is an expression that says what is wrong: where it is true of a record, there is an alert.

A name stands for a value of the record: a data point by its slug, in braces `{{wet-mass}}` or bare with
underscores, a tag (`tracking_id feedstock asset location`), or a node of a model, `net_removal`,
`node."Net removal".net_removal`. Numbers are compared as they stand, in the unit of their data point type or
node. In an aggregate a name stands for the value of each member of the window. A rule that corrects has a
second expression, which says what the value becomes.

Missing values follow SQL's logic of three values: arithmetic with and comparison to a missing value is
missing; `and`, `or`, `not`, `in` and `between` give what holds whatever the missing value would be; a rule
whose expression comes out missing gives no alert. `is null` tests for it, `coalesce` replaces it. `or`, `and`
and `if` stop where they are decided, so what stands behind may have no result.

A correction says what stands in for a value that the rule finds wrong. An adjustment is a calibration: an
expression in the language of rules, computed from what was captured, as far as no person corrected it, and
never from what a rule has written. So it does not compound, however often it is computed. A value that a
person corrected is left to the person. A rule that substitutes or imputes has another form of correction,
which `substitution` reads: how gaps of a meter's series are filled.

A record is what a rule evaluates and what its windows are made of: an event, or a model run. Records come in
the order of their start, end, tracking id, client reference and values; the values are in the order of the
rule's names, None where one is missing.

Invariants: a rule that `check_rule` has no problem with can be evaluated for every record of that
vocabulary; what goes wrong with a record then is an error of that record alone; what `read_correction` takes
is written back in one form, and the same captured values adjust to the same value.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

from weighbridge.core.expression import Expression, Type
from weighbridge.core.expression.tree import FunctionCall, Name
from weighbridge.core.expression.value import Element, Fault, Scalar
from weighbridge.core.problem import Problem
from weighbridge.core.rule.window import Window
from weighbridge.core.time.expectation import MeterSlot


class RuleTarget(StrEnum):
    """What a rule evaluates."""

    DATA_POINT = "data_point"
    MODEL_RUN = "model_run"


class MemberScope(StrEnum):
    """Which other records may be members of a record's window."""

    EVENT = "event"
    """None: only the record's own data."""
    LOCATION = "location"
    """Events of its event type at the same location."""
    EVENT_TYPE = "event_type"
    """Events of its event type; runs of its model."""
    PROJECT = "project"
    """All events of its project."""


class WindowMeters(StrEnum):
    """Whose records of its scope may be members of a record's window."""

    OWN = "own"
    """Those of the record's own meter: its asset, else its first location, else its event type."""
    ALL = "all"
    """Those of all meters together."""


def usual_meters(target: str, scope: str) -> WindowMeters:
    """The meters of a window that does not say which: each by itself, unless the scope is a whole project.

    Model runs are of no meter.
    """
    is_of_all = target == RuleTarget.MODEL_RUN or scope == MemberScope.PROJECT
    return WindowMeters.ALL if is_of_all else WindowMeters.OWN


TAGS: Final[Mapping[RuleTarget, tuple[str, ...]]] = {
    RuleTarget.DATA_POINT: ("tracking_id", "feedstock", "asset", "location"),
    RuleTarget.MODEL_RUN: ("tracking_id", "feedstock", "asset"),
}
"""Texts that records have beside their values."""

NODE: Final = "node"
"""The first part of a name that says which node is meant: node."Net removal".net_removal."""


def is_tag(name: Name, target: RuleTarget) -> bool:
    """Whether a name means a tag; in braces it means a data point."""
    return not name.is_verbatim and name.text in TAGS[target]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the records of one event type or model have: the types of their values by slug."""

    label: str
    types: Mapping[str, Type]
    node_names: Mapping[str, str] = field(default_factory=dict)
    has_cadence: bool = False

    def slug_of(self, name: Name) -> str | None:
        """The slug that a name stands for, hyphens and underscores alike; None when there is none."""
        text = name.text
        if len(name.path) > 1:
            head, *between, text = name.path
            if head != NODE or len(between) != 1 or self.node_names.get(text) != between[0]:
                return None
        spellings = (text, text.replace("_", "-"), text.replace("-", "_"))
        return next((spelling for spelling in spellings if spelling in self.types), None)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as it was read."""

    tree: Expression
    target: RuleTarget
    scope: MemberScope
    window: Window | None = None
    where: Expression | None = None
    """The condition of the window."""
    correction: Expression | None = None
    """What the value becomes that the rule is about; a rule that only alerts has none."""
    own: tuple[Name, ...] = ()
    """What is read of the record itself."""
    of_members: tuple[Name, ...] = ()
    """What is read of the members of its window."""
    aggregates: tuple[FunctionCall, ...] = ()

    @property
    def names(self) -> tuple[Name, ...]:
        """Everything that is read, each once, in the order of a record's values."""
        return tuple(dict.fromkeys((*self.own, *self.of_members)))

    @property
    def is_about_itself(self) -> bool:
        """Whether no other record can change the result."""
        return not self.aggregates

    def is_tag(self, name: Name) -> bool:
        """Whether a name means a tag."""
        return is_tag(name, self.target)


class Record(NamedTuple):
    """One event or model run; a tuple because hundreds of thousands are made of rows."""

    key: int
    start: datetime
    end: datetime
    created: datetime
    group: Hashable
    """Records of the same group are members of one another's windows."""
    slot: MeterSlot | None
    """The slot of its event type's cadence that it starts in, among those expected of its meter."""
    is_target: bool
    """Whether it is evaluated; else it is only a member."""
    values: tuple[Scalar | None, ...]
    about: Any = None
    """What the caller wants back with what is found."""


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
CORRECTION_EXPRESSION: Final = f"{FIELD}.expression"


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
