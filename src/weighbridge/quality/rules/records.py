"""What a data rule looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import Link
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description, Moment

EXPRESSION_LENGTH_MAX: Final = 4_000
"""Characters of a rule's expression."""

PRIORITY_MAX: Final = 1_000
"""The largest priority of a rule; the smallest is 1, and the smaller goes first."""

PRIORITY_DEFAULT: Final = 100

EVALUATIONS: Final = ("automatic", "on_demand")
"""When a rule is evaluated: whenever data change, or when it is asked for."""

ExpressionText = Annotated[str, msgspec.Meta(max_length=EXPRESSION_LENGTH_MAX)]


class Rule(msgspec.Struct, frozen=True):
    """One data rule, as its newest version has it."""

    id: str
    project_id: str
    name: str
    version: int
    status: str
    target: str
    expression: str
    data_point: str | None
    event_type: str | None
    event_type_id: str | None
    model: str | None
    model_id: str | None
    message: str | None
    evaluation: str
    window: dict[str, Any] | None
    window_member_scope: str
    purpose: str
    correction: dict[str, Any] | None
    priority: int
    requires_approval: bool
    pending_count: int
    effective_from: Instant
    effective_to: Instant | None
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class SavedRule(Rule, frozen=True):
    """A rule that was just made or changed, and whether its evaluation was queued."""

    backfill_enqueued: bool
    rule_run_id: int | None


class RuleVersion(msgspec.Struct, frozen=True):
    """One version of a rule: all that decides a result."""

    version: int
    expression: str
    data_point: str | None
    event_type: str | None
    event_type_id: str | None
    model: str | None
    model_id: str | None
    window: dict[str, Any] | None
    window_member_scope: str
    purpose: str
    correction: dict[str, Any] | None
    priority: int
    requires_approval: bool
    created_at: Instant


class NewRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a rule; without an event type it watches every event that has the data."""

    name: str
    expression: ExpressionText
    effective_from: Moment
    effective_to: Moment | None = None
    message: Description | None = None
    target: str = "data_point"
    data_point: str | None = None
    event_type_id: str | None = None
    model_id: str | None = None
    evaluation: str = "automatic"
    window: dict[str, Any] | None = None
    window_member_scope: str = "event_type"
    purpose: str = "alert"
    correction: dict[str, Any] | None = None
    priority: int = PRIORITY_DEFAULT
    requires_approval: bool = False


class NewRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/rules."""

    rule: NewRule


class RuleChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a rule; what is left out stays as it is, and so does the target."""

    name: str | UnsetType = UNSET
    expression: ExpressionText | UnsetType = UNSET
    effective_from: Moment | UnsetType = UNSET
    effective_to: Moment | UnsetType | None = UNSET
    message: Description | UnsetType | None = UNSET
    data_point: str | UnsetType | None = UNSET
    event_type_id: str | UnsetType | None = UNSET
    model_id: str | UnsetType | None = UNSET
    evaluation: str | UnsetType = UNSET
    window: dict[str, Any] | UnsetType | None = UNSET
    window_member_scope: str | UnsetType = UNSET
    purpose: str | UnsetType = UNSET
    correction: dict[str, Any] | UnsetType | None = UNSET
    priority: int | UnsetType = UNSET
    requires_approval: bool | UnsetType = UNSET


class RuleChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /rules/{rule_id}."""

    rule: RuleChange


class RulePreviewBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/rules/preview: a rule, and the period to try it over."""

    rule: NewRule
    start_time: Moment
    end_time: Moment


class UndoneCorrections(msgspec.Struct, frozen=True):
    """How many corrections of a rule were reverted, and how many values changed by that."""

    corrections: int
    changed_values: int


class RulePreviewAlert(msgspec.Struct, frozen=True):
    """A record that a rule would alert on: an event's data point, or a model run.

    Where the rule would correct the value, or propose it, `to_value` is what it would be.
    """

    event_id: str | None
    data_point_id: str | None
    model_run_id: str | None
    batch_id: str | None
    start_time: Instant
    value: str | None
    error_message: str | None
    from_value: Decimal | str | bool | None
    to_value: Decimal | str | bool | None


class RulePreview(msgspec.Struct, frozen=True):
    """What a rule would come to over a period: how many records, how many alerts, and the first of them.

    `corrections` counts the values that it would correct; with approval these are `proposals`.
    """

    evaluated: int
    alerts: int
    corrections: int
    proposals: int
    data: list[RulePreviewAlert]
