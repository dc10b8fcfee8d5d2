"""The value of a data point of an event: what was captured, unless a correction is in force.

Every reader of values takes its SQL from here, so that a correction counts everywhere or nowhere. The
statements speak of the event as `e`.

Invariants: `e.numbers`, `e.texts` and `e.booleans` hold what was captured and never change where they have a
value; `e.corrected_*` are NULL, or whole arrays in which the corrections in force stand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, LiteralString

from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """Where the values of one data point type are in its events: a position in the array of their type."""

    position: int
    value_type: str
    is_before_rules: bool = False
    """Whether it is read as captured, or as a person corrected it, whatever rules have written."""
    is_before_substitutes: bool = False
    """Whether it is read without what rules put in for other values; calibrations count."""


NUMBERS: Final = "coalesce(e.corrected_numbers, e.numbers)"
TEXTS: Final = "coalesce(e.corrected_texts, e.texts)"
BOOLEANS: Final = "coalesce(e.corrected_booleans, e.booleans)"

CURRENT: Final[Mapping[str, LiteralString]] = {
    "number": f"({NUMBERS})[{{}}]",
    "string": f"({TEXTS})[{{}}]",
    "boolean": f"({BOOLEANS})[{{}}]",
}
"""The value at a position, by value type."""

_BY_PEOPLE: Final = f"""
    FROM corrections c
   WHERE (c.project_id, c.event_id, c.position, c.field) = (e.project_id, e.id, {{0}}, '')
     AND c.state = '{CorrectionState.IN_FORCE}' AND c.source = '{CorrectionOrigin.MANUAL}'
"""
"""What a person said of the value at a position; while there is one it is in force."""

CAPTURED: Final[Mapping[str, LiteralString]] = {
    "number": "e.numbers[{0}]",
    "string": "e.texts[{0}]",
    "boolean": "e.booleans[{0}]",
}
"""The value at a position as it was captured, by value type."""


FILLABLE: Final = "((e.is_imputed OR e.readings IS NOT NULL) AND e.corrected_numbers IS NOT NULL)"
"""Whether the service made the event, so that rules fill what it lacks, and something is in force on it."""


def _without_rules(kind: LiteralString, value: LiteralString) -> LiteralString:
    held = CAPTURED[kind]
    return f"CASE WHEN e.is_revised THEN coalesce((SELECT {value} {_BY_PEOPLE}), {held}) ELSE {held} END"


WITHOUT_RULES: Final[Mapping[str, LiteralString]] = {
    "number": _without_rules("number", "c.to_value::numeric"),
    "string": _without_rules("string", "c.to_value #>> '{{}}'"),
    "boolean": _without_rules("boolean", "c.to_value::boolean"),
}
"""The value at a position as a person corrected it, or else as captured: whatever rules have written."""

_NO_SUBSTITUTE: Final = f"""
    FROM corrections c
   WHERE (c.project_id, c.event_id, c.position, c.field) = (e.project_id, e.id, {{0}}, '')
     AND c.state = '{CorrectionState.IN_FORCE}'
     AND c.source IN ('{CorrectionOrigin.MANUAL}', '{CorrectionOrigin.ADJUSTMENT}')
"""
"""What a person or a calibration says of the value at a position; while there is one it is in force."""


def _without_substitutes(kind: LiteralString, value: LiteralString) -> LiteralString:
    held = CAPTURED[kind]
    return f"CASE WHEN e.is_revised THEN coalesce((SELECT {value} {_NO_SUBSTITUTE}), {held}) ELSE {held} END"


WITHOUT_SUBSTITUTES: Final[Mapping[str, LiteralString]] = {
    "number": _without_substitutes("number", "c.to_value::numeric"),
    "string": _without_substitutes("string", "c.to_value #>> '{{}}'"),
    "boolean": _without_substitutes("boolean", "c.to_value::boolean"),
}
"""The value at a position as a person or a calibration corrected it, or else as captured."""

IS_BY_PEOPLE: Final = f"(e.is_revised AND EXISTS (SELECT {_BY_PEOPLE}))"
"""Whether the value at a position is a person's."""

LEFT_TO_RULES: Final[Mapping[str, LiteralString]] = {
    kind: f"CASE WHEN NOT e.is_revised OR (SELECT c.id {_BY_PEOPLE}) IS NULL THEN {held} END"
    for kind, held in CAPTURED.items()
}
"""The captured value at a position; NULL where a person corrected it, so that no rule may."""

CAPTURED_ARRAYS: Final[Mapping[str, LiteralString]] = {
    array: f"CASE WHEN e.corrected_{array} IS NOT NULL THEN e.{array} END AS captured_{array}"
    for array in ("numbers", "texts", "booleans")
}
"""What was captured, by the name of the array; NULL where nothing else is in force."""
