"""How far a change of a series reaches: which slots it may change, and from where they have to be read again.

A change touches the whole gap that it lies in, and what looks back at it: windows, and tiers that ask for
availability or for how many slots were valid. What looks back by counting has no bound in time.

Invariants: what becomes of a slot outside of what is affected is what it was; a pass that begins where
`needed_from` says finds the same for the slots from `first` on as one over the whole series.
"""

from datetime import datetime, tzinfo

from weighbridge.core.rule.substitution.program import GapProgram
from weighbridge.core.rule.windows.window import Rolling, affected, reach
from weighbridge.core.time.instant import Interval


def affected_slots(
    program: GapProgram, around: Interval, changed: Interval, zone: tzinfo
) -> tuple[datetime, datetime | None]:
    """From when and until when slots start that a change may change; None: to the end of the series.

    `around` reaches from the last border before the change to the first one behind it, or to where the series
    begins and ends.
    """
    start, ends = around.start, [around.end]
    counts = program.asks_history
    for look_back, _ in program.look_backs:
        reached = affected(look_back.window, changed, zone)
        if reached is None:
            counts = True
        elif isinstance(look_back.window, Rolling):
            ends.append(reached.end)
        else:
            start = min(start, reached.start)
            ends.append(reached.end)
    return start, None if counts else max(ends)


def needed_from(program: GapProgram, border: datetime, first: datetime, zone: tzinfo) -> datetime | None:
    """From when on a series is read to fill the slots from `first` on; None: from its beginning.

    `border` is the last one before `first`.
    """
    starts = [reach(look_back.window, border, zone) for look_back, _ in program.look_backs]
    if program.asks_history or None in starts:
        return None
    return min([border, first, *(start for start in starts if start is not None)])
