"""Try a rule over a period: what it would find, with nothing stored. The rule need not be there yet.

Invariant: a preview finds what an evaluation of the same rule over the same data would.
"""

from dataclasses import dataclass, field
from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule import RuleTarget
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.quality.definition.validation import validated
from weighbridge.quality.evaluation.prepared_rule import prepared_rule
from weighbridge.quality.evaluation.single_pass import begun, findings_of
from weighbridge.quality.findings.table import FindingTableRow
from weighbridge.quality.rules.records import RulePreview, RulePreviewAlert, RulePreviewBody
from weighbridge.quality.versions.period import effective_period, requested_period
from weighbridge.quality.versions.stored_version import StoredVersion

PREVIEW_ALERTS_MAX: Final = 100
"""Alerts that the preview of a rule shows; it counts all of them."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What evaluating a rule would come to: records, alerts, values it would correct, the first alerts."""

    evaluated: int = 0
    alerts: int = 0
    corrections: int = 0
    first: list[FindingTableRow] = field(default_factory=list)


async def preview_rule(tx: Read, actor: Actor, project: int, request: RulePreviewBody) -> RulePreview:
    """What a rule would find in a period; raises Invalid with all that is wrong with the rule."""
    start, end = requested_period(request.start_time, request.end_time)
    draft = await validated(tx, actor, project, request.rule)
    trial = await try_version(tx, draft, start, end, PREVIEW_ALERTS_MAX)
    is_proposed = draft.requires_approval
    return RulePreview(
        trial.evaluated,
        trial.alerts,
        0 if is_proposed else trial.corrections,
        trial.corrections if is_proposed else 0,
        [_shown(project, row) for row in trial.first],
    )


async def try_version(
    tx: Read, version: StoredVersion, start: Instant | None, end: Instant | None, limit: int
) -> RuleTrial:
    """What evaluating a version, stored or not, would find in a period, with so many alerts at most."""
    prepared = await prepared_rule(tx, version)
    period = effective_period(version, start, end)
    of_runs = prepared.rule.target is RuleTarget.MODEL_RUN
    if period is None or not (of_runs or prepared.watched):
        return RuleTrial()
    alerts = corrections = 0
    first: list[FindingTableRow] = []
    evaluation = await begun(tx, prepared, period)
    async for portion in findings_of(tx, prepared, evaluation, period):
        alerts += len(portion)
        corrections += sum(row.to_value is not None for row in portion)
        first += portion[: limit - len(first)]
    return RuleTrial(evaluation.evaluated, alerts, corrections, first)


def _shown(project: int, row: FindingTableRow) -> RulePreviewAlert:
    event = None if row.event is None else ids.Key(project, row.event)
    point = None if event is None else ids.Key(project, event.key, row.position or 0)
    batch = None if row.batch is None else ids.Key(project, row.batch)
    run = None
    if row.model_run is not None:
        run = ids.Key(project, row.model_run, owner=ids.Owner.MODEL_RUN)
    elif batch is not None:
        run = ids.Key(project, batch.key, owner=ids.Owner.BATCH)
    return RulePreviewAlert(
        _friendly("event", event),
        _friendly("data_point", point),
        _friendly("model_run", run),
        _friendly("batch", batch),
        Instant.of(row.start),
        row.value,
        row.error,
        row.from_value,
        row.to_value,
    )


def _friendly(kind: str, key: ids.Key | None) -> str | None:
    return None if key is None else ids.make(kind, key)
