"""What a data rule looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import Link
from weighbridge.core.rule import MemberScope, RuleTarget, WindowMeters
from weighbridge.core.rule.correction import Purpose
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description, Moment, Name, Slug, between, one_of
from weighbridge.quality.definition.shapes import Correction, ExpressionText, Window

PRIORITY_MAX: Final = 1_000
"""The largest priority of a rule; the smallest is 1, and the smaller goes first."""

PRIORITY_DEFAULT: Final = 100

EVALUATIONS: Final = ("automatic", "on_demand")
"""When a rule is evaluated: whenever data change, or when it is asked for."""

STATUSES: Final = ("scheduled", "active", "ended")
"""Where now stands to a rule's effective time: before, in, or behind it."""


class Rule(msgspec.Struct, frozen=True):
    """One data rule, as its newest version has it."""

    id: str
    project_id: str
    name: str
    """What people call it, once in the project, such as `Wet mass above 40 t`."""
    version: int
    """Which version of the rule it is, counted from 1; each change of what decides a result makes one."""
    status: Annotated[str, one_of(STATUSES)]
    """Whether it evaluates records of now: its effective time is to come, is under way, or is over."""
    target: Annotated[str, one_of(RuleTarget)]
    """What it evaluates; it never changes."""
    expression: str
    """What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`."""
    data_point: str | None
    """The slug of the data point that results are about; null for a rule on model runs."""
    event_type: str | None
    """The slug of the event type that it watches; null when it watches every one that has the data."""
    event_type_id: str | None
    """The friendly id of the event type that it watches; null when it watches every one that has the data."""
    asset: str | None
    """What the asset is called whose events it watches; null when it watches those of every asset."""
    asset_id: str | None
    """The friendly id of the asset whose events it watches; null when it watches those of every asset."""
    model: str | None
    """What the model is called whose runs it watches; null for a rule on data points."""
    model_id: str | None
    """The friendly id of the active version of the model whose runs it watches; null for a rule on data
    points.
    """
    message: str | None
    """What it says to people with each alert; null when it says nothing."""
    evaluation: Annotated[str, one_of(EVALUATIONS)]
    """When it is evaluated: whenever data change, or when asked for."""
    window: Window | None
    """Which members its aggregates look at, seen from the record; null when it has no window."""
    window_member_scope: Annotated[str, one_of(MemberScope)]
    """Which other records may be members of its window."""
    window_meters: Annotated[str, one_of(WindowMeters)]
    """Whether only records of the record's own meter may be members, or those of all meters of the scope."""
    purpose: Annotated[str, one_of(Purpose)]
    """Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those that lack.
    """
    correction: Correction | None
    """What a value becomes that it finds wrong; null for a rule that alerts."""
    priority: int
    """Which rule goes first where several correct one value: the smallest, from 1 to 1,000."""
    requires_approval: bool
    """Whether its corrections wait for someone's approval."""
    pending_count: int
    """How many of its corrections wait for approval."""
    effective_from: Instant
    """From when records are evaluated, inclusive."""
    effective_to: Instant | None
    """Until when records are evaluated, exclusive; null when the rule goes on."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class SavedRule(Rule, frozen=True):
    """A rule that was just made or changed, and whether its evaluation was queued."""

    backfill_enqueued: bool
    """Whether its evaluation over the data that are there was queued."""
    rule_run_id: int | None
    """The number of the rule run that was queued; null when none was."""


class RuleVersion(msgspec.Struct, frozen=True):
    """One version of a rule: all that decides a result."""

    version: int
    expression: str
    data_point: str | None
    event_type: str | None
    event_type_id: str | None
    asset: str | None
    asset_id: str | None
    model: str | None
    model_id: str | None
    window: Window | None
    window_member_scope: Annotated[str, one_of(MemberScope)]
    window_meters: Annotated[str, one_of(WindowMeters)]
    purpose: Annotated[str, one_of(Purpose)]
    correction: Correction | None
    priority: int
    requires_approval: bool
    created_at: Instant
    """When the version was saved."""


class NewRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a rule; without an event type it watches every event that has the data."""

    name: Name
    """What people call it, once in the project, such as `Wet mass above 40 t`."""
    expression: ExpressionText
    effective_from: Moment
    effective_to: Moment | None = None
    """Until when records are evaluated, exclusive; left out when the rule goes on."""
    message: Description | None = None
    target: Annotated[str, one_of(RuleTarget)] = "data_point"
    data_point: Slug | None = None
    """The slug of the data point that results are about; the first that the expression reads when left out.
    """
    event_type_id: str | None = None
    """The event type that it watches, such as `et_…`; left out, it watches every one that has the data."""
    asset_id: str | None = None
    """The asset whose events it watches, such as `ast_…`; left out, it watches those of every asset."""
    model_id: str | None = None
    """The model whose runs it watches, such as `mod_…`; required with the target `model_run`."""
    evaluation: Annotated[str, one_of(EVALUATIONS)] = "automatic"
    window: Window | None = None
    window_member_scope: Annotated[str, one_of(MemberScope)] = "event_type"
    window_meters: Annotated[str, one_of(WindowMeters)] | None = None
    """Whether windows, `previous` and `missed_slots` go by the record's own meter or by all of the scope;
    left out, it is `own`, and `all` with the scope `project` or the target `model_run`.
    """
    purpose: Annotated[str, one_of(Purpose)] = "alert"
    correction: Correction | None = None
    priority: Annotated[int, between(1, PRIORITY_MAX)] = PRIORITY_DEFAULT
    requires_approval: bool = False


class NewRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/rules."""

    rule: NewRule


class RuleChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a rule; what is left out stays as it is, and so does the target."""

    name: Name | UnsetType = UNSET
    expression: ExpressionText | UnsetType = UNSET
    effective_from: Moment | UnsetType = UNSET
    effective_to: Moment | UnsetType | None = UNSET
    message: Description | UnsetType | None = UNSET
    data_point: Slug | UnsetType | None = UNSET
    """The slug of the data point that results are about; null for the first that the expression reads."""
    event_type_id: str | UnsetType | None = UNSET
    """The event type that it watches, such as `et_…`; null for every one that has the data."""
    asset_id: str | UnsetType | None = UNSET
    """The asset whose events it watches, such as `ast_…`; null for those of every asset."""
    model_id: str | UnsetType | None = UNSET
    """The model whose runs it watches, such as `mod_…`; only for a rule whose target is `model_run`."""
    evaluation: Annotated[str, one_of(EVALUATIONS)] | UnsetType = UNSET
    window: Window | UnsetType | None = UNSET
    window_member_scope: Annotated[str, one_of(MemberScope)] | UnsetType = UNSET
    window_meters: Annotated[str, one_of(WindowMeters)] | UnsetType = UNSET
    purpose: Annotated[str, one_of(Purpose)] | UnsetType = UNSET
    correction: Correction | UnsetType | None = UNSET
    priority: Annotated[int, between(1, PRIORITY_MAX)] | UnsetType = UNSET
    requires_approval: bool | UnsetType = UNSET


class RuleChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /rules/{rule_id}."""

    rule: RuleChange


class RulePreviewBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/rules/preview: a rule, and the period to try it over."""

    rule: NewRule
    """The rule to try, as it would be made."""
    start_time: Moment
    """The start of the period to try it over, inclusive."""
    end_time: Moment
    """The end of that period, exclusive."""


class UndoneCorrections(msgspec.Struct, frozen=True):
    """How many corrections of a rule were reverted, and how many values changed by that."""

    corrections: int
    """How many corrections were reverted."""
    changed_values: int
    """How many values are not what they were before."""


class RulePreviewAlert(msgspec.Struct, frozen=True):
    """A record that a rule would alert on: an event's data point, or a model run.

    Where the rule would correct the value, or propose it, `to_value` is what it would be.
    """

    event_id: str | None
    """The friendly id of the event; null for a model run."""
    data_point_id: str | None
    """The friendly id of the data point; null for a model run."""
    model_run_id: str | None
    """The friendly id of the model run; null for a data point."""
    batch_id: str | None
    """The friendly id of the batch that the run made; null for a data point or a run that stands alone."""
    start_time: Instant
    """The start of the event or the run."""
    value: str | None
    """The value that was checked, as a text such as `12.5`; null when there was none."""
    error_message: str | None
    """Why the expression has no value for the record; null when it has one."""
    from_value: Decimal | str | bool | None
    """The value in force; null unless the rule would correct it."""
    to_value: Decimal | str | bool | None
    """What the value would become; null unless the rule would correct it."""


class RulePreview(msgspec.Struct, frozen=True):
    """What a rule would come to over a period: how many records, how many alerts, and the first of them.

    `corrections` counts the values that it would correct; with approval these are `proposals`.
    """

    evaluated: int
    alerts: int
    """How many of them the rule would alert on."""
    corrections: int
    """How many values it would correct."""
    proposals: int
    """How many corrections it would propose."""
    data: list[RulePreviewAlert]
    """The first of the records that it would alert on."""
