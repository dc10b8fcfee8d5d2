"""Summaries of corrections: how often each value of an event was corrected, and by whom it is now.

Events that were never revised have none, and are not asked about.
"""

from collections.abc import Collection

import msgspec

from weighbridge.collection.events.records import Substitution
from weighbridge.core.collection.correction import BY_RULES, NOT_REVERTED, CorrectionOrigin, CorrectionState
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read


class CorrectionSummary(msgspec.Struct, frozen=True):
    """The corrections of one value."""

    corrections_count: int = 0
    """How many stand, in force or beneath one that is."""
    corrections_total: int = 0
    """How many were ever made."""
    origin: CorrectionOrigin | None = None
    """The origin of the one in force."""
    substitution: Substitution | None = None
    """The one in force, when a rule made it."""


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
        SELECT c.event_id, c.position, count(*) FILTER (WHERE c.state = ANY (%s)), count(*),
               max(c.source) FILTER (WHERE c.state = %s),
               max(c.id) FILTER (WHERE c.state = %s AND c.source = ANY (%s))
          FROM corrections c
         WHERE c.project_id = %s AND c.event_id = ANY (%s) AND c.position > 0 AND c.source <> %s
         GROUP BY c.event_id, c.position
        """,
        (
            list(NOT_REVERTED),
            CorrectionState.IN_FORCE,
            CorrectionState.IN_FORCE,
            list(BY_RULES),
            project,
            list(revised_events),
            CorrectionOrigin.COMPLETION,
        ),
    )
    numbers = {number for *_, number in rows if number is not None}
    substitutions = await substitutions_numbered(tx, project, numbers)
    return {
        (event, position): CorrectionSummary(
            count, total, None if origin is None else CorrectionOrigin(origin), substitutions.get(number)
        )
        for event, position, count, total, origin, number in rows
    }


async def substitutions_numbered(tx: Read, project: int, numbers: Collection[int]) -> dict[int, Substitution]:
    """Corrections as data points show them, by their numbers."""
    if not numbers:
        return {}
    return {
        number: Substitution(number, replaced, rule_id(project, rule), *rest, **(found or {}))
        for number, replaced, rule, *rest, found in await tx.tuples(
            """
            SELECT id, from_value, rule_id, rule_version, rule_run_id, reason, created_at, substitution
              FROM corrections
             WHERE project_id = %s AND id = ANY (%s)
            """,
            (project, list(numbers)),
        )
    }


def rule_id(project: int, number: int | None) -> str | None:
    """The friendly id of a rule, if there is one."""
    return None if number is None else ids.of("rule", project, number)
