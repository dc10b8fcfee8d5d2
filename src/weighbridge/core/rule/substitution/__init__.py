"""Substitution: what stands in for values that a meter should have delivered and did not.

In come a rule's words for it and the slots of a meter's series, in order; out goes what becomes of each slot
that needs a value: the value with its method, tier, code, window and members, or why it waits.

    filling, problems = read_filling({"method": "mean_before_after", "without_after": "before"})
    problems = check_filling(filling, Vocabulary("stack hour", {"so2": PLAIN}))
    outcomes = fill(gap_program(filling), slots, zone)

To read it: `methods` says how a value may be found, `definition` what tiers, gaps and borders are, `series`
what a slot is and what becomes of it; `reading` makes them of JSON, `writing` gives the one form back.

To fill gaps: `program` makes functions of conditions; `availability` and `members` follow the series,
`values` computes one method for one slot, and `filling` is the pass that brings them together.
"""

from weighbridge.core.rule.substitution.definition import GapFilling
from weighbridge.core.rule.substitution.filling import Filling, fill
from weighbridge.core.rule.substitution.program import GapProgram, gap_program, names_of
from weighbridge.core.rule.substitution.reading import check_filling, read_filling
from weighbridge.core.rule.substitution.series import Absence, Absent, Given, SeriesSlot, SlotOutcome
from weighbridge.core.rule.substitution.writing import write_filling

__all__ = [
    "Absence",
    "Absent",
    "Filling",
    "GapFilling",
    "GapProgram",
    "Given",
    "SeriesSlot",
    "SlotOutcome",
    "check_filling",
    "fill",
    "gap_program",
    "names_of",
    "read_filling",
    "write_filling",
]
