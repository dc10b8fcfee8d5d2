"""Windows and corrections of rules as they look on the wire: documents that `core.rule` reads as a whole."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec

from weighbridge.core.expression.parsing import LENGTH_MAX
from weighbridge.core.quantity.number import PLACES_MAX
from weighbridge.core.rule.correction import Method
from weighbridge.core.rule.substitution.definition import ROUNDINGS
from weighbridge.core.rule.substitution.methods import Conservative, DeviationKind, Without
from weighbridge.core.rule.substitution.reading import (
    AVAILABILITY_SLOTS_MAX,
    CODE_LENGTH_MAX,
    METHOD_NAMES,
    METHODS_MAX,
    TIERS_MAX,
)
from weighbridge.core.rule.windows.percentile import DEFINITIONS
from weighbridge.core.rule.windows.window import (
    CLOCK_UNITS,
    DURATION_DAYS_MAX,
    KINDS,
    MEMBERS_MAX,
    PERIODS,
    PERIODS_MAX,
    Extent,
)
from weighbridge.http.text import at_most, between, one_of, several, shown_as

EXPRESSION_LENGTH_MAX: Final = 4_000
"""Characters of a rule's expression."""

WITHOUT_AFTER: Final = (Without.WAIT, Without.BEFORE)
"""What may be said for a gap that no value comes after, beside a method."""

WITHOUT_BEFORE: Final = (Without.FIRST_AFTER,)
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
    methods: "Annotated[list[FillingMethod], several(METHODS_MAX)] | None" = None
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
    members: Annotated[int, between(1, MEMBERS_MAX)] | None = None
    """How many members there are, a whole number from 1 to 10,000."""
    where: ConditionText | None = None
    """Which values feed the window; what was substituted never does."""


class FillingTier(FillingMethod, frozen=True, kw_only=True):
    """A method, when it is taken, and the code by which a regime knows it."""

    when: ExpressionText | None = None
    """When the tier is taken, over `availability()`, `gap_slots()` and `valid_slots()`; the last tier may
    leave it out.
    """
    code: Annotated[str, at_most(CODE_LENGTH_MAX)] | None = None
    """What stands on every value that it gives, such as `08`; at most 40 characters."""


class FillingRounding(msgspec.Struct, frozen=True):
    """To how many places values are rounded, and which way."""

    places: Annotated[int, between(-PLACES_MAX, PLACES_MAX)]
    """Places after the point; before it when negative."""
    mode: Annotated[str, one_of(ROUNDINGS)]
    """Where a value in the middle goes: away from zero, or to the even digit."""


class GapCorrection(FillingMethod, frozen=True, kw_only=True):
    """How a rule fills gaps that substitutes or imputes: by one method, or by ordered tiers."""

    method: Annotated[str, one_of(METHOD_NAMES)] | None = None  # type: ignore[assignment] # tiers stand for it
    """The one method; left out where there are tiers."""
    code: Annotated[str, at_most(CODE_LENGTH_MAX)] | None = None
    """What stands on every value of the one method; at most 40 characters."""
    tiers: Annotated[list[FillingTier], several(TIERS_MAX)] | None = None
    """In their order; the first whose `when` is true is taken, for each slot by itself."""
    border_where: ExpressionText | None = None
    """Which values may stand before and after a gap; left out, all valid ones."""
    operating_where: ExpressionText | None = None
    """In which slots the meter was operating; the others count for nothing. Left out, in all."""
    availability_slots: Annotated[int, between(1, AVAILABILITY_SLOTS_MAX)] | None = None
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
