"""Whether a proposal still stands: its rule, asked again about the record as it is now, comes to the same.

So whatever changed meanwhile counts, whether an evaluation has seen it yet or not: the value itself, what the
correction is computed from, the members of a window, the time of the event, the rule.

Invariants: nothing is stored but the transaction's table of findings; memory stays flat.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple

from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Write
from weighbridge.quality.correction.adjustment import leave_to_people
from weighbridge.quality.correction.imputation import describe_slots, find_events
from weighbridge.quality.correction.slot_proposals import SAME_SLOT, proposes_events
from weighbridge.quality.evaluation.passes import passes
from weighbridge.quality.evaluation.prepared_rule import prepared_rule
from weighbridge.quality.evaluation.single_pass import begun, findings_of
from weighbridge.quality.findings import table
from weighbridge.quality.versions.stored_version import StoredVersion, newest_version


class HeldProposal(NamedTuple):
    """A proposal that someone decides on: its result, the rule and version, and the record."""

    number: int
    rule: int
    version: int
    run: int | None
    event: int | None
    """None of a slot that has no event yet."""
    position: int
    start: datetime
    is_voided: bool


async def still_standing(tx: Write, project: int, held: Sequence[HeldProposal]) -> set[int]:
    """The numbers of the results whose rules still propose for their records what they hold."""
    standing: set[int] = set()
    for rule, proposals in groupby(sorted(held, key=lambda one: one.rule), key=lambda one: one.rule):
        version = await newest_version(tx, project, rule)
        asked = [one for one in proposals if one.version == version.version and not one.is_voided]
        await _find_again(tx, version, asked)
        rows = await tx.tuples(_SAME, {"project": project, "asked": [one.number for one in asked]})
        standing |= {number for (number,) in rows}
    return standing


async def _find_again(tx: Write, version: StoredVersion, asked: Sequence[HeldProposal]) -> None:
    """Put what a version finds at the moments of these proposals into the table of findings.

    Records are read in one pass, however many are asked for, or in several where these lie far apart.
    """
    await table.make_empty_table(tx)
    prepared = await prepared_rule(tx, version)
    starts = {Instant.of(one.start) for one in asked} if prepared.watched else set()
    for period in await passes(tx, prepared, starts):
        evaluation = await begun(tx, prepared, period, starts)
        async for found in findings_of(tx, prepared, evaluation, period):
            await table.insert_findings(tx, [row for row in found if row.start in starts])
    if proposes_events(version):
        await find_events(tx, version)
    await leave_to_people(tx, version)
    if proposes_events(version):
        await describe_slots(tx, version)


_SAME: Final = f"""
    SELECT o.id FROM data_point_results o JOIN rule_findings f USING (event_id, position)
     WHERE o.project_id = %(project)s AND o.id = ANY (%(asked)s) AND f.to_value IS NOT NULL
       AND o.slot_start IS NULL
       AND o.proposed_correction
           = proposed_correction(f.from_value, f.to_value, f.substitution)
    UNION ALL
    SELECT o.id FROM data_point_results o JOIN rule_missing_slots s ON {SAME_SLOT}
     WHERE o.project_id = %(project)s AND o.id = ANY (%(asked)s) AND o.proposed_event = s.event
       AND o.proposed_correction = proposed_correction(NULL, s.to_value, s.substitution)
"""
