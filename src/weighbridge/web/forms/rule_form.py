"""The fields of a rule: those of its record, and those of its window and its correction by their kinds."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weighbridge.core.rule import MemberScope, RuleTarget, WindowMeters
from weighbridge.core.rule.definition import FIELDS, FILLS_GAPS, KINDS, METHODS, Purpose, Severity
from weighbridge.core.rule.substitution.definition import DEPTH_MAX, METHOD_FIELDS
from weighbridge.quality.records.rules import (
    RULE_BODIES,
    CalendarWindow,
    FillingMethod,
    FillingTier,
    GapCorrection,
    RollingWindow,
    RuleCorrection,
)
from weighbridge.web.forms.documents import DocumentFields, DocumentTable
from weighbridge.web.forms.fields import FieldDeclaration, FormField, Texts, fields_of

_PURPOSES: Final = {
    Purpose.ALERT.value: "alert only",
    Purpose.ADJUST.value: "adjust wrong values",
    Purpose.SUBSTITUTE.value: "substitute invalid values",
    Purpose.IMPUTE.value: "impute missing events",
}

SEVERITY_WORDS: Final = {Severity.FAIL.value: "alert", Severity.WARN.value: "warning"}
"""What people call what a rule finds, by its severity."""

_TARGETS: Final = {RuleTarget.DATA_POINT.value: "data of events", RuleTarget.MODEL_RUN.value: "model runs"}

_SCOPES: Final = {
    MemberScope.EVENT.value: "none: only the data of the record itself",
    MemberScope.LOCATION.value: "of its event type, at the same location",
    MemberScope.EVENT_TYPE.value: "of its event type, or runs of its model",
    MemberScope.PROJECT.value: "all events of the project",
}

_METERS: Final = {
    WindowMeters.OWN.value: "only the meter of the record",
    WindowMeters.ALL.value: "all meters",
}

_WATCHED: Final = (
    FieldDeclaration("event_type_id", "Event type", "empty: all with these data points", of="event_type"),
    FieldDeclaration("asset_id", "Asset", "empty: all", of="asset"),
    FieldDeclaration("data_point", "Data point of the results", "slug; empty: the first in the expression"),
    FieldDeclaration("model_id", "Model", "", of="model"),
)

_DECLARED: Final = (
    FieldDeclaration("name", "Name", ""),
    FieldDeclaration("target", "Evaluates", "", kind="case", choices=_TARGETS, is_fixed=True),
    FieldDeclaration(
        "expression",
        "Fails when",
        "such as {{wet-mass}} > 40, avg({{temperature}}) < 600 or missed_slots() > 0",
        kind="code",
    ),
    FieldDeclaration("message", "Message", "shown with each alert"),
    FieldDeclaration(
        "tables", "Tables",
        'for lookup(), as JSON: {"lorries": {"columns": ["plate", "tare"], "rows": [["KN 12", 14.2]]}}',
        kind="json",
    ),
    *_WATCHED,
    FieldDeclaration("purpose", "Purpose", "", kind="case", choices=_PURPOSES),
    FieldDeclaration("severity", "Severity", "a warning keeps no report back", choices=SEVERITY_WORDS),
    FieldDeclaration("requires_approval", "Corrections require approval", ""),
    FieldDeclaration("window_member_scope", "Other records in the window", "", choices=_SCOPES),
    FieldDeclaration("window_meters", "Meters of the window", "", choices=_METERS),
    FieldDeclaration("effective_from", "Effective from", ""),
    FieldDeclaration("effective_to", "Effective until", "empty: goes on"),
    FieldDeclaration(
        "priority", "Priority", "1 to 1,000; the smallest goes first where several rules correct one value",
        usual="100",
    ),
    FieldDeclaration("evaluation", "Evaluation", "", choices={"automatic": "whenever data change"}),
)  # fmt: skip

_METHOD_WORDS: Final = {
    "constant": "a constant value",
    "previous": "the value before the gap",
    "next": "the value after the gap",
    "mean_before_after": "the mean of the values before and after",
    "linear": "a straight line from the value before to the value after",
    "mean": "the mean of a window",
    "median": "the median of a window",
    "minimum": "the minimum of a window",
    "maximum": "the maximum of a window",
    "percentile": "a percentile of a window",
    "mean_plus_sd": "the mean of a window plus standard deviations",
    "confidence_limit": "a confidence limit of the mean of a window",
    "greater_of": "the greatest of several methods",
    "lesser_of": "the least of several methods",
    "expression": "an expression",
}

_CODED: Final = {method: (*fields, "code", "uncertainty") for method, fields in METHOD_FIELDS.items()}

_TABLE: Final = DocumentTable(
    labels={
        "where": "Only members for which",
        "extent": "Extent",
        "value": "Value",
        "p": "Percentile",
        "factor": "Standard deviations added",
        "deviation": "Kind of standard deviation",
        "same": "Only members that have in common with the slot",
        "confidence": "Confidence in percent",
        "after_within": "Only if it comes in the same",
        "without_members": "If the window holds no value",
        "without_after": "If no value comes after the gap",
        "without_before": "If no value comes before the gap",
        "when": "Taken when",
        "border_where": "Values beside a gap count when",
        "operating_where": "Meter was operating when",
        "operating_from": "Operating, by events of another type",
        "fill_to_end": "Slots after the last event are a gap",
        "fill_lacking": "Fill values that received events lack",
        "availability_slots": "Operating slots of availability()",
        "round": "Rounding",
        "conservative": "Errs on the side of",
        "tiers": "Tiers",
        "uncertainty": "Uncertainty of the values",
        "include_current": "The record itself is a member",
    },
    choices={
        **_METHOD_WORDS,
        "rolling": "rolling: up to the record",
        "around_gap": "around the gap",
        "calendar": "calendar: periods of the calendar",
        "to_date": "up to the record",
        "whole_period": "up to the end of the period",
        "wait": "wait until one comes",
        "before": "the value before the gap",
        "first_after": "the first value after the gap",
        "high": "too high",
        "low": "too low",
    },
    helps={
        "method": "",
        "kind": "",
        "include_current": "",
        "where": "an expression; empty: all",
        "same": "an expression, such as {{load_range}}; empty: nothing",
        "code": "stored with each value, such as 08; at most 40 characters",
        "tiers": "the first tier whose condition is true gives the method, for each slot by itself",
    },
    blanks={
        "window": "none",
        "correction": "by ordered tiers",
        "without_before": "no value",
        "after_within": "whenever it comes",
        "without_members": "no value",
        "before": "none",
        "after": "none",
    },
    tags={
        RuleCorrection: ("method", {"": (), **{one.value: FIELDS[one] for one in FIELDS}}),
        FillingMethod: ("method", {"": (), **METHOD_FIELDS}),
        FillingTier: ("method", {"": (), **METHOD_FIELDS}),
        GapCorrection: ("method", {"": ("tiers",), **_CODED}),
    },
    levels={FillingMethod: DEPTH_MAX - 1},
    left_out=frozenset(word for word, kind in KINDS.items() if word != kind),
)

_DOCUMENTS: Final = DocumentFields(_TABLE)

WINDOW: Final = _DOCUMENTS.group("window", RollingWindow | CalendarWindow)
"""The fields of a rule's window."""

ADJUSTMENT: Final = _DOCUMENTS.group("correction", RuleCorrection)
"""The fields of the correction of a rule that adjusts."""

FILLING: Final = _DOCUMENTS.group("correction", GapCorrection)
"""The fields of the correction of a rule that fills gaps."""


_FLAT: Final = {one.name: one for one in fields_of(RULE_BODIES.new, _DECLARED)}
_OF_RUNS: Final = frozenset({"model_id"})
_OF_DATA: Final = frozenset({"event_type_id", "asset_id", "data_point"})


def rule_fields(texts: Texts) -> Sequence[FormField]:
    """The fields of a rule with these texts: those of what it watches, and of the correction it is for."""
    purpose = texts.get("purpose") or Purpose.ALERT.value
    is_alert = purpose == Purpose.ALERT
    left_out = _OF_DATA if texts.get("target") == RuleTarget.MODEL_RUN else _OF_RUNS
    fields: list[FormField] = []
    for one in _FLAT.values():
        if one.name in left_out or one.name == ("requires_approval" if is_alert else "severity"):
            continue
        fields.append(one)
        if one.name == "purpose" and not is_alert:
            fields.append(FILLING if purpose in FILLS_GAPS else ADJUSTMENT)
        if one.name in ("requires_approval", "severity"):
            fields.append(WINDOW)
    return fields


def with_only_method(texts: Texts) -> Texts:
    """The texts, with the method of an adjustment chosen where there is only one to choose."""
    methods = METHODS[Purpose.ADJUST]
    path = f"{ADJUSTMENT.name}.{ADJUSTMENT.tag}"
    is_open = texts.get("purpose") == Purpose.ADJUST and texts.get(path, "") not in methods
    return {**texts, path: methods[0].value} if is_open and len(methods) == 1 else texts


def rule_heads() -> frozenset[str]:
    """The names of everything that a rule may say."""
    return frozenset({*_FLAT, WINDOW.name, FILLING.name})


def example_texts(example: Mapping[str, Any]) -> dict[str, Any]:
    """What an example says of a rule, without the records that it names of another project."""
    return {
        name: value for name, value in example["rule"].items() if name not in {"event_type_id", "model_id"}
    }
