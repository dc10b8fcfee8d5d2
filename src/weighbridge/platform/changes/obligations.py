"""Record a write: its audit row and the traces that the action must leave.

`OBLIGATIONS` is the table of all recorded actions. Read it first, then `record`. `AUDIT_ROW_OF_EVENT`
and `MARK_OF_EVENT` do the same within the one statement that stores a single event.

Invariants: `record` rejects an action that is not in the table, and an action that lacks a trace that
it owes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString, Protocol

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Command, Write
from weighbridge.db.json import jsonb
from weighbridge.platform.changes.rule_marks import (
    MARK_EVENTS,
    ChangedBatches,
    ChangedModelRun,
    ChangedOutages,
    NewEvents,
    StoredEvents,
)
from weighbridge.platform.changes.staleness import (
    AddedStaticInput,
    ChangedService,
    ChangedValues,
    GenerationsHeldOff,
)

# A trace: something that a write changed, from which follows what it leaves behind beside its audit row.
#
# Invariants: what it leaves is one or more statements whose answers nobody needs, so it costs no round
# trip.


class Trace(Protocol):
    """One kind of things that writes change."""

    def statements(self, project: int) -> Iterator[Command]:
        """What to run in the write's transaction, in this order."""
        ...


# The row that a write leaves in the audit log: who did what to which object, and the record around it.


INSERT_AUDIT_ROW: Final[LiteralString] = """
    INSERT INTO audit_log (account_id, project_id, user_id, token_id, request_id, action, object, before,
                           after)"""
"""What comes behind gives the row, by VALUES or by SELECT."""


def audit_row(
    actor: Actor, *, action: str, target: str, project_id: int | None, before: Any, after: Any
) -> Command:
    """The statement that writes the row; the records become JSON."""
    return (
        f"{INSERT_AUDIT_ROW} VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            actor.account_id, project_id, actor.user_id, actor.token_id, actor.request_id, action, target,
            jsonb(before), jsonb(after),
        ),
    )  # fmt: skip


# What each action owes beside its audit row: the table of all actions that are recorded.
#
# An action that corrects values of events, one by one or by a rule, owes nothing here: corrections are
# written in one place, `collection/measurements/corrections.py`, which leaves the traces portion by
# portion.
#
# Invariants: `record` takes no action that is not in the table, and none without what it owes.


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
class OptionalTrace:
    """A trace that the action may leave, which nothing in the record tells."""

    kind: type[Trace]


Obligation = Always | Changing | OptionalTrace

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
    "asset.import": (OptionalTrace(GenerationsHeldOff),),
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
    "data_feed_upload.finish": (OptionalTrace(NewEvents),),
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
    if strange := left - {obligation.kind for obligation in owed}:
        raise ForgottenError(f"{action} leaves {_names(strange)}, which the table of actions does not say.")


def _needed(owed: Sequence[Obligation], before: Any, after: Any) -> Iterator[type[Trace]]:
    for obligation in owed:
        is_changed = isinstance(obligation, Changing) and getattr(before, obligation.field) != getattr(
            after, obligation.field
        )
        if is_changed or isinstance(obligation, Always):
            yield obligation.kind


def _names(kinds: set[type[Trace]]) -> str:
    return " or ".join(sorted(kind.__name__ for kind in kinds))


# Record a write: its audit row, and everything else that has to be known of it.


def record(
    tx: Write,
    actor: Actor,
    *traces: Trace | None,
    action: str,
    target: str,
    project_id: int | None = None,
    before: Any = None,
    after: Any = None,
) -> None:
    """Write down that the actor did something to an object, and leave what follows from what it changed.

    None stands for a trace that this time there is not. Raises ForgottenError when the action is unknown, or
    lacks a trace that it owes: a mistake in the code, never in a request.
    """
    traces_left = [trace for trace in traces if trace is not None]
    refuse_forgotten(action, traces_left, before, after)
    tx.later(
        *audit_row(actor, action=action, target=target, project_id=project_id, before=before, after=after)
    )
    # The feed of changes is told by triggers on the tables of what it tells of.
    if traces_left:
        assert project_id is not None, f"{action} changes records of a project"  # noqa: S101
        leave(tx, project_id, *traces_left)


def leave(tx: Write, project: int, *traces: Trace) -> None:
    """Leave traces of a part of a write, where machinery works in portions; its caller records the whole."""
    for trace in traces:
        for statement, values in trace.statements(project):
            tx.later(statement, values)


# What storing one event leaves behind, as parts of the one statement that stores it.
#
# The parts say the same as `record` with `NewEvents`; here they are joined to the write, so that all of it
# is one round trip. The statement has the row that was stored as `stored`, with its `created_at`.
#
# Parameters: `account`, `project`, `user`, `token`, `request_id` of the audit row, `id` and `after` of the
# event, whose times the statement knows alone; `event_type` and `start_time` of the mark.


_AT: Final = """to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""

AUDIT_ROW_OF_EVENT: Final = f"""{INSERT_AUDIT_ROW}
        SELECT %(account)s, %(project)s, %(user)s, %(token)s, %(request_id)s::text, 'event.create',
               %(id)s::text, NULL,
               %(after)s::jsonb || jsonb_build_object('created_at', {_AT}, 'updated_at', {_AT})
          FROM stored"""
"""The body of a common table expression that leaves the audit row."""

MARK_OF_EVENT: Final = MARK_EVENTS.format(
    """%(project)s::integer, ARRAY[%(event_type)s::integer],
                       ARRAY[%(start_time)s::timestamptz], ARRAY[%(start_time)s::timestamptz]"""
)
"""The expression that leaves the event to the automatic rules, to be selected from `stored`."""
