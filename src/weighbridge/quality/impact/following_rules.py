"""The automatic rules that correct unasked and would evaluate what a change touches, once it is made.

A change leaves marks for rules as it is written; those that it leaves in the transaction of a dry run are
read like any others, by the function that incremental evaluation reads them by.

Invariants: a rule is here only if it is effective where it would evaluate, and may see one of the events.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.rule import WindowMeters
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.quality.evaluation.event_records import asked, within
from weighbridge.quality.evaluation.incremental import Marked, marked_periods, marks_seen, may_concern
from weighbridge.quality.evaluation.prepared_rule import PreparedRule, prepared_rule
from weighbridge.quality.impact.answer import FollowingRule
from weighbridge.quality.impact.slots import ChangedEvent
from weighbridge.quality.versions.period import Period, effective_period
from weighbridge.quality.versions.stored_version import StoredVersion, automatic_versions


@dataclass(frozen=True, slots=True)
class MarksBefore:
    """What is marked for rules before a change, and the assets of the events that are to be changed."""

    numbers: Sequence[int]
    assets: frozenset[int]


async def marks_before(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> MarksBefore:
    """What rules have not looked at yet, whatever comes of the change."""
    seen = await marks_seen(tx, project)
    return MarksBefore(seen.numbers, await _assets(tx, project, changed))


async def following_rules(
    tx: Read, project: int, changed: Sequence[ChangedEvent], before: MarksBefore
) -> list[FollowingRule]:
    """The rules that would evaluate what the change has marked, in the order of their numbers.

    Those whose corrections are only proposed change no figure until somebody decides.
    """
    marked = (await marks_seen(tx, project, before.numbers)).marked
    if not marked.events:
        return []
    assets = before.assets | await _assets(tx, project, changed)
    return [
        FollowingRule(ids.of("rule", project, version.rule), version.name, version.purpose)
        for version in await automatic_versions(tx, project)
        if version.correction is not None
        and not version.requires_approval
        and may_concern(version, marked)
        and (_looks_at_all_assets(version) or version.asset in assets)
        and await _evaluates(tx, version, marked)
    ]


def _looks_at_all_assets(version: StoredVersion) -> bool:
    """Whether a rule's results may depend on events of any asset."""
    return version.asset is None or version.window_meters == WindowMeters.ALL


async def _evaluates(tx: Read, version: StoredVersion, marked: Marked) -> bool:
    """Whether a rule is effective where it would be evaluated, and has something to evaluate there."""
    try:
        prepared = await prepared_rule(tx, version)
    except Invalid:  # it fits nothing any more; its next run fails and says so
        return False
    for start, end in await marked_periods(tx, prepared, marked):
        period = effective_period(version, start, end)
        if period is not None and await _has_records(tx, prepared, period):
            return True
    return False


async def _has_records(tx: Read, prepared: PreparedRule, period: Period) -> bool:
    """Whether a rule watches anything that starts in a period; gaps hold no event and are always watched."""
    if prepared.gaps is not None:
        return True
    statement = SQL("SELECT EXISTS (SELECT FROM events e WHERE {} AND {} AND e.voided_at IS NULL)").format(
        within(prepared.version.project, prepared.watched, period), asked(prepared)
    )
    return bool(await tx.value(statement))


async def _assets(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> frozenset[int]:
    """The assets of events where they are now."""
    rows = await tx.tuples(_ASSETS, (project, sorted({one.event for one in changed})))
    return frozenset(asset for (asset,) in rows)


_ASSETS: Final = """
    SELECT DISTINCT asset_id FROM events
     WHERE project_id = %s AND id = ANY (%s) AND asset_id IS NOT NULL
"""
