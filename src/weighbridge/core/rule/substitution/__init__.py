"""Substitution: replacements for values that a meter should have delivered and did not.

In come a rule's words for it and the slots of a meter's series, in order; out goes what becomes of each slot
that needs a value: the value with its method, tier, code, window and members, or why it waits.

    filling, problems = read_filling({"method": "mean_before_after", "without_after": "before"})
    problems = check_filling(filling, Vocabulary("stack hour", {"so2": PLAIN}))
    expected = ExpectedCadence(CadenceSlots(1, "hour", zone), Expectation())
    slots = series_slots(readings, expected, period)
    outcomes = fill(gap_program(filling), slots, zone)

To read it: `definition` defines tiers, gaps, borders and methods, `windows` the values that a method is taken
of, and `reading` reads them from JSON.

To fill gaps: `values` has the slots of a series and computes one method for one slot; `filling` makes
functions of conditions, says what a late value may change, and is the pass that brings all together.
"""

from weighbridge.core.rule.substitution.definition import GapFilling, write_filling
from weighbridge.core.rule.substitution.filling import (
    Filling,
    GapProgram,
    compile_filling,
    fill,
    find_affected_slots,
    find_reading_start,
    list_names,
)
from weighbridge.core.rule.substitution.reading import (
    check_filling,
    check_operating_source,
    read_filling,
)
from weighbridge.core.rule.substitution.values import (
    Absence,
    FoundValue,
    NoValue,
    SeriesSlot,
    SlotOutcome,
    list_series_slots,
    write_outcome,
)

__all__ = [
    "Absence",
    "Filling",
    "FoundValue",
    "GapFilling",
    "GapProgram",
    "NoValue",
    "SeriesSlot",
    "SlotOutcome",
    "check_filling",
    "check_operating_source",
    "compile_filling",
    "fill",
    "find_affected_slots",
    "find_reading_start",
    "list_names",
    "list_series_slots",
    "read_filling",
    "write_filling",
    "write_outcome",
]
