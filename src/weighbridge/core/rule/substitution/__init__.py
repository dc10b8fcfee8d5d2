"""Substitution: what stands in for values that a meter should have delivered and did not.

In come a rule's words for it and the slots of a meter's series, in order; out goes what becomes of each slot
that needs a value: the value with its method, tier, code, window and members, or why it waits.

    filling, problems = read_filling({"method": "mean_before_after", "without_after": "before"})
    problems = check_filling(filling, Vocabulary("stack hour", {"so2": PLAIN}))
    expected = ExpectedCadence(CadenceSlots(1, "hour", zone), Expectation())
    slots = series_slots(readings, expected, period)
    outcomes = fill(gap_program(filling), slots, zone)

To read it: `methods` says how a value may be found, `definition` what tiers, gaps and borders are, `series`
what a slot is and what becomes of it, `slots` where the empty ones stand; `reading` makes them of JSON (by
`fields`), `writing` gives the one form back, and what is said of a value.

To fill gaps: `program` makes functions of conditions; `availability` and `members` follow the series,
`values` computes one method for one slot, and `filling` is the pass that brings them together. `reach` says
what a late value may change.
"""

from weighbridge.core.rule.substitution.definition import GapFilling
from weighbridge.core.rule.substitution.filling import Filling, fill
from weighbridge.core.rule.substitution.program import GapProgram, gap_program, names_of
from weighbridge.core.rule.substitution.reach import affected_slots, needed_from
from weighbridge.core.rule.substitution.reading import check_filling, read_filling
from weighbridge.core.rule.substitution.series import Absence, Absent, Given, SeriesSlot, SlotOutcome
from weighbridge.core.rule.substitution.slots import series_slots
from weighbridge.core.rule.substitution.writing import write_filling, write_outcome

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
