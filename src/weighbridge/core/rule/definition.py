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

Invariants: a rule that `check_rule` has no problem with can be evaluated for every record of that
vocabulary; what goes wrong with a record then is an error of that record alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from weighbridge.core.expression import Expression, Type
from weighbridge.core.expression.tree import FunctionCall, Name
from weighbridge.core.rule.windows.window import Window


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
        """Whether a name stands for a tag; in braces it stands for a data point."""
        return not name.is_verbatim and name.text in TAGS[self.target]
