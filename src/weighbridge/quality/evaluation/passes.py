"""Passes: over which periods a rule is evaluated to say something of some records, and not of all between.

Records that start near each other are read in one pass, with what lies between them; those that are far from
all others have a pass of their own, unless what the two read overlaps. So the cost follows what has to be
read, and not the number of records.

Invariant: each moment for which the rule is effective lies in exactly one period, and what two passes read
does not overlap.
"""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from weighbridge.core.time.cadence_slots import CadenceSlots
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.db.engine import Read
from weighbridge.quality.evaluation.event_records import first_member
from weighbridge.quality.evaluation.prepared_rule import PreparedRule
from weighbridge.quality.evaluation.series_reach import series_range
from weighbridge.quality.versions.period import Period, effective_period

NEAR_SLOTS: Final = 1_000
"""Slots of a cadence that are read between two records sooner than two passes are begun."""

NEAR_WITHOUT_CADENCE: Final = timedelta(days=1)
"""The same where nothing says how many records there are in a time."""


async def passes(tx: Read, prepared: PreparedRule, starts: Collection[Instant]) -> list[Period]:
    """The periods to evaluate a rule over for the records that start at these moments."""
    near = _near(prepared)
    stretches: list[list[Instant]] = []
    for start in sorted(starts):
        if effective_period(prepared.version, start, Instant.of(start + MILLISECOND)) is None:
            continue
        if stretches and start - stretches[-1][-1] <= near:
            stretches[-1].append(start)
        else:
            stretches.append([start])
    periods: list[Period] = [(one[0], Instant.of(one[-1] + MILLISECOND)) for one in stretches]
    return await _apart(tx, prepared, periods) if periods[1:] else periods


def _near(prepared: PreparedRule) -> timedelta:
    """How far two records may lie apart that are read in one pass."""
    cadences = [kind.cadence for kind in prepared.watched if kind.cadence is not None]
    if len(cadences) < len(prepared.watched):
        return NEAR_WITHOUT_CADENCE
    clocks = [CadenceSlots(*cadence, prepared.zone) for cadence in cadences]
    return NEAR_SLOTS * min(clock.start(1) - clock.start(0) for clock in clocks)


async def _apart(tx: Read, prepared: PreparedRule, periods: list[Period]) -> list[Period]:
    """The periods, joined where what is read for one is read for the next as well."""
    joined: list[Period] = []
    read_until: Instant | None = None
    for start, end in periods:
        first, last = await _read(tx, prepared, (start, end))
        if joined and (read_until is None or first < read_until):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        read_until = last
    return joined


async def _read(tx: Read, prepared: PreparedRule, period: Period) -> Period:
    """What is read to evaluate a rule over a period."""
    if prepared.gaps is not None:
        return await series_range(tx, prepared, period)
    return await first_member(tx, prepared, period), period[1]
