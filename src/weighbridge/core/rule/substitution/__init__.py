"""Substitution: what stands in for values that a meter should have delivered and did not.

In come a rule's words for it and the slots of a meter's series, in order; out goes what becomes of each slot
that needs a value: the value with its method, tier, code, window and members, or why it waits.

    filling, problems = read_filling({"method": "mean_before_after", "without_after": "before"})
    problems = check_filling(filling, Vocabulary("stack hour", {"so2": PLAIN}))
    expected = ExpectedCadence(CadenceSlots(1, "hour", zone), Expectation())
    slots = series_slots(readings, expected, period)
    outcomes = fill(gap_program(filling), slots, zone)

To read it: `definition` says what tiers, gaps and borders are and how a value may be found, `series` what a
slot is and what becomes of it; `reading` makes them of JSON.

To fill gaps: `program` makes functions of conditions and says what a late value may change, `values`
computes one method for one slot, and `filling` is the pass that brings them together.
"""

from weighbridge.core.rule.substitution.definition import GapFilling, write_filling
from weighbridge.core.rule.substitution.filling import Filling, fill
from weighbridge.core.rule.substitution.program import (
    GapProgram,
    affected_slots,
    gap_program,
    names_of,
    needed_from,
)
from weighbridge.core.rule.substitution.reading import check_filling, read_filling
from weighbridge.core.rule.substitution.series import (
    Absence,
    Absent,
    Given,
    SeriesSlot,
    SlotOutcome,
    series_slots,
    write_outcome,
)

__all__ = [
    "Absence",
    "Absent",
    "Filling",
    "GapFilling",
    "GapProgram",
    "Given",
    "SeriesSlot",
    "SlotOutcome",
    "affected_slots",
    "check_filling",
    "fill",
    "gap_program",
    "names_of",
    "needed_from",
    "read_filling",
    "series_slots",
    "write_filling",
    "write_outcome",
]
