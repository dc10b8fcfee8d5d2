"""What each action owes beside its audit row: the table of all actions that are recorded.

An action that corrects values of events, one by one or by a rule, owes nothing here: corrections are written
in one place, `collection/measurements/corrections.py`, which leaves the traces portion by portion.

Invariants: `record` takes no action that is not in the table, and none without what it owes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.platform.changes.holding_off import GenerationsHeldOff
from weighbridge.platform.changes.rule_marks import (
    ChangedBatches,
    ChangedModelRun,
    ChangedOutages,
    NewEvents,
    StoredEvents,
)
from weighbridge.platform.changes.staleness import AddedStaticInput, ChangedService, ChangedValues
from weighbridge.platform.changes.trace import Trace


class ForgottenError(Exception):
    """An action was recorded without something that it owes, or that it has no business with."""


@dataclass(frozen=True, slots=True)
class Always:
    """A trace that the action always leaves."""

    kind: type[Trace]


@dataclass(frozen=True, slots=True)
class Changing:
    """A trace that the action leaves when a field of the record has changed."""

    field: str
    kind: type[Trace]


@dataclass(frozen=True, slots=True)
class Sometimes:
    """A trace that the action may leave, which nothing in the record tells."""

    kind: type[Trace]


Obligation = Always | Changing | Sometimes

_NOTHING: Final[tuple[Obligation, ...]] = ()
_OF_SERVICE: Final = (
    Changing("in_service_from", ChangedService),
    Changing("in_service_until", ChangedService),
)

OBLIGATIONS: Final[Mapping[str, tuple[Obligation, ...]]] = {
    "account.create": _NOTHING,
    "user.erase": _NOTHING,
    "user.create": _NOTHING,
    "user.invite": _NOTHING,
    "user.make_link": _NOTHING,
    "user.set_password": _NOTHING,
    "user.update": _NOTHING,
    "user.withdraw_invitation": _NOTHING,
    "session.begin": _NOTHING,
    "session.end": _NOTHING,
    "session.end_all": _NOTHING,
    "api_token.create": _NOTHING,
    "api_token.revoke": _NOTHING,
    "api_token.reassign": _NOTHING,
    "feature_flag.switch": _NOTHING,
    "async_task.cancel": _NOTHING,
    "async_task.fail": _NOTHING,
    "project.create": _NOTHING,
    "project.update": (Changing("time_zone", GenerationsHeldOff),),
    "event_type.create": _NOTHING,
    "event_type.update": _NOTHING,
    "event_type.delete": _NOTHING,
    "location.create": _NOTHING,
    "location.update": (Changing("name", GenerationsHeldOff), *_OF_SERVICE),
    "location.delete": _NOTHING,
    "feedstock.create": _NOTHING,
    "feedstock.update": (Changing("name", GenerationsHeldOff),),
    "feedstock.delete": _NOTHING,
    "asset.create": _NOTHING,
    "asset.update": (Changing("name", GenerationsHeldOff), *_OF_SERVICE),
    "asset.delete": _NOTHING,
    "asset.import": (Sometimes(GenerationsHeldOff),),
    "export.create": _NOTHING,
    "webhook.create": _NOTHING,
    "webhook.update": _NOTHING,
    "webhook.delete": _NOTHING,
    "webhook.roll_secret": _NOTHING,
    "webhook.test": _NOTHING,
    "webhook.redeliver": _NOTHING,
    "webhook.disable": _NOTHING,
    "data_feed.create": _NOTHING,
    "data_feed.update": _NOTHING,
    "data_feed.delete": _NOTHING,
    "data_feed_upload.create": _NOTHING,
    "data_feed_upload.finish": (Sometimes(NewEvents),),
    "outage.create": (Always(ChangedOutages),),
    "outage.update": (Always(ChangedOutages),),
    "outage.delete": (Always(ChangedOutages),),
    "asset_custom_field.create": _NOTHING,
    "asset_custom_field.delete": _NOTHING,
    "event.create": (Always(NewEvents),),
    "event.create_many": (Always(NewEvents),),
    "event.update": (Always(StoredEvents), Changing("locations", ChangedValues)),
    "event.update_many": (Always(StoredEvents),),
    "event.void": (Always(GenerationsHeldOff), Always(StoredEvents)),
    "event.complete_many": _NOTHING,
    "data_point.correct": _NOTHING,
    "data_point.revert": _NOTHING,
    "evidence.create": _NOTHING,
    "model.create": _NOTHING,
    "model.create_version": _NOTHING,
    "model.update": _NOTHING,
    "model.set_version_label": _NOTHING,
    "model.activate": _NOTHING,
    "static_input.create": (Always(AddedStaticInput),),
    "ledger.create": _NOTHING,
    "ledger.update": _NOTHING,
    "ledger.delete": _NOTHING,
    "instrument.create": _NOTHING,
    "batch_generation.start": _NOTHING,
    "batch_generation.finish": (Always(ChangedBatches),),
    "batch.update_inputs": _NOTHING,
    "batch_deletion.start": _NOTHING,
    "batch_deletion.finish": (Always(ChangedBatches),),
    "model_run.create": (Always(ChangedModelRun),),
    "model_run.delete": (Always(ChangedModelRun),),
    "rule.create": _NOTHING,
    "rule.update": _NOTHING,
    "rule.delete": _NOTHING,
    "rule.correct": _NOTHING,
    "rule.undo_corrections": _NOTHING,
    "rule_run.start": _NOTHING,
    "rule_run.finish": _NOTHING,
    "rule_run.reverse": _NOTHING,
    "rule_result.dismiss": _NOTHING,
    "rule_result.bulk_dismiss": _NOTHING,
    "rule_result.approve": _NOTHING,
    "rule_result.bulk_approve": _NOTHING,
    "rule_result.reject": _NOTHING,
    "rule_result.bulk_reject": _NOTHING,
    "registry.create": _NOTHING,
    "registry.update": _NOTHING,
    "methodology.create": _NOTHING,
    "report.create": _NOTHING,
    "report.update": _NOTHING,
    "report.delete": _NOTHING,
    "report.submit": _NOTHING,
    "report.start_bundle": _NOTHING,
    "report.keep_bundle": _NOTHING,
    "report.deliver": _NOTHING,
    "report.accept": _NOTHING,
    "report.reject": _NOTHING,
    "report_link.create": _NOTHING,
    "report_link.revoke": _NOTHING,
    "report_link.reassign": _NOTHING,
    "archive.write": _NOTHING,
}
"""What every action leaves beside its audit row; a new action says here what it changes."""


def refuse_forgotten(action: str, traces: Sequence[Trace], before: Any, after: Any) -> None:
    """Raise ForgottenError unless these are the traces that the action owes."""
    owed = OBLIGATIONS.get(action)
    if owed is None:
        raise ForgottenError(f"{action} is not in the table of actions; say there what it leaves behind.")
    left = {type(trace) for trace in traces}
    if missing := {*_needed(owed, before, after)} - left:
        raise ForgottenError(f"{action} leaves no {_names(missing)}, which it owes.")
    if strange := left - {one.kind for one in owed}:
        raise ForgottenError(f"{action} leaves {_names(strange)}, which the table of actions does not say.")


def _needed(owed: Sequence[Obligation], before: Any, after: Any) -> Iterator[type[Trace]]:
    for one in owed:
        is_changed = isinstance(one, Changing) and getattr(before, one.field) != getattr(after, one.field)
        if is_changed or isinstance(one, Always):
            yield one.kind


def _names(kinds: set[type[Trace]]) -> str:
    return " or ".join(sorted(kind.__name__ for kind in kinds))
