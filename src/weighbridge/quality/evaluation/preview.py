"""Try a rule over a period: what it would find, with nothing stored. The rule need not be there yet.

Invariant: a preview finds what an evaluation of the same rule over the same data would.
"""

from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.quality.definition.checking import checked
from weighbridge.quality.evaluation import evaluation
from weighbridge.quality.evaluation.period import asked_period
from weighbridge.quality.rules.records import RulePreview, RulePreviewAlert, RulePreviewBody

PREVIEW_ALERTS_MAX: Final = 100
"""Alerts that the preview of a rule shows; it counts all of them."""


async def preview_rule(tx: Read, actor: Actor, project: int, asked: RulePreviewBody) -> RulePreview:
    """What a rule would find in a period."""
    start, end = asked_period(asked.start_time, asked.end_time)
    draft = await checked(tx, actor, project, asked.rule)
    found = await evaluation.preview(tx, draft, start, end, PREVIEW_ALERTS_MAX)
    is_proposed = draft.requires_approval
    return RulePreview(
        found.evaluated,
        found.alerts,
        0 if is_proposed else found.corrections,
        found.corrections if is_proposed else 0,
        [_shown(project, alert) for alert in found.first],
    )


def _shown(project: int, alert: evaluation.Alert) -> RulePreviewAlert:
    event = None if alert.event is None else ids.Key(project, alert.event)
    point = None if event is None else ids.Key(project, event.key, alert.position or 0)
    batch = None if alert.batch is None else ids.Key(project, alert.batch)
    run = None
    if alert.model_run is not None:
        run = ids.Key(project, alert.model_run, owner=ids.Owner.MODEL_RUN)
    elif batch is not None:
        run = ids.Key(project, batch.key, owner=ids.Owner.BATCH)
    return RulePreviewAlert(
        _friendly("event", event),
        _friendly("data_point", point),
        _friendly("model_run", run),
        _friendly("batch", batch),
        alert.start_time,
        alert.value,
        alert.error,
        alert.from_value,
        alert.to_value,
    )


def _friendly(kind: str, key: ids.Key | None) -> str | None:
    return None if key is None else ids.make(kind, key)
