"""What a data rule looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import Link
from weighbridge.core.rule import MemberScope, RuleTarget
from weighbridge.core.rule.correction import Method, Purpose
from weighbridge.core.rule.substitution.definition import ROUNDINGS
from weighbridge.core.rule.substitution.methods import Conservative, DeviationKind, Without
from weighbridge.core.rule.substitution.reading import METHOD_NAMES
from weighbridge.core.rule.windows.percentile import DEFINITIONS
from weighbridge.core.rule.windows.window import CLOCK_UNITS, KINDS, PERIODS, Extent
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description, Moment, one_of, shown_as

EXPRESSION_LENGTH_MAX: Final = 4_000
"""Characters of a rule's expression."""

PRIORITY_MAX: Final = 1_000
"""The largest priority of a rule; the smallest is 1, and the smaller goes first."""

PRIORITY_DEFAULT: Final = 100

EVALUATIONS: Final = ("automatic", "on_demand")
"""When a rule is evaluated: whenever data change, or when it is asked for."""

STATUSES: Final = ("scheduled", "active", "ended")
"""Where now stands to a rule's effective time: before, in, or behind it."""

WITHOUT_AFTER: Final = (Without.WAIT, Without.BEFORE)
"""What may be said for a gap that no value comes after, beside a method."""

WITHOUT_BEFORE: Final = (Without.FIRST_AFTER,)
"""What may be said for a gap that no value comes before, beside a method."""

ExpressionText = Annotated[str, msgspec.Meta(max_length=EXPRESSION_LENGTH_MAX)]


class WindowDuration(msgspec.Struct, frozen=True):
    """A stretch of clock time, up to 3,660 days."""

    value: int
    """How many of the unit, a whole number from 1."""
    unit: Annotated[str, one_of(CLOCK_UNITS)]
    """The unit; a day is always 24 hours."""


class RollingWindow(msgspec.Struct, frozen=True):
    """The members before a record: those of a stretch of clock time, or the last so many."""

    kind: Annotated[str, one_of(word for word, kind in KINDS.items() if kind == "rolling")]
    """What sort of window it is; `trailing` is taken for `rolling`, which is what answers say."""
    duration: WindowDuration | None = None
    """How long before the record its members start at most; in place of `members`."""
    members: int | None = None
    """How many members there are, a whole number from 1 to 10,000; in place of `duration`."""
    include_current: bool = False
    """Whether the record itself is a member."""
    where: str | None = None


class CalendarWindow(msgspec.Struct, frozen=True):
    """The members of periods of the project's calendar, the last of which holds the record."""

    kind: Annotated[str, one_of(word for word, kind in KINDS.items() if kind == "calendar")]
    """What sort of window it is."""
    unit: Annotated[str, one_of(PERIODS)]
    """The period; a week begins on Monday."""
    value: int = 1
    """How many consecutive periods, a whole number from 1 to 120."""
    extent: Annotated[str, one_of(Extent)] = Extent.TO_DATE.value
    """Whether it goes up to the record, or to the end of the period."""
    where: str | None = None


class FillingMethod(msgspec.Struct, frozen=True):
    """How the value of a slot is found that needs one; each method takes some of these fields."""

    method: Annotated[str, one_of(METHOD_NAMES)]
    """How the value is found."""
    value: Decimal | None = None
    """The value of `constant`."""
    expression: ExpressionText | None = None
    """What `expression` computes from the slot's own event."""
    window: "FillingWindow | CalendarWindow | None" = None
    """Which values a statistic is taken of; required by all from `mean` to `mean_plus_sd`."""
    p: Decimal | None = None
    """Which `percentile`, from 0 to 100."""
    definition: Annotated[str, one_of(DEFINITIONS)] | None = None
    """By which definition a `percentile` is taken; required there."""
    factor: Decimal | None = None
    """How many standard deviations `mean_plus_sd` adds."""
    deviation: Annotated[str, one_of(DeviationKind)] | None = None
    """Which standard deviation `mean_plus_sd` adds; required there."""
    methods: "list[FillingMethod] | None" = None
    """The methods that `greater_of` and `lesser_of` choose from, 2 to 5."""
    without_after: "Annotated[str, one_of(WITHOUT_AFTER)] | FillingMethod | None" = None
    """What stands where no value comes after the gap, as long as none does: the default is to wait."""
    without_before: "Annotated[str, one_of(WITHOUT_BEFORE)] | FillingMethod | None" = None
    """What stands where no value comes before the gap; without it none does."""


class FillingWindow(msgspec.Struct, frozen=True):
    """The values before a slot: those of a stretch of clock time, the last so many, or both."""

    kind: Annotated[str, one_of(word for word, kind in KINDS.items() if kind == "rolling")]
    """What sort of window it is; `trailing` is taken for `rolling`, which is what answers say."""
    duration: WindowDuration | None = None
    """How long before the slot its members start at most."""
    members: int | None = None
    """How many members there are, a whole number from 1 to 10,000."""
    where: ExpressionText | None = None
    """Which values feed the window; what was substituted never does."""


class FillingTier(FillingMethod, frozen=True, kw_only=True):
    """A method, when it is taken, and the code by which a regime knows it."""

    when: ExpressionText | None = None
    """When the tier is taken, over `availability()`, `gap_slots()` and `valid_slots()`; the last tier may
    leave it out.
    """
    code: str | None = None
    """What stands on every value that it gives, such as `08`; at most 40 characters."""


class FillingRounding(msgspec.Struct, frozen=True):
    """To how many places values are rounded, and which way."""

    places: int
    """Places after the point; before it when negative."""
    mode: Annotated[str, one_of(ROUNDINGS)]
    """Where a value in the middle goes: away from zero, or to the even digit."""


class GapCorrection(FillingMethod, frozen=True, kw_only=True):
    """How a rule fills gaps that substitutes or imputes: by one method, or by ordered tiers."""

    method: Annotated[str, one_of(METHOD_NAMES)] | None = None  # type: ignore[assignment] # tiers stand for it
    """The one method; left out where there are tiers."""
    code: str | None = None
    """What stands on every value of the one method; at most 40 characters."""
    tiers: list[FillingTier] | None = None
    """In their order; the first whose `when` is true is taken, for each slot by itself."""
    border_where: ExpressionText | None = None
    """Which values may stand before and after a gap; left out, all valid ones."""
    operating_where: ExpressionText | None = None
    """In which slots the meter was operating; the others count for nothing. Left out, in all."""
    availability_slots: int | None = None
    """Over how many operating slots `availability()` is taken; left out, over all so far."""
    round: FillingRounding | None = None
    conservative: Annotated[str, one_of(Conservative)] | None = None
    """On which side a substitute errs: `low` turns percentiles, extremes and deviations round."""


class RuleCorrection(msgspec.Struct, frozen=True):
    """How a rule corrects a value."""

    method: Annotated[str, one_of(Method)]
    """How the value is found."""
    expression: ExpressionText
    """What the value becomes, in the rule language, such as `{{temperature}} * 1.02`."""


Window = Annotated[dict[str, Any], shown_as(RollingWindow | CalendarWindow)]
"""A window as it is written; `core/rule/windows/window.py` reads it and says everything that is wrong."""

Correction = Annotated[dict[str, Any], shown_as(RuleCorrection | GapCorrection)]
"""A correction as it is written; `core/rule/correction.py` reads it or, where gaps are filled,
`core/rule/substitution`, and says everything that is wrong."""


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
    model: str | None
    model_id: str | None
    window: Window | None
    window_member_scope: Annotated[str, one_of(MemberScope)]
    purpose: Annotated[str, one_of(Purpose)]
    correction: Correction | None
    priority: int
    requires_approval: bool
    created_at: Instant
    """When the version was saved."""


class NewRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a rule; without an event type it watches every event that has the data."""

    name: str
    """What people call it, once in the project, such as `Wet mass above 40 t`."""
    expression: ExpressionText
    effective_from: Moment
    effective_to: Moment | None = None
    """Until when records are evaluated, exclusive; left out when the rule goes on."""
    message: Description | None = None
    target: Annotated[str, one_of(RuleTarget)] = "data_point"
    data_point: str | None = None
    """The slug of the data point that results are about; the first that the expression reads when left out.
    """
    event_type_id: str | None = None
    """The event type that it watches, such as `et_…`; left out, it watches every one that has the data."""
    model_id: str | None = None
    """The model whose runs it watches, such as `mod_…`; required with the target `model_run`."""
    evaluation: Annotated[str, one_of(EVALUATIONS)] = "automatic"
    window: Window | None = None
    window_member_scope: Annotated[str, one_of(MemberScope)] = "event_type"
    purpose: Annotated[str, one_of(Purpose)] = "alert"
    correction: Correction | None = None
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
    """The slug of the data point that results are about."""
    event_type_id: str | UnsetType | None = UNSET
    """The event type that it watches, such as `et_…`; null for every one that has the data."""
    model_id: str | UnsetType | None = UNSET
    """The model whose runs it watches, such as `mod_…`; only for a rule whose target is `model_run`."""
    evaluation: Annotated[str, one_of(EVALUATIONS)] | UnsetType = UNSET
    window: Window | UnsetType | None = UNSET
    window_member_scope: Annotated[str, one_of(MemberScope)] | UnsetType = UNSET
    purpose: Annotated[str, one_of(Purpose)] | UnsetType = UNSET
    correction: Correction | UnsetType | None = UNSET
    priority: int | UnsetType = UNSET
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
