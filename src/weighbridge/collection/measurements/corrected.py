"""Summaries of corrections: how often each value of an event was corrected, and its substitution in force.

Events that were never revised have none, and are not asked about.
"""

from collections.abc import Collection

import msgspec

from weighbridge.collection.events.records import Substitution
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read


class CorrectionSummary(msgspec.Struct, frozen=True):
    """The corrections of one value."""

    corrections_count: int = 0
    substitution: Substitution | None = None


UNCORRECTED = CorrectionSummary()

CorrectionSummaries = dict[tuple[int, int], CorrectionSummary]
"""By event and position; what is not there was never corrected."""


async def correction_summaries(
    tx: Read, project: int, revised_events: Collection[int]
) -> CorrectionSummaries:
    """The corrections of the values of some events that were revised."""
    if not revised_events:
        return {}
    rows = await tx.tuples(
        """
        SELECT c.event_id, c.position, count(*),
               max(c.id) FILTER (WHERE c.state = 'in_force' AND c.source = %s)
          FROM corrections c
         WHERE c.project_id = %s AND c.event_id = ANY (%s) AND c.position > 0 AND c.source <> %s
         GROUP BY c.event_id, c.position
        """,
        (CorrectionOrigin.SUBSTITUTION, project, list(revised_events), CorrectionOrigin.COMPLETION),
    )
    numbers = {number for *_, number in rows if number is not None}
    substitutions = await substitutions_numbered(tx, project, numbers)
    return {
        (event, position): CorrectionSummary(count, substitutions.get(number))
        for event, position, count, number in rows
    }


async def substitutions_numbered(tx: Read, project: int, numbers: Collection[int]) -> dict[int, Substitution]:
    """Corrections as data points show them, by their numbers."""
    if not numbers:
        return {}
    return {
        number: Substitution(number, replaced, rule_id(project, rule), *rest)
        for number, replaced, rule, *rest in await tx.tuples(
            """
            SELECT id, from_value, rule_id, rule_version, rule_run_id, reason, created_at FROM corrections
             WHERE project_id = %s AND id = ANY (%s)
            """,
            (project, list(numbers)),
        )
    }


def rule_id(project: int, number: int | None) -> str | None:
    """The friendly id of a rule, if there is one."""
    return None if number is None else ids.of("rule", project, number)
