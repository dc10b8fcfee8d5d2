"""Define the records of data rules: rules, their versions, windows, tables and corrections."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec

from weighbridge.collection.records.uncertainty import StatedUncertainty
from weighbridge.core.expression.parsing import LENGTH_MAX
from weighbridge.core.identity import Link
from weighbridge.core.number import PLACES_MAX
from weighbridge.core.rule import MemberScope, RuleTarget, WindowMeters
from weighbridge.core.rule.definition import (
    CLOCK_UNITS,
    DURATION_DAYS_MAX,
    KINDS,
    MEMBERS_MAX,
    PERIODS,
    PERIODS_MAX,
    Extent,
    Method,
    Purpose,
    Severity,
)
from weighbridge.core.rule.functions import DEFINITIONS
from weighbridge.core.rule.substitution.definition import (
    AVAILABILITY_SLOTS_MAX,
    CODE_LENGTH_MAX,
    METHOD_NAMES,
    METHODS_MAX,
    ROUNDINGS,
    TIERS_MAX,
    Conservative,
    DeviationKind,
    MissingBorderPolicy,
)
from weighbridge.core.rule.substitution.windows import AROUND_GAP
from weighbridge.core.rule.tables import COLUMNS_MAX, ROWS_MAX
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import Description, Moment, Name, Slug, at_most, between, one_of, several, shown_as

# Windows and corrections of rules as they look on the wire: documents that `core.rule` reads as a whole.


EXPRESSION_LENGTH_MAX: Final = 4_000
"""Characters of a rule's expression."""

WITHOUT_AFTER: Final = (MissingBorderPolicy.WAIT, MissingBorderPolicy.BEFORE)
"""What may be said for a gap that no value comes after, beside a method."""

WITHOUT_BEFORE: Final = (MissingBorderPolicy.FIRST_AFTER,)
"""What may be said for a gap that no value comes before, beside a method."""

ExpressionText = Annotated[str, msgspec.Meta(max_length=EXPRESSION_LENGTH_MAX)]

ConditionText = Annotated[str, at_most(LENGTH_MAX)]
"""Which members feed a window."""


class WindowDuration(msgspec.Struct, frozen=True):
    """A stretch of clock time, up to 3,660 days."""

    value: Annotated[int, between(1, DURATION_DAYS_MAX * 24 * 60)]
    """How many of the unit, a whole number from 1."""
    unit: Annotated[str, one_of(CLOCK_UNITS)]
    """The unit; a day is always 24 hours."""


class RollingWindow(msgspec.Struct, frozen=True):
    """The members before a record: those of a stretch of clock time, or the last so many."""

    kind: Annotated[str, one_of(word for word, kind in KINDS.items() if kind == "rolling")]
    """What sort of window it is; `trailing` is taken for `rolling`, which is what answers say."""
    duration: WindowDuration | None = None
    """How long before the record its members start at most; in place of `members`."""
    members: Annotated[int, between(1, MEMBERS_MAX)] | None = None
    """How many members there are, a whole number from 1 to 10,000; in place of `duration`."""
    include_current: bool = False
    """Whether the record itself is a member."""
    where: ConditionText | None = None
    same: ConditionText | None = None
    """An expression, such as the lorry; only members count for which it gives the same as for the record."""


class CalendarWindow(msgspec.Struct, frozen=True):
    """The members of periods of the project's calendar, the last of which holds the record."""

    kind: Annotated[str, one_of(word for word, kind in KINDS.items() if kind == "calendar")]
    """What sort of window it is."""
    unit: Annotated[str, one_of(PERIODS)]
    """The period; a week begins on Monday."""
    value: Annotated[int, between(1, PERIODS_MAX)] = 1
    """How many consecutive periods, a whole number from 1 to 120."""
    extent: Annotated[str, one_of(Extent)] = Extent.TO_DATE.value
    """Whether it goes up to the record, or to the end of the period."""
    where: ConditionText | None = None
    same: ConditionText | None = None
    """An expression, such as the lorry; only members count for which it gives the same as for the record."""


class FillingMethod(msgspec.Struct, frozen=True):
    """How the value of a slot is found that needs one; each method takes some of these fields."""

    method: Annotated[str, one_of(METHOD_NAMES)]
    """How the value is found."""
    value: Decimal | None = None
    """The value of `constant`."""
    expression: ExpressionText | None = None
    """What `expression` computes from the slot's own event."""
    window: "FillingWindow | FillingCalendarWindow | GapWindow | None" = None
    """Which values a statistic is taken of; required by all from `mean` to `confidence_limit`."""
    p: Decimal | None = None
    """Which `percentile`, from 0 to 100."""
    definition: Annotated[str, one_of(DEFINITIONS)] | None = None
    """By which definition a `percentile` is taken; required there."""
    factor: Decimal | None = None
    """How many standard deviations `mean_plus_sd` adds."""
    deviation: Annotated[str, one_of(DeviationKind)] | None = None
    """Which standard deviation `mean_plus_sd` adds; required there."""
    confidence: Decimal | None = None
    """The share of the interval whose limit `confidence_limit` is, in percent, from 1 to 99.9."""
    methods: "Annotated[list[FillingMethod], several(METHODS_MAX)] | None" = None
    """The methods that `greater_of` and `lesser_of` choose from, 2 to 5."""
    without_after: "Annotated[str, one_of(WITHOUT_AFTER)] | FillingMethod | None" = None
    """What stands where no value comes after the gap, as long as none does: the default is to wait."""
    without_before: "Annotated[str, one_of(WITHOUT_BEFORE)] | FillingMethod | None" = None
    """What stands where no value comes before the gap; without it none does."""
    after_within: Annotated[str, one_of(PERIODS)] | None = None
    """The period of the slot in which a value has to come after the gap; later ones count as none."""
    without_members: "FillingMethod | None" = None
    """What stands where the window of a statistic holds no value; without it none does."""


class FillingWindow(msgspec.Struct, frozen=True):
    """The values before a slot: those of a stretch of clock time, the last so many, or both."""

    kind: Annotated[str, one_of(word for word, kind in KINDS.items() if kind == "rolling")]
    """What sort of window it is; `trailing` is taken for `rolling`, which is what answers say."""
    duration: WindowDuration | None = None
    """How long before the slot its members start at most."""
    members: Annotated[int, between(1, MEMBERS_MAX)] | None = None
    """How many members there are, a whole number from 1 to 10,000."""
    where: ConditionText | None = None
    """Which values feed the window; what was substituted never does."""
    same: ConditionText | None = None
    """An expression; only values count whose events give what the event of the slot gives."""


class FillingCalendarWindow(CalendarWindow, frozen=True):
    """The values of periods of the project's calendar, the last of which holds the slot."""

    same: ConditionText | None = None
    """An expression; only values count whose events give what the event of the slot gives."""


class GapSide(msgspec.Struct, frozen=True):
    """The values on one side of a gap: of a stretch of clock time, the nearest so many, or both."""

    duration: WindowDuration | None = None
    """How long before the first slot of the gap, or after the last one, they start at most."""
    members: Annotated[int, between(1, MEMBERS_MAX)] | None = None
    """How many values there are, a whole number from 1 to 10,000."""


class GapWindow(msgspec.Struct, frozen=True):
    """The values around a gap, which are the same for each of its slots."""

    kind: Annotated[str, one_of((AROUND_GAP,))]
    """What sort of window it is."""
    before: GapSide | None = None
    """The values before the gap; left out, none. One side is required."""
    after: GapSide | None = None
    """The values after the gap; left out, none."""
    where: ConditionText | None = None
    """Which values feed the window; what was substituted never does."""
    same: ConditionText | None = None
    """An expression; only values count whose events give what the event of the slot gives."""


class FillingTier(FillingMethod, frozen=True, kw_only=True):
    """A method, when it is taken, and the code by which a regime knows it."""

    when: ExpressionText | None = None
    """When the tier is taken, over `availability()`, also of a period such as `availability(year)`,
    `gap_slots()` and `valid_slots()`; the last tier may leave it out.
    """
    code: Annotated[str, at_most(CODE_LENGTH_MAX)] | None = None
    """What stands on every value that it gives, such as `08`; at most 40 characters."""
    uncertainty: StatedUncertainty | None = None
    """How well its values are known, in the unit of the data point; left out, as well as their sources."""


class FillingRounding(msgspec.Struct, frozen=True):
    """To how many places values are rounded, and which way."""

    places: Annotated[int, between(-PLACES_MAX, PLACES_MAX)]
    """Places after the point; before it when negative."""
    mode: Annotated[str, one_of(ROUNDINGS)]
    """Where a value in the middle goes: away from zero, or to the even digit."""


class FillingOperation(msgspec.Struct, frozen=True):
    """Events of another type that say whether the meter was operating while they lasted."""

    event_type: Slug
    """The slug of their event type, such as `unit-hour`."""
    where: ExpressionText
    """What is true of an event while the meter is operating, such as `{{load}} > 0`."""


class GapCorrection(FillingMethod, frozen=True, kw_only=True):
    """How a rule fills gaps that substitutes or imputes: by one method, or by ordered tiers."""

    method: Annotated[str, one_of(METHOD_NAMES)] | None = None  # type: ignore[assignment] # tiers stand for it
    """The one method; left out where there are tiers."""
    code: Annotated[str, at_most(CODE_LENGTH_MAX)] | None = None
    """What stands on every value of the one method; at most 40 characters."""
    uncertainty: StatedUncertainty | None = None
    """How well the values of the one method are known; left out, as well as their sources."""
    tiers: Annotated[list[FillingTier], several(TIERS_MAX)] | None = None
    """In their order; the first whose `when` is true is taken, for each slot by itself."""
    border_where: ExpressionText | None = None
    """Which values may stand before and after a gap; left out, all valid ones."""
    operating_where: ExpressionText | None = None
    """In which slots the meter was operating; the others count for nothing. Left out, in all."""
    operating_from: FillingOperation | None = None
    """Whose events say in which slots the meter was not operating; left out, no others do."""
    fill_to_end: bool | None = None
    """Whether slots behind the last event of a meter are a gap, too, up to the end of the rule's time once it
    has passed; left out, they wait for the next event.
    """
    fill_lacking: bool | None = None
    """Whether values that received events lack are filled, too, until they arrive; left out, these events
    wait for someone to complete them.
    """
    availability_slots: Annotated[int, between(1, AVAILABILITY_SLOTS_MAX)] | None = None
    """Over how many operating slots `availability()` is taken; left out, over all so far."""
    round: FillingRounding | None = None
    """To how many places the values are rounded, and which way; left out, not at all."""
    conservative: Annotated[str, one_of(Conservative)] | None = None
    """On which side a substitute errs: `low` turns percentiles, extremes and deviations round."""


class RuleCorrection(msgspec.Struct, frozen=True):
    """How a rule corrects a value."""

    method: Annotated[str, one_of(Method)]
    """How the value is found."""
    expression: ExpressionText
    """What the value becomes, in the rule language, such as `{{temperature}} * 1.02`."""


Window = Annotated[dict[str, Any], shown_as(RollingWindow | CalendarWindow)]
"""A window as it is written; `core/rule/definition.py` reads it and says everything that is wrong."""

Correction = Annotated[dict[str, Any], shown_as(RuleCorrection | GapCorrection)]
"""A correction as it is written; `core/rule/definition.py` reads it or, where gaps are filled,
`core/rule/substitution`, and says everything that is wrong."""


class RuleTable(msgspec.Struct, frozen=True):
    """A table that the expressions of a rule look limits up in."""

    columns: Annotated[list[str], several(COLUMNS_MAX)]
    """The names of its columns, without units, the key first; `effective_from` says from when a row holds."""
    rows: Annotated[list[list[Decimal | str]], several(ROWS_MAX)]
    """Its rows, each with a number or a text for each column; of a key one from each moment on."""


Tables = Annotated[dict[str, Any], shown_as(dict[str, RuleTable])]
"""Tables as they are written; `core/rule/tables.py` reads them and says everything that is wrong."""


# What a data rule looks like on the wire.


PRIORITY_MAX: Final = 1_000
"""The largest priority of a rule; the smallest is 1, and the smaller goes first."""

PRIORITY_DEFAULT: Final = 100

EVALUATIONS: Final = ("automatic", "on_demand")
"""When a rule is evaluated: whenever data change, or when it is asked for."""

STATUSES: Final = ("scheduled", "active", "ended")
"""Where now stands to a rule's effective time: before, in, or behind it."""


_Target = Annotated[str, one_of(RuleTarget)]
_Evaluation = Annotated[str, one_of(EVALUATIONS)]
_MemberScope = Annotated[str, one_of(MemberScope)]
_Meters = Annotated[str, one_of(WindowMeters)]
_Purpose = Annotated[str, one_of(Purpose)]
_Severity = Annotated[str, one_of(Severity)]


class Rule(msgspec.Struct, frozen=True):
    """One data rule, as its newest version has it."""

    id: str
    project_id: str
    name: Annotated[str, Sent(Name)]
    """What people call it, once in the project, such as `Wet mass above 40 t`."""
    version: int
    """Which version of the rule it is, counted from 1; each change of what decides a result makes one."""
    status: Annotated[str, one_of(STATUSES)]
    """Whether it evaluates records of now: its effective time is to come, is under way, or is over."""
    target: Annotated[_Target, Sent(_Target, default="data_point", is_fixed=True)]
    """What it evaluates; it never changes."""
    expression: Annotated[str, Sent(ExpressionText)]
    """What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`."""
    data_point: Annotated[
        str | None,
        Sent(
            Slug,
            meaning=(
                "The slug of the data point that results are about; "
                "the first that the expression reads when left out."
            ),
            change_meaning=(
                "The slug of the data point that results are about; "
                "null for the first that the expression reads."
            ),
        ),
    ]
    """The slug of the data point that results are about; null for a rule on model runs."""
    event_type: str | None
    """The slug of the event type that it watches; null when it watches every one that has the data."""
    event_type_id: Annotated[
        str | None,
        Sent(
            str,
            meaning=(
                "The event type that it watches, such as `et_…`; "
                "left out, it watches every one that has the data."
            ),
            change_meaning=(
                "The event type that it watches, such as `et_…`; null for every one that has the data."
            ),
        ),
    ]
    """The friendly id of the event type that it watches; null when it watches every one that has the data."""
    asset: str | None
    """What the asset is called whose events it watches; null when it watches those of every asset."""
    asset_id: Annotated[
        str | None,
        Sent(
            str,
            meaning=(
                "The asset whose events it watches, such as `ast_…`; "
                "left out, it watches those of every asset."
            ),
            change_meaning=(
                "The asset whose events it watches, such as `ast_…`; null for those of every asset."
            ),
        ),
    ]
    """The friendly id of the asset whose events it watches; null when it watches those of every asset."""
    model: str | None
    """What the model is called whose runs it watches; null for a rule on data points."""
    model_id: Annotated[
        str | None,
        Sent(
            str,
            meaning=(
                "The model whose runs it watches, such as `mod_…`; required with the target `model_run`."
            ),
            change_meaning=(
                "The model whose runs it watches, such as `mod_…`; "
                "only for a rule whose target is `model_run`."
            ),
        ),
    ]
    """The friendly id of the active version of the model whose runs it watches; null for a rule on data
    points.
    """
    message: Annotated[str | None, Sent(Description)]
    """What it says to people with each alert; null when it says nothing."""
    evaluation: Annotated[_Evaluation, Sent(_Evaluation, default="automatic")]
    """When it is evaluated: whenever data change, or when asked for."""
    window: Annotated[Window | None, Sent(Window)]
    """Which members its aggregates look at, seen from the record; null when it has no window."""
    window_member_scope: Annotated[_MemberScope, Sent(_MemberScope, default="event_type")]
    """Which other records may be members of its window."""
    window_meters: Annotated[
        _Meters,
        Sent(
            _Meters,
            default=None,
            meaning=(
                "Whether windows, `previous` and `missed_slots` go by the record's own meter or by all of "
                "the scope; left out, it is `own`, and `all` with the scope `project` or the target "
                "`model_run`."
            ),
        ),
    ]
    """Whether only records of the record's own meter may be members, or those of all meters of the scope."""
    purpose: Annotated[_Purpose, Sent(_Purpose, default="alert")]
    """Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those that lack.
    """
    severity: Annotated[_Severity, Sent(_Severity, default=Severity.FAIL.value)]
    """Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes `fail`."""
    correction: Annotated[Correction | None, Sent(Correction)]
    """What a value becomes that it finds wrong; null for a rule that alerts."""
    tables: Annotated[Tables | None, Sent(Tables)]
    """What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no tables."""
    priority: Annotated[int, Sent(Annotated[int, between(1, PRIORITY_MAX)], default=PRIORITY_DEFAULT)]
    """Which rule goes first where several correct one value: the smallest, from 1 to 1,000."""
    requires_approval: Annotated[bool, Sent(bool, default=False)]
    """Whether its corrections wait for someone's approval."""
    pending_count: int
    """How many of its corrections wait for approval."""
    effective_from: Annotated[Instant, Sent(Moment)]
    """From when records are evaluated, inclusive."""
    effective_to: Annotated[
        Instant | None,
        Sent(
            Moment,
            meaning="Until when records are evaluated, exclusive; left out when the rule goes on.",
        ),
    ]
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
    window_member_scope: _MemberScope
    window_meters: _Meters
    purpose: _Purpose
    severity: _Severity
    correction: Correction | None
    tables: Tables | None
    priority: int
    requires_approval: bool
    created_at: Instant
    """When the version was saved."""


RULE_BODIES: Final = RequestBodies(
    Rule,
    "rule",
    "/projects/{project_id}/rules",
    record_path="/rules/{rule_id}",
    leading=("name", "expression", "effective_from", "effective_to", "message"),
    about_new=(
        "What a caller sends to make a rule; without an event type it watches every event that has the data."
    ),
    about_change=(
        "What a caller sends to change a rule; what is left out stays as it is, and so does the target."
    ),
)
